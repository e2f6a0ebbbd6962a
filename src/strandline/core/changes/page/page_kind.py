"""What a page is about, as far as the score of a change has to know: its own part, whether it is a list.

own part     the innermost element that holds most of the page's long texts, or of all its text where there are few
             long ones; what lies outside stands beside it. Blocks with the role `main` are always own, navigation
             and whatever its names or its heading (`beside_lists`) give away never, nor what the site's other pages
             say, too (`site_template`). A name or role that most of the page's text has tells nothing: whole pages
             stand in one form, or in a "sidebar-container". A text around the own part that does not stand behind it,
             or that stood still at every look, is own, too.
listing      how far the own part is lists of links: there they are the content, beside a text they are not
prose        whether the page is one of long texts
later page   the second or a later page of a list, as its address says: entries only move on to it
"""

import re
from typing import Final

from strandline.core.blocks.roles import ROLE_WEIGHT, hand_factor, place_factor
from strandline.core.blocks.site_template import NO_TEMPLATE, Template, is_framing
from strandline.core.blocks.tree import BlockTree, PageBlock
from strandline.core.changes.delta.carried import LONG, noise_place, prose_of
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.words.beside_lists import beside_lists, texts_beside
from strandline.core.changes.words.names_beside import begins_with_heading, is_name_beside
from strandline.core.kept_property import kept_property

MOST: Final = 0.6
"""Part of the text that the page's own part holds at least. Origin: a guess."""
OVER: Final = 6
"""Blocks of a page among which its headline is looked for. Origin: a guess."""
BAR: Final = 120
"""Letters of a bar above the headline, at most. Origin: a guess."""
HEADED: Final = 5
"""Letters of a headline, at least. Origin: a guess."""
IN_A_FORM: Final = 0.3
"""Part of the text from which a form holds the page, and is none: nobody fills in so much. Origin: a guess."""
SMALL: Final = 40
"""Letters of a block that decides nothing about where the text is. Origin: a guess."""
DOCUMENT: Final = 1_000
"""Letters in long texts that make a page one of text. Origin: a guess."""
PROSE: Final = 0.15
"""The same as a part of all letters. Origin: a guess."""
PLAIN: Final = 0.3
"""Part of a page's letters outside of links, from which it is a text, however short. Origin: a guess."""
_PAGE: Final = 2
"""Steps of a path that are the page as a whole, html/body/. Origin: a definition."""
LISTED: Final = 0.3
"""Part of a block's text in links, from which it is a list. Origin: a guess."""
OWN_PART: Final = 0.2
"""Part of a page's text that no other page of its site says; with less, the pages say the same, and it is no frame.
Origin: a guess."""
_FEW, _MANY = 0.4, 0.7
"""Parts of the page's own text in links between which it turns from a text into a list. Origin: a guess."""
_BESIDE: Final = frozenset({"nav", "footer", "header", "aside", "form"})
_AROUND_ALL: Final = frozenset(
    ("form", "aside", "header", "sidebar", "menu", "related", "hidden", "newsletter", "promo", "banner")
)  # names and roles that sites give to what holds everything, too
_LATER: Final = re.compile(
    r"[?&/](?:page|p|pg|paged|seite|pagina|página|offset|start|from|skip|startat|pagenum|page_?no)[=/_-]?(\d+)"
    r"(?:\.\w+)?/?(?:[?&#;]|$)",
    re.IGNORECASE,
)


