"""The crawl: take what is due, ask politely, keep, commit, report; one thread, many connections.

    frontier -> robots and manners -> fetcher -> WARC -> discovery -> one commit -> the promise -> frontier

A group commit makes captures durable (WARC first, then the catalog, in one transaction) before any of them is
reported. Stopping is part of normal work: the first request lets exchanges in flight finish, the second drops them,
and both leave an archive that the same command resumes.
"""

import contextlib
from collections import deque
from dataclasses import replace
from typing import Final

from strandline.core.capture import Exchange, Kind, Request
from strandline.core.discovery.scope import Scope
from strandline.core.discovery.traps import TrapWatch
from strandline.core.shown import Shown
from strandline.core.urls import authority, origin
from strandline.crawl.agenda import Agenda, PassAgenda
from strandline.crawl.cookie_checks import CookieChecks
from strandline.crawl.finding import Finder
from strandline.crawl.hosts import HostNotes
from strandline.crawl.intake import AT_ONCE, Intake
from strandline.crawl.orders import NEVER, Orders
from strandline.crawl.page_loads import PageLoads
from strandline.crawl.parts import Parts, Reporter
from strandline.crawl.reading import Reading
from strandline.crawl.robots import RobotsGate, robots_visit
from strandline.crawl.tally import Tally
from strandline.errors import ArchiveDamaged, OutOfSpace
from strandline.ports import Batch, Task

_TICK: Final = 0.2
"""Longest time the fetcher is driven before commits and signals are looked at. Origin: a guess."""
_LARGE: Final = 8 * 2**20
"""Bytes from which on an answer takes so long to pack that it waits for its smaller neighbours. Origin: a guess."""
_MOST_LARGE: Final = 16
"""Very large answers that may wait on disk. Origin: a guess."""
_STARVED: Final = 0.05
"""Seconds between commits while nothing is left to ask for but what the next commit brings. Origin: a guess."""
_MOMENT: Final = 0.01
"""Seconds between two looks whether a page at the head of the queue may be asked for. Origin: a guess."""


