"""The catalogs there are, and the small words contracts are written in.

A further store joins by adding an entry to STORES: a function that opens (or reopens) a catalog in a folder.
"""

import pytest

from servers import postgres
from strandline.core.capture import Capture, Evidence, Kind, Outcome, Place
from strandline.ports import Found, Visited
from strandline.store.catalog import open_catalog
from strandline.store.postgres.catalog import PostgresCatalog


def postgres_catalog(folder):
    """The catalog that belongs to a folder: a database whose address is kept in it."""
    address = folder / "database"
    if not address.exists():
        address.write_text(postgres.running().database())
    return PostgresCatalog(address.read_text())


STORES = {"sqlite": lambda folder: open_catalog(folder, "test"), "postgres": postgres_catalog}
EACH = [pytest.param(name, marks=[postgres.GROUP] if name == "postgres" else []) for name in STORES]


STORES = {"sqlite": lambda folder: open_catalog(folder, "test"), "postgres": postgres_catalog}
EACH = [pytest.param(name, marks=[postgres.GROUP] if name == "postgres" else []) for name in STORES]


def found(url, **changes):
    given = {"kind": Kind.PAGE, "via": "seed", "source": 0, "hops": 0, "priority": 0.0, "due": 100.0} | changes
    return Found(url, **given)


def capture(url, time=200.0, offset=0, **changes):
    place = Place(changes.pop("file", "A.warc.gz"), offset, 10)
    return Capture(
        url, time, **({"status": 200, "mime": "text/html", "digest": f"sha1:D{offset}", "place": place} | changes)
    )


def visited(page, taken=None, **changes):
    given = {
        "outcome": Outcome.ANSWERED,
        "detail": "",
        "capture": taken,
        "evidence": Evidence.PRESENT,
        "time": 200.0,
        "due": 1000.0,
        "not_before": 0.0,
        "attempts": 0,
    }
    return Visited(page, **(given | changes))


def take(catalog, limit=10, now=150.0, before=100.0, busy=()):
    return catalog.take(limit, now, before, busy)