class PageKind:
    """What is worked out of a version once, for all its changed blocks."""

    def __init__(
        self,
        page: BlockTree,
        template: Template = NO_TEMPLATE,
        noise: NoiseState | None = None,
        earlier: BlockTree | None = None,
    ) -> None:
        self._noise = noise
        self._versions = [page] if earlier is None else [page, earlier]
        self._idle = _idle(page)
        self._beside = set[int]().union(*(beside_lists(version) for version in self._versions))
        self._over = set[int]().union(*map(_over_headline, self._versions))
        self._template = NO_TEMPLATE
        self._framed: dict[int, bool] = {}
        beside = {id(block): self._stands_beside(block) for block in page.blocks}
        self._owned = {number: False for number, stands in beside.items() if stands}  # blocks of which it is known
        own = [block for block in page.blocks if not beside[id(block)]]
        if template:
            self._template = template
            rest = [block for block in own if not self.frames(block)]
            enough = sum(block.weight for block in rest) >= OWN_PART * sum(block.weight for block in own)
            own, self._template = (rest, template) if enough else (own, NO_TEMPLATE)
        self.part, self.prose = _part(own)
        self._around = _around(self.part)
        self._held: dict[str, bool] = {}  # whether paths lie in it: blocks of a list share theirs
        self._above: set[int] = set()
        if self._around:
            self._above.update(*map(self._up_to_its_end, self._versions))
        listed = whole = 0
        for block in own:
            if block.role == "main" or self._holds(block.path):
                self._owned[id(block)] = True  # nothing puts it beside, as `owns` asks
                whole += block.weight
                if block.link_weight and block.linked >= LISTED:
                    listed += block.weight
        share = listed / max(1, whole)
        self.listing = min(1.0, max(0.0, (share - _FEW) / (_MANY - _FEW)))
        self.later = is_later_page(page.url)

    def owns(self, block: PageBlock) -> bool:
        """Whether a block is of the page's own part."""
        owned = self._owned.get(id(block))
        if owned is None:
            owned = not self._stands_beside(block) and (
                block.role == "main" or self._holds(block.path) or self._belongs(block)
            )
            self._owned[id(block)] = owned
        return owned

    def may_own(self, block: PageBlock) -> bool:
        """Whether a block may be of the page's own part: nothing says that it stands beside it, but its place."""
        return not self._stands_beside(block) and not (block.link_weight and block.linked >= LISTED)

    def lists_beside(self, path: str, text: str) -> bool:
        """Whether a text is an entry of a list beside what the page is about, in a block that holds more than it."""
        return bool(self._listed_beside) and (path, text) in self._listed_beside

    def names_beside(self, path: str, text: str) -> bool:
        """The same of a name without a link, and of a line that is such a heading with names behind it."""
        for version in self._versions:
            if is_name_beside(version, path, text):
                return True
        return begins_with_heading(text)

    @kept_property
    def _listed_beside(self) -> frozenset[tuple[str, str]]:
        return frozenset().union(*map(texts_beside, self._versions))

    def _stands_beside(self, block: PageBlock) -> bool:
        if id(block) in self._over:
            return True
        if (block.hint and block.hint not in self._idle) or (block.role in _BESIDE and block.role not in self._idle):
            return True
        return id(block) in self._beside or (bool(self._template) and self.frames(block))

    def _belongs(self, block: PageBlock) -> bool:
        """Whether a text outside of the own part belongs to it: it stands above it or between its pieces (a title, a
        price, a summary), or stood still at every look and still has its place.
        """
        if block.link_weight and block.linked >= LISTED:
            return False
        if id(block) in self._above:
            return True
        place = noise_place(block)
        return self._noise is not None and self._noise.mostly_still(place) and place in self._stayed

    @kept_property
    def _stayed(self) -> set[str]:
        """Places that both versions have: where a page is laid out otherwise, texts beside its own come and go."""
        return set.intersection(*({noise_place(block) for block in page.blocks} for page in self._versions))

    def _up_to_its_end(self, page: BlockTree) -> set[int]:
        """Blocks that lie around the own part, but not behind it; by `id`."""
        blocks, around = page.blocks, self._around
        last = next((place for place in range(len(blocks) - 1, 0, -1) if self._holds(blocks[place].path)), 0)
        return {id(block) for block in blocks[:last] if _lies_in(block.path, around)}

    def frames(self, block: PageBlock) -> bool:
        """Whether a block is of the template of the page's site."""
        if not self._template:
            return False
        framed = self._framed.get(id(block))
        if framed is None:
            framed = self._framed[id(block)] = is_framing(block.texts, self._template)
        return framed

    def _holds(self, path: str) -> bool:
        held = self._held.get(path)
        if held is None:
            held = self._held[path] = _lies_in(path, self.part)
        return held

    def factor(self, block: PageBlock, factor: float) -> float:
        """The factor of a block, whose links count as text where lists are what the page is about."""
        if self._template and self.frames(block):
            return min(factor, ROLE_WEIGHT["footer"])
        if self._idle and (block.hint in self._idle or block.role in self._idle):
            factor = hand_factor(block, self._idle)
        if not self.listing or not block.link_weight or not self.owns(block):
            return factor
        plain = place_factor(block, self._idle)
        return factor + (plain - factor) * self.listing if plain > factor else factor


