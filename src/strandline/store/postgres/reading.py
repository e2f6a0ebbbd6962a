"""The reading side on PostgreSQL: the queries of the embedded catalog, in PostgreSQL's dialect.

Tables and columns are the same, so the queries of every kind of reading (store/reading.py and those built on it) are
written once and spelled anew here: placeholders, `offset`, which is a reserved word, and hints for SQLite's planner.
`on_postgres` makes any kind of reading one of a shared catalog. Long answers are fetched in pieces.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from strandline.core.blocks.queries import Phrase, clauses
from strandline.core.keeping.takedowns import NOTHING, Hidden
from strandline.ports import PageRow
from strandline.store import rows
from strandline.store.history_rows import NUMBERS
from strandline.store.index import KeyReading
from strandline.store.matching import BEYOND, few_pages, is_one
from strandline.store.postgres.addresses import clean, page_number
from strandline.store.postgres.frontier import CAPTURE
from strandline.store.postgres.session import Connection, Session
from strandline.store.postgres.takedowns import ReaderSession
from strandline.store.reading import Indexed, Reading, Resume, Span
from strandline.store.standing import UNSTUDIED_IMPORTANCE
from strandline.store.studies import Seen, StudyReading, Wanted

_PIECE = 5_000
_WORDS = re.compile(r"\?|(?<!:):(?=[a-z_]+)([a-z_]+)|(?<![\"\w])offset(?![\"\w])|%")
_HINTS = (
    (re.compile(r" INDEXED BY \w+"), ""),
    (re.compile(r"\bCROSS JOIN (\w+) (?=USING|ON)"), r"JOIN \1 "),
    (re.compile(r"\bcast\(([^()]+) AS INTEGER\)"), r"cast(trunc(\1) AS BIGINT)"),  # it would round
    (re.compile(r"SELECT value FROM json_each\(\?\)"), "SELECT value::bigint FROM json_array_elements_text(?::json)"),
)


@cache
def spelled(query: str) -> str:
    """A query of the embedded catalog as psycopg and PostgreSQL want it.

    >>> spelled("SELECT offset + length FROM captures WHERE file = ? AND page = :page")
    'SELECT "offset" + length FROM captures WHERE file = %s AND page = %(page)s'
    """
    for hint, instead in _HINTS:
        query = hint.sub(instead, query)
    marks = {"?": "%s", "offset": '"offset"', "%": "%%"}
    return _WORDS.sub(lambda found: f"%({found[1]})s" if found[1] else marks[found[0]], query)


class PostgresReading(KeyReading):
    """Queries that change nothing. Each sees the last commit; a restart of the server is outlived."""

    lent = False
    """Whether the session is somebody else's, who closes it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._path = Path("postgresql")

    @classmethod
    def at(cls, url: str, patience: float = 10.0) -> "PostgresReading":
        """Open a database for reading."""
        return cls(Session(url, patience, upgrade=False))

    @property
    def hidden(self) -> Hidden:
        """What is taken down, and not seen here."""
        if not isinstance(self._session, ReaderSession):
            return NOTHING
        self._session.run(lambda _: None, at_once=True)
        return self._session.hidden

    def close(self) -> None:
        """Release the connection, unless others read over it, too."""
        if not self.lent:
            self._session.close()

    def _rows(self, query: str, *values: object) -> Iterator[tuple[object, ...]]:
        yield from self._all(query, values)

    def _row(self, query: str, *values: object) -> tuple[object, ...] | None:
        found = self._all(query, values)
        return found[0] if found else None

    def _all(self, query: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        # PostgreSQL knows no NUL. It is asked for as the end of a stretch of keys, which hold no control characters.
        asked = [clean(value.replace("\0", "\1")) if isinstance(value, str) else value for value in values]

        def ask(connection: Connection) -> list[tuple[object, ...]]:
            return connection.execute(spelled(query).encode(), asked).fetchall()

        return self._session.run(ask, at_once=True)

    def _number(self, url: str) -> int:
        return self._session.run(lambda connection: page_number(connection, url), at_once=True) or 0

    def pages(self, site: str = "", after: int = 0) -> Iterator[PageRow]:
        """All pages, or those of one site, in the order they were found."""
        where = "page > ?" + (" AND host IN (SELECT host FROM hosts WHERE site = ?)" if site else "")
        while True:
            values = (after, site) if site else (after,)
            query = f"SELECT {rows.PAGE} FROM pages WHERE {where} ORDER BY page LIMIT {_PIECE}"
            piece = list(map(rows.page_row, self._rows(query, *values)))
            yield from piece
            if len(piece) < _PIECE:
                return
            after = piece[-1].page

    def index(self, wanted: Span, resume: Resume | None = None, limit: int = -1) -> Iterator[Indexed]:
        """Captures of a range ordered by SURT key, time and sequence, behind `resume`; a negative limit is none."""
        behind = resume or Resume(wanted.low, float("-inf"), -1)
        query = f"""SELECT surt, seq, {CAPTURE} FROM pages JOIN captures USING (page) JOIN files USING (file)
            WHERE surt >= ? AND surt < ? AND captures.time BETWEEN ? AND ? AND (surt, captures.time, seq) > (?, ?, ?)
            ORDER BY surt, captures.time, seq LIMIT ?"""
        while limit:
            size = _PIECE if limit < 0 else min(limit, _PIECE)
            values = (max(wanted.low, behind.surt), wanted.high, wanted.since, wanted.until)
            piece = list(self._rows(query, *values, behind.surt, behind.time, behind.seq, size))
            for row in piece:
                capture = rows.capture(row[2:])
                behind = Resume(str(row[0]), capture.time, int(str(row[1])))
                yield Indexed(behind.surt, capture, behind)
            if len(piece) < size:
                return
            limit -= len(piece) if limit > 0 else 0


def words_asked(wanted: Wanted) -> str:
    """What is searched for, as `to_tsquery` wants it; empty for nothing."""
    found = []
    for text, weight in ((wanted.words, ""), (wanted.topic, ":A"), (wanted.label, ":B")):
        for clause in clauses(text):
            either = [" & ".join(_phrase(phrase, weight) for phrase in all_of) for all_of in clause.any_of]
            found.append(f"{'!' if clause.absent else ''}({' | '.join(f'({one})' for one in either)})")
    return " & ".join(found)


def _phrase(phrase: Phrase, weight: str) -> str:
    """Words one after the other."""
    quoted = [word.replace("'", "''") for word in phrase]
    return "(" + " <-> ".join(f"'{word}'{weight}" for word in quoted) + ")"


class PostgresStudyReading(PostgresReading, StudyReading):
    """What study found, in a shared catalog."""

    def all_sightings(self, site: str = "") -> Iterator[Seen]:
        """Captures of pages by page and time, and what study found in them; where it has not been yet, whether their
        bytes differ from the ones before. Workers study in any order: what is behind the first capture that waits
        counts, too.
        """
        values = (site, site) if site else ()
        which = "AND host IN (SELECT host FROM hosts WHERE site = ? OR authority = ?)" if site else ""
        query = f"""SELECT page, url, site, time, status, before IS NULL, before IS NOT NULL AND before <> digest,
                unstudied.seq IS NULL, coalesce(visible, 0), coalesce(importance, 0.0), coalesce(impch, 0.0),
                coalesce(held, 0)
            FROM (SELECT seq, captures.page, url, site, time, status, {rows.CONTENT} AS digest,
                    lag({rows.CONTENT}) OVER (PARTITION BY page ORDER BY time, seq) AS before
                FROM captures JOIN pages USING (page) JOIN hosts USING (host) WHERE kind = 'page' {which}) AS seen
            LEFT JOIN (SELECT by_seq, visible, importance, impch, held FROM changes) AS found ON by_seq = seen.seq
            LEFT JOIN unstudied ON unstudied.seq = seen.seq
            ORDER BY page, time, seen.seq"""
        for *where, first, differs, studied, visible, importance, impch, held in self._rows(query, *values):
            unstudied = UNSTUDIED_IMPORTANCE if differs else 0.0
            facts = (visible, importance, impch, held) if studied else (differs, unstudied, unstudied, False)
            yield Seen(*where, bool(facts[0]), *facts[1:3], bool(facts[3]), bool(first))  # type: ignore[arg-type, call-arg]

    def _matching(self, wanted: Wanted, limit: int, below: int = BEYOND) -> Iterator[int]:
        """Numbers of blocks with these words on pages below a number, best match first. As store/matching.py bounds it:
        of common words those of the pages found last are taken and ranked, a single word or phrase is not.
        """
        asked = words_asked(wanted)
        if not asked:
            return iter(())
        within = self._within(wanted, below)
        if few_pages(self._rows, within):
            values = (within.below, *within.values, asked, limit + 1)
            found = self._rows(_OF_PAGES.format(where=within.where), *values)
        else:
            values = (asked, within.below << NUMBERS, *within.values, limit + 1)
            found = self._rows(_OF_MATCHES.format(where=within.where), *values)
        numbers = [rows.whole(number) for (number,) in found]
        capped = len(numbers) > limit
        del numbers[limit:]
        if capped and is_one([*clauses(wanted.words), *clauses(wanted.topic), *clauses(wanted.label)]):
            return iter(numbers)
        ranked = self._rows(_IN_ORDER, numbers, asked)
        return (rows.whole(number) for (number,) in ranked)


_OF_MATCHES = f"""SELECT rowid FROM block_words JOIN pages ON page = rowid >> {NUMBERS} JOIN hosts USING (host)
    WHERE words @@ to_tsquery('simple', ?) AND rowid < ? AND {{where}} ORDER BY rowid DESC LIMIT ?"""
_OF_PAGES = f"""SELECT rowid FROM (
        SELECT page AS number FROM pages JOIN hosts USING (host) WHERE page < ? AND {{where}}) AS few
    CROSS JOIN LATERAL (SELECT rowid, words FROM block_words
        WHERE rowid BETWEEN number << {NUMBERS} AND ((number + 1) << {NUMBERS}) - 1 OFFSET 0) AS own
    WHERE words @@ to_tsquery('simple', ?) ORDER BY rowid DESC LIMIT ?"""  # page by page: a word may be in all blocks
_IN_ORDER = """SELECT rowid FROM block_words WHERE rowid = ANY (?)
    ORDER BY ts_rank(words, to_tsquery('simple', ?)) DESC, rowid"""


R = TypeVar("R", bound=Reading)


def on_postgres(kind: type[R], session: Session) -> R:
    """A kind of reading over a shared catalog: its own questions, asked in PostgreSQL."""
    made = _kinds(kind)(session)  # type: ignore[call-arg,arg-type]
    assert isinstance(made, kind)
    return made


@cache
def _kinds(kind: type[Reading]) -> type[Reading]:
    ours = PostgresStudyReading if issubclass(kind, StudyReading) else PostgresReading
    return ours if issubclass(ours, kind) else type(f"Postgres{kind.__name__}", (ours, kind), {})
