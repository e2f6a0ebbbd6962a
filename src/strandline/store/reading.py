"""The reading side: captures of an address, the capture nearest to a time, ranges of the index, sites, the link graph.

Every answer that can be long is an iterator over the database, never a list. Captures are looked up by SURT key,
under which http and https, with and without `www`, are one address; keys compare bytewise as in a CDXJ file.
"""

import sqlite3
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from strandline.core import urls
from strandline.core.capture import Capture, Original
from strandline.core.keeping.takedowns import NOTHING, Hidden
from strandline.core.quick_dataclass import dataclass
from strandline.ports import HostState, PageRow, Refusal
from strandline.store import rows, sqlite
from strandline.store.addresses import page_number
from strandline.store.hidden import HINT, hide
from strandline.store.takedowns import FolderHidden

_HIGHEST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Span:
    """Captures whose SURT key is in [low, high), with times in [since, until]."""

    low: str = ""
    high: str = _HIGHEST
    since: float = float("-inf")
    until: float = float("inf")


def span(url: str, match: str = "exact") -> tuple[str, str]:
    """The range of SURT keys an address stands for: match is exact, prefix, host or domain.

    >>> span("http://www.example.com/a/", "prefix")
    ('com,example)/a', 'com,example)/b')
    >>> span("http://example.com/a", "domain")
    ('com,example)/', 'com,example-')
    """
    key = urls.surt_key(url)
    if match == "exact":
        return key, key + "\0"
    if match == "prefix":
        return key, _after(key)
    host = key.partition(")")[0]
    if match == "host":
        return f"{host})/", f"{host})0"
    if match == "domain":
        # A subdomain continues with a comma, the host itself ends with a bracket; "-" sorts after both.
        return f"{host})/", f"{host}-"
    raise ValueError(f"match is exact, prefix, host or domain, not {match!r}")