def _lies_in(path: str, part: str) -> bool:
    """Whether a path is that of a part, which ends with a slash, or lies in it; all lie in an empty one."""
    return path.startswith(part) or path == part[:-1]


def _over_headline(page: BlockTree) -> set[int]:
    """Short blocks above the headline that the page is called by: bars that offer, count and tell the time; by `id`."""
    known: set[int] | None = page.__dict__.get("over")  # a version is compared with the one before and the next one
    if known is None:
        known = page.__dict__["over"] = _bars_over_headline(page)
    return known


def _bars_over_headline(page: BlockTree) -> set[int]:
    title, over = page.title.casefold(), list[int]()
    for block in page.blocks[:OVER]:
        first = next(iter(block.texts), "").casefold()
        if len(first) >= HEADED and (first == title or title.startswith(f"{first} ")):
            return set(over)
        if block.weight > BAR:
            break
        if block.role in ("", "header") and not block.hint:
            over.append(id(block))
    return set()


def _idle(page: BlockTree) -> frozenset[str]:
    """Names and roles that most of a page's text outside of links has: they say nothing about a part of it."""
    plain: dict[str, int] = {}
    whole = 0
    for block in page.blocks:
        weight = block.weight - block.link_weight
        whole += weight
        hint, role = block.hint, block.role
        if hint in _AROUND_ALL:
            plain[hint] = plain.get(hint, 0) + weight
        if role != hint and role in _AROUND_ALL:
            plain[role] = plain.get(role, 0) + weight
    return frozenset(
        label for label, weight in plain.items() if weight >= (IN_A_FORM if label == "form" else MOST) * whole
    )


def _around(part: str) -> str:
    """The part around a part, with a slash; empty when that is the page as a whole."""
    above = part[: part.rstrip("/").rfind("/") + 1]
    return above if above.count("/") > _PAGE else ""


def _part(blocks: list[PageBlock]) -> tuple[str, bool]:
    """The innermost path, with a slash, that holds most of the text, and whether the page is one of long texts."""
    held: dict[str, int] = {}
    prose: dict[str, int] = {}
    plain: dict[str, int] = {}
    for block in blocks:
        weight = block.weight
        if weight < SMALL:
            continue
        path = block.path
        held[path] = held.get(path, 0) + weight
        plain[path] = plain.get(path, 0) + weight - block.link_weight
        if weight >= LONG and (not block.link_weight or block.linked < LISTED):
            prose[path] = prose.get(path, 0) + prose_of(block)
    long = sum(prose.values()) >= max(DOCUMENT, PROSE * sum(held.values()))
    # A menu outweighs a short text, but is no list that a page is about.
    said = plain if sum(plain.values()) >= PLAIN * sum(held.values()) else held
    return _innermost(prose if long else said), long


def _innermost(held: dict[str, int]) -> str:
    total, part = sum(held.values()), ""
    least = MOST * total
    paths = [(f"{path}/", weight) for path, weight in held.items()]
    while paths:
        if len(paths) == 1:
            return paths[0][0] if paths[0][1] >= least else part
        below: dict[str, list[tuple[str, int]]] = {}
        depth = len(part)
        for entry in paths:
            path = entry[0]
            below.setdefault(path[: path.index("/", depth) + 1], []).append(entry)
        for step, entries in below.items():  # one at most holds so much
            if sum([weight for _, weight in entries]) >= least:
                part, paths = step, [entry for entry in entries if len(entry[0]) > len(step)]
                break
        else:
            return part
    return part


def is_later_page(url: str) -> bool:
    """True for the second or a later page of a list.

    >>> is_later_page("https://x.org/list?page=5"), is_later_page("https://x.org/p/kettle"), is_later_page("/page/1/")
    (True, False, False)
    """
    found = _LATER.search(url)
    return found is not None and 1 < int(found[1][:9]) < 100_000
