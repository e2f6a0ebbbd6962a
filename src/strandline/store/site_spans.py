"""What of a site lies where in the index: its hosts, and whether it has pages or only gives parts to others."""

from typing import Final

from strandline.store.learned import LearnedReading
from strandline.store.reading import span
from strandline.store.recording import SERVES

FEW: Final = 5_000
"""Pages of a site up to which its changes are asked for page by page. Origin: a bound on time."""
HOSTS: Final = 50
"""Hosts of a site that are looked at, those with the most captures. Origin: a bound on time."""


class SpansReading(LearnedReading):
    """Usable while a writer works."""

    def spans(self, site: str) -> list[tuple[str, str, str]]:
        """Host, and the stretch of the SURT index its pages lie in, of every host of a site."""
        query = (
            f"SELECT authority FROM hosts WHERE ? IN (site, authority) ORDER BY captures DESC, authority LIMIT {HOSTS}"
        )
        found = []
        for (authority,) in self._rows(query, site):
            low, high = span(f"http://{authority}/", "host")
            found.append((str(authority), low, high))
        return found

    def gives_parts(self, site: str) -> bool:
        """Whether of a site only parts of other sites' pages were captured, and no page."""
        query = "SELECT 1 FROM pages WHERE surt >= ? AND surt < ? AND kind = ? LIMIT 1"
        spans = self.spans(site)

        def any_of(kind: str) -> bool:
            return any(self._row(query, low, high, kind) is not None for _, low, high in spans)

        return not any_of("page") and any_of("requisite")

    def served_sites(self, site: str) -> list[str]:
        """Some sites to whose pages this one gives parts, as far as crawls of this catalog saw it."""
        query = "SELECT key FROM notes WHERE kind = ? AND key > ? AND key < ? ORDER BY key LIMIT 20"
        return [str(name).partition(" ")[2] for (name,) in self._rows(query, SERVES, f"{site} ", f"{site}!")]
