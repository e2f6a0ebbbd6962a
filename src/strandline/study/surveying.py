"""A first look at a site, before anything of it is kept: what robots.txt lets us do, how far it reaches, what it offers
for finding pages, and whether a browser or a login seems needed.

It is a handful of requests, with the pauses of a crawl between them: robots.txt, the page itself, and the first
sitemaps unless the host wants long pauses. A page that robots.txt does not let us ask for is not asked for.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from strandline.access.payload import LostError
from strandline.archive.folder import Archive, web_address
from strandline.archive.holdings import holdings
from strandline.core.blocks.levels import PageLevel
from strandline.core.blocks.roles import block_importances
from strandline.core.browsing.signs import EMPTY, THIN, signs_of
from strandline.core.capture import Kind
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.discovery.scope import Scope, ScopeRules
from strandline.core.politeness.robots import MOST_BYTES, UNHEARD, Robots, RobotsCopy
from strandline.core.quality.hollow import LOGIN, REFUSALS, hollow
from strandline.core.urls import canonical, origin
from strandline.crawl.preparing import manners_of
from strandline.dom import html
from strandline.dom.documents import Documents
from strandline.dom.metadata import page_metadata
from strandline.dom.scan import PageTooCostlyError
from strandline.errors import Unreachable
from strandline.settings.schema import Settings
from strandline.study.comparing import Comparison, compared
from strandline.study.documents import Document, UnreadableError
from strandline.study.live_pages import LiveAnswer, LivePages
from strandline.study.worker import ArchiveReader, document

REACHES: Final = ("page", "prefix", "host", "domain")
"""How far a site may be followed, the narrowest first."""
_PATIENCE: Final = 20.0
"""Seconds one answer may take. Origin: a guess; somebody waits for it."""
_SITEMAPS: Final = 3
"""Sitemaps that are read. Origin: a guess; they tell how large a site is, a crawl reads all."""
_LONG_PAUSE: Final = 5.0
"""Seconds a host may want between requests for its sitemaps to be read. Origin: a guess; somebody waits for it."""
_SHOWN_BLOCKS: Final = 6
"""Blocks of the page that are told. Origin: a guess."""
_SHOWN_TEXT: Final = 160
"""Letters of each. Origin: a guess."""

Browser = Literal["no", "perhaps", "yes"]
Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class RobotsFound:
    """What a host lets us do."""

    said: str
    """Where that stands: robots.txt, or why there is none."""
    allowed: bool
    """Whether the page may be asked for."""
    delay: float = 0.0
    """Seconds it wants between requests; 0 when it does not say."""


@dataclass(frozen=True, slots=True)
class SitemapFound:
    """A sitemap and how many addresses it names, sitemaps among them."""

    url: str
    addresses: int


@dataclass(frozen=True, slots=True)
class BlockFound:
    """A part of the page, and how much a change of it would count, of all parts together 1."""

    role: str
    importance: float
    text: str


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found at an address."""

    url: str
    time: float
    robots: RobotsFound
    status: int = 0
    """0 when the page was not asked for, or did not answer."""
    problem: str = ""
    """Why there is no page to follow: robots, unreachable, status, type; empty when there is one."""
    mime: str = ""
    title: str = ""
    language: str = ""
    browser: Browser = "no"
    """Whether its text comes with scripts."""
    login: bool = False
    """Whether it asks who we are."""
    feeds: tuple[str, ...] = ()
    sitemaps: tuple[SitemapFound, ...] = ()
    pages: dict[str, int] = field(default_factory=dict)
    """Addresses found so far within each of REACHES."""
    blocks: tuple[BlockFound, ...] = ()
    """The parts that count most."""
    document: Document | None = field(default=None, repr=False, compare=False)
    """The page, for a comparison with its first capture."""

    def as_data(self) -> dict[str, Any]:
        """For programs."""
        return {
            "url": self.url,
            "time": self.time,
            "status": self.status,
            "problem": self.problem,
            "type": self.mime,
            "title": self.title,
            "language": self.language,
            "browser": self.browser,
            "login": self.login,
            "robots": {"said": self.robots.said, "allowed": self.robots.allowed, "delay": self.robots.delay},
            "feeds": list(self.feeds),
            "sitemaps": [{"url": one.url, "addresses": one.addresses} for one in self.sitemaps],
            "pages": self.pages,
            "blocks": [{"role": one.role, "importance": one.importance, "text": one.text} for one in self.blocks],
        }


class _NotAllowedError(Exception):
    """robots.txt speaks against an address."""


def survey(address: str, settings: Settings, sleep: Sleep = time.sleep) -> Survey:
    """Look at a site; UsageError for what is no address, Unreachable when its host does not answer at all."""
    with LivePages(settings) as web:
        look = _Look(web, settings, sleep)
        url = web_address(address)
        try:
            page = web.get(url, _PATIENCE, look.may)
        except _NotAllowedError as refusal:
            robots = look.found(str(refusal))
            problem = "unreachable" if robots.said == UNHEARD else "robots"
            return Survey(str(refusal), time.time(), robots, problem=problem)
        robots = look.found(page.url)
        if page.status >= 400:
            login = page.status in REFUSALS
            return Survey(page.url, page.time, robots, page.status, "status", login=login)
        named = Documents().discover(page.url, _mime(page), page.data, document(page.data, page.content_type).charset)
        made = _described(page, robots)
        found = {one.url for one in named.named if one.via in ("link", "frame", "refresh", "canonical")}
        feeds = tuple(dict.fromkeys(one.url for one in named.named if one.via == "feed"))
        sitemaps = look.sitemaps(page, found)
    pages = {reach: _inside(page.url, reach, found) for reach in REACHES}
    return replace(made, feeds=feeds, sitemaps=sitemaps, pages=pages, title=named.title)


