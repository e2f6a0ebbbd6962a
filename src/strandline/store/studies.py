"""What study found, for readers: changes with their reasons, the history of blocks, search, and sightings.

A *sighting* is a capture as the learning side sees it: when a page was looked at, and whether it had changed. Long
answers are iterators over the database. Times are UTC epoch seconds.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from strandline.core.blocks.queries import Clause, clauses
from strandline.core.blocks.tree import BlockTree
from strandline.core.capture import Capture, Kind
from strandline.core.changes.delta.reverts import returns
from strandline.core.changes.noise.volatility import Rating
from strandline.core.changes.observation import PageState, Sighted
from strandline.core.changes.score.item_change import block_told
from strandline.core.changes.told.sentences import Told, told_of
from strandline.core.changes.versions import VersionRecord, unpacked
from strandline.store import rows
from strandline.store.histories import BlockLife, HistoryReading
from strandline.store.history_rows import NUMBERS
from strandline.store.matching import BEYOND, Within, is_one, matching
from strandline.store.narrowing import EVERYTHING, Narrow

SIGNED = 1 << 63
_MOST = 1_000_000
"""Matches of a search that are ranked."""
_STATE = """level, scale, noise, base, digest, visible, seen, absent, doubling, importance, changes, passed_over, time,
    seq"""
_CHANGE = """change, changes.page, pages.url, site, after, by, importance, impch, visible, held, operations, blocks,
    after_seq, by_seq"""
_CHANGES = "changes JOIN pages USING (page) JOIN hosts USING (host)"


@dataclass(frozen=True, slots=True)
class Change:
    """An observed change: it happened after one capture time and by the next."""

    change: int
    page: int
    url: str
    site: str
    after: float
    by: float
    importance: float
    impch: float
    visible: bool
    held: bool
    operations: int
    blocks: tuple[dict[str, Any], ...]
    """Changed blocks, the weightiest first: path, topic, role, contribution, why, ..."""
    after_seq: int
    by_seq: int

    @property
    def told(self) -> Told:
        """The change in a sentence, with the sentences of the page that are other now."""
        return told_of(self.blocks)

    @property
    def reasons(self) -> tuple[dict[str, Any], ...]:
        """The changed blocks without what is told of the change as a whole."""
        told = (block_told(block) for block in self.blocks)
        return tuple({name: value for name, value in block.items() if name != "told"} for block in told)


@dataclass(frozen=True, slots=True)
class Seen:
    """One capture of a page, and whether a reader would have seen a change since the one before."""

    page: int
    url: str
    site: str
    time: float
    status: int
    changed: bool
    importance: float
    impch: float
    held: bool
    first: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search: words that all occur, words of the topic, and when the block was shown."""

    words: str = ""
    topic: str = ""
    since: float = float("-inf")
    until: float = float("inf")
    site: str = ""
    label: str = ""
    """What a person called the block, its role, or what its names say it is."""
    narrow: Narrow = EVERYTHING

    @property
    def timed(self) -> bool:
        """Whether it is narrowed in time."""
        return self.since > float("-inf") or self.until < float("inf")


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """The block index and the search index at a glance."""

    versions: int
    indexed: int
    blocks: int
    indexed_blocks: int
    changes: int
    pending: int
    problems: int


class Returns:
    """Which changes are returns to an earlier state; the captures of a page are looked at once."""

    def __init__(self, reading: "StudyReading") -> None:
        self._reading = reading
        self._known: dict[int, Mapping[int, float]] = {}

    def of(self, change: Change) -> float | None:
        """When the page showed before what it shows again since this change; None for something new."""
        if change.page not in self._known:
            self._known[change.page] = self._reading.returned(change.page)
        return self._known[change.page].get(change.by_seq)


