"""How much of the catalog lies in stretches of SURT keys: what a collection holds."""

from collections.abc import Iterable
from typing import NamedTuple

from strandline.store.reading import Reading


class Holding(NamedTuple):
    """What lies in the stretches of a collection."""

    addresses: int = 0
    captures: int = 0
    first: float | None = None
    last: float | None = None


class CollectionReading(Reading):
    """What collections hold."""

    def within(self, stretches: Iterable[tuple[str, str]]) -> Holding:
        """Addresses that were captured, their captures, the first and the last."""
        found = Holding()
        query = """SELECT count(DISTINCT surt), count(*), min(captures.time), max(captures.time)
            FROM pages JOIN captures USING (page) WHERE surt >= ? AND surt < ?"""
        for low, high in stretches:
            row = self._row(query, low, high)
            if row is None or not row[1]:
                continue
            addresses, captures, first, last = (
                int(str(row[0])),
                int(str(row[1])),
                float(str(row[2])),
                float(str(row[3])),
            )
            found = Holding(
                found.addresses + addresses,
                found.captures + captures,
                first if found.first is None else min(found.first, first),
                last if found.last is None else max(found.last, last),
            )
        return found
