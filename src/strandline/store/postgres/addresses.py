"""From addresses to numbers in PostgreSQL: many at once, because every question is a journey over the network.

A page is looked up by 128 bits: 32 of the directory it lies in, so that neighbours share leaves of the index, then 96
of the whole address. That is enough to take equal keys for equal addresses; the key is unique, and so workers that
find one address at the same time make one page of it.
"""

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID
from zlib import crc32

from strandline.core import urls
from strandline.store.postgres.session import Connection


def key(url: str) -> UUID:
    """The look-up key of a canonical address."""
    whole = url.encode("utf-8", "surrogatepass")
    folder = whole.partition(b"?")[0].rpartition(b"/")[0]
    return UUID(bytes=crc32(folder).to_bytes(4) + blake2b(whole, digest_size=12).digest())


def clean(text: str) -> str:
    """Text as PostgreSQL can keep it: it has no place for a NUL or half a character."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")


class Known(NamedTuple):
    """A page that is there already."""

    page: int
    host: int
    state: int
    hops: int
    priority: float
    kind: str
    via: str


def known_pages(connection: Connection, addresses: Collection[str]) -> dict[str, Known]:
    """Which of these addresses are pages."""
    if not addresses:
        return {}
    keys = {key(url): url for url in addresses}
    rows = connection.execute(
        "SELECT key, page, host, state, hops, priority, kind, via FROM pages WHERE key = ANY(%s)", (list(keys),)
    )
    return {keys[row[0]]: Known(*row[1:]) for row in rows}  # type: ignore[index,arg-type]


def page_number(connection: Connection, url: str) -> int | None:
    """Number of the page with this very address."""
    row = connection.execute("SELECT page FROM pages WHERE key = %s", (key(url),)).fetchone()
    return None if row is None else int(str(row[0]))


def host_numbers(connection: Connection, wanted: Mapping[str, str]) -> dict[str, int]:
    """Numbers of hosts, known from now on. `wanted` has an address of each authority, empty for none."""
    found = _hosts(connection, wanted)
    missing = sorted(set(wanted) - set(found))
    if missing:
        sites = [urls.site(wanted[authority] or f"http://{authority}/") for authority in missing]
        # In one order everywhere: two workers that meet the same new hosts must not wait for one another in a ring.
        connection.execute(
            """INSERT INTO hosts (authority, site) SELECT * FROM unnest(%s::text[], %s::text[])
               ON CONFLICT (authority) DO NOTHING""",
            (missing, sites),
        )
        found |= _hosts(connection, missing)
    return found


def _hosts(connection: Connection, authorities: Iterable[str]) -> dict[str, int]:
    rows = connection.execute("SELECT authority, host FROM hosts WHERE authority = ANY(%s)", (list(authorities),))
    return {str(authority): int(str(host)) for authority, host in rows}


def file_numbers(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    """Numbers of WARC files, known from now on."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    connection.execute(
        "INSERT INTO files (name) SELECT * FROM unnest(%s::text[]) ON CONFLICT (name) DO NOTHING", (wanted,)
    )
    rows = connection.execute("SELECT name, file FROM files WHERE name = ANY(%s)", (wanted,))
    return {str(name): int(str(file)) for name, file in rows}
