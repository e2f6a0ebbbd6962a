"""The catalogs there are, and the small words contracts are written in.

A further store joins by adding an entry to STORES: a function that opens (or reopens) a catalog in a folder.
"""

import pytest

from made.catalog_words import capture, found, visited
from servers import postgres
from strandline.store.catalog import open_catalog
from strandline.store.postgres.catalog import PostgresCatalog

__all__ = ["EACH", "STORES", "capture", "found", "take", "visited"]


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


def take(catalog, limit=10, now=150.0, before=100.0, busy=()):
    return catalog.take(limit, now, before, busy)
