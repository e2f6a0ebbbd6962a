"""Lists that stand beside what a page is about, told by their headings: "You may also like", "Most read".

Names of elements tell most of them (`blocks.roles`). Many pages have no names, or names made anew for every release:
there the heading does. It holds for the links below it, until another heading or a text comes.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from strandline.core.blocks.tree import BlockTree, PageBlock
from strandline.core.changes.words.language_rules import folded_words

LONGEST: Final = 60
"""Letters of a heading. Origin: a guess."""
_LETTERS: Final = re.compile("[A-Za-z]+")
LISTED: Final = 0.5
"""Part of a block's letters in links, from which it belongs to the list above it. Origin: a guess."""


def beside_lists(page: BlockTree) -> set[int]:
    """Of the blocks of a page those of lists beside what it is about, by `id`; kept with the page, which is compared
    with the version before it and with the next one.
    """
    known: set[int] | None = page.__dict__.get("beside")
    if known is None:
        known = page.__dict__["beside"] = _below_headings(page.blocks)
    return known


def _below_headings(blocks: Iterable[PageBlock]) -> set[int]:
    found: set[int] = set()
    inside, above = False, list[int]()  # below such a heading; headings of which no link was seen yet
    for block in blocks:
        if heading := _heading(block):
            inside, above = is_beside(heading), []
        if inside and len(block.items) == 1 and heading:
            above.append(id(block))
        elif inside and block.link_density >= LISTED:
            found.update((*above, id(block)))
            above = []
        else:
            inside = False
    return found


def texts_beside(page: BlockTree) -> frozenset[tuple[str, str]]:
    """The entries of such lists that stand in one block with other things, as pages laid out by tables have them, each
    behind the path of its block: links below the heading, up to a text without one. What the page says elsewhere, too,
    is none of them. Kept with the page.
    """
    known: frozenset[tuple[str, str]] | None = page.__dict__.get("texts_beside")
    if known is None:
        linked = [block for block in page.blocks if block.link_weight and is_headed(block)]
        found = {(block.path, text) for block in linked for text in _parted(block)[0]}
        if found:  # on few pages
            others = set[str]().union(*[_parted(block)[1] for block in page.blocks])
            found = {entry for entry in found if entry[1] not in others}
        known = page.__dict__["texts_beside"] = frozenset(found)
    return known


def is_headed(block: PageBlock) -> bool:
    """Whether one of the headings in a block is that of such a list; kept with the block."""
    known: bool | None = block.__dict__.get("headed")
    if known is None:
        known = block.__dict__["headed"] = _has_such_heading(block)
    return known


def _has_such_heading(block: PageBlock) -> bool:
    """Whether one of the headings in a block, as `_runs` finds them, is that of such a list; of hardly any block."""
    first = ""  # link since the text before
    for kind, said, _ in block.items:
        if kind == "link":
            first = first or said
        elif kind == "text":
            heading = said.partition(first)[0].strip() if first else said
            if heading and len(heading) <= LONGEST and is_beside(heading):
                return True
            first = ""
    return False


def _parted(block: PageBlock) -> tuple[frozenset[str], frozenset[str]]:
    """The texts of a block that stand below such a heading, and all others; kept with the block."""
    known: tuple[frozenset[str], frozenset[str]] | None = block.__dict__.get("parted")
    if known is None:
        parts: tuple[set[str], set[str]] = set(), set()
        for beside, texts in _runs(block):
            parts[not beside].update(texts)
        known = block.__dict__["parted"] = frozenset(parts[0]), frozenset(parts[1])
    return known


def _runs(block: PageBlock) -> Iterator[tuple[bool, list[str]]]:
    """Texts of a block, each with the links in it: whether it stands below such a heading."""
    inside, links = False, list[str]()
    for item in block.items:
        if item.kind == "link":
            links += [item.text] if item.text else []
        elif item.kind == "text":
            heading = item.text.partition(links[0])[0].strip() if links else item.text  # a line break divides no text
            if heading:
                inside = len(heading) <= LONGEST and is_beside(heading)
            yield inside and bool(links), [item.text, *links]
            links = []


def _heading(block: PageBlock) -> str:
    """The text a block begins with, when it is short and no link; empty for none."""
    for item in block.items:
        if item.kind == "link":
            return ""
        if item.kind == "text":
            return item.text if len(item.text) <= LONGEST else ""
    return ""


def is_beside(heading: str) -> bool:
    """Whether a heading is one of a list beside what a page is about.

    >>> is_beside("You may also like:"), is_beside("Das könnte Sie auch interessieren"), is_beside("Opening hours")
    (True, True, False)
    >>> is_beside("More from this author"), is_beside("Links between the moon and the tides")
    (True, False)
    """
    beginning = heading if heading.isascii() else heading.partition(" ")[0]
    if beginning.isascii():
        first = _LETTERS.search(beginning)
        if first and first[0].lower() not in first_words():  # of most of them
            return False
    return _is_beside(heading)


@lru_cache(maxsize=1 << 12)
def _is_beside(heading: str) -> bool:
    words = tuple(folded_words(heading))
    whole, begun, firsts = _headings()
    if not firsts.isdisjoint(words[:1]) and any(words[:count] in begun for count in range(1, len(words) + 1)):
        return True
    return words in whole


@cache
def first_words() -> frozenset[str]:
    """The first words of all of them."""
    whole, _, firsts = _headings()
    return firsts.union([words[0] for words in whole if words])


@cache
def _headings() -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]], frozenset[str]]:
    """Those that are a heading word for word, those that one begins with, and the first words of these."""
    text = files("strandline.core.changes.words").joinpath("languages/headings.toml").read_text("utf-8")
    phrases = [phrase for listed in tomllib.loads(text).values() for phrase in listed]
    begun = frozenset(tuple(folded_words(phrase)) for phrase in phrases if phrase.endswith("*"))
    return (
        frozenset(tuple(folded_words(phrase)) for phrase in phrases) - begun,
        begun,
        frozenset(words[0] for words in begun if words),
    )
