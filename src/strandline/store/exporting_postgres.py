"""What an export to Parquet reads of a cluster's catalog: captures, pages and claims.

Study works on embedded archives: there are no changes here, and pages have no first sight.
"""

from collections.abc import Iterator

from strandline.store import rows
from strandline.store.exporting import PAGE, ExportQueries
from strandline.store.postgres import Connection
from strandline.store.postgres_reading import PostgresReading


class SharedExport(PostgresReading, ExportQueries):
    """A cluster's catalog."""

    window = 100_000

    def newest(self) -> int:
        """All captures up to this number are recorded and none of them will still appear.

        Numbers are given before a commit and seen after it: the lock waits for the commits under way.
        """

        def asked(connection: Connection) -> int:
            connection.execute("LOCK TABLE captures IN SHARE MODE")
            row = connection.execute("SELECT coalesce(max(seq), 0) FROM captures").fetchone()
            assert row is not None
            return rows.whole(row[0])

        return self._session.run(asked)

    def page_rows(self) -> Iterator[tuple[object, ...]]:
        """Site and facts of every page that was captured, by site and page; its first sight is not known."""
        query = f"""SELECT {PAGE}, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM pages JOIN hosts USING (host)
            WHERE site = ? AND pages.captures > 0 ORDER BY pages.page"""
        for site in self.sites():
            yield from self._rows(query, site.name)
