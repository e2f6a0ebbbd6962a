"""Texts that are lists of links, written one after the other with nothing but breaks or signs between them.

A reader sees entries, the page has one text: a column of links divided by line breaks, a menu in a line. What happened
to it is what happened to its entries: some came, some left, others only stand elsewhere now.
"""

from collections import Counter
from typing import Final

from strandline.core.blocks.tree import PageBlock

FEWEST: Final = 3
"""Links of such a text. Origin: a guess."""
LINKED: Final = 0.6
"""Part of its letters in links. Origin: a guess."""
Texts = list[tuple[str, str]]  # before and after; one of them is empty when a text came or left


def entries_of(block: PageBlock | None, text: str) -> tuple[str, ...]:
    """The entries of a text of a block; empty for a text that is no list of links."""
    if block is None or not text or not block.link_weight:
        return ()
    found: dict[str, tuple[str, ...]] | None = block.__dict__.get("entries")
    if found is None:  # all texts of a list may be asked for
        found = block.__dict__["entries"] = _entries(block)
    return found.get(text, ())


def _entries(block: PageBlock) -> dict[str, tuple[str, ...]]:
    """The entries of each text of a block that is a list of links."""
    found: dict[str, tuple[str, ...]] = {}
    links: list[str] = []
    for kind, said, _ in block.items if len(block.items) > FEWEST else ():  # the links, and the text that holds them
        if kind == "link":
            links.append(said)
        elif kind == "text":
            if said not in found:
                listed = len(links) >= FEWEST and sum(map(len, links)) >= LINKED * len(said)
                found[said] = tuple(filter(None, links)) if listed else ()
            links = []
    return found


def by_entries(old: PageBlock | None, new: PageBlock | None, before: str, after: str) -> Texts:
    """What happened to a text, entry by entry where it is a list of links."""
    left = entries_of(old, before) if before else ()
    if before and not left:
        return [(before, after)]
    right = entries_of(new, after) if after else ()
    if after and not right:
        return [(before, after)]
    gone, come = Counter(left) - Counter(right), Counter(right) - Counter(left)
    found = [(entry, "") for entry in left if entry in gone] + [("", entry) for entry in right if entry in come]
    rest = _rest(before, left), _rest(after, right)
    return [*found, rest] if rest[0] != rest[1] or not found else found


def _rest(text: str, entries: tuple[str, ...]) -> str:
    """What stands between and around the entries."""
    for entry in entries:
        text = text.replace(entry, " ", 1)
    return " ".join(text.split())
