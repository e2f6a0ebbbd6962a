"""WebSub (W3C Recommendation of 2018): hubs that tell when a feed has something new, as its subscriber sees them.

A feed names a hub (`rel="hub"`) and its own address there (`rel="self"`, the topic). Who wants to be told asks the hub,
which asks back at an address that nobody can guess; from then on, for as long as the lease runs, it sends what is new
there, signed with a secret only the two know. Of all it sends, nothing is believed but that the feed is worth a look:

    asked     the hub was asked, and has not asked back yet
    told      it told that it will tell, until the lease runs out
    denied    it refused; it is asked again after a day
    leaving   it was asked to stop

Whether its word is worth a look is learned: of looks at the feed that a hub caused, most must find something new, else
only every fifth of its messages is followed.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal
from urllib.parse import urlencode

from strandline.core.wording import counted

State = Literal["asked", "told", "denied", "leaving"]

LEASE: Final = 864000.0
"""Seconds that a hub is asked to tell for. Origin: a guess, ten days as most subscribers do."""
LONGEST: Final = 2592000.0
"""Seconds of a lease that are believed. Origin: a guess, so that a hub that forgot us is noticed."""
RENEWED: Final = 0.1
"""Part of a lease that is left when it is renewed. Origin: a guess."""
PAUSE: Final = 3600.0
"""Seconds between two requests to a hub about the same feed, whatever it answers. Origin: a guess."""
DENIED_FOR: Final = 86400.0
"""Seconds after which a hub that refused is asked again. Origin: a guess."""
GAP: Final = 60.0
"""Seconds between two looks at a feed that its hub causes. Origin: a guess."""
BELIEVED: Final = 0.3
"""Trust from which on every message of a hub is followed: two looks for nothing end it. Origin: a guess."""
TESTED: Final = 5
"""Messages of a hub that is not believed, one of which is followed all the same. Origin: a guess."""
FORGOTTEN: Final = 0.95
"""Part of what is known of a hub's word that is left after another look. Origin: a guess."""
LARGEST: Final = 1024 * 1024
"""Bytes of a message. Origin: a bound on memory."""
_REMEMBERED: Final = 50
"""Messages of a feed whose sums are kept, to know them again. Origin: a bound on memory."""
_METHODS: Final = ("sha1", "sha256", "sha384", "sha512")
"""Origin: the standard."""
_LINK: Final = re.compile(r"<([^<>]{1,2000})>([^<]{0,2000})")
_RELATION: Final = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HubNames:
    """What a feed says: its hub, and its address there; both empty for none."""

    hub: str = ""
    topic: str = ""


def of_head(fields: Iterable[tuple[str, str]]) -> HubNames:
    """What the head of an answer says (`Link`, RFC 8288).

    >>> of_head([("link", '<https://hub.example/>; rel="hub", <https://a.example/feed>; rel=self')])
    HubNames(hub='https://hub.example/', topic='https://a.example/feed')
    """
    found: dict[str, str] = {}
    for name, value in fields:
        if name != "link":
            continue
        for address, parameters in _LINK.findall(value[:10_000]):
            relation = _RELATION.search(parameters)
            for one in (relation[1] or relation[2]).lower().split() if relation else ():
                found.setdefault(one, address.strip())
    return HubNames(found.get("hub", ""), found.get("self", ""))


