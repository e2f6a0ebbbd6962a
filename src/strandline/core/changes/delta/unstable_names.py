"""Names of elements that are made anew at every fetch, told by blocks that have other names and the same content. They
are dropped from the paths of blocks, or the history of a block would be lost at every fetch.
"""

from collections.abc import Set
from typing import Final

from strandline.core.blocks.tree import hashed
from strandline.core.changes.delta.delta import Delta

MOST: Final = 4_000
"""Paths that are remembered. Origin: a bound on memory."""


class StablePaths:
    """Paths without the names that are known to change, each worked out once, until more names are known."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._names = 0

    def of(self, path: str, unstable: Set[int]) -> str:
        """`settled_path`; names are only ever added to `unstable`.

        >>> paths = StablePaths()
        >>> paths.of("html/div#a1/p", set()), paths.of("html/div#a1/p", {hashed("/html/div")})
        ('html/div#a1/p', '/html/div/p')
        """
        if not unstable:
            return path
        if len(unstable) != self._names or len(self._known) >= MOST:
            self._known, self._names = {}, len(unstable)
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = settled_path(path, unstable)
        return found


def settled_path(path: str, unstable: Set[int]) -> str:
    """A path without the names that are known to change; `unstable` are hashes of the steps that bear them.

    >>> settled_path("html/div#a1/p", {hashed("/html/div")})
    '/html/div/p'
    """
    if not unstable:
        return path
    kept = ""
    for step in path.split("/"):
        prefix = f"{kept}/{_tag(step)}"
        kept = prefix if hashed(prefix) in unstable else f"{kept}/{step}"
    return kept


def changing_names(delta: Delta, unstable: Set[int]) -> set[int]:
    """Steps of paths, beyond those known, whose names differ although the block's content is the same; by hash."""
    blocks, old_blocks = delta.new.blocks, delta.old.blocks
    found: set[int] = set()
    for old, new in delta.differing:
        before, after = old_blocks[old], blocks[new]
        if before.path == after.path or before.digest != after.digest:
            continue
        steps = list(zip(before.path.split("/"), after.path.split("/"), strict=False))
        if before.path.count("/") != after.path.count("/") or any(_tag(a) != _tag(b) for a, b in steps):
            continue
        kept = ""
        for one, other in steps:
            prefix = f"{kept}/{_tag(one)}"
            if one != other:
                found.add(hashed(prefix))
            step = hashed(prefix)
            kept = prefix if step in unstable or step in found else f"{kept}/{one}"
    return found


def _tag(step: str) -> str:
    return step.partition("#")[0].partition(".")[0]
