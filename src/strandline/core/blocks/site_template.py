"""What the pages of a site have in common: menus, footers, notices, boxes that stand beside every text.

A page alone shows what is content only by its form. Beside other pages of its site it shows it plainly: what most of
them say, word for word, is the *template* they are made from, and what only one says is what that one is about.

    template     the texts that at least four pages, and half of those looked at, show
    framing      a block of which most letters are of the template

Texts are kept as hashes, of the pages of a site met last. A site of which fewer pages are known has no template, and
its pages are judged by themselves.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence, Set
from typing import Final

from strandline.core.blocks.tree import hashed

Template = frozenset[int]
NO_TEMPLATE: Final[Template] = frozenset()

ENOUGH: Final = 4
"""Pages of a site that show what is of its template, at least: an article may stand on the page of its month and its
topic, too. Origin: a guess."""
PART: Final = 0.5
"""Part of the pages looked at that do: sections of a site have menus of their own. Origin: a guess."""
MOST_PAGES: Final = 12
"""Pages of a site that are looked at. Origin: a bound on time."""
MOST_TEXTS: Final = 2_000
"""Texts of a page that are looked at. Origin: a bound on memory."""
MOSTLY: Final = 0.6
"""Part of the letters of a block that makes it framing: a line of it may be the page's own. Origin: a guess."""


class SiteTexts:
    """The texts of the pages of one site that were met last."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, Template] = OrderedDict()
        self._template: Template | None = NO_TEMPLATE

    def learn(self, page: int, texts: Iterable[str]) -> None:
        """Take in what a page shows now, instead of what it showed earlier.

        >>> site = SiteTexts()
        >>> for page in range(4): site.learn(page, ("All rights reserved", f"Page {page}"))
        >>> site.template == {hashed("All rights reserved")}
        True
        """
        found = sorted({hashed(text) for text in texts})[:MOST_TEXTS]
        self._pages.pop(page, None)
        self._pages[page] = frozenset(found)
        if len(self._pages) > MOST_PAGES:
            self._pages.popitem(last=False)
        self._template = None

    @property
    def template(self) -> Template:
        """The texts that most of the pages show."""
        if self._template is None:
            least = max(ENOUGH, PART * len(self._pages))
            counts = Counter(text for page in self._pages.values() for text in page)
            self._template = frozenset(text for text, count in counts.items() if count >= least)
        return self._template


def is_framing(texts: Sequence[str], template: Set[int]) -> bool:
    """Whether most letters of a block are of the template.

    >>> is_framing(("About us", "Contact"), {hashed("About us"), hashed("Contact")}), is_framing((), set())
    (True, False)
    """
    shared = sum([len(text) for text in texts if hashed(text) in template])
    return shared > 0 and shared >= MOSTLY * sum(map(len, texts))
