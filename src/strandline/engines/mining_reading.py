"""One site of a Parquet dataset as the learning side wants it: DuckDB joins, sorts and compares, in bounded memory.

The captures of a site come from all its months, page by page in the order of time, as columns of numbers in batches;
what does not fit into `memory` is sorted on disk. What the queries say is what `store/learned.py` and
`store/standing.py` say about an archive's catalog; a test holds the two against one another.
"""

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.engines.mining_dataset import MISSING, SiteFiles
from strandline.engines.mining_scratch import Scratch
from strandline.errors import ArchiveDamaged, OutOfSpace, SettingError, UsageError

_BATCH: Final = 100_000
_FEW: Final = 2_000
_COLUMNS: Final = {
    "captures": "capture BIGINT, page BIGINT, fetch_seconds DOUBLE, fetch_status BIGINT, payload_digest VARCHAR",
    "changes": "capture BIGINT, importance DOUBLE, visible BOOLEAN, held BOOLEAN",
    "problems": "capture BIGINT",
    "claims": "page BIGINT, source VARCHAR, claimed_time DOUBLE, seen DOUBLE",
    "pages": """page BIGINT, url VARCHAR, kind VARCHAR, authority VARCHAR, weight DOUBLE, text_bytes BIGINT,
        links BIGINT, headings BIGINT, images BIGINT, emails BIGINT, last_modified BIGINT, language VARCHAR""",
}
"""Columns that are read, with their kinds for a site that has none of a table."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a task may use: memory for sorting (as DuckDB writes it), a folder for what does not fit, and cores."""

    memory: str = "1GB"
    spill: str = ""
    """A folder of the machine that runs the task; empty: its own temporary one."""
    threads: int = 1


class Looks(NamedTuple):
    """Captures of pages as columns, by page and time."""

    page: NDArray[np.int64]
    time: NDArray[np.float64]
    status: NDArray[np.int64]
    changed: NDArray[np.bool_]
    importance: NDArray[np.float64]
    held: NDArray[np.bool_]
    studied: NDArray[np.bool_]
    differs: NDArray[np.bool_]


ClaimRow = tuple[int, str, float, float]
"""Page, source, claimed time, and when that was first seen."""


class SitePage(NamedTuple):
    """A page, and what was seen of it at first sight: six counts and its language, None when it was not looked at."""

    page: int
    url: str
    kind: str
    authority: str
    weight: float
    sight: tuple[int, int, int, int, int, bool | None] | None
    language: str


