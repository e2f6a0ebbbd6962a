"""What an export to Parquet reads of a cluster's catalog. Workers commit in any order, so numbers are read with care.

A number (of a capture, of a turn) is given before a commit and seen after it. Asking for the newest waits for the
commits under way: every number up to the answer is there by then, or will never be.
"""

from collections.abc import Iterator

from strandline.store import rows
from strandline.store.exporting import PAGE, SIGHT, ExportReading
from strandline.store.postgres.reading import PostgresStudyReading
from strandline.store.postgres.session import Connection


class SharedExport(PostgresStudyReading, ExportReading):
    """A cluster's catalog."""

    window = 100_000

    def newest(self) -> int:
        """All captures up to this number are recorded and none of them will still appear."""
        return self._settled("captures", "seq")

    def turn(self) -> int:
        """How often pages were studied anew."""
        return self._settled("restudied", "turn")

    def _settled(self, table: str, column: str) -> int:
        def asked(connection: Connection) -> int:
            connection.execute(f"LOCK TABLE {table} IN SHARE MODE".encode())
            row = connection.execute(f"SELECT coalesce(max({column}), 0) FROM {table}".encode()).fetchone()
            assert row is not None
            return rows.whole(row[0])

        return self._session.run(asked)

    def page_rows(self) -> Iterator[tuple[object, ...]]:
        """Site, facts and first sight of every page that was captured, by site and page."""
        query = f"""SELECT {PAGE}, {SIGHT} FROM pages JOIN hosts USING (host) LEFT JOIN first_sights USING (page)
            WHERE site = ? AND pages.captures > 0 ORDER BY page"""
        for site in self.sites():
            yield from self._rows(query, site.name)
