"""What one group commit writes: visits with their captures, addresses that were found, hosts, refusals.

Runs inside a transaction of the catalog. Rows that thousands of addresses share (hosts, counters) are written once
per batch.
"""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from strandline.core import urls
from strandline.core.capture import Capture, Evidence, Kind, Unanswered, evidence_of
from strandline.core.request_keys import METHOD_KEY
from strandline.core.skip.retests import Retests
from strandline.ports import Found, HostState, Link, Refusal, Skipped, Visited
from strandline.store import rows
from strandline.store.addresses import Addresses, key
from strandline.store.frontier import LEASED, RESTING, Frontier

OUTLINKS = 6_000
"""Links of one page that are kept, over all its visits."""

ENDORSING = frozenset({"link", "redirect", "refresh", "frame", "feed", "canonical"})
"""Ways of naming a page that are links of the link graph."""
SERVES = "serves"
"""Kind of the notes that say which site gives parts to the pages of which."""
_REQUISITES = ("text/css", "javascript", "image/", "font/", "audio/", "video/")


_VISITED = """UPDATE pages SET state = :state, due = :due, not_before = :not_before, attempts = :attempts,
       since = CASE WHEN evidence = :evidence THEN since ELSE :time END, evidence = :evidence,
       -- A page that is as it was (304) is also as hollow as it was.
       outcome = :outcome, visited = :time, seconds = :seconds,
       detail = CASE WHEN :conditional AND detail LIKE 'hollow:%' THEN detail ELSE :detail END,
       -- What failed is asked again after what was never asked.
       priority = priority + (:attempts > 0),
       conditional = CASE WHEN :conditional THEN conditional + 1 ELSE 0 END,
       captures = captures + :new, surt = coalesce(surt, :surt), origin = coalesce(:origin, origin),
       etag = coalesce(:etag, etag), last_modified = coalesce(:last_modified, last_modified)
   WHERE page = :page RETURNING host"""

# Validators belong to the payload of our own last visit: beside a later one they would make a 304 mean the wrong bytes.
# And what that payload names was not taken in yet (`rows.READ`).
_ROBOTS = """INSERT INTO robots (host, scheme, time, status, body) VALUES (:host, :scheme, :time, :status, :body)
   ON CONFLICT (host, scheme) DO UPDATE SET time = :time, status = :status, body = :body
   WHERE time <> :time OR status <> :status"""

_BROUGHT = """UPDATE pages SET captures = captures + 1, surt = coalesce(surt, :surt),
       origin = CASE WHEN visited <= :time THEN coalesce(:origin, origin) ELSE coalesce(origin, :origin) END,
       etag = CASE WHEN visited <= :time THEN '' ELSE etag END,
       last_modified = CASE WHEN visited <= :time THEN '' ELSE last_modified END,
       outcome = CASE WHEN visited <= :time THEN '' ELSE outcome END,
       detail = CASE WHEN visited <= :time THEN '' ELSE detail END
   WHERE page = :page RETURNING host"""


class _HostTimes:
    """How many captures of a batch each host has, the first and the last of them."""

    def __init__(self) -> None:
        self._told: dict[int, tuple[int, float, float]] = {}

    def add(self, host: int, time: float) -> None:
        count, first, last = self._told.get(host, (0, time, time))
        self._told[host] = count + 1, min(first, time), max(last, time)

    def rows(self) -> list[dict[str, float]]:
        return [
            {"host": host, "count": count, "first": first, "last": last}
            for host, (count, first, last) in self._told.items()
        ]