class Crawl:
    """One run of the crawl over an archive."""

    def __init__(self, parts: Parts, orders: Orders, reporter: Reporter, agenda: Agenda | None = None) -> None:
        self._parts = parts
        self._orders = orders
        self._reporter = reporter
        self._agenda = agenda or PassAgenda(parts.catalog, parts.clock, orders)
        self._traps = TrapWatch(orders.traps)
        self._robots = RobotsGate(orders, parts.catalog)
        self._finder = Finder(orders, Scope(orders.scope), self._traps, self._robots)
        self._reading = Reading(parts.documents, self._traps)
        self._intake = Intake(parts, orders, self._finder, self._reading, self._agenda)
        self._hosts = HostNotes(parts, orders, self._robots, self._intake)
        self._cookie_checks = CookieChecks()
        self._loads = PageLoads(parts, self._robots, self._finder, self._intake, self._ask)
        self._arrived: deque[Exchange] = deque()
        self._large: deque[Exchange] = deque()
        self._tasks: dict[int, Task] = {}
        self._ready: deque[Task] = deque()
        self._robots_moved: deque[tuple[Task, Request]] = deque()
        """Hosts whose robots.txt sent us elsewhere, and where to."""
        self._starved = False
        self._failed = False
        """Something went wrong: what was not committed may not be promised, and is fetched again by the next run."""
        self._troubles = self._tickets = self._stop_requests = 0
        self._over = ""
        self._stopped_at = 0.0
        self._last_commit = parts.clock.monotonic()
        self._started = parts.clock.monotonic()

    @property
    def tally(self) -> Tally:
        """What was done so far."""
        return self._intake.tally

    def stop(self) -> None:
        """Ask the crawl to stop: finish what is in flight; asked again, stop at once. Safe in a signal handler."""
        self._stop_requests += 1

    def end(self, why: str) -> None:
        """Ask the crawl to finish what is in flight and end, for a reason of the caller's. Safe in another thread."""
        self._over = why

    def change(self, orders: Orders) -> None:
        """Go by another scope from now on, and start from what it has more. Not in another thread."""
        new = [seed for seed in orders.scope.seeds if seed not in self._orders.scope.seeds]
        self._orders = replace(
            self._orders,
            scope=orders.scope,
            sitemaps=orders.sitemaps,
            feeds=orders.feeds,
            read_since=orders.read_since,
        )
        self._finder.change(self._orders)
        self._finder.reopen(self._parts.catalog.captures)
        self._intake.change(self._orders)
        self._agenda.seeded(new)

    @property
    def asked_to_stop(self) -> bool:
        """Whether somebody called `stop`."""
        return self._stop_requests > 0

    def run(self) -> Tally:
        """Crawl until nothing is due, a limit is reached or `stop` was called."""
        self._agenda.open(self._orders.scope.seeds)
        self._finder.reopen(self._parts.catalog.captures)
        self._parts.skips.begin(self._agenda.wanted_from())
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
        lost = self._intake.lost()
        pages = [visited.page for visited in lost.visited] + [skipped.page for skipped in lost.skipped]
        self._parts.catalog.release([page for page in pages if page])

    def _step(self) -> None:
        clock = self._parts.clock
        stopping = self._stopping()
        self._agenda.step()
        if not stopping:
            self._fill()
        self._arrived += self._parts.fetcher.finished(self._tick())
        while self._arrived:
            self._finish(self._arrived.popleft())
        self._finish_large(stopping)
        self._show(stopping)
        waited = clock.monotonic() - self._last_commit
        batch = self._intake.batch
        full = len(self._intake.unreported) >= self._orders.commit_captures
        # What was found is only seen after a commit: with nothing else to ask for, it does not wait.
        hungry = self._starved and bool(batch.found)
        if batch and (full or waited >= (_STARVED if hungry else self._orders.commit_seconds)):
            self._commit()
        at_rest = not self._parts.fetcher.in_flight and not self._loads.busy
        if stopping and (at_rest or self._out_of_patience()):
            self.tally.ended = stopping
        elif not stopping and self._starved and not self._tasks and not self._loads.busy:
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
        return self._over

    def _out_of_patience(self) -> bool:
        waited = self._parts.clock.monotonic() - self._stopped_at
        return self._stop_requests > 1 or waited >= self._orders.grace

    def _tick(self) -> float:
        """How long to drive the fetcher: until something else may have to be done."""
        now = self._parts.clock.monotonic()
        until_commit = self._last_commit + self._orders.commit_seconds - now if self._intake.batch else _TICK
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
        began = self._tickets
        free = 0 if self._loads.full else self._agenda.free(free)
        while free > 0 and self._robots_moved:
            self._begin(*self._robots_moved.popleft())
            free -= 1
        for _ in range(min(free, len(self._ready))):
            self._consider(self._ready.popleft())
            free -= 1
        free -= self._probe(now, free)
        if free <= 0:
            self._starved = self._tickets == began
            return
        busy = {*self._parts.manners.busy(now), *self._robots.places_waiting()}
        if self._agenda.keeps_closed:
            busy |= self._parts.gate.closed(self._parts.clock.now())
        taken = self._agenda.take(free, busy)
        for task in taken:
            self._consider(task)
        self._starved = not taken and self._tickets == began

    def _probe(self, now: float, free: int) -> int:
        """Ask for an address that cannot exist where a site seems to greet everything; the answer is not kept.

        Says how many were asked for, at most `free`.
        """
        asked = 0
        while self._traps.suspects and asked < free:
            url = self._traps.suspects[0]
            task = Task(0, url, authority(url), Kind.PAGE, 0, 0, "", "", 0, None, "")
            if not self._parts.manners.ready(task.authority, now):
                break
            self._traps.suspects.popleft()
            if self._robots.knows(origin(task.url), self._parts.clock.now()) and not self._robots.refuses(task):
                self._begin(task, Request(url, 0))
                asked += 1
        return asked

    def _consider(self, task: Task) -> None:
        """Begin the exchange of a page, unless robots.txt, a closed trap or a quiet directory speaks against it."""
        outside, trapped = self._finder.outside(task), self._finder.trapped(task)
        if outside or trapped:  # a scope may be widened again, a trap stays one
            self._intake.skipped(task, outside or trapped, self._agenda.passed_over() if outside else NEVER)
            return
        now = self._parts.clock.now()
        closed = self._parts.gate.why_not(task.authority, now)
        if closed and self._agenda.keeps_closed:
            self._parts.catalog.release([task.page])
            return
        if closed:
            self._intake.skipped(task, closed, self._agenda.passed_over())
            return
        if not self._robots.knows(origin(task.url), now):
            if self._robots.wait(task):
                self._begin(task, Request(f"{origin(task.url)}/robots.txt", 0, Kind.ROBOTS))
            return
        reason = self._robots.refuses(task) or self._parts.skips.refuses(task)
        if reason:
            soon = self._robots.looked_at_again(origin(task.url))
            self._intake.skipped(task, reason, min(self._agenda.passed_over(), soon))
            return
        if not self._parts.manners.ready(task.authority, self._parts.clock.monotonic()):
            self._ready.append(task)
            return
        whole = task.visits_since_full >= self._orders.full_every or task.original is None
        whole = whole or self._intake.wants_whole(task) or self._parts.browsing.may_show(task)
        known = ("", "") if whole else (task.etag, task.last_modified)
        self._begin(task, self._cookie_checks.with_cookies(task, Request(task.url, 0, task.kind, *known)))

    def _begin(self, task: Task, request: Request) -> None:
        self._tasks[self._ask(request)] = task

    def _ask(self, request: Request) -> int:
        """Send a request; says its ticket."""
        self._tickets += 1
        request = replace(request, ticket=self._tickets)
        self._parts.manners.began(authority(request.url), self._parts.clock.monotonic(), self._tickets)
        self._agenda.begun(request)
        self._parts.fetcher.start(request)
        return self._tickets

    # -- what came back --------------------------------------------------------------------------------------------

    def _finish(self, exchange: Exchange) -> None:
        """One exchange has ended: keep it, learn from it, note what it names."""
        self._agenda.ended(exchange)
        self._hosts.heed(exchange)
        if self._loads.answered(exchange):
            return
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

    def _show(self, stopping: str) -> None:
        """Answer what pages in browsers ask for, and conclude those that were shown."""
        for task in self._loads.step(stopping, self._tick()):
            self._begin(task, Request(f"{origin(task.url)}/robots.txt", 0, Kind.ROBOTS))
        for exchange, shown in self._loads.ended():
            self._conclude(exchange, shown)

    def _settle(self, exchange: Exchange) -> None:
        task = self._tasks[exchange.request.ticket]
        if self._cookie_checks.wants_again(task, exchange):
            self._ready.append(self._tasks.pop(exchange.request.ticket))
            exchange.body.close()
        elif not self._loads.takes(task, exchange):
            self._conclude(exchange)

    def _conclude(self, exchange: Exchange, shown: Shown | None = None) -> None:
        task = self._tasks.pop(exchange.request.ticket)
        try:
            if exchange.request.kind is Kind.ROBOTS:
                self._robots_answered(task, exchange)
            elif not task.page:
                self._reading.probed(exchange)
            else:
                self._visited(task, exchange, shown)
        except BaseException:
            robots = exchange.request.kind is Kind.ROBOTS
            self._ready.extend(self._robots.released(origin(task.url)) if robots else [task])
            raise
        finally:
            exchange.body.close()

    def _visited(self, task: Task, exchange: Exchange, shown: Shown | None = None) -> None:
        for _ in self._intake.visited(task, exchange, shown):
            if len(self._intake.batch.found) >= AT_ONCE:
                self._commit()

    def _robots_answered(self, task: Task, exchange: Exchange) -> None:
        """robots.txt is known now, or that it cannot be had: the pages that waited for it go on."""
        now = self._parts.clock.now()
        if exchange.response_head and exchange.status != 304:
            capture = self._parts.store.keep(exchange, None)
            self._intake.kept(robots_visit(exchange, capture), exchange.body_length)
        again = self._robots.answered(origin(task.url), exchange, now)
        if again:
            self._robots_moved.append((task, Request(again, 0, Kind.ROBOTS)))
            return
        self._hosts.note(task.authority, exchange.seconds)
        self._parts.manners.asked_for_delay(
            task.authority, self._parts.clock.monotonic(), self._robots.crawl_delay(origin(task.url))
        )
        self._intake.batch.found += self._finder.sitemaps(
            origin(task.url), self._robots.sitemaps(origin(task.url)), self._agenda.wanted_from()
        )
        for waiting in self._robots.released(origin(task.url)):
            if not waiting.page:
                continue  # for a page in a browser, which asks again
            if exchange.response_head or not self._robots.refuses(waiting):
                self._ready.append(waiting)
            else:
                # The host could not be reached at all: that is what happened to the page, too.
                asked = Request(waiting.url, exchange.request.ticket, waiting.kind)
                self._visited(waiting, replace(exchange, request=asked, detail=f"robots.txt: {exchange.detail}"))

    # -- commit and end --------------------------------------------------------------------------------------------

    def _commit(self) -> None:
        """WARC to disk, then one transaction, then the promise."""
        if self._intake.unreported:
            self._parts.store.sync()
        batch = self._intake.batch
        self._parts.skips.book(batch, idle=False)
        self._parts.catalog.commit(batch)
        self._intake.batch = Batch()
        reported, self._intake.unreported = self._intake.unreported, []
        for capture in reported:
            self._reporter.captured(capture)
        self._agenda.committed(batch)
        self._last_commit = self._parts.clock.monotonic()
        self.tally.waiting, _ = self._agenda.waiting()
        self.tally.traps = self._traps.named
        self._reporter.progress(self.tally)
        short = self._parts.room()
        if short:
            raise OutOfSpace(short)

    def _rest(self) -> None:
        """Nothing can be asked right now: commit, then wait for what is due soon, or end."""
        self._parts.skips.book(self._intake.batch, idle=True)
        if self._intake.batch:
            self._commit()
            return
        if self._ready or self._robots_moved:  # for their host, or for the budget
            self._parts.clock.sleep(_MOMENT)
            return
        self.tally.waiting, _ = self._agenda.waiting()
        seconds, ended = self._agenda.rest()
        if ended:
            self._parts.skips.finish(self._intake.batch)
            if self._intake.batch:
                self._commit()
                return
            self._agenda.over()
        self.tally.ended = ended
        if seconds and not ended:
            self._parts.clock.sleep(min(_TICK, seconds))

    def _wind_up(self) -> None:
        """Leave a valid archive, whatever ended the run."""
        for request in self._parts.fetcher.abandon():
            task = self._tasks.pop(request.ticket, None)
            if task is not None:
                self._ready.append(task)
        waiting = [*self._ready, *self._robots.all_waiting(), *self._tasks.values()]
        if self._intake.batch and not self._failed:
            self._commit()
        with contextlib.suppress(OutOfSpace):  # leases of a dead process are free at the next start anyway
            self._parts.catalog.release([task.page for task in waiting if task.page])
