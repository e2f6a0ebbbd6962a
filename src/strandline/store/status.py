"""How an archive stands, for readers: what was captured lately, what waits, what was learned, what went wrong.

Every answer is bounded: captures are looked at from the newest backwards, and not all of them.
"""

from typing import Final, NamedTuple

from strandline.core.quality.hollow import MARK, REFUSALS, REFUSED
from strandline.store import rows
from strandline.store.alarming import AlarmReading
from strandline.store.outbox import OutboxReading
from strandline.store.watching import WatchReading, WatchState

LOOKED_AT: Final = 200_000
"""Newest captures that are looked at for rates."""


class Lately(NamedTuple):
    """Captures since some time."""

    captures: int
    unchanged: int
    errors: int
    octets: int


class Failure(NamedTuple):
    """A page whose last visit led to nothing."""

    time: float
    url: str
    problem: str


class StatusReading(AlarmReading, WatchReading, OutboxReading):
    """Queries of `status` and `/metrics`."""

    def watch(self) -> WatchState | None:
        """How the watch stands; None when there never was one."""
        return self.watch_state()

    def lately(self, since: float) -> Lately:
        """What was captured since a time, among the newest captures."""
        row = self._row(
            """SELECT count(*), coalesce(sum(revisit), 0), count(*) FILTER (WHERE status >= 400),
                   coalesce(sum(length), 0)
               FROM captures WHERE seq > (SELECT coalesce(max(seq), 0) FROM captures) - ? AND time >= ?""",
            LOOKED_AT,
            since,
        )
        return Lately(*(row or (0, 0, 0, 0)))  # type: ignore[arg-type]

    def totals(self) -> tuple[int, int, int, float | None]:
        """Sites, pages and captures in all, and the time of the latest capture."""
        row = self._row(
            "SELECT count(DISTINCT site), coalesce(sum(pages), 0), coalesce(sum(captures), 0), max(last) FROM hosts"
        )
        return row or (0, 0, 0, None)  # type: ignore[return-value]

    def queued(self, now: float) -> tuple[int, int]:
        """Pages that are due, and hosts that asked to be left alone for now."""
        pages = self._row("SELECT coalesce(sum(queued), 0) FROM hosts")
        waiting = self._row("SELECT count(*) FROM hosts WHERE waiting = 1 AND not_before > ?", now)
        return int(str(pages[0])) if pages else 0, int(str(waiting[0])) if waiting else 0

    def failures(self, limit: int) -> list[Failure]:
        """Pages whose last visit failed, the latest first."""
        query = f"""SELECT visited, url, CASE WHEN outcome = 'answered' THEN coalesce({rows.ANSWERED_WITH} || ' ', '')
                ELSE '' END || outcome || ' ' || detail
            FROM pages WHERE {rows.FAILED} ORDER BY visited DESC LIMIT ?"""
        return [Failure(time, url, problem.strip()) for time, url, problem in self._rows(query, limit)]  # type: ignore[arg-type, attr-defined]

    def without_content(self) -> dict[str, int]:
        """Pages whose last visit gave no content, by kind."""
        query = f"""SELECT kind_of, count(*) FROM (SELECT CASE WHEN detail LIKE '{MARK}%' THEN detail
                WHEN {rows.ANSWERED_WITH} IN {REFUSALS} THEN '{MARK}{REFUSED}' ELSE '' END AS kind_of
                FROM pages WHERE kind = 'page' AND (detail LIKE '{MARK}%' OR evidence = 'unreachable')) AS weighed
            WHERE kind_of <> '' GROUP BY kind_of ORDER BY kind_of"""
        return {str(kind).removeprefix(MARK): int(str(count)) for kind, count in self._rows(query)}

    def learned_counts(self) -> dict[str, int]:
        """Pages with a series, pages with a rate, and pattern groups: takes a look at every page."""
        row = self._row(
            """SELECT (SELECT count(*) FROM page_series), (SELECT count(*) FROM page_rates),
                   (SELECT count(DISTINCT shared) FROM page_series WHERE shared IS NOT NULL)"""
        )
        return dict(zip(("series", "rates", "groups"), map(int, map(str, row or (0, 0, 0))), strict=True))

    def learned_up_to(self) -> dict[str, int]:
        """Number of the newest capture each part of the knowledge rests on."""
        return {
            str(part): int(str(seq)) for part, seq in self._rows("SELECT part, seq FROM learned_from ORDER BY part")
        }

    def in_trouble(self) -> int:
        """Captures that could not be studied."""
        row = self._row("SELECT count(*) FROM study_problems")
        return int(str(row[0])) if row else 0
