"""What one group commit of a worker writes, in a few statements however much it is: visits, addresses, hosts.

Runs inside a transaction. The order of locks is the same in every worker, so that no two wait for one another:
new hosts by name, then all hosts that are touched by number, then everything else; the counters of refusals, which
all workers share, come last.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from strandline.core import urls
from strandline.core.capture import Capture, Kind, evidence_of
from strandline.core.skip.retests import Retests
from strandline.errors import LeaseLost
from strandline.ports import Batch, Found, HostState, Refusal, Skipped, Visited
from strandline.store import rows
from strandline.store.postgres.addresses import Known, clean, file_numbers, host_numbers, known_pages
from strandline.store.postgres.found import SharedFindings
from strandline.store.postgres.frontier import LEASED, Lease, SharedFrontier, lock_hosts
from strandline.store.postgres.hosts import HostChanges, columns
from strandline.store.postgres.session import Connection
from strandline.store.recording import is_asked_for, kind_of, retests_values, whole_answer

_VISITED = """UPDATE pages SET state = v.state, due = v.due, not_before = v.not_before, attempts = v.attempts,
       since = CASE WHEN pages.evidence = v.evidence THEN since ELSE v.time END, evidence = v.evidence,
       outcome = v.outcome,
       detail = CASE WHEN v.conditional AND pages.detail LIKE 'hollow:%%' THEN pages.detail ELSE v.detail END,
       visited = v.time, seconds = v.seconds,
       priority = priority + CASE WHEN v.attempts > 0 THEN 1 ELSE 0 END,
       conditional = CASE WHEN v.conditional THEN pages.conditional + 1 ELSE 0 END,
       captures = pages.captures + CASE WHEN v.surt IS NULL THEN 0 ELSE 1 END, surt = coalesce(pages.surt, v.surt),
       origin = coalesce(v.origin, pages.origin), etag = coalesce(v.etag, pages.etag),
       last_modified = coalesce(v.last_modified, pages.last_modified)
   FROM unnest(%s::bigint[], %s::smallint[], %s::float8[], %s::float8[], %s::int[], %s::text[], %s::float8[],
               %s::text[], %s::text[], %s::float8[], %s::bool[], %s::text[], %s::bigint[], %s::text[], %s::text[])
       AS v (page, state, due, not_before, attempts, evidence, time, outcome, detail, seconds, conditional, surt,
             origin, etag, last_modified)
   WHERE pages.page = v.page"""

_CAPTURES = """INSERT INTO captures (page, time, status, mime, digest, file, "offset", length, revisit, truncated,
       redirect, record_id, entity, original_url, original_time, original_digest, original_record,
       rendered_digest, rendered_at, rendered_length)
   SELECT * FROM unnest(%s::bigint[], %s::float8[], %s::int[], %s::text[], %s::text[], %s::bigint[], %s::bigint[],
       %s::bigint[], %s::smallint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::float8[],
       %s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[])
   ON CONFLICT (file, "offset") DO NOTHING RETURNING seq, file, "offset" """

_HOST_STATES = """UPDATE hosts SET not_before = v.not_before, waiting = v.waiting, failures = v.failures,
       seconds = v.seconds
   FROM unnest(%s::bigint[], %s::float8[], %s::smallint[], %s::int[], %s::float8[])
       AS v (host, not_before, waiting, failures, seconds)
   WHERE hosts.host = v.host"""

_ROBOTS = """INSERT INTO robots (host, scheme, time, status, body)
   SELECT * FROM unnest(%s::bigint[], %s::text[], %s::float8[], %s::int[], %s::bytea[])
   ON CONFLICT (host, scheme) DO UPDATE SET time = excluded.time, status = excluded.status, body = excluded.body
   WHERE robots.time <> excluded.time OR robots.status <> excluded.status"""

_RETESTS = """INSERT INTO skip_tests VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
   ON CONFLICT (site, directory, method) DO UPDATE SET tests = excluded.tests, failures = excluded.failures,
       recent = excluded.recent, pass = excluded.pass, failed = excluded.failed, retired = excluded.retired,
       why = excluded.why
   WHERE (excluded.pass, excluded.tests) >= (skip_tests.pass, skip_tests.tests)"""


class SharedRecorder:
    """Records one batch. Made anew for every try of a commit."""

    def __init__(self, connection: Connection, frontier: SharedFrontier) -> None:
        self._connection = connection
        self._frontier = frontier
        self._changes = HostChanges(frontier.terms.polite)
        self._found = SharedFindings(connection, frontier, self._changes)

    def record(self, batch: Batch, now: float) -> None:
        """Everything in a batch; LeaseLost, and nothing, when a page in it is no longer this worker's."""
        seen = max((visit.time for visit in batch.visited), default=now)
        found = [*self._unknown_pages(batch.visited), *batch.found]
        numbers, known = self._prepare(batch, found)
        pages = self._found.record(found, known, seen) if found else {}
        visited = [
            replace(visit, page=pages[visit.capture.url]) if not visit.page and visit.capture else visit
            for visit in batch.visited
        ]
        for one_each in _rounds(visited):
            self._visited(one_each)
        self._skipped(batch.skipped)
        self._found.links(batch.links)
        self._hosts(batch.hosts, numbers)
        self._changes.apply(self._connection)
        self._retests(batch.retests)
        self._refused(batch.refused)

    def add(self, found: Sequence[Found], now: float) -> int:
        """Addresses alone; returns how many were new."""
        _, known = self._prepare(Batch(), found)
        self._found.record(found, known, now)
        self._changes.apply(self._connection)
        return self._changes.new_pages

    def bring(self, captures: Sequence[Capture], due: float | None) -> int:
        """Captures that are already in WARC files; pages that are new become due at `due` or at their time."""
        wanted = [_found_by(capture, capture.time if due is None else due) for capture in captures]
        _, known = self._prepare(Batch(), wanted)
        pages = self._found.record(wanted, known, 0.0)
        states = self._states(pages.values())
        seqs = self._captures([(capture, pages[capture.url]) for capture in captures])
        for capture in captures:
            seq = seqs.pop(capture.place, None)
            if seq is None:
                continue
            page = pages[capture.url]
            self._changes[states[page][0]].captured(capture.time)
            self._connection.execute(
                """UPDATE pages SET captures = captures + 1, surt = coalesce(surt, %(surt)s),
                       origin = CASE WHEN visited <= %(time)s THEN coalesce(%(origin)s::bigint, origin)
                           ELSE coalesce(origin, %(origin)s::bigint) END,
                       etag = CASE WHEN visited <= %(time)s THEN '' ELSE etag END,
                       last_modified = CASE WHEN visited <= %(time)s THEN '' ELSE last_modified END,
                       outcome = CASE WHEN visited <= %(time)s THEN '' ELSE outcome END,
                       detail = CASE WHEN visited <= %(time)s THEN '' ELSE detail END,
                       since = CASE WHEN %(telling)s AND visited <= %(time)s AND evidence <> %(evidence)s
                           THEN %(time)s ELSE since END,
                       evidence = CASE WHEN %(telling)s AND visited <= %(time)s THEN %(evidence)s ELSE evidence END,
                       visited = CASE WHEN %(telling)s THEN greatest(visited, %(time)s) ELSE visited END
                   WHERE page = %(page)s""",
                {
                    "page": page,
                    "surt": clean(urls.surt_key(capture.url)),
                    "origin": seq if whole_answer(capture) else None,
                    "telling": bool(capture.status),
                    "time": capture.time,
                    "evidence": evidence_of(capture.status, capture.truncated).value,
                },
            )
        self._changes.apply(self._connection)
        return self._changes.new_captures

    # -- before anything is written ---------------------------------------------------------------------------------

    def _unknown_pages(self, visits: Iterable[Visited]) -> Iterator[Found]:
        """Pages of visits that were not taken from the frontier (robots.txt, a redirect that was followed)."""
        for visit in visits:
            if not visit.page:
                if visit.capture is None:
                    raise ValueError("a visit without a page number needs a capture")
                yield _found_by(visit.capture, visit.due, visit.kind)

    def _prepare(self, batch: Batch, found: Sequence[Found]) -> tuple[dict[str, int], dict[str, Known]]:
        """Look everything up, lock the hosts, and see that the leases still hold."""
        known = known_pages(self._connection, {one.url for one in found})
        named = {urls.authority(one.url): one.url for one in found if one.url not in known}
        numbers = host_numbers(self._connection, {state.authority: "" for state in batch.hosts} | named)
        touched = {visit.page for visit in batch.visited if visit.page} | {skip.page for skip in batch.skipped}
        leases = {page: self._frontier.held[page] for page in touched if page in self._frontier.held}
        hosts = {lease.host for lease in leases.values()} | set(numbers.values())
        hosts |= {page.host for page in known.values() if page.via == "archive"}
        strangers = touched - set(leases)
        hosts |= {host for host, _ in self._states(strangers).values()}
        locked = lock_hosts(self._connection, hosts)
        self._see_leases(leases, locked)
        lost = [page for page, (_, state) in self._states(strangers).items() if state == LEASED]
        if lost:
            raise LeaseLost(f"{len(lost)} pages are with another worker by now; nothing of this commit was recorded")
        for authority, host in numbers.items():
            self._changes[host].authority = authority
        return numbers, known

    def _see_leases(self, leases: dict[int, Lease], locked: dict[int, tuple[int | None, int, int]]) -> None:
        """Fencing: a worker that was thought dead finds its tokens outdated."""
        for lease in leases.values():
            owner, token, _ = locked.get(lease.host, (None, -1, 0))
            if (owner, token) != (self._frontier.me, lease.token):
                raise LeaseLost(f"{lease.authority} went to another worker; nothing of this commit was recorded")
            self._changes[lease.host].authority = lease.authority

    def _states(self, pages: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Host and state of pages."""
        wanted = list(pages)
        if not wanted:
            return {}
        found = self._connection.execute(
            "SELECT page, host, state FROM pages WHERE page = ANY (%s::bigint[])", (wanted,)
        )
        return {page: (host, state) for page, host, state in found}  # type: ignore[misc]

    # -- visits -----------------------------------------------------------------------------------------------------

    def _visited(self, visits: Sequence[Visited]) -> None:
        states = self._states(visit.page for visit in visits)
        seqs = self._captures([(visit.capture, visit.page) for visit in visits if visit.capture is not None])
        table = []
        for visit in visits:
            capture = visit.capture
            seq = None if capture is None else seqs.get(capture.place)
            whole = capture is not None and whole_answer(capture)
            host, old = states[visit.page]
            state = self._frontier.state_for(visit.due, visit.not_before)
            self._changes[host].moved(old, state)
            if capture is not None and seq is not None:
                self._changes[host].captured(capture.time)
            table.append(
                (
                    visit.page,
                    state,
                    visit.due,
                    visit.not_before,
                    visit.attempts,
                    visit.evidence.value,
                    visit.time,
                    visit.outcome.value,
                    clean(visit.detail),
                    visit.seconds,
                    visit.conditional,
                    clean(urls.surt_key(capture.url)) if capture is not None and seq is not None else None,
                    seq if whole else None,
                    clean(visit.etag) if whole else None,
                    clean(visit.last_modified) if whole else None,
                )
            )
        self._connection.execute(_VISITED, columns(table, 15))

    def _captures(self, captures: Sequence[tuple[Capture, int]]) -> dict[object, int]:
        """Record captures, each place once; numbers of the new ones by place."""
        if not captures:
            return {}
        files = file_numbers(self._connection, (capture.place.file for capture, _ in captures))
        table = []
        for capture, page in captures:
            values = rows.capture_values(capture, page, files[capture.place.file])
            table.append(tuple(_plain(value) for value in values))
        places = {(files[capture.place.file], capture.place.offset): capture.place for capture, _ in captures}
        done = self._connection.execute(_CAPTURES, columns(table, 20))
        return {places[file, offset]: seq for seq, file, offset in done}  # type: ignore[index,misc]

    def _skipped(self, skips: Sequence[Skipped]) -> None:
        if not skips:
            return
        latest = {skip.page: skip for skip in skips}
        states, table = self._states(latest), []
        for page, skip in latest.items():
            host, old = states[page]
            state = self._frontier.state_for(skip.due, 0.0)
            self._changes[host].moved(old, state)
            table.append((page, state, skip.due, clean(skip.reason)))
        self._connection.execute(
            """UPDATE pages SET state = v.state, due = v.due, not_before = 0, outcome = 'skipped', detail = v.reason
               FROM unnest(%s::bigint[], %s::smallint[], %s::float8[], %s::text[]) AS v (page, state, due, reason)
               WHERE pages.page = v.page""",
            columns(table, 4),
        )

    # -- hosts and counters -----------------------------------------------------------------------------------------

    def _hosts(self, states: Sequence[HostState], numbers: dict[str, int]) -> None:
        """What hosts asked for. Whether a back-off is over is seen when pages are taken."""
        latest = {numbers[state.authority]: state for state in states}
        if not latest:
            return
        waits = [
            (host, one.not_before, int(one.not_before > 0.0), one.failures, one.seconds) for host, one in latest.items()
        ]
        self._connection.execute(_HOST_STATES, columns(waits, 5))
        rules = {(numbers[one.authority], one.scheme): one for one in states if one.robots_time > 0.0}
        robots = [(*key, one.robots_time, one.robots_status, one.robots_body) for key, one in rules.items()]
        self._connection.execute(_ROBOTS, columns(robots, 5))

    def _retests(self, records: Sequence[Retests]) -> None:
        """How skipped directories stood their re-tests; each record replaces an older one of its directory. Whoever has
        lost a host and got it back may not know what others tested meanwhile.
        """
        latest = {(r.site, r.directory, r.method): retests_values(r) for r in records}
        for values in sorted(latest.values()):
            self._connection.execute(_RETESTS, [_plain(value) for value in values])

    def _refused(self, refusals: Sequence[Refusal]) -> None:
        counts: Counter[str] = Counter()
        examples: dict[str, str] = {}
        for refusal in refusals:
            counts[clean(refusal.reason)] += refusal.count
            examples.setdefault(clean(refusal.reason), clean(refusal.url))
        if counts:
            table = sorted((reason, examples[reason], count) for reason, count in counts.items())
            self._connection.execute(
                """INSERT INTO refusals SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[])
                   ON CONFLICT (reason) DO UPDATE SET count = refusals.count + excluded.count""",
                columns(table, 3),
            )


def _plain(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    return int(value) if isinstance(value, bool) else value


def _rounds(visits: Sequence[Visited]) -> Iterator[list[Visited]]:
    """Visits in order, so that no page comes twice in one piece."""
    piece: dict[int, Visited] = {}
    for visit in visits:
        if visit.page in piece:
            yield list(piece.values())
            piece = {}
        piece[visit.page] = visit
    if piece:
        yield list(piece.values())


def _found_by(capture: Capture, due: float, kind: Kind | None = None) -> Found:
    """The page of a capture."""
    kind = kind or kind_of(capture)
    return Found(capture.url, kind, "archive", 0, 0, 0.0, due if is_asked_for(capture.url, kind) else math.inf)
