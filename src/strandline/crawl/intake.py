"""What came back: kept, counted, and what it names taken in, for the next commit.

exchange -> WARC -> capture and evidence -> addresses it names -> the batch that one transaction records
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from strandline.core.capture import Capture, Exchange, Kind, Outcome
from strandline.core.discovery.hints import SPEAKING, max_age
from strandline.core.discovery.websub import HubNames, of_head
from strandline.core.politeness.robots import UNHEARD
from strandline.core.quality.hollow import MARK, REFUSALS, REFUSED
from strandline.core.shown import Shown
from strandline.crawl.agenda import Agenda
from strandline.crawl.finding import Finder, Findings
from strandline.crawl.orders import NEVER, Orders
from strandline.crawl.parts import Parts
from strandline.crawl.reading import Reading
from strandline.crawl.skips import QUIET
from strandline.crawl.tally import Tally
from strandline.crawl.visits import Visits, redirect_target
from strandline.ports import Batch, Named, Refusal, Skipped, Task, Visited

AT_ONCE: Final = 2_000
"""Addresses found that are committed together: a sitemap may name many times as many. Origin: a bound on memory."""
_MOST_CHAINS: Final = 100_000
"""Redirects under way that are remembered. Origin: a bound on memory."""
_MOST_PARTS: Final = 100_000
"""Parts of pages that are remembered as had. Origin: a bound on memory."""
_MOVED, _UNCHANGED, _FAILED = 300, 304, 400
"""Answers from which on an address has moved, is unchanged, is wrong. Origin: RFC 9110."""


def batched(named: Sequence[Named], size: int) -> Iterator[Sequence[Named]]:
    """Pieces of a long list."""
    for start in range(0, len(named), size):
        yield named[start : start + size]


class Intake:
    """Fills batches; the loop commits them."""

    def __init__(self, parts: Parts, orders: Orders, finder: Finder, reading: Reading, agenda: Agenda) -> None:
        self._orders = orders
        self._finder = finder
        self._reading = reading
        self._agenda = agenda
        self._skips = parts.skips
        self._visits = Visits(parts.store, parts.catalog, orders.longest_wait)
        self._catalog = parts.catalog
        self._logins = parts.logins
        self._chains: dict[str, int] = {}
        self._seeds = {seed: seed for seed in orders.scope.seeds}
        self._found: set[str] = set()  # seeds that led to a page in this run, whatever became of it later
        """Seeds, and the addresses they sent us to: the seed each stands for."""
        self._parts_had: dict[str, float] = {}
        """What pages in browsers asked for in this run, and when it is wanted again."""
        self.batch = Batch()
        self.unreported: list[Capture] = []
        self.tally = Tally()

    def lost(self) -> Batch:
        """What was kept since the last commit cannot be promised: forget it, and say what it was. What it named stays:
        it is still true, and the finder does not name it to the frontier a second time.
        """
        lost = self.batch
        self.batch = Batch(found=lost.found, links=lost.links, hosts=lost.hosts, refused=lost.refused)
        self.tally.captured -= sum(not capture.revisit for capture in self.unreported)
        self.tally.unchanged -= sum(capture.revisit for capture in self.unreported)
        self.unreported = []
        return lost

    def skipped(self, task: Task, reason: str, due: float) -> None:
        """A page is not asked for after all."""
        kind = QUIET if reason.startswith(QUIET) else reason  # its evidence is kept with the page
        self.tally.skipped += 1
        self.tally.refusals[kind] += 1
        self.batch.skipped.append(Skipped(task.page, reason, due))
        self.batch.refused.append(Refusal(kind, task.url))
        if kind is not QUIET:
            self._seed_failed(task.url, reason.replace("robots: ", "not allowed: "))

    def visited(self, task: Task, exchange: Exchange, shown: Shown | None = None) -> Iterator[None]:
        """Keep an answer and take in what it names; between the pieces of a long list the caller may commit."""
        concluded = self._visits.conclude(task, exchange, self._agenda.timing(), shown)
        discovery = None
        if task.kind in SPEAKING and concluded.capture is not None:
            discovery = self._reading.named_by(task, exchange, shown)
            asks = discovery.asks or max_age(exchange.header("cache-control"))
            names = of_head(exchange.headers()) if exchange.status == 200 else HubNames()  # of both, the head counts
            hub, topic = (names.hub, names.topic) if names.hub else (discovery.hub, discovery.topic)
            concluded = replace(concluded, asks=asks, hub=hub, topic=topic)
        visited = self._agenda.settled(task, concluded)
        if task.kind is Kind.PAGE and visited.capture is not None:
            visited = self._weighed(task, visited, exchange, shown)
        self.batch.visited.append(visited)
        self._skips.visited(task, visited)
        self._count(visited, exchange)
        target = redirect_target(exchange)
        if target:
            self._follow(task, target)
        elif visited.capture is not None and (shown or self.wants_whole(task) or _unread(task, visited.capture)):
            discovery = discovery or self._reading.named_by(task, exchange, shown)
            if discovery.lost:
                self.tally.refusals[f"links lost: {discovery.lost}"] += 1
            for piece in batched(discovery.named, AT_ONCE):
                self.found(self._finder.named(task, piece, self._agenda.wanted_from()))
                yield

    def part_of_page(self, task: Task, exchange: Exchange) -> Capture | None:
        """Keep what a page in a browser asked for. When it is wanted next, if ever, is not changed by that."""
        timing = self._agenda.timing()
        visited = self._visits.conclude(task, exchange, timing)
        if visited.capture is None:
            return None  # noted in the WARC file
        known = self._catalog.page(visited.capture.url)
        due = NEVER if known is None else max(known.due, visited.due) if known.via != "archive" else known.due
        part = replace(visited, page=0, due=due, not_before=0.0, attempts=0, kind=Kind.REQUISITE)
        self.batch.visited.append(part)
        self._count(visited, exchange)
        if len(self._parts_had) >= _MOST_PARTS:
            self._parts_had.clear()
        self._parts_had[visited.capture.url] = visited.due
        return visited.capture

    def _weighed(self, task: Task, visited: Visited, exchange: Exchange, shown: Shown | None) -> Visited:
        """Notes with the page when the answer is no content."""
        if exchange.status in REFUSALS:
            self.tally.hollow[REFUSED] += 1
            self._logins.answered(task, exchange, "", self._catalog)
            return visited
        kind = self._reading.hollow(exchange, shown)
        self._logins.answered(task, exchange, kind, self._catalog)
        if not kind:
            return visited
        self.tally.hollow[kind] += 1
        return replace(visited, detail=f"{MARK}{kind}")

    def change(self, orders: Orders) -> None:
        """Go by another scope from now on."""
        self._orders = orders
        self._seeds = {seed: seed for seed in orders.scope.seeds} | self._seeds

    def wants_whole(self, task: Task) -> bool:
        """Whether what a page names was not taken in, or by a narrower scope: then known bytes are read, too."""
        return task.read <= self._orders.read_since

    def kept(self, visited: Visited, octets: int) -> None:
        """A capture that was kept without being a page's: robots.txt."""
        assert visited.capture is not None
        self.batch.visited.append(visited)
        self.unreported.append(visited.capture)
        self.tally.captured += 1
        self.tally.octets += octets

    def _count(self, visited: Visited, exchange: Exchange) -> None:
        self.tally.octets += exchange.body_length + len(exchange.response_head)
        if visited.capture is not None:
            self.unreported.append(visited.capture)
            self.tally.statuses[visited.capture.status] += 1
            if visited.capture.revisit:
                self.tally.unchanged += 1
            else:
                self.tally.captured += 1
        if exchange.outcome is not Outcome.ANSWERED:
            self.tally.failed += 1
            self.tally.failures[exchange.outcome] += 1
        if visited.capture is None:
            self._seed_failed(
                exchange.request.url, f"{exchange.outcome}: {exchange.detail.removeprefix('robots.txt: ')}"
            )
        elif exchange.status < _MOVED or exchange.status == _UNCHANGED:
            self._seed_found(exchange)
        elif exchange.status >= _FAILED or not redirect_target(exchange):
            self._seed_failed(exchange.request.url, f"answered {exchange.status}")

    def _seed_found(self, exchange: Exchange) -> None:
        self.tally.pages += exchange.request.kind is Kind.PAGE
        seed = self._seeds.get(exchange.request.url, "")
        self._found.add(seed)
        self.tally.seeds_failed.pop(seed, None)
        self.tally.seeds_moved.pop(seed, None)

    def _seed_failed(self, url: str, reason: str) -> None:
        seed = self._seeds.get(url)
        unheard = reason.endswith(UNHEARD) and seed in self.tally.seeds_failed
        if seed is not None and seed not in self._found and not unheard:  # why its host was not heard is known already
            self.tally.seeds_failed[seed] = reason if seed == url else f"{reason} ({url})"
            self.tally.seeds_moved.pop(seed, None)

    def _follow(self, task: Task, target: str) -> None:
        """A redirect is a capture of its own; its target is the next page, up to a number of hops."""
        length = self._chains.pop(task.url, 0) + 1
        if length > self._orders.redirects:
            self._refuse([Refusal("too many redirects", target)])
            return
        if len(self._chains) > _MOST_CHAINS:
            self._chains.clear()
        self._chains[target] = length
        self._logins.sent_on(task, target, self._catalog)
        seed = self._seeds.get(task.url)
        if seed is not None:
            self._seeds.setdefault(target, seed)
            self.tally.seeds_moved[seed] = target
        self.found(self._finder.redirected(task, target, self._agenda.wanted_from()))

    def found(self, findings: Findings) -> None:
        """Note addresses, links and refusals. What a browser has just asked for is not wanted once more."""
        had = self._parts_had
        self.batch.found += [
            replace(found, due=max(found.due, had[found.url])) if had and found.url in had else found
            for found in findings.found
        ]
        self.batch.links += findings.links
        self._refuse(findings.refused)

    def _refuse(self, refused: list[Refusal]) -> None:
        self.batch.refused += refused
        for refusal in refused:
            self.tally.refusals["trap" if refusal.reason.startswith("trap:") else refusal.reason] += 1


def _unread(task: Task, capture: Capture) -> bool:
    """Whether a capture may name what its page did not name before. The same bytes under another address do: what they
    name is meant from there.
    """
    return not capture.revisit or (capture.status == 200 and capture.entity != task.entity)
