"""The crawl: take what is due, ask politely, keep, commit, report; one thread, many connections.

    frontier -> robots and manners -> fetcher -> WARC -> discovery -> one commit -> the promise -> frontier

A group commit makes captures durable (WARC first, then the catalog, in one transaction) before any of them is
reported. Stopping is part of normal work: the first request lets exchanges in flight finish, the second drops them,
and both leave an archive that the same command resumes.
"""

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

from strandline.core.capture import Capture, Exchange, Kind, Outcome, Request
from strandline.core.discovery.scope import Scope
from strandline.core.discovery.traps import TrapWatch
from strandline.core.politeness.delays import reply_of, retry_after
from strandline.core.urls import authority, origin
from strandline.crawl.finding import Finder, Findings
from strandline.crawl.orders import NEVER, Orders
from strandline.crawl.parts import Parts, Reporter
from strandline.crawl.reading import Reading
from strandline.crawl.robots import RobotsDesk, robots_visit
from strandline.crawl.skips import QUIET
from strandline.crawl.tally import Tally
from strandline.crawl.visits import Timing, Visits, redirect_target
from strandline.errors import ArchiveDamaged, OutOfSpace
from strandline.ports import Batch, Found, Named, Refusal, Skipped, Task, Visited

_TICK: Final = 0.2
"""Longest time the fetcher is driven before commits and signals are looked at."""
_AT_ONCE: Final = 2_000
"""Addresses found that are committed together: a sitemap may name many times as many."""
_LARGE: Final = 8 * 2**20
"""Bytes from which on an answer takes so long to pack that it waits for its smaller neighbours."""
_MOST_LARGE: Final = 16
"""Very large answers that may wait on disk."""
_STARVED: Final = 0.05
"""Seconds between commits while nothing is left to ask for but what the next commit brings."""


def batched(named: Sequence[Named], size: int) -> Iterator[Sequence[Named]]:
    """Pieces of a long list."""
    for start in range(0, len(named), size):
        yield named[start : start + size]


