"""What belongs to a collection: sites with all their hosts, pages, and beginnings of addresses.

All of it is stretches of SURT keys, as with what is taken down: http and https, with `www` and without, are one page.
"""

from bisect import bisect_right
from collections.abc import Iterable

from strandline.core.keeping.takedowns import merged, target_of
from strandline.core.urls import surt_key

Stretches = tuple[tuple[str, str], ...]


def site_stretches(name: str) -> Stretches:
    """The keys of a site: a registered domain or a host, with all below it.

    >>> site_stretches("example.org")[0], len(site_stretches("www.example.org"))
    (('org,example)/', 'org,example)0'), 1)
    """
    return target_of(f"http://{name}/*" if name.startswith("www.") else f"*.{name}").keys


def page_stretches(text: str) -> Stretches:
    """The keys of a page, or of all that begins so when a * is at its end."""
    return target_of(text).keys


class Members:
    """Tells whether an address belongs to a collection."""

    def __init__(self, sites: Iterable[str] = (), pages: Iterable[str] = ()) -> None:
        """ValueError names what is no site or page."""
        own = [stretch for name in sites for stretch in site_stretches(name)]
        self.stretches = merged([*own, *(stretch for text in pages for stretch in page_stretches(text))])
        """In order, none touching another."""
        self._lows = [low for low, _ in self.stretches]

    def has_key(self, key: str) -> bool:
        """Whether a SURT key is one of its."""
        at = bisect_right(self._lows, key) - 1
        return at >= 0 and key < self.stretches[at][1]

    def has(self, url: str) -> bool:
        """Whether an address belongs to it; what is no address of the web does not.

        >>> found = Members(["example.org"], ["https://other.example/news/*"])
        >>> [found.has(url) for url in ("http://www.example.org/a", "https://other.example/", "other.example/news/1")]
        [True, False, False]
        """
        try:
            return self.has_key(surt_key(url))
        except (ValueError, IndexError):
            return False