class Recorder:
    """Writes the parts of a batch through the writer's connection."""

    def __init__(self, connection: sqlite3.Connection, addresses: Addresses, frontier: Frontier) -> None:
        self._connection = connection
        self._addresses = addresses
        self._frontier = frontier
        self._served: set[tuple[str, str]] = set()
        """Sites that give parts, and sites whose pages they are for, as far as they were kept already."""

    def visited(self, visits: Iterable[Visited]) -> None:
        """Record visits: their captures, what became of the page, when it is wanted next."""
        moved, told = [], _HostTimes()
        for visit in visits:
            page = visit.page or self._page_of(visit)
            old = LEASED
            if not self._connection.execute("DELETE FROM leases WHERE page = ?", (page,)).rowcount:
                old = int(self._connection.execute("SELECT state FROM pages WHERE page = ?", (page,)).fetchone()[0])
            new = self._frontier.state_for(visit.due, visit.not_before)
            capture = visit.capture
            number = self._capture(capture, page) if capture is not None else None
            whole = capture is not None and whole_answer(capture)
            host = self._connection.execute(
                _VISITED,
                {
                    "state": new,
                    "due": visit.due,
                    "not_before": visit.not_before,
                    "attempts": visit.attempts,
                    "evidence": visit.evidence,
                    "time": visit.time,
                    "outcome": visit.outcome,
                    "detail": visit.detail,
                    "seconds": visit.seconds,
                    "conditional": visit.conditional,
                    "page": page,
                    "new": number is not None,
                    "surt": urls.surt_key(capture.url) if capture is not None and number is not None else None,
                    "origin": number if whole else None,
                    "etag": visit.etag if whole else None,
                    "last_modified": visit.last_modified if whole else None,
                },
            ).fetchone()[0]
            moved.append((int(host), old, new, 1))
            if capture is not None and number is not None:
                told.add(host, capture.time)
        self._frontier.moved(moved)
        self._count_captures(told)

    def skipped(self, skips: Iterable[Skipped]) -> None:
        """Record pages that were not asked for; what is known about them otherwise stays."""
        moved = []
        for skip in skips:
            row = self._connection.execute("SELECT host, state FROM pages WHERE page = ?", (skip.page,)).fetchone()
            new = self._frontier.state_for(skip.due, 0.0)
            self._connection.execute(
                "UPDATE pages SET state = ?, due = ?, not_before = 0, outcome = 'skipped', detail = ? WHERE page = ?",
                (new, skip.due, skip.reason, skip.page),
            )
            self._connection.execute("DELETE FROM leases WHERE page = ?", (skip.page,))
            moved.append((int(row[0]), int(row[1]), new, 1))
        self._frontier.moved(moved)

    def _page_of(self, visit: Visited) -> int:
        """The page of a visit that was not taken from the frontier (robots.txt, a redirect that was followed)."""
        if visit.capture is None:
            raise ValueError("a visit without a page number needs a capture")
        return self._known(visit.capture, visit.due, visit.kind)

    def _known(self, capture: Capture, due: float, kind: Kind | None = None) -> int:
        """The page of a capture, known from now on."""
        page = self._addresses.page(capture.url)
        if page is None:
            kind = kind or kind_of(capture)
            wanted = due if is_asked_for(capture.url, kind) else math.inf
            self.found([Found(capture.url, kind, "archive", 0, 0, 0.0, wanted)], capture.time)
            page = self._addresses.page(capture.url)
            assert page is not None
        return page

    def _capture(self, capture: Capture, page: int) -> int | None:
        """Record a capture once: its number, None when it was already there."""
        values = rows.capture_values(capture, page, self._addresses.file(capture.place.file))
        done = self._connection.execute(rows.INSERT_CAPTURE, values)
        return int(done.lastrowid or 0) if done.rowcount else None

    def _count_captures(self, told: "_HostTimes") -> None:
        self._connection.executemany(
            """UPDATE hosts SET captures = captures + :count, first = min(coalesce(first, :first), :first),
                   last = max(coalesce(last, :last), :last) WHERE host = :host""",
            told.rows(),
        )

    def found(self, found: Iterable[Found], seen: float) -> int:
        """Add new addresses, note better ways to known ones, keep links and claims; return how many were new."""
        new = 0
        moved: Counter[tuple[int, int]] = Counter()
        links: list[tuple[int, int, str]] = []
        claims: list[tuple[int, str, float, float]] = []
        served: set[tuple[str, int]] = set()
        for one in found:
            page = self._addresses.page(one.url)
            if page is None:
                page, host, state = self._insert(one)
                moved[host, state] += 1
                new += 1
            elif self._improve(page, one):
                self._adopt(page, one)
            if one.source and one.source != page and one.via in ENDORSING:
                links.append((one.source, page, one.via))
            if one.lastmod is not None:
                claims.append((page, one.via, one.lastmod, seen))
            if one.source and one.kind is Kind.REQUISITE:
                served.add((urls.site(one.url), one.source))
        self._serve(served)
        self._frontier.moved((host, None, state, count) for (host, state), count in moved.items())
        self._count_pages(moved)
        self._link(links)
        self._connection.executemany("INSERT OR IGNORE INTO claims VALUES (?, ?, ?, ?)", claims)
        return new

    def _serve(self, served: Iterable[tuple[str, int]]) -> None:
        """Keep for which sites' pages another site gives parts."""
        for giver, source in served:
            row = self._connection.execute("SELECT site FROM pages JOIN hosts USING (host) WHERE page = ?", (source,))
            pair = giver, str(row.fetchone()[0])
            if giver != pair[1] and pair not in self._served:
                self._served.add(pair)
                note = (SERVES, " ".join(pair), b"")
                self._connection.execute("INSERT OR IGNORE INTO notes VALUES (?, ?, ?)", note)

    def links(self, links: Iterable[Link]) -> None:
        """Keep links to pages that are known; one whose page is not is left out."""
        number = self._addresses.page
        named = []
        for link in links:
            if link.source and link.via in ENDORSING:
                page = number(link.url)
                if page is not None and page != link.source:
                    named.append((link.source, page, link.via))
        self._link(named)

    def _insert(self, one: Found) -> tuple[int, int, int]:
        """A new page: its number, host and state."""
        host = self._addresses.host(one.url)
        state = self._frontier.state_for(one.due, 0.0)
        done = self._connection.execute(
            """INSERT INTO pages (key, url, host, kind, via, hops, state, priority, due)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (key(one.url), one.url, host, one.kind, one.via, one.hops, state, one.priority, one.due),
        )
        page = int(done.lastrowid or 0)
        self._addresses.remember(one.url, page)
        return page, host, state

    def _improve(self, page: int, one: Found) -> int:
        """A known page may be nearer or more wanted than thought, and what was a requisite may be a page."""
        return self._connection.execute(
            """UPDATE pages SET hops = min(hops, :hops), priority = min(priority, :priority),
                   kind = CASE WHEN kind = 'requisite' THEN :kind ELSE kind END
               WHERE page = :page AND (hops > :hops OR priority > :priority
                   OR kind = 'requisite' AND :kind <> kind OR via = 'archive')""",
            {"page": page, "hops": one.hops, "priority": one.priority, "kind": one.kind},
        ).rowcount

    def _adopt(self, page: int, one: Found) -> None:
        """A page known only from records becomes one of the crawl's own."""
        row = self._connection.execute(
            "SELECT host, state FROM pages WHERE page = ? AND via = 'archive'", (page,)
        ).fetchone()
        if row is None:
            return
        state = self._frontier.state_for(one.due, 0.0) if row[1] == RESTING else row[1]
        self._connection.execute(
            """UPDATE pages SET via = :via, hops = :hops, kind = :kind, state = :state, due = min(due, :due)
               WHERE page = :page""",
            {"page": page, "via": one.via, "hops": one.hops, "kind": one.kind, "state": state, "due": one.due},
        )
        self._frontier.moved([(int(row[0]), int(row[1]), state, 1)])

    def _count_pages(self, moved: Counter[tuple[int, int]]) -> None:
        per_host: Counter[int] = Counter()
        for (host, _), count in moved.items():
            per_host[host] += count
        self._connection.executemany(
            "UPDATE hosts SET pages = pages + ? WHERE host = ?", [(count, host) for host, count in per_host.items()]
        )

    def _link(self, links: list[tuple[int, int, str]]) -> None:
        for source, group in groupby(links, key=itemgetter(0)):
            named = list(group)
            held = self._connection.execute("SELECT count(*) FROM links WHERE source = ?", (source,)).fetchone()[0]
            if held + len(named) <= OUTLINKS:
                self._link_all(source, named)
                continue
            for link in named:
                if held >= OUTLINKS:
                    break
                held += self._connection.execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", link).rowcount

    def _link_all(self, source: int, links: list[tuple[int, int, str]]) -> None:
        """Links of one page, all of a kind in one statement: that takes less than half the time."""
        for via, group in groupby(links, key=itemgetter(2)):
            targets = ",".join([str(target) for _, target, _ in group])
            self._connection.execute(
                "INSERT OR IGNORE INTO links SELECT ?, value, ? FROM json_each(?)", (source, via, f"[{targets}]")
            )

    def hosts(self, states: Iterable[HostState]) -> None:
        """Record what hosts asked for. Whether a back-off is over is seen when pages are taken."""
        self._frontier.hosts_moved()
        for state in states:
            host = self._addresses.host_named(state.authority)
            self._connection.execute(
                "UPDATE hosts SET not_before = ?, waiting = ?, failures = ?, seconds = ? WHERE host = ?",
                (state.not_before, state.not_before > 0.0, state.failures, state.seconds, host),
            )
            if state.robots_time > 0.0:
                rules = {"time": state.robots_time, "status": state.robots_status, "body": state.robots_body}
                self._connection.execute(_ROBOTS, {"host": host, "scheme": state.scheme, **rules})

    def refused(self, refusals: Iterable[Refusal]) -> None:
        """Count refusals by reason; the first example stays."""
        self._connection.executemany(
            """INSERT INTO refusals VALUES (:reason, :url, :count)
               ON CONFLICT (reason) DO UPDATE SET count = count + excluded.count""",
            [{"reason": one.reason, "url": one.url, "count": one.count} for one in refusals],
        )

    def retests(self, records: Iterable[Retests]) -> None:
        """Write how skipped directories stood their re-tests; each record replaces what was known of its directory."""
        self._connection.executemany(
            f"REPLACE INTO skip_tests VALUES ({', '.join('?' * 10)})", [retests_values(one) for one in records]
        )

    def bring(self, facts: Iterable[Capture | Unanswered], due: float | None) -> int:
        """Record what is already in WARC files; pages that are new become due at `due` or at the time of the visit.
        Returns how many captures were new.
        """
        new, told = 0, _HostTimes()
        for capture in facts:
            if isinstance(capture, Unanswered):
                self._unanswered(capture, due)
                continue
            page = self._known(capture, capture.time if due is None else due)
            number = self._capture(capture, page)
            if number is None:
                continue
            new += 1
            host = self._connection.execute(
                _BROUGHT,
                {
                    "page": page,
                    "surt": urls.surt_key(capture.url),
                    "origin": number if whole_answer(capture) else None,
                    "time": capture.time,
                },
            ).fetchone()[0]
            told.add(host, capture.time)
            self._evidence(capture, page)
        self._count_captures(told)
        return new

    def _evidence(self, capture: Capture, page: int) -> None:
        """What a capture alone says about its page; only the latest visit counts."""
        if capture.status:
            evidence = evidence_of(capture.status, capture.truncated)
            self._connection.execute(
                """UPDATE pages SET since = CASE WHEN evidence = :evidence THEN since ELSE :time END,
                       evidence = :evidence, visited = :time WHERE page = :page AND visited <= :time""",
                {"evidence": evidence, "time": capture.time, "page": page},
            )

    def _unanswered(self, visit: Unanswered, due: float | None) -> None:
        """A page that could not be reached, whether or not it was ever captured."""
        page = self._addresses.page(visit.url)
        if page is None:
            when = visit.time if due is None else due
            self.found([Found(visit.url, visit.kind, "archive", 0, 0, 0.0, when)], visit.time)
            page = self._addresses.page(visit.url)
        self._connection.execute(
            """UPDATE pages SET since = CASE WHEN evidence = :evidence THEN since ELSE :time END, evidence = :evidence,
                   visited = :time, outcome = :outcome, detail = :detail WHERE page = :page AND visited <= :time""",
            {
                "evidence": Evidence.UNREACHABLE,
                "time": visit.time,
                "outcome": visit.outcome,
                "detail": visit.detail,
                "page": page,
            },
        )


def retests_values(one: Retests) -> tuple[str | float, ...]:
    """A record of re-tests as a row of `skip_tests`."""
    counts = (one.tests, one.failures, one.recent, one.last_pass, one.failed, one.retired)
    return (one.site, one.directory, one.method, *counts, one.why)


def whole_answer(capture: Capture) -> bool:
    """Whether a capture shows the page itself: a success, all of it."""
    return 200 <= capture.status < 300 and not capture.truncated


def is_asked_for(url: str, kind: Kind) -> bool:
    """Whether a page known from its capture may be asked for by a crawl of its own accord. What only a page in a
    browser can ask for (with a body) is never, and robots.txt when its host is.
    """
    return kind is not Kind.ROBOTS and METHOD_KEY not in url


def kind_of(capture: Capture) -> Kind:
    """Why an address was probably fetched, when only its capture is left."""
    if METHOD_KEY in capture.url:
        return Kind.REQUISITE
    path = capture.url.split("?")[0].partition("://")[2].partition("/")[2]
    if path == "robots.txt":
        return Kind.ROBOTS
    if path == "sitemap.xml":  # asked for everywhere, and mostly not there
        return Kind.SITEMAP
    return Kind.REQUISITE if any(sign in capture.mime for sign in _REQUISITES) else Kind.PAGE
