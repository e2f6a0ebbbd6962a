"""Subscriptions at the hubs that feeds name, kept by the process that hubs can reach: the interface.

    what feeds say (plan/feed_hubs.py) -> asked for at the hub -> confirmed by it -> messages -> the feed is due now

A message makes its feed due, nothing else: the watch, or a worker, then asks for the feed itself as it does when it
polls, within the same budget and pauses, and finds there what is new. Nothing of a message is kept.

Every request to a hub passes the wall of addresses that holds for webhooks (fetch/webhook.py); a hub is asked about a
feed once an hour at most, whatever it answers, and no more than some hubs a minute are asked at all. Leases that nobody
renews run out by themselves.
"""

import contextlib
import json
import math
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Literal
from urllib.parse import urlsplit

from strandline.archive.folder import Archive
from strandline.core.discovery.site_rules import ByHost
from strandline.core.discovery.websub import HubWord, Subscription
from strandline.core.urls import authority, site, surt_key
from strandline.crawl.preparing import address_policy
from strandline.fetch.options import user_agent
from strandline.fetch.webhook import Posted, PostOptions, post
from strandline.plan.feed_hubs import SUBSCRIPTIONS, WORDS, hub_word, kept_subscriptions, written
from strandline.settings.schema import Settings
from strandline.store.annotations import Writing
from strandline.store.hastening import make_due
from strandline.store.index import KeyReading
from strandline.store.notes import keep_note, kept_note
from strandline.version import __version__

PATH: Final = "/hub/"
"""Where hubs reach the interface, before that key."""
_SECONDS: Final = 15.0
"""Within which a hub has to answer. Origin: a guess."""
_AT_ONCE: Final = 10
"""Requests to hubs in one round. Origin: a guess."""
_PAUSE: Final = 1.0
"""Seconds between two requests of a round. Origin: a guess, as the shortest pause of a crawl."""
_OF_A_SITE: Final = 20
"""Feeds of a site that are subscribed to. Origin: a guess: a site must not make us ask hubs without end."""
_MOST: Final = 1_000
"""Subscriptions in all. Origin: a bound on memory."""

Send = Callable[[str, bytes, Mapping[str, str], PostOptions], Posted]
Message = Literal["taken", "ignored", "gone", "unknown"]