@dataclass(frozen=True, slots=True)
class Subscription:
    """One feed at one hub."""

    feed: str
    hub: str
    topic: str
    callback: str
    """Where it reaches us; its last part is what nobody can guess."""
    secret: str
    state: State = "asked"
    asked: float = 0.0
    """When the hub was asked last; 0 for never."""
    until: float = 0.0
    """When the lease runs out; 0 when there is none."""
    lease: float = 0.0
    messages: int = 0
    """Those that were what they said they were."""
    refused: int = 0
    """Those that were not signed, or wrongly, or came a second time."""
    heard: float = 0.0
    """When the last message came."""
    problem: str = ""
    sums: tuple[str, ...] = ()

    def stands(self, now: float) -> bool:
        """Whether the hub has said that it tells."""
        return self.state == "told" and now < self.until

    def wants(self, wanted: bool, now: float) -> Literal["subscribe", "unsubscribe", "forget", ""]:
        """What is to be said to the hub now, when its word is `wanted` or not."""
        if not wanted:
            if self.state != "leaving":
                return "unsubscribe" if self.asked else "forget"
            return "forget" if now >= self.asked + PAUSE else ""
        if self.state == "denied":
            return "subscribe" if now >= self.asked + DENIED_FOR else ""
        if self.asked and now < self.asked + PAUSE:
            return ""
        if self.state == "told":
            return "subscribe" if now >= self.until - RENEWED * self.lease else ""
        return "subscribe"

    @property
    def token(self) -> str:
        """What the hub has to know to reach us."""
        return self.callback.rpartition("/")[2]

    def form(self, mode: str) -> bytes:
        """The request to the hub."""
        said = {"hub.mode": mode, "hub.topic": self.topic, "hub.callback": self.callback}
        if mode == "subscribe":
            said |= {"hub.secret": self.secret, "hub.lease_seconds": f"{LEASE:.0f}"}
        return urlencode(said).encode()

    def asked_for(self, mode: str, now: float) -> "Subscription":
        """The hub is asked. A lease that runs goes on until the hub has asked back."""
        state: State = "leaving" if mode == "unsubscribe" else "told" if self.stands(now) else "asked"
        return replace(self, state=state, asked=now, problem="")

    def confirmed(self, mode: str, topic: str, lease: str, now: float) -> "Subscription | None":
        """The hub asks whether it was we who asked; None when it was not."""
        if topic != self.topic or not self.asked:
            return None
        if mode == "denied":
            return replace(self, state="denied", until=0.0, asked=now, problem="the hub refused")
        if mode == "unsubscribe" and self.state == "leaving":
            return replace(self, until=0.0, asked=now - PAUSE)
        if mode != "subscribe" or self.state not in ("asked", "told"):
            return None
        seconds = float(lease) if lease.isascii() and lease.isdigit() and len(lease) < 12 else LEASE
        seconds = min(seconds, LONGEST)
        return replace(self, state="told", until=now + seconds, lease=seconds, problem="")

    def received(self, body: bytes, signature: str, now: float) -> tuple["Subscription", bool]:
        """A message came: whether it is what it says, new, and in time."""
        total = hashlib.sha256(body).hexdigest()[:32]
        if not self.stands(now) or not signed(self.secret, body, signature) or total in self.sums:
            return replace(self, refused=self.refused + 1), False
        kept = (*self.sums, total)[-_REMEMBERED:]
        return replace(self, messages=self.messages + 1, heard=now, sums=kept), True

    def answered(self, status: int, detail: str) -> "Subscription":
        """What the hub said to the request: a refusal is one, anything else that is wrong passes."""
        if 200 <= status < 300:
            return self
        refused = 400 <= status < 500 and status not in (408, 429) and self.state != "leaving"
        return replace(self, state="denied" if refused else self.state, problem=detail[:200])

    def says(self, now: float, when: Callable[[float], str]) -> str:
        """How it stands, in a sentence."""
        if self.stands(now):
            heard = f"{counted(self.messages, 'message')}, the last at {when(self.heard)}"
            heard = heard if self.messages else "no message yet"
            wrong = f"; {self.refused} were not what they said" if self.refused else ""
            return f"told by {self.hub} until {when(self.until)} ({heard}{wrong})"
        told = {"denied": "does not tell", "leaving": "is asked to stop", "told": "told until its lease ran out"}
        why = f" ({self.problem})" if self.problem else ""
        return f"{self.hub} {told.get(self.state, 'was asked to tell and has not confirmed it yet')}{why}; it is polled"

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @staticmethod
    def from_data(data: dict[str, Any]) -> "Subscription":
        """What `as_data` gave."""
        return Subscription(**{**data, "sums": tuple(data["sums"])})


def signed(secret: str, body: bytes, signature: str) -> bool:
    """Whether a message bears the signature of who knows the secret (`X-Hub-Signature`).

    >>> signed("s", b"news", "sha256=" + hmac.new(b"s", b"news", "sha256").hexdigest()), signed("s", b"news", "")
    (True, False)
    """
    method, _, told = signature.strip().partition("=")
    if method.lower() not in _METHODS:
        return False
    expected = hmac.new(secret.encode(), body, method.lower()).hexdigest()
    return hmac.compare_digest(expected.encode(), told.strip().lower().encode())


@dataclass
class HubWord:
    """What a feed says of its hub, and how often looks that the hub caused found something new.

    >>> word = HubWord("https://hub.example/", "https://a.example/feed")
    >>> [word.looked(changed) for changed in (False, False, False)] and word.believed
    False
    """

    hub: str = ""
    topic: str = ""
    right: float = 0.0
    wrong: float = 0.0
    ignored: int = 0
    """Messages in a row that were not followed."""
    pushed: float = 0.0
    """When a message came that no look has followed yet; 0 for none."""
    wanted: float = 0.0
    """When the feed was last made due by a message."""

    @property
    def trust(self) -> float:
        """How far its word is believed."""
        return (self.right + 1.0) / (self.right + self.wrong + 2.0)

    @property
    def believed(self) -> bool:
        """Whether every message is followed."""
        return self.trust >= BELIEVED

    def looked(self, changed: bool) -> bool:
        """A look that the hub caused was made."""
        self.right = FORGOTTEN * self.right + changed
        self.wrong = FORGOTTEN * self.wrong + (not changed)
        self.pushed = 0.0
        return True

    def told(self, now: float) -> float:
        """A message came: when the feed is wanted for it; 0 when it is not worth a look of its own."""
        if not self.believed and (self.ignored + 1) % TESTED:
            self.ignored += 1
            return 0.0
        self.ignored = 0
        self.pushed = now
        if self.wanted <= now:  # else a look waits already
            self.wanted = max(now, self.wanted + GAP)
        return self.wanted

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @staticmethod
    def from_data(data: dict[str, Any]) -> "HubWord":
        """What `as_data` gave."""
        return HubWord(**data)