class Crawl:
    """One run of the crawl over an archive."""

    def __init__(self, parts: Parts, orders: Orders, reporter: Reporter) -> None:
        self._parts = parts
        self._orders = orders
        self._reporter = reporter
        self._scope = Scope(orders.scope)
        self._traps = TrapWatch(orders.traps)
        self._finder = Finder(orders, self._scope, self._traps)
        self._reading = Reading(parts.documents, self._traps)
        self._visits = Visits(parts.store, parts.catalog)
        self._robots = RobotsDesk(orders, parts.catalog)
        self._batch = Batch()
        self._unreported: list[Capture] = []
        self._arrived: deque[Exchange] = deque()
        self._large: deque[Exchange] = deque()
        self._tasks: dict[int, Task] = {}
        self._ready: deque[Task] = deque()
        self._starved = False
        self._failed = False
        """Something went wrong: what was not committed may not be promised, and is fetched again by the next run."""
        self._troubles = 0
        self._chains: dict[str, int] = {}
        self._tickets = 0
        self._stop_requests = 0
        self._stopped_at = 0.0
        self._last_commit = parts.clock.monotonic()
        self._started = parts.clock.monotonic()
        self._pass_start = 0.0
        self.tally = Tally()

    def stop(self) -> None:
        """Ask the crawl to stop: finish what is in flight; asked again, stop at once. Safe in a signal handler."""
        self._stop_requests += 1

    def run(self) -> Tally:
        """Crawl until nothing is due, a limit is reached or `stop` was called."""
        now = self._parts.clock.now()
        self._pass_start, _ = self._parts.catalog.open_pass(now)
        self._parts.skips.begin(self._pass_start)
        self._parts.catalog.add(
            Found(seed, Kind.PAGE, "seed", 0, 0, 0.0, self._pass_start) for seed in self._orders.scope.seeds
        )
        try:
            while not self.tally.ended:
                try:
                    self._step()
                except OSError as trouble:
                    self._start_over(trouble)
        except BaseException:
            self._failed = True
            raise
        finally:
            self._wind_up()
        return self.tally

    def _start_over(self, trouble: OSError) -> None:
        """The disk refused: what was kept since the last sync is gone with its file. None of it was promised; it is
        asked for again, into a new file. A second time in one run is no accident.
        """
        self._troubles += 1
        if self._troubles > 1:
            raise ArchiveDamaged(f"the archive cannot be written: {trouble}") from trouble
        lost, self._batch = self._batch, Batch()
        self.tally.captured -= sum(not capture.revisit for capture in self._unreported)
        self.tally.unchanged -= sum(capture.revisit for capture in self._unreported)
        self._unreported = []
        pages = [visited.page for visited in lost.visited] + [skipped.page for skipped in lost.skipped]
        self._parts.catalog.release([page for page in pages if page])

    def _step(self) -> None:
        clock = self._parts.clock
        stopping = self._stopping()
        if not stopping:
            self._fill()
        self._arrived += self._parts.fetcher.finished(self._tick())
        while self._arrived:
            self._finish(self._arrived.popleft())
        self._finish_large(stopping)
        waited = clock.monotonic() - self._last_commit
        full = len(self._unreported) >= self._orders.commit_captures
        # What was found is only seen after a commit: with nothing else to ask for, it does not wait.
        hungry = self._starved and bool(self._batch.found)
        if self._batch and (full or waited >= (_STARVED if hungry else self._orders.commit_seconds)):
            self._commit()
        if stopping and (not self._parts.fetcher.in_flight or self._out_of_patience()):
            self.tally.ended = stopping
        elif not stopping and self._starved and not self._tasks and not self._ready:
            self._rest()

    def _stopping(self) -> str:
        """Why no more exchanges are begun; empty while there is no reason."""
        reason = self._reason_to_stop()
        if reason:
            self._stopped_at = self._stopped_at or self._parts.clock.monotonic()
        return reason

    def _reason_to_stop(self) -> str:
        limits = self._orders.limits
        if self._stop_requests:
            return "forced" if self._stop_requests > 1 else "interrupted"
        kept = self.tally.captured + self.tally.unchanged
        if limits.captures and kept + len(self._tasks) >= limits.captures:
            return "limit" if kept >= limits.captures else ""
        if limits.seconds and self._parts.clock.monotonic() - self._started >= limits.seconds:
            return "time"
        if limits.octets and self.tally.octets >= limits.octets:
            return "size"
        return ""

    def _out_of_patience(self) -> bool:
        waited = self._parts.clock.monotonic() - self._stopped_at
        return self._stop_requests > 1 or waited >= self._orders.grace

    def _tick(self) -> float:
        """How long to drive the fetcher: until something else may have to be done."""
        now = self._parts.clock.monotonic()
        until_commit = self._last_commit + self._orders.commit_seconds - now if self._batch else _TICK
        return max(0.0, min(_TICK, until_commit, self._parts.manners.next_ready(now) - now))

    # -- what is asked for -----------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Begin as many exchanges as connections and manners allow."""
        now = self._parts.clock.monotonic()
        self._starved = False
        free = self._orders.connections - self._parts.fetcher.in_flight
        if self._orders.limits.captures:
            kept = self.tally.captured + self.tally.unchanged
            free = min(free, self._orders.limits.captures - kept - len(self._tasks))
        if free <= 0:
            return
        for _ in range(min(free, len(self._ready))):
            self._consider(self._ready.popleft())
            free -= 1
        if free <= 0:
            return
        self._probe(now)
        busy = {*self._parts.manners.busy(now), *self._robots.places_waiting()}
        taken = self._parts.catalog.take(free, self._parts.clock.now(), self._pass_start, busy)
        for task in taken:
            self._consider(task)
        self._starved = not taken

    def _probe(self, now: float) -> None:
        """Ask for an address that cannot exist where a site seems to greet everything; the answer is not kept."""
        while self._traps.suspects:
            url = self._traps.suspects[0]
            task = Task(0, url, authority(url), Kind.PAGE, 0, 0, "", "", 0, None, "")
            if not self._parts.manners.ready(task.authority, now):
                return
            self._traps.suspects.popleft()
            if self._robots.knows(task.authority, self._parts.clock.now()) and not self._robots.refuses(task):
                self._begin(task, Request(url, 0))

    def _consider(self, task: Task) -> None:
        """Begin the exchange of a page, unless robots.txt, a closed trap or a quiet directory speaks against it."""
        reason = self._finder.still_wanted(task)
        if reason:
            self._skip(task, reason, NEVER)
            return
        now = self._parts.clock.now()
        if not self._robots.knows(task.authority, now):
            if self._robots.wait(task):
                self._begin(task, Request(f"{origin(task.url)}/robots.txt", 0, Kind.ROBOTS))
            return
        reason = self._robots.refuses(task) or self._parts.skips.refuses(task)
        if reason:
            self._skip(task, reason, max(now, self._pass_start + 0.001))
            return
        if not self._parts.manners.ready(task.authority, self._parts.clock.monotonic()):
            self._ready.append(task)
            return
        whole = task.visits_since_full >= self._orders.full_every or task.original is None
        self._begin(
            task,
            Request(task.url, 0, task.kind, "" if whole else task.etag, "" if whole else task.last_modified),
        )

    def _begin(self, task: Task, request: Request) -> None:
        self._tickets += 1
        request = Request(request.url, self._tickets, request.kind, request.etag, request.last_modified)
        self._tasks[self._tickets] = task
        place = authority(request.url)
        self._parts.manners.began(place, self._parts.clock.monotonic(), self._tickets)
        self._parts.fetcher.start(request)

    def _skip(self, task: Task, reason: str, due: float) -> None:
        kind = QUIET if reason.startswith(QUIET) else reason  # its evidence is kept with the page
        self.tally.skipped += 1
        self.tally.refusals[kind] += 1
        self._batch.skipped.append(Skipped(task.page, reason, due))
        self._batch.refused.append(Refusal(kind, task.url))

    # -- what came back --------------------------------------------------------------------------------------------

    def _finish(self, exchange: Exchange) -> None:
        """One exchange has ended: keep it, learn from it, note what it names."""
        self._heed_host(exchange)
        if exchange.body_length >= _LARGE:
            self._large.append(exchange)
        else:
            self._settle(exchange)

    def _finish_large(self, stopping: str) -> None:
        """Packing a very large answer takes seconds: it waits while there are pages to ask for, up to a number."""
        if stopping:
            while self._large:
                self._large.popleft().body.close()
        elif self._large and (self._starved or len(self._large) > _MOST_LARGE):
            self._settle(self._large.popleft())

    def _settle(self, exchange: Exchange) -> None:
        task = self._tasks.pop(exchange.request.ticket)
        try:
            if exchange.request.kind is Kind.ROBOTS:
                self._robots_answered(task, exchange)
            elif not task.page:
                self._reading.probed(exchange)
            else:
                self._visited(task, exchange)
        except BaseException:
            robots = exchange.request.kind is Kind.ROBOTS
            self._ready.extend(self._robots.released(task.authority) if robots else [task])
            raise
        finally:
            exchange.body.close()

    def _heed_host(self, exchange: Exchange) -> None:
        """Tell manners how the host behaved; what it asks of us is remembered beyond this run."""
        place, clock, manners = authority(exchange.request.url), self._parts.clock, self._parts.manners
        now = clock.monotonic()
        reply = reply_of(exchange.outcome, exchange.status)
        manners.ended(place, now, exchange.request.ticket, exchange.seconds, reply)
        if exchange.status in (429, 503):
            manners.asked_to_wait(place, now, retry_after(exchange.header("retry-after"), clock.now()))
        wait = manners.ready_at(place, now) - now
        if manners.failures(place) and wait > self._orders.patience:
            until = clock.now() + wait
            self.tally.hosts_waiting[place] = until
            self._batch.hosts.append(self._robots.host_state(place, until, manners.failures(place), exchange.seconds))

    def _visited(self, task: Task, exchange: Exchange) -> None:
        now = self._parts.clock.now()
        timing = Timing(self._pass_start, now, self._orders.revisit, self._orders.retries)
        visited = self._visits.conclude(task, exchange, timing)
        self._batch.visited.append(visited)
        self._parts.skips.visited(task, visited)
        self._count(visited, exchange)
        target = redirect_target(exchange)
        if target:
            self._follow(task, target)
        elif visited.capture is not None and not visited.capture.revisit:
            discovery = self._reading.named_by(task, exchange)
            if discovery.lost:
                self.tally.refusals[f"links lost: {discovery.lost}"] += 1
            for piece in batched(discovery.named, _AT_ONCE):
                self._take_in(self._finder.named(task, piece, self._pass_start))
                if len(self._batch.found) >= _AT_ONCE:
                    self._commit()

    def _count(self, visited: Visited, exchange: Exchange) -> None:
        self.tally.octets += exchange.body_length + len(exchange.response_head)
        if visited.capture is not None:
            self._unreported.append(visited.capture)
            self.tally.statuses[visited.capture.status] += 1
            if visited.capture.revisit:
                self.tally.unchanged += 1
            else:
                self.tally.captured += 1
        if exchange.outcome is not Outcome.ANSWERED:
            self.tally.failed += 1
            self.tally.failures[exchange.outcome] += 1

    def _follow(self, task: Task, target: str) -> None:
        """A redirect is a capture of its own; its target is the next page, up to a number of hops."""
        length = self._chains.pop(task.url, 0) + 1
        if length > self._orders.redirects:
            self._refuse([Refusal("too many redirects", target)])
            return
        if len(self._chains) > 100_000:
            self._chains.clear()
        self._chains[target] = length
        self._take_in(self._finder.redirected(task, target, self._pass_start))

    def _take_in(self, findings: Findings) -> None:
        self._batch.found += findings.found
        self._batch.links += findings.links
        self._refuse(findings.refused)

    def _refuse(self, refused: list[Refusal]) -> None:
        self._batch.refused += refused
        for refusal in refused:
            self.tally.refusals[refusal.reason.split(":")[0]] += 1

    def _robots_answered(self, task: Task, exchange: Exchange) -> None:
        """robots.txt is known now, or that it cannot be had: the pages that waited for it go on."""
        now = self._parts.clock.now()
        capture = None
        if exchange.response_head and exchange.status != 304:
            capture = self._parts.store.keep(exchange, None)
            self._unreported.append(capture)
            self.tally.captured += 1
            self.tally.octets += exchange.body_length
            self._batch.visited.append(robots_visit(exchange, capture))
        again = self._robots.answered(task.authority, exchange, now)
        if again:
            self._begin(task, Request(again, 0, Kind.ROBOTS))
            return
        self._batch.hosts.append(self._robots.host_state(task.authority, 0.0, 0, exchange.seconds))
        self._parts.manners.asked_for_delay(
            task.authority, self._parts.clock.monotonic(), self._robots.crawl_delay(task.authority)
        )
        self._batch.found += self._finder.sitemaps(
            origin(task.url), self._robots.sitemaps(task.authority), self._pass_start
        )
        for waiting in self._robots.released(task.authority):
            if exchange.response_head or not self._orders.obey_robots:
                self._ready.append(waiting)
            else:
                # The host could not be reached at all: that is what happened to the page, too.
                self._visited(waiting, exchange)

    # -- commit and end --------------------------------------------------------------------------------------------

    def _commit(self) -> None:
        """WARC to disk, then one transaction, then the promise."""
        if self._unreported:
            self._parts.store.sync()
        self._parts.skips.book(self._batch, idle=False)
        self._parts.catalog.commit(self._batch)
        self._batch = Batch()
        reported, self._unreported = self._unreported, []
        for capture in reported:
            self._reporter.captured(capture)
        self._last_commit = self._parts.clock.monotonic()
        self.tally.waiting, _ = self._parts.catalog.waiting(self._pass_start)
        self.tally.traps = self._traps.named
        self._reporter.progress(self.tally)
        short = self._parts.room()
        if short:
            raise OutOfSpace(short)

    def _rest(self) -> None:
        """Nothing can be asked right now: commit, then wait for what is due soon, or end the pass."""
        self._parts.skips.book(self._batch, idle=True)
        if self._batch:
            self._commit()
            return
        clock = self._parts.clock
        self.tally.waiting, earliest = self._parts.catalog.waiting(self._pass_start)
        if not self.tally.waiting or earliest - clock.now() > self._orders.patience:
            self.tally.ended = "complete"
            if not self.tally.waiting:
                self._parts.catalog.close_pass(clock.now())
            return
        clock.sleep(min(_TICK, max(0.01, earliest - clock.now())))

    def _wind_up(self) -> None:
        """Leave a valid archive, whatever ended the run."""
        for request in self._parts.fetcher.abandon():
            task = self._tasks.pop(request.ticket, None)
            if task is not None:
                self._ready.append(task)
        waiting = [*self._ready, *self._robots.all_waiting(), *self._tasks.values()]
        if self._batch and not self._failed:
            self._commit()
        with contextlib.suppress(OutOfSpace):  # leases of a dead process are free at the next start anyway
            self._parts.catalog.release([task.page for task in waiting if task.page])