class Reading(contextlib.AbstractContextManager["Reading"]):
    """DuckDB as a task uses it: one after the other, the sites it was given."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> "Reading":
        module = duckdb()
        spill = self._stack.enter_context(Scratch(Path(self._room.spill) if self._room.spill else None)).path
        config = {"memory_limit": self._room.memory, "temp_directory": spill, "threads": self._room.threads}
        try:
            self._connection = module.connect(":memory:", config=config)
        except module.Error as problem:
            self._stack.close()
            raise UsageError(f"--memory {self._room.memory}: {str(problem).splitlines()[0]}") from None
        self._stack.callback(self._connection.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def site(self, files: SiteFiles) -> "SiteReading":
        """The files of one site."""
        return SiteReading(files, self._connection, self._room)

    def ordered(
        self, files: Sequence[str], columns: Sequence[str], order: str, where: str = "true"
    ) -> Iterator[list[NDArray[Any]]]:
        """Columns of Parquet files in an order, some rows at a time; what does not fit is sorted on disk."""
        if files:
            query = f"SELECT {', '.join(columns)} FROM read_parquet({_list(files)}) WHERE {where} ORDER BY {order}"
            with _told(self._room, str(Path(files[0]).parent)):
                yield from _batches(self._connection, query)


class SiteReading:
    """Queries over the files of one site. Several may be read side by side."""

    def __init__(self, site: SiteFiles, connection: Any, room: Room) -> None:  # noqa: ANN401 - an extra
        self._site = site
        self._connection = connection
        self._room = room

    def pages(self) -> list[SitePage]:
        """Pages of the site by number."""
        query = f"SELECT * FROM {self._table('pages')} ORDER BY page"
        found = []
        for row in self._few(query):
            sight = None if row[5] is None else (*row[5:10], None if row[10] is None else bool(row[10]))
            found.append(SitePage._make((*row[:5], sight, row[11] or "")))
        return found

    def looks(self) -> Iterator[Looks]:
        """Captures of pages, with what study found; those it did not see are told changed by their digests."""
        shown = "fetch_status IN (200, 304)"
        query = f"""
            WITH compared AS (
                SELECT c.page, c.capture, fetch_seconds, fetch_status, visible, importance, held,
                    c.capture <= {self._site.studied} AND problems.capture IS NULL AS passed, payload_digest,
                    lag(CASE WHEN {shown} THEN payload_digest END IGNORE NULLS)
                        OVER (PARTITION BY c.page ORDER BY fetch_seconds, c.capture) AS before
                FROM {self._table("captures")} AS c
                LEFT JOIN {self._table("changes")} AS changes ON changes.capture = c.capture
                LEFT JOIN {self._table("problems")} AS problems ON problems.capture = c.capture
                WHERE c.page IN (SELECT page FROM {self._table("pages")} WHERE kind = 'page')
            ), told AS (
                SELECT *, visible IS NOT NULL OR passed AS studied,
                    coalesce(before, '') <> '' AND payload_digest <> before AND {shown} AS differs FROM compared
            )
            SELECT page, fetch_seconds, fetch_status,
                CAST(CASE WHEN studied THEN coalesce(visible, false) ELSE differs END AS TINYINT),
                CASE WHEN visible IS NOT NULL THEN importance
                     WHEN NOT studied AND differs THEN 1.0 ELSE 0.0 END,
                CAST(coalesce(held, false) AS TINYINT), CAST(studied AS TINYINT), CAST(differs AS TINYINT)
            FROM told ORDER BY page, fetch_seconds, capture"""
        return self._looks(query)

    def sightings(self, unstudied: float) -> Iterator[Looks]:
        """Captures as planning sees them: one that was not studied counts `unstudied` when its bytes are others."""
        query = f"""
            WITH compared AS (
                SELECT c.page, c.capture, fetch_seconds, fetch_status, visible, importance, held, payload_digest,
                    c.capture <= {self._site.studied} AS passed,
                    lag(payload_digest) OVER (PARTITION BY c.page ORDER BY fetch_seconds, c.capture) AS before
                FROM {self._table("captures")} AS c
                LEFT JOIN {self._table("changes")} AS changes ON changes.capture = c.capture
            ), told AS (SELECT *, NOT passed AND before IS NOT NULL AND before <> payload_digest AS other FROM compared)
            SELECT page, fetch_seconds, fetch_status,
                CAST(CASE WHEN passed THEN coalesce(visible, false) ELSE other END AS TINYINT),
                CASE WHEN passed THEN coalesce(importance, 0.0) WHEN other THEN {unstudied} ELSE 0.0 END,
                CAST(passed AND coalesce(held, false) AS TINYINT), CAST(passed AS TINYINT), CAST(other AS TINYINT)
            FROM told ORDER BY page, fetch_seconds, NOT passed, capture"""
        return self._looks(query)

    def has_claims(self) -> bool:
        """Whether anybody said when pages of the site changed."""
        return bool(self._site.files["claims"])

    def claims(self) -> Iterator[ClaimRow]:
        """Claims by page and the time they were first seen."""
        query = f"SELECT * FROM {self._table('claims')} ORDER BY page, seen, claimed_time, source"
        return self._few(query) if self.has_claims() else iter(())

    def claimed_times(self) -> Iterator[tuple[int, float]]:
        """Page and claimed time, each once, by page and time."""
        claims = f"{self._table('claims')} WHERE claimed_time <= seen"
        query = f"SELECT DISTINCT page, claimed_time FROM {claims} ORDER BY page, claimed_time"
        return self._few(query) if self.has_claims() else iter(())

    def _table(self, name: str) -> str:
        files = self._site.files[name]
        names = [column.split()[0] for column in _COLUMNS[name].split(",")]
        if not files:
            kinds = [column.split() for column in _COLUMNS[name].split(",")]
            nothing = ", ".join(f"CAST(NULL AS {kind}) AS {column}" for column, kind in kinds)
            return f"(SELECT {nothing} WHERE false)"
        return f"(SELECT {', '.join(names)} FROM read_parquet({_list(files)}))"

    def _few(self, query: str) -> Iterator[Any]:
        """Rows as tuples, fetched some at a time."""
        with _told(self._room, self._site.folder):
            result = self._connection.cursor().execute(query)
            while rows := result.fetchmany(_FEW):
                yield from rows

    def _looks(self, query: str) -> Iterator[Looks]:
        with _told(self._room, self._site.folder):
            for columns in _batches(self._connection, query):
                for place in (3, 5, 6, 7):
                    columns[place] = columns[place].astype(np.bool_)
                yield Looks._make(columns)


@contextlib.contextmanager
def _told(room: Room, folder: str) -> Iterator[None]:
    """Say in the words of `errors` what DuckDB ran out of, or could not read."""
    module = duckdb()
    try:
        yield
    except (module.OutOfMemoryException, module.IOException) as problem:
        said = str(problem)
        if "max_temp_directory_size" in said or "No space left" in said:
            place = room.spill or tempfile.gettempdir()
            raise OutOfSpace(f"{place}: no space left for what does not fit into --memory {room.memory}") from None
        if isinstance(problem, module.OutOfMemoryException):
            raise UsageError(f"--memory {room.memory} is too little for {folder}; give a task more") from None
        raise ArchiveDamaged(f"{folder}: {said.splitlines()[0]}; every worker must see this folder") from None
    except module.Error as problem:
        # What cannot be unpacked is told in many ways, some without a kind of their own.
        if not isinstance(problem, module.InvalidInputException) and type(problem) is not module.Error:
            raise
        said = (str(problem).splitlines() or ["it cannot be read"])[0]
        raise ArchiveDamaged(
            f"{folder}: a file is damaged ({said}); remove it, and the next export writes everything anew"
        ) from None


def _batches(connection: Any, query: str) -> Iterator[list[NDArray[Any]]]:  # noqa: ANN401 - an extra
    result = connection.cursor().sql(query)
    stream = getattr(result, "to_arrow_reader", None) or result.fetch_arrow_reader  # its name before DuckDB 2
    for batch in stream(_BATCH):
        yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]


def duckdb() -> Any:  # noqa: ANN401 - an extra
    """DuckDB, an extra."""
    try:
        import duckdb as found  # noqa: PLC0415
    except ImportError:
        raise SettingError(MISSING) from None
    return found


def _list(files: Sequence[str]) -> str:
    return "[" + ", ".join("'" + file.replace("'", "''") + "'" for file in files) + "]"
