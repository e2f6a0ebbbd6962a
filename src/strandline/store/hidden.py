"""What is taken down, hidden from whoever reads the catalog: views that stand before the tables of the same names.

Queries name `pages`, `captures`, `changes` as ever. A reader's connection has views of these names in its temporary
schema, which databases look into first; they leave out what is hidden. So no question, however it is asked, can forget
to. The views are made once; what is hidden stands in small temporary tables. Writers have no such views and see all.

    pages, captures, changes       of hidden addresses, and hidden captures with the changes from and to them
    page_states, segments          also of pages that have a hidden capture: a history is one packed whole
    annotations                    of hidden addresses, and of captures of pages that have a hidden one
    hosts                          all addresses of which are hidden
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from strandline.core.keeping.takedowns import Hidden
from strandline.core.urls import surt_key

HINT: Final = re.compile(r" INDEXED BY \w+")
"""Views have no indexes that could be named; the tables behind them use theirs all the same."""

_SHOWN: Final = """({0}.surt IS NULL OR {0}.surt >= coalesce(
    (SELECT high FROM hidden_keys WHERE low <= {0}.surt ORDER BY low DESC LIMIT 1), ''))"""
_OF_SHOWN: Final = (
    "coalesce((SELECT " + _SHOWN.format("shown") + " FROM {schema}.pages AS shown WHERE shown.page = kept.page), {yes})"
)
_VIEWS: Final = {
    "pages": "SELECT * FROM {schema}.pages AS kept WHERE " + _SHOWN.format("kept"),
    "captures": "SELECT * FROM {schema}.captures AS kept WHERE seq NOT IN (SELECT seq FROM hidden_captures) AND "
    + _OF_SHOWN,
    "changes": "SELECT * FROM {schema}.changes AS kept WHERE by_seq NOT IN (SELECT seq FROM hidden_captures) "
    "AND after_seq NOT IN (SELECT seq FROM hidden_captures) AND " + _OF_SHOWN,
    "page_states": "SELECT * FROM {schema}.page_states AS kept WHERE page NOT IN (SELECT page FROM hidden_captures) "
    "AND " + _OF_SHOWN,
    "segments": "SELECT * FROM {schema}.segments AS kept WHERE page NOT IN (SELECT page FROM hidden_captures) AND "
    + _OF_SHOWN,
    "annotations": "SELECT * FROM {schema}.annotations AS kept WHERE "
    + _SHOWN.format("kept")
    + " AND (capture IS NULL OR surt NOT IN (SELECT surt FROM {schema}.pages AS shown JOIN hidden_captures USING (page)"
    " WHERE surt IS NOT NULL))",
    "hosts": "SELECT * FROM {schema}.hosts AS kept WHERE host NOT IN (SELECT host FROM hidden_hosts)",
}
TABLES: Final = ("hidden_keys", "hidden_captures", "hidden_hosts")
OF_MOMENT: Final = """SELECT seq, captures.page FROM {schema}.pages JOIN {schema}.captures USING (page)
    WHERE surt >= ? AND surt < ? AND captures.time BETWEEN ? AND ?"""


def views(schema: str, yes: str = "1") -> Iterator[tuple[str, str]]:
    """Names and definitions of the views before the tables of a schema; `yes` is how a database writes that."""
    for name, query in _VIEWS.items():
        yield name, query.format(schema=schema, yes=yes)


def hidden_hosts(hidden: Hidden, hosts: Iterable[tuple[int, str]]) -> list[int]:
    """Hosts (number, authority) all addresses of which are hidden."""
    found = []
    for number, authority in hosts:
        key = surt_key(f"http://{authority}/").partition(")")[0]
        if hidden.hides_all(f"{key})/", f"{key})0"):
            found.append(number)
    return found


def hide(connection: sqlite3.Connection, hidden: Hidden) -> None:
    """Let a reader's connection leave out what is hidden now, whatever it left out before."""
    made = connection.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'hidden_keys'").fetchone()
    if made is None:
        if not hidden:
            return
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("CREATE TEMP TABLE hidden_keys (low TEXT PRIMARY KEY, high TEXT NOT NULL) WITHOUT ROWID")
        connection.execute("CREATE TEMP TABLE hidden_captures (seq INTEGER PRIMARY KEY, page INTEGER NOT NULL)")
        connection.execute("CREATE INDEX temp.hidden_captures_page ON hidden_captures (page)")
        connection.execute("CREATE TEMP TABLE hidden_hosts (host INTEGER PRIMARY KEY)")
    for table in TABLES:
        connection.execute(f"DELETE FROM temp.{table}")
    connection.executemany("INSERT INTO temp.hidden_keys VALUES (?, ?)", hidden.keys)
    for target in hidden.moments:
        for low, high in target.keys:
            found = connection.execute(OF_MOMENT.format(schema="main"), (low, high, target.since, target.until))
            connection.executemany("INSERT OR IGNORE INTO temp.hidden_captures VALUES (?, ?)", found.fetchall())
    if any(low.endswith((")/", ",", ":")) for low, _ in hidden.keys):
        hosts = connection.execute("SELECT host, authority FROM main.hosts").fetchall()
        connection.executemany("INSERT INTO temp.hidden_hosts VALUES (?)", [(n,) for n in hidden_hosts(hidden, hosts)])
    if made is None:
        for name, query in views("main"):
            connection.execute(f"CREATE TEMP VIEW {name} AS {query}")