def _after(prefix: str) -> str:
    """The first text after all that begin with this one."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


@dataclass(frozen=True, slots=True)
class Resume:
    """Where a range was left: the next call goes on behind it."""

    surt: str
    time: float
    seq: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """A capture with its place in the index."""

    surt: str
    capture: Capture
    resume: Resume


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site, host or archive at a glance."""

    name: str
    hosts: int
    pages: int
    captures: int
    first: float | None
    last: float | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sitemap or feed said about the last change of a page, and when that was first seen."""

    page: int
    source: str
    time: float
    seen: float


_SHARED: dict[Path, Callable[[type["Reading"], bool], "Reading"]] = {}


def share(name: Path, opened: Callable[[type["Reading"], bool], "Reading"]) -> None:
    """A catalog that is no file: under this name every kind of reading is opened by `opened`, which also hears whether
    everything is to be seen.
    """
    _SHARED[name] = opened


class Reading:
    """Queries that change nothing. Usable while a writer works; each sees the last commit."""

    _hiding: FolderHidden | None = None
    """What must not be shown; None for whoever sees everything."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._raw_connection = connection
        self._path = path

    @classmethod
    def open(cls, database: Path, everything: bool = False) -> Self:
        """Open a database for reading only: a file, or what goes by this name (see `share`). What is taken down is left
        out, unless `everything` is asked for: by what keeps the archive, never by what shows it.
        """
        shared = _SHARED.get(database)
        if shared is not None:
            found = shared(cls, everything)
            assert isinstance(found, cls)
            return found
        opened = cls(sqlite.open_reading(database), database)
        if not everything:
            opened._hiding = FolderHidden(database.parent)
        return opened

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection, on which nothing can be seen that was taken down by now."""
        if self._hiding is not None and self._hiding.refreshed():
            hide(self._raw_connection, self._hiding.hidden)
        return self._raw_connection

    @_connection.setter
    def _connection(self, connection: sqlite3.Connection) -> None:
        self._raw_connection = connection

    @property
    def hidden(self) -> Hidden:
        """What is taken down, and not seen here."""
        if self._hiding is None:
            return NOTHING
        with sqlite.told(self._path):
            _ = self._connection
        return self._hiding.hidden

    def shows(self, url: str) -> bool:
        """Whether an address may be named here; for what is kept by address, not by page."""
        hidden = self.hidden
        return not (hidden and hidden.hides(urls.surt_key(url)))

    def close(self) -> None:
        """Release the database."""
        self._raw_connection.close()

    def _asked(self, query: str) -> str:
        return HINT.sub("", query) if self._hiding is not None and self._hiding.hidden else query

    def _rows(self, query: str, *values: object) -> Iterator[tuple[object, ...]]:
        with sqlite.told(self._path):
            connection = self._connection
            yield from connection.execute(self._asked(query), values)

    def _row(self, query: str, *values: object) -> tuple[object, ...] | None:
        with sqlite.told(self._path):
            connection = self._connection
            row: tuple[object, ...] | None = connection.execute(self._asked(query), values).fetchone()
            return row

    def page(self, url: str) -> PageRow | None:
        """The page with this very address."""
        row = self._row(f"SELECT {rows.PAGE} FROM pages WHERE page = ?", self._number(url))
        return None if row is None else rows.page_row(row)

    def _number(self, url: str) -> int:
        """Number of the page with this very address; 0 for none."""
        with sqlite.told(self._path):
            return page_number(self._connection, url) or 0

    def seeds(self) -> tuple[str, ...]:
        """Where crawls started: the addresses given, and those they have moved to."""
        query = "SELECT url FROM pages WHERE hops = 0 AND kind = 'page' AND via <> 'archive' ORDER BY page"
        return tuple(str(url) for (url,) in self._rows(query))

    def pages(self, site: str = "", after: int = 0) -> Iterator[PageRow]:
        """All pages, or those of one site, in the order they were found."""
        where = "page > ?" + (" AND host IN (SELECT host FROM hosts WHERE site = ?)" if site else "")
        values = (after, site) if site else (after,)
        yield from map(rows.page_row, self._rows(f"SELECT {rows.PAGE} FROM pages WHERE {where} ORDER BY page", *values))

    def captures(self, url: str) -> list[Capture]:
        """Captures of the page with this very address, in time order."""
        query = f"SELECT {rows.CAPTURE} FROM {rows.CAPTURES} WHERE page = ? ORDER BY captures.time, seq"
        return list(map(rows.capture, self._rows(query, self._number(url))))

    def versions(self, url: str) -> Iterator[Capture]:
        """Captures under the address's SURT key (http or https, www or not), in time order."""
        low, high = span(url)
        return (indexed.capture for indexed in self.index(Span(low, high)))

    def closest(self, url: str, time: float) -> Capture | None:
        """The capture under the address's SURT key that is nearest in time; of two equally near the earlier."""
        best: tuple[float, float, object] | None = None
        for (page,) in self._rows("SELECT page FROM pages WHERE surt = ?", urls.surt_key(url)):
            for compare, order in (("<=", "DESC"), (">", "ASC")):
                row = self._row(
                    f"SELECT seq, time FROM captures WHERE page = ? AND time {compare} ? ORDER BY time {order} LIMIT 1",
                    page,
                    time,
                )
                if row is not None and isinstance(row[1], float):
                    candidate = (abs(row[1] - time), row[1], row[0])
                    best = candidate if best is None or candidate[:2] < best[:2] else best
        if best is None:
            return None
        row = self._row(f"SELECT {rows.CAPTURE} FROM {rows.CAPTURES} WHERE seq = ?", best[2])
        return None if row is None else rows.capture(row)

    def index(self, wanted: Span, resume: Resume | None = None, limit: int = -1) -> Iterator[Indexed]:
        """Captures of a range ordered by SURT key, time and sequence, behind `resume`; a negative limit is none."""
        query = f"""SELECT surt, seq, {rows.CAPTURE}
            FROM pages CROSS JOIN captures USING (page) CROSS JOIN files USING (file)
            WHERE surt >= ? AND surt < ? AND captures.time BETWEEN ? AND ? AND (surt, captures.time, seq) > (?, ?, ?)
            ORDER BY surt, captures.time, seq LIMIT ?"""
        behind = resume or Resume(wanted.low, float("-inf"), -1)
        values = (max(wanted.low, behind.surt), wanted.high, wanted.since, wanted.until)
        for row in self._rows(query, *values, behind.surt, behind.time, behind.seq, limit):
            surt, seq = str(row[0]), row[1]
            capture = rows.capture(row[2:])
            assert isinstance(seq, int)
            yield Indexed(surt, capture, Resume(surt, capture.time, seq))

    def all_captures(self) -> Iterator[Capture]:
        """Every capture, ordered by SURT key and time."""
        return (indexed.capture for indexed in self.index(Span()))

    def damage(self) -> list[str]:
        """What is wrong with the catalog's own file; nothing when it is sound."""
        found = [str(line) for (line,) in self._rows("PRAGMA integrity_check(5)")]
        return [] if found == ["ok"] else found

    def same_entity(self, entity: str) -> Original | None:
        """An earlier capture that holds a body with this digest."""
        found = self.holding(entity) if entity else None
        return None if found is None else rows.payload_of(found)

    def holding(self, digest: str) -> Capture | None:
        """A capture that holds the payload with this digest itself."""
        row = self._row(
            f"""SELECT {rows.CAPTURE} FROM {rows.CAPTURES}
                WHERE entity = ? AND entity <> '' AND revisit = 0 AND truncated = '' ORDER BY seq LIMIT 1""",
            digest,
        )
        return None if row is None else rows.capture(row)

    def host(self, authority: str, scheme: str = "https") -> HostState:
        """What is known about a host, with the rules of a scheme; a blank state for one never heard of."""
        row = self._row(
            """SELECT not_before, failures, coalesce(time, 0.0), coalesce(status, 0), coalesce(body, ?), seconds
               FROM hosts LEFT JOIN robots ON robots.host = hosts.host AND scheme = ? WHERE authority = ?""",
            b"",
            scheme,
            authority,
        )
        return HostState(authority, scheme=scheme) if row is None else HostState(authority, *row, scheme)  # type: ignore[arg-type, call-arg]

    def sites(self) -> Iterator[SiteRow]:
        """Sites at a glance, by name."""
        query = """SELECT site, count(*), sum(pages), sum(captures), min(first), max(last) FROM hosts
            GROUP BY site ORDER BY site"""
        return (SiteRow(*row) for row in self._rows(query))  # type: ignore[arg-type]

    def hosts(self, site: str) -> Iterator[SiteRow]:
        """Hosts of a site at a glance."""
        query = "SELECT authority, 1, pages, captures, first, last FROM hosts WHERE site = ? ORDER BY authority"
        return (SiteRow(*row) for row in self._rows(query, site))  # type: ignore[arg-type]

    def refusals(self) -> list[Refusal]:
        """What was not taken, most frequent reason first."""
        query = "SELECT reason, url, count FROM refusals ORDER BY count DESC, reason"
        return [Refusal(*row) for row in self._rows(query)]  # type: ignore[arg-type]

    def due(self, before: float) -> int:
        """How many pages are due by a time."""
        row = self._row("SELECT count(*) FROM pages WHERE due <= ?", before)
        return int(str(row[0])) if row else 0

    def committed(self, file: str) -> int:
        """Where the last recorded capture of a WARC file ends: what lies behind is salvaged or torn; 0 for none."""
        row = self._row(
            "SELECT offset + length FROM captures WHERE file = (SELECT file FROM files WHERE name = ?)"
            " ORDER BY offset DESC LIMIT 1",
            file,
        )
        return int(str(row[0])) if row else 0

    def edges(self, site: str) -> tuple["array[int]", "array[int]"]:
        """The link graph of a site: numbers of the naming and of the named page, both within the site."""
        sources, targets = array("q"), array("q")
        query = """SELECT source, target FROM pages JOIN links ON source = pages.page
            JOIN pages AS named ON target = named.page
            WHERE pages.host IN (SELECT host FROM hosts WHERE site = ?)
              AND named.host IN (SELECT host FROM hosts WHERE site = ?)"""
        for source, target in self._rows(query, site, site):
            sources.append(rows.whole(source))
            targets.append(rows.whole(target))
        return sources, targets

    def claims(self, page: int) -> list[Claim]:
        """What sitemaps and feeds said about the last change of a page, in the order of the times they named."""
        query = "SELECT page, source, time, seen FROM claims WHERE page = ? ORDER BY time"
        return [Claim(*row) for row in self._rows(query, page)]  # type: ignore[arg-type]

    def newest(self) -> int:
        """Number of the newest capture; 0 for none."""
        row = self._row("SELECT coalesce(max(seq), 0) FROM captures")
        return rows.whole(row[0]) if row else 0

    def note(self, kind: str, key: str) -> bytes | None:
        """Small learned state, as it was kept."""
        row = self._row("SELECT value FROM notes WHERE kind = ? AND key = ?", kind, key)
        return None if row is None else bytes(row[0])  # type: ignore[call-overload]

    def note_keys(self, kind: str) -> list[str]:
        """Keys of all learned state of a kind."""
        return [str(key) for (key,) in self._rows("SELECT key FROM notes WHERE kind = ? ORDER BY key", kind)]

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """All learned state of a kind, by key."""
        for key, value in self._rows("SELECT key, value FROM notes WHERE kind = ? ORDER BY key", kind):
            yield str(key), bytes(value)  # type: ignore[call-overload]
