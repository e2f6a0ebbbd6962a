"""The questions of ports.Catalog that a catalog answers by asking its reading side, whatever it is stored in."""

from collections.abc import Iterator

from strandline.core.capture import Capture, Original
from strandline.ports import HostState, PageRow, Refusal
from strandline.store.reading import Reading


class CatalogReading:
    """Part of a catalog: what is asked, not changed."""

    reading: Reading

    def host(self, authority: str, scheme: str = "https") -> HostState:
        """What is known about a host, with the rules of a scheme."""
        return self.reading.host(authority, scheme)

    def page(self, url: str) -> PageRow | None:
        """One page."""
        return self.reading.page(url)

    def same_entity(self, entity: str) -> Original | None:
        """An earlier capture whose body had this digest."""
        return self.reading.same_entity(entity)

    def captures(self, url: str) -> list[Capture]:
        """Captures of a page in time order."""
        return self.reading.captures(url)

    def all_captures(self) -> Iterator[Capture]:
        """Every capture, ordered by SURT key and time."""
        return self.reading.all_captures()

    def refusals(self) -> list[Refusal]:
        """What was not taken, by reason."""
        return self.reading.refusals()
