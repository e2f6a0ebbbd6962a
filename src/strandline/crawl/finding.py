"""From what a document names to what is worth asking for: scope, traps, session ids, hops."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Final

from strandline.core.capture import Capture, Kind
from strandline.core.discovery.hints import SPEAKING
from strandline.core.discovery.scope import Scope
from strandline.core.discovery.traps import TrapWatch, group_of, without_session
from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import authority, canonical, without_keys
from strandline.crawl.orders import Orders
from strandline.crawl.robots import RobotsGate
from strandline.ports import Found, Link, Named, Refusal, Task

SITEMAP_FILES: Final = 500
"""Sitemaps of a host that are read. Origin: a guess."""
SITEMAP_DEPTH: Final = 3
"""Sitemaps that name sitemaps, one below the other. Origin: a guess."""

_MOST_KNOWN: Final = 30_000
"""Addresses remembered as known, so that the catalog is not asked. Origin: a bound on memory."""
_FAR: Final = 1 << 30
"""More hops than there are. Origin: a definition."""

_KINDS: Final = {"requisite": Kind.REQUISITE, "sitemap": Kind.SITEMAP, "feed": Kind.FEED}
_STEP: Final = 0.02
"""Each further requisite of a page comes a little later: a page with thousands of them does not hide its neighbours.
Origin: a guess."""
_HEAD_START: Final = {Kind.REQUISITE: 0.9, Kind.SITEMAP: 1.0, Kind.FEED: 0.5}
"""Hops by which each kind comes before pages. A page's own requisites come right after it, so that an early stop
leaves whole pages.
Origin: a guess."""


@dataclass(slots=True)
class Findings:
    """What became of the addresses a document names."""

    found: list[Found] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


class Finder:
    """Decides about every address a crawl meets."""

    def __init__(self, orders: Orders, scope: Scope, traps: TrapWatch, robots: RobotsGate) -> None:
        self._orders = orders
        self._scope = scope
        self._traps = traps
        self._robots = robots
        self._sitemaps: dict[str, set[str]] = {}
        self._known: dict[str, int] = {}
        """Addresses already handed to the frontier in this run, and from how near: most links repeat."""

    def named(self, source: Task, named: Iterable[Named], due: float) -> Findings:
        """What a fetched document names: addresses to fetch, links to known ones, and those refused."""
        findings = Findings()
        seen: set[str] = {source.url}
        group = group_of(source.url) if source.kind is Kind.PAGE else ""
        further = 1 if source.kind is Kind.SITEMAP else source.hops + 1
        listed = source.kind.value if source.kind in SPEAKING else ""
        nth, known, links, page, new = 0, self._known, findings.links, source.page, tuple.__new__
        for name in named:
            url, via = name.url, name.via
            near = known.get(url)
            if near is None:  # what is known carries no session id
                url = self._bare(url)
                near = known.get(url, _FAR)
            if url in seen:
                continue
            seen.add(url)
            kind = _KINDS.get(via, Kind.PAGE)
            if listed and kind is Kind.PAGE:
                via = listed  # they name pages as links; what they claim is their word, not that of links
            hops = further if kind is Kind.PAGE else source.hops
            if kind is Kind.SITEMAP and source.kind is Kind.SITEMAP:
                hops += 1
            if near <= hops and name.lastmod is None:
                links.append(new(Link, (page, url, via)))  # most of what a page names: without the cost of a call
                continue
            reason, behind = self._refuses(source, url, kind, hops), 0.0
            if not reason and kind is Kind.PAGE:
                reason, behind = self._traps.met(url, group)
                reason = reason or self._robots.keeps_out(url)
            if reason:
                findings.refused.append(Refusal(reason, url))
                continue
            # A suspect is looked at again each time it is named; a sitemap names each address once.
            if not behind and source.kind is not Kind.SITEMAP:
                self._remember(url, hops)
            if kind is not Kind.PAGE:
                nth += 1
            priority = hops + behind - _HEAD_START.get(kind, 0.0) + nth * (_STEP if kind is not Kind.PAGE else 0.0)
            findings.found.append(Found(url, kind, via, source.page, hops, priority, due, name.lastmod))
        return findings

    def _bare(self, url: str) -> str:
        """The address without session ids and secrets."""
        return without_keys(without_session(url), self._orders.secret_keys)

    def _remember(self, url: str, hops: int) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[url] = hops

    def _refuses(self, source: Task, url: str, kind: Kind, hops: int) -> str:
        if kind is Kind.SITEMAP:
            # The depth of a chain of sitemap indexes is carried in their hops.
            if not self._orders.sitemaps:
                return "sitemaps off"
            if (source.kind is Kind.SITEMAP and source.hops >= SITEMAP_DEPTH) or not self._counted(source, url):
                return "too many sitemaps"
        if kind is Kind.FEED and not self._orders.feeds:
            return "feeds off"
        return self._scope.refuses(url, Kind.PAGE if kind is Kind.FEED else kind, hops)

    def _counted(self, source: Task, sitemap: str) -> bool:
        """Whether a sitemap is one of those a host may name: each counts once, however often it is named."""
        named = self._sitemaps.setdefault(authority(source.url), set())
        if sitemap not in named and len(named) >= SITEMAP_FILES:
            return False
        named.add(sitemap)
        return True

    def redirected(self, source: Task, target: str, due: float) -> Findings:
        """The target of a redirect: as far from the seed as its source, and in scope where a seed has moved to."""
        url = self._bare(target)
        if source.hops == 0 and source.kind is Kind.PAGE:
            self._scope.moved(source.url, url)
        reason = self._scope.refuses(url, source.kind, source.hops)
        if not reason and source.kind is Kind.PAGE:
            reason, _ = self._traps.met(url, group_of(source.url))
        if reason:
            return Findings(refused=[Refusal(reason, url)])
        found = Found(url, source.kind, "redirect", source.page, source.hops, source.hops - 0.5, due)
        return Findings(found=[found])

    def change(self, orders: Orders) -> None:
        """Go by another scope from now on; what was known to be outside may be inside."""
        self._orders = orders
        self._scope.change(orders.scope)
        self._known.clear()

    def reopen(self, captures: Callable[[str], Sequence[Capture]]) -> None:
        """Seeds that were found to have moved by an earlier run take their scope along in this one, too."""
        for seed in self._orders.scope.seeds:
            url = seed
            for _ in range(self._orders.redirects):
                known = captures(url)
                if not known or not known[-1].redirect:
                    break
                try:
                    url = self._bare(canonical(known[-1].redirect))
                except ValueError:
                    break
                self._scope.moved(seed, url)

    def sitemaps(self, site: str, listed: Iterable[str], due: float) -> list[Found]:
        """Sitemaps of a host in scope: those its robots.txt lists, else the usual place."""
        if not self._orders.sitemaps or self._scope.refuses(f"{site}/", Kind.PAGE, 0):
            return []
        places = []
        for place in listed:
            try:
                places.append(self._bare(canonical(place, f"{site}/")))
            except ValueError:
                continue
        return [
            Found(url, Kind.SITEMAP, "sitemap", 0, 0, -1.0, due)
            for url in (places or [f"{site}/sitemap.xml"])[:SITEMAP_FILES]
        ]

    def outside(self, task: Task) -> str:
        """Why a page that waits is out of scope now; empty when it is inside."""
        return self._scope.refuses(task.url, task.kind, task.hops)

    def trapped(self, task: Task) -> str:
        """The closed trap a page that waits belongs to; empty when there is none."""
        return self._traps.drops(task.url) if task.kind is Kind.PAGE else ""