class _Look:
    """One look: the rules of each host it comes to, and the pauses between requests."""

    def __init__(self, web: LivePages, settings: Settings, sleep: Sleep) -> None:
        self._web = web
        self._obey = settings.politeness.robots == "obey"
        self._unreachable: Literal["allow", "disallow"] = (
            "allow" if settings.politeness.robots_unreachable == "allow" else "disallow"
        )
        self._manners = manners_of(settings.politeness)
        self._sleep = sleep
        self._rules: dict[str, Robots] = {}

    def may(self, url: str) -> None:
        """Ask for the rules of a place that are not known yet, and raise when they speak against an address."""
        place = origin(url)
        if place not in self._rules:
            self._rules[place] = self._asked(place)
        if self._obey and not self._rules[place].allows(url):
            raise _NotAllowedError(url)

    def _asked(self, place: str) -> Robots:
        now = time.time()
        try:
            answer = self._web.get(f"{place}/robots.txt", _PATIENCE)
        except Unreachable:
            return Robots(RobotsCopy(now, 0, b""), now, self._unreachable)
        body = answer.data[:MOST_BYTES] if 200 <= answer.status < 300 else b""
        return Robots(RobotsCopy(now, answer.status, body), now, self._unreachable)

    def found(self, url: str) -> RobotsFound:
        """What the host of an address lets us do."""
        rules = self._rules[origin(url)]
        return RobotsFound(rules.reason, not self._obey or rules.allows(url), rules.delay or 0.0)

    def sitemaps(self, page: LiveAnswer, found: set[str]) -> tuple[SitemapFound, ...]:
        """The first sitemaps of the host; what they name is added to what was found."""
        rules, place = self._rules[origin(page.url)], origin(page.url)
        usual = self._manners.delay if self._manners.delay is not None else self._manners.factor * page.seconds
        pause = max(rules.delay or 0.0, usual)
        if pause > _LONG_PAUSE:
            return ()
        waiting, read = list(rules.sitemaps) or [f"{place}/sitemap.xml"], list[SitemapFound]()
        while waiting and len(read) < _SITEMAPS:
            self._sleep(pause)
            try:
                answer = self._web.get(canonical(waiting.pop(0), f"{place}/"), _PATIENCE, self.may)
            except (Unreachable, ValueError, _NotAllowedError):
                continue
            if not 200 <= answer.status < 300:
                continue
            named = Documents().discover(answer.url, _mime(answer), answer.data, "utf-8").named
            further = [one.url for one in named if one.via == "sitemap"]
            inside = [one.url for one in named if one.via != "sitemap" and one.url != answer.url]
            if _mime(answer) == "text/html" and not any(one.lastmod for one in named):
                continue  # a page that says there is no sitemap, with status 200
            waiting += further
            found.update(inside)
            read.append(SitemapFound(answer.url, len(inside) + len(further)))
        return tuple(read)


def _described(page: LiveAnswer, robots: RobotsFound) -> Survey:
    """What the page itself tells."""
    made = document(page.data, page.content_type)
    if not made.text:
        return Survey(page.url, page.time, robots, page.status, "type", _mime(page))
    signs, wall = signs_of(made.data), hollow(made.data) == LOGIN
    browser: Browser = "yes" if signs.kind == EMPTY else "perhaps" if signs.kind == THIN and not wall else "no"
    language = page_metadata(made.data, made.charset).get("language", "") or page.language.split(",")[0].strip()
    return Survey(
        page.url,
        page.time,
        robots,
        page.status,
        mime=_mime(page),
        language=language.lower(),
        browser=browser,
        login=wall,
        blocks=_blocks(made, page.url),
        document=made,
    )


def _blocks(made: Document, url: str) -> tuple[BlockFound, ...]:
    try:
        tree = html.blocks(made.data, charset=made.charset, url=url)
    except PageTooCostlyError:
        return ()
    weighed = [
        BlockFound(block.role, round(weight, 6), " ".join(block.text.split())[:_SHOWN_TEXT])
        for block, weight in zip(tree.blocks, block_importances(tree.blocks), strict=True)
        if block.text.strip()
    ]
    return tuple(sorted(weighed, key=lambda one: -one.importance)[:_SHOWN_BLOCKS])


def _inside(url: str, reach: str, found: set[str]) -> int:
    scope = Scope(ScopeRules((url,), reach))
    return len({url} | {one for one in found if not scope.refuses(one, Kind.PAGE, 1)})


def _mime(answer: LiveAnswer) -> str:
    return answer.content_type.split(";")[0].strip().lower()


def first_comparison(archive: Archive, seen: Survey) -> tuple[Comparison, float] | None:
    """The page as it was looked at beside its newest capture, and when that was made; None before there is one."""
    captures = [capture for capture in archive.captures(seen.url) if capture.status == 200]
    if not captures or seen.document is None:
        return None
    reader = ArchiveReader(holdings(archive))
    how = PageLevel(archive.settings.study.level)
    try:
        before = reader.blocks(seen.document, seen.url, how)
        after = reader.blocks(reader.read(captures[-1]), seen.url, PageLevel(before.level, before.scale))
    except (LostError, UnreadableError):
        return None
    return compared(before, after, NoiseState(), language=seen.language), captures[-1].time