class Subscriptions:
    """Those of one archive. Any thread may ask, one at a time does something."""

    def __init__(
        self,
        archive: Archive,
        settings: Callable[[], Settings],
        send: Send = post,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`settings` tells what they are now; `archive` is not used by anybody else."""
        self._archive = archive
        self._settings = settings
        self._send = send
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, Subscription] = {}
        """By what nobody can guess: whoever does not know one costs no question to the database."""
        self._loaded = False
        self._refused: Counter[str] = Counter()
        self._sleep: Callable[[float], object] = time.sleep

    # -- asking hubs -------------------------------------------------------------------------------------------------

    def step(self) -> list[str]:
        """One round: ask the hubs that are to be asked; what was said to them, a line each."""
        settings, now = self._settings(), self._clock()
        if self._loaded and not self._known and not settings.serve.address:
            return []  # nobody is asked, and nobody has to be told so
        with self._lock:
            self._take_in()
            self._loaded = True
            words = {feed: hub_word(data) for feed, data in self._notes(WORDS)}
            asked = self._to_ask(settings, words, now)
            for one, mode in asked:
                self._keep(one.asked_for(mode, now))  # a hub may ask back before it has answered
        said = []
        for place, (one, mode) in enumerate(asked):
            if place:
                self._sleep(_PAUSE)
            said.append(self._ask(settings, one, mode))
        return said

    def _to_ask(
        self, settings: Settings, words: Mapping[str, HubWord], now: float
    ) -> list[tuple[Subscription, Literal["subscribe", "unsubscribe"]]]:
        wanted = _wanted(settings, words)
        asked: list[tuple[Subscription, Literal["subscribe", "unsubscribe"]]] = []
        for token, one in list(self._known.items()):
            there = wanted.pop(one.feed, None) if wanted.get(one.feed) == _place(one) else None
            mode = one.wants(there is not None, now)
            if mode == "subscribe" and not self._is_crawled(one.feed):
                mode = one.wants(False, now)
            if mode == "forget":
                self._known.pop(token)
                self._archive.beside(lambda connection, token=token: keep_note(connection, SUBSCRIPTIONS, token, None))  # type: ignore[misc]
            elif mode and len(asked) < _AT_ONCE:
                asked.append((one, mode))
        for feed, (address, hub, topic) in wanted.items():
            if len(self._known) >= _MOST or len(asked) >= _AT_ONCE:
                break
            if not self._is_crawled(feed):
                continue
            callback = f"{address}{PATH}{secrets.token_urlsafe(32)}"
            made = Subscription(feed, hub, topic, callback, secrets.token_urlsafe(32))
            asked.append((made, "subscribe"))
        return asked

    def _is_crawled(self, feed: str) -> bool:
        """Whether a feed is asked for by itself, too: what was taken down, erased or left to an import is not."""
        with contextlib.closing(KeyReading.open(self._archive.database)) as reading:
            page, hidden = reading.page(feed), reading.hidden
            return page is not None and page.due < math.inf and not (hidden and hidden.hides(surt_key(feed)))

    def _ask(self, settings: Settings, one: Subscription, mode: Literal["subscribe", "unsubscribe"]) -> str:
        options = PostOptions(
            user_agent(__version__, settings.archive.contact),
            address_policy(settings.fetch),
            total=_SECONDS,
            allowed_by="fetch.allow_address",
        )
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = self._send(one.hub, one.form(mode), kind, options)
        with self._lock:
            self._change(one.token, lambda kept: kept.answered(answer.status, answer.detail))
        return f"{mode} {one.feed} at {one.hub}: {answer.detail}"

    # -- what hubs say -----------------------------------------------------------------------------------------------

    def knows(self, token: str) -> bool:
        """Whether a hub may ask or tell something under this address."""
        return token in self._known

    def confirm(self, token: str, mode: str, topic: str, lease: str) -> bool:
        """A hub asks whether it was we who asked, or refuses."""
        if token not in self._known:
            return False
        with self._lock:
            now = self._clock()
            return self._change(token, lambda kept: kept.confirmed(mode, topic, lease, now))

    def receive(self, token: str, body: bytes, signature: str) -> Message:
        """A hub tells of something new. What is not signed, or came before, is ignored, and nobody learns which."""
        known, now = self._known.get(token), self._clock()
        if known is None:
            return "unknown"
        if not known.stands(now):
            return "gone"
        if not known.received(body, signature, now)[1]:
            self._refused[token] += 1
            return "ignored"
        with self._lock, contextlib.closing(KeyReading.open(self._archive.database)) as reading:
            page = reading.page(known.feed)
            if page is None:
                return "ignored"

            def tell(connection: Writing) -> bool:
                wanted = self._told(connection, known, (body, signature), now)
                if wanted:
                    make_due(connection, page.page, wanted)
                return wanted > 0.0

            return "taken" if self._archive.beside(tell) else "ignored"

    def _told(self, connection: Writing, known: Subscription, message: tuple[bytes, str], now: float) -> float:
        """Note a message; when its feed is wanted for it, 0 for not at all."""
        kept = kept_note(connection, SUBSCRIPTIONS, known.token)
        if kept is None:
            return 0.0
        after, new = Subscription.from_data(json.loads(kept)).received(*message, now)
        self._known[known.token] = after
        _write(connection, after)
        if not new:
            return 0.0
        word = hub_word(kept_note(connection, WORDS, known.feed))
        wanted = word.told(now)
        keep_note(connection, WORDS, known.feed, written(word))
        return wanted

    # -- notes -------------------------------------------------------------------------------------------------------

    def _notes(self, kind: str) -> list[tuple[str, bytes]]:
        with contextlib.closing(KeyReading.open(self._archive.database)) as reading:
            return list(reading.notes(kind))

    def _take_in(self) -> None:
        """What other processes did; and what was refused meanwhile is noted."""
        self._known = {one.token: one for one in kept_subscriptions(self._notes(SUBSCRIPTIONS))}
        refused, self._refused = self._refused, Counter()
        for token, count in refused.items():
            self._change(token, lambda kept, count=count: replace(kept, refused=kept.refused + count))  # type: ignore[misc]

    def _keep(self, one: Subscription) -> None:
        self._known[one.token] = one
        self._archive.beside(lambda connection: _write(connection, one))

    def _change(self, token: str, change: Callable[[Subscription], Subscription | None]) -> bool:
        """Replace a subscription by what follows from it; False when there is none, or nothing follows."""

        def changed(connection: Writing) -> Subscription | None:
            kept = kept_note(connection, SUBSCRIPTIONS, token)
            after = None if kept is None else change(Subscription.from_data(json.loads(kept)))
            if after is not None:
                _write(connection, after)
            return after

        found = self._archive.beside(changed)
        if found is not None:
            self._known[token] = found
        return found is not None


def _place(one: Subscription) -> tuple[str, str, str]:
    """Our address, the hub and the topic of a subscription."""
    return one.callback.rpartition(PATH)[0], one.hub, one.topic


def _wanted(settings: Settings, words: Mapping[str, HubWord]) -> dict[str, tuple[str, str, str]]:
    """Feeds whose hubs are to tell us: our address, hub and topic of each."""
    address = settings.serve.address.rstrip("/")
    if not address:
        return {}
    rules, of_site = ByHost(settings.site), Counter[str]()
    wanted = {}
    for feed, word in words.items():
        own = rules.of(authority(feed))
        if not word.hub or (own is not None and own.state != "active") or not urlsplit(word.hub).hostname:
            continue
        of_site[site(feed)] += 1
        if of_site[site(feed)] <= _OF_A_SITE:
            wanted[feed] = (address, word.hub, word.topic or feed)
    return wanted


def _write(connection: Writing, one: Subscription) -> None:
    keep_note(connection, SUBSCRIPTIONS, one.token, json.dumps(one.as_data()).encode())
