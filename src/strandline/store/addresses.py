"""From an address to the number of its page, and from an authority to the number of its host.

A page is looked up by a 64-bit key: 32 bits of the directory it lies in, then 32 bits of the whole address. The
index over keys is an eighth of one over the texts, and the pages one document names, which mostly lie in a few
directories, fall on neighbouring leaves of it. Two addresses may share a key: the text decides.
"""

import sqlite3
from hashlib import blake2b
from zlib import crc32

from strandline.core import urls
from strandline.store.rows import LAST_TURNS

_REMEMBERED = 20_000


def key(url: str) -> int:
    """The look-up key of a canonical address, as SQLite's signed 64 bits."""
    whole = url.encode("utf-8", "surrogatepass")
    folder = whole.partition(b"?")[0].rpartition(b"/")[0]
    # blake2b, not a checksum: a hostile site must not be able to name thousands of addresses with one key.
    low = int.from_bytes(blake2b(whole, digest_size=4).digest())
    high = crc32(folder)
    return (high - (1 << 32) if high >> 31 else high) << 32 | low


class Addresses:
    """Look-ups of the writer, with the latest of each kept in memory."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._pages: dict[str, int] = {}
        self._hosts: dict[str, int] = {}
        self._files: dict[str, int] = {}
        self.most = _REMEMBERED
        """Addresses that are kept at hand."""
        self.turn = int(connection.execute(f"SELECT coalesce(max(turn % {LAST_TURNS}), 0) FROM hosts").fetchone()[0])
        """The last turn given to a host."""

    def forget(self) -> None:
        """After a transaction was rolled back the numbers in memory may never have existed."""
        self._pages.clear()
        self._hosts.clear()
        self._files.clear()

    def page(self, url: str) -> int | None:
        """Number of the page with this very address."""
        found = self._pages.get(url)
        if found is None:
            found = page_number(self._connection, url)
            if found is not None:
                self.remember(url, found)
        return found

    def remember(self, url: str, page: int) -> None:
        """Keep a number at hand; the memory is emptied when full, since links to the same pages come in bursts."""
        if len(self._pages) >= self.most:
            self._pages.clear()
        self._pages[url] = page

    def host(self, url: str) -> int:
        """Number of the host of an address, known from now on."""
        return self.host_named(urls.authority(url), url)

    def host_named(self, authority: str, url: str = "") -> int:
        """Number of a host by its authority."""
        found = self._hosts.get(authority)
        if found is None:
            row = self._connection.execute("SELECT host FROM hosts WHERE authority = ?", (authority,)).fetchone()
            if row is None:
                self.turn += 1
                site = urls.site(url or f"http://{authority}/")
                row = self._connection.execute(
                    "INSERT INTO hosts (authority, site, turn) VALUES (?, ?, ?) RETURNING host",
                    (authority, site, self.turn),
                ).fetchone()
            if len(self._hosts) >= _REMEMBERED:
                self._hosts.clear()
            found = self._hosts[authority] = int(row[0])
        return found

    def file(self, name: str) -> int:
        """Number of a WARC file."""
        found = self._files.get(name)
        if found is None:
            self._connection.execute("INSERT OR IGNORE INTO files (name) VALUES (?)", (name,))
            row = self._connection.execute("SELECT file FROM files WHERE name = ?", (name,)).fetchone()
            if len(self._files) >= _REMEMBERED:
                self._files.clear()
            found = self._files[name] = int(row[0])
        return found


def page_number(connection: sqlite3.Connection, url: str) -> int | None:
    """Number of the page with this very address, read from the database."""
    row = connection.execute("SELECT page FROM pages WHERE key = ? AND url = ?", (key(url), url)).fetchone()
    return None if row is None else int(row[0])