class StudyReading(HistoryReading):
    """Queries over what study found. Usable while a writer works."""

    # What is to be studied

    def progress(self) -> int:
        """All captures up to this number were studied."""
        row = self._row("SELECT seq FROM study_progress")
        return rows.whole(row[0]) if row else 0

    def waiting(self) -> int:
        """How many captures are still to be studied, at most: told without counting them."""
        row = self._row("SELECT coalesce(max(seq), 0) - (SELECT seq FROM study_progress) FROM captures")
        return max(0, rows.whole(row[0])) if row else 0

    def pending(self, limit: int = -1) -> Iterator[Sighted]:
        """Captures not yet studied, in the order they were recorded; a negative limit is none."""
        return self._sighted("seq > ? ORDER BY seq LIMIT ?", self.progress(), limit if limit >= 0 else 2**62)

    def visited(self, page: int) -> float:
        """When a page was visited last; 0 for never."""
        row = self._row("SELECT visited FROM pages WHERE page = ?", page)
        return 0.0 if row is None else float(str(row[0]))

    def captures_of(self, page: int, up_to: int) -> Iterator[Sighted]:
        """All captures of a page recorded so far, in time order."""
        return self._sighted("captures.page = ? AND seq <= ? ORDER BY captures.time, seq", page, up_to)

    def capture(self, seq: int) -> Capture | None:
        """A capture by its number."""
        found = next(self._sighted("seq = ?", seq), None)
        return None if found is None else found.capture

    def _sighted(self, where: str, *values: object) -> Iterator[Sighted]:
        query = f"SELECT seq, page, kind, {rows.CAPTURE} FROM {rows.CAPTURES} WHERE {where}"
        for row in self._rows(query, *values):
            yield Sighted(rows.whole(row[0]), rows.whole(row[1]), Kind(str(row[2])), rows.capture(row[3:]))

    def state(self, page: int) -> PageState | None:
        """What is known of a page."""
        begun = "SELECT min(first.time) FROM captures AS first WHERE first.page = page_states.page"
        row = self._row(f"SELECT {_STATE}, coalesce(({begun}), 0.0) FROM page_states WHERE page = ?", page)
        if row is None:
            return None
        return PageState(*row[:5], rows.whole(row[5]) % (2 * SIGNED), *row[6:])  # type: ignore[arg-type, call-arg]

    def ratings(self, url: str) -> dict[str, Rating]:
        """What people said about the blocks of a page, by path."""
        query = "SELECT path, rating FROM ratings WHERE url = ? ORDER BY path"
        return {str(path): "noise" if rating == "noise" else "matters" for path, rating in self._rows(query, url)}

    def all_ratings(self) -> Iterator[tuple[str, str, str, float, str]]:
        """Every rating: address, path, rating, time."""
        query = "SELECT url, path, rating, time, author FROM ratings ORDER BY url, path"
        yield from self._rows(query)  # type: ignore[misc]

    # Changes

    def changes(
        self, site: str = "", since: float | None = None, min_importance: float = 0.0, narrow: Narrow = EVERYTHING
    ) -> Iterator[Change]:
        """Observed changes in the order they were seen; `site` is a registered domain or a host."""
        which, more = narrow.changes()
        where = f"by >= ? AND importance >= ? AND {which}"
        values = [float("-inf") if since is None else since, min_importance, *more]
        if site:
            return self._changes(f"{where} AND ? IN (site, authority) ORDER BY by, change", *values, site)
        return self._changes(f"{where} ORDER BY by, change", *values)

    def changes_after(self, seq: int) -> Iterator[Change]:
        """Changes shown by captures recorded after this number, in that order."""
        return self._changes("by_seq > ? ORDER BY by_seq", seq)

    def changes_of(self, url: str) -> Iterator[Change]:
        """Observed changes of one page, in time order."""
        return self._changes("changes.page = ? ORDER BY by, change", self._number(url))

    def change_between(self, url: str, after: float, by: float) -> Change | None:
        """The change that was seen from one capture of a page to another."""
        number = self._number(url)
        return next(self._changes("changes.page = ? AND after = ? AND by = ?", number, after, by), None)

    def returned(self, page: int) -> Mapping[int, float]:
        """Of the captures of a page that show an earlier state again, by number, the time of that state."""
        query = f"""SELECT seq, time, {rows.CONTENT} FROM captures
            WHERE page = ? AND (status BETWEEN 200 AND 299 OR status = 304) ORDER BY time, seq"""
        return returns(self._rows(query, page))  # type: ignore[arg-type]

    def _changes(self, where: str, *values: object) -> Iterator[Change]:
        for row in self._rows(f"SELECT {_CHANGE} FROM {_CHANGES} WHERE {where}", *values):
            blocks = tuple(json.loads(unpacked(row[11])))  # type: ignore[arg-type]
            flags = (bool(row[8]), bool(row[9]))
            yield Change(*row[:8], *flags, row[10], blocks, *row[12:])  # type: ignore[arg-type, call-arg]

    def sightings(self, site: str = "") -> Iterator[Seen]:
        """Every capture in the order of page and time. Unchanged answers, and changes nobody sees, are no change.

        Captures that are still to be studied are left out; their pages' later ones follow when they are.
        """
        which = "AND ? IN (site, authority)" if site else ""
        query = f"""SELECT captures.page, pages.url, site, captures.time, captures.status,
                coalesce(visible, 0), coalesce(importance, 0.0), coalesce(impch, 0.0), coalesce(held, 0)
            FROM captures INDEXED BY captures_page CROSS JOIN pages USING (page) CROSS JOIN hosts USING (host)
            LEFT JOIN changes ON by_seq = captures.seq
            WHERE captures.seq <= ? {which} ORDER BY captures.page, captures.time, captures.seq"""
        before = None
        for row in self._rows(query, self.progress(), *([site] if site else [])):
            flags = (bool(row[5]), row[6], row[7], bool(row[8]), row[0] != before)
            before = row[0]
            yield Seen(*row[:5], *flags)  # type: ignore[arg-type, call-arg]

    # Blocks

    def block_history(self, url: str) -> Iterator[BlockLife]:
        """When each block of a page appeared and vanished, in the order of appearance."""
        return iter(self.lives(self._number(url)))

    def search(self, wanted: Wanted, among: int = _MOST) -> Iterator[BlockLife]:
        """Blocks with these words, best match first, and when each page showed them; of common words at most so
        many matches are looked at. Those shown in a span of time are looked for among as many at a time, until there
        are no more.
        """
        if not wanted.timed:
            yield from self._shown(self._matching(wanted, among), wanted.since, wanted.until)
            return
        below, size = BEYOND, among
        while True:
            numbers = list(self._matching(wanted, size, below))
            last = min(numbers, default=0) >> NUMBERS
            if len(numbers) < size:
                yield from self._shown(iter(numbers), wanted.since, wanted.until)
                return
            # Of the last page some matches may be left: it is looked at as a whole with the next ones.
            whole = [number for number in numbers if number >> NUMBERS > last]
            yield from self._shown(iter(whole), wanted.since, wanted.until)
            below, size = (last + 1, size) if whole else (below, 2 * size)

    def _within(self, wanted: Wanted, below: int) -> Within:
        """The pages a search is narrowed to; of a span of time, those that may have shown something then."""
        where, values = wanted.narrow.pages()
        if wanted.site:
            where, values = f"{where} AND ? IN (site, authority)", [*values, wanted.site]
        if wanted.since > float("-inf"):
            where += " AND pages.page IN (SELECT page FROM page_states WHERE seen >= ?)"
            values = [*values, wanted.since]
        if wanted.until < float("inf"):
            where += " AND EXISTS (SELECT 1 FROM segments WHERE segments.page = pages.page AND start <= ?)"
            values = [*values, wanted.until]
        return Within(where, values, below)

    def _matching(self, wanted: Wanted, limit: int, below: int = BEYOND) -> Iterator[int]:
        """Numbers of blocks with these words on pages below a number, best match first."""
        asked = [("", clauses(wanted.words)), ("topic:", clauses(wanted.topic)), ("label:", clauses(wanted.label))]
        match = full_text_match(asked)
        if not match:
            return iter(())
        one = is_one([clause for _, of_column in asked for clause in of_column])
        return iter(matching(self._rows, match, one, self._within(wanted, below), limit))

    def version(self, url: str, at: float) -> tuple[float, BlockTree] | None:
        """The version of a page shown at a time, put together from its layout and blocks; None before the first."""
        history = self.history(self._number(url))
        found = history.at(at)
        return None if found is None else (found.time, history.tree(found, url))

    def versions_of(self, url: str) -> Iterator[VersionRecord]:
        """The versions of a page in the order they came, with what they say of themselves."""
        return self.history(self._number(url)).versions()

    # At a glance

    def counts(self) -> StudyCounts:
        """How much was studied and stored."""
        row = self._row(
            """SELECT coalesce(sum(versions), 0), coalesce(sum(indexed), 0), coalesce(sum(blocks), 0),
                   coalesce(sum(indexed_blocks), 0), (SELECT count(*) FROM changes),
                   (SELECT count(*) FROM captures WHERE seq > (SELECT seq FROM study_progress)),
                   (SELECT count(*) FROM study_problems) FROM history_counts"""
        )
        assert row is not None
        return StudyCounts(*map(rows.whole, row))

    def problems(self) -> Iterator[tuple[str, float, str]]:
        """Captures that could not be studied: address, time, why."""
        # The plus keeps SQLite from beginning with the captures where it has not counted the problems.
        query = """SELECT url, captures.time, problem FROM study_problems
            JOIN captures ON captures.seq = +study_problems.seq
            JOIN pages ON pages.page = captures.page ORDER BY study_problems.seq"""
        yield from self._rows(query)  # type: ignore[misc]


def full_text_match(asked: Sequence[tuple[str, Sequence[Clause]]]) -> str:
    """What is asked of columns, as FTS5 wants it; empty for nothing.

    >>> full_text_match([("", clauses('"a b" OR c -d')), ("topic:", clauses("e"))])
    '(("a b") OR ("c")) AND (topic:"e") NOT (("d"))'
    """
    wanted: dict[bool, list[str]] = {False: [], True: []}
    for column, said in asked:
        for clause in said:
            either = [" AND ".join(f'{column}"{" ".join(phrase)}"' for phrase in all_of) for all_of in clause.any_of]
            joined = " OR ".join(f"({one})" for one in either) if len(either) > 1 else either[0]
            wanted[clause.absent].append(f"({joined})")
    if not wanted[False]:
        return ""
    return " AND ".join(wanted[False]) + (f" NOT ({' OR '.join(wanted[True])})" if wanted[True] else "")
