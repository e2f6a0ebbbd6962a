"""What happened to one text of a page, as it is counted and told."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

ItemKind = Literal["new", "gone", "edited", "returned", "rotating", "ticking", "moved"]

NOTHING: Final = 0.45
"""Contribution below which the change of a block comes to nothing: by itself it scores less than .015.
Origin: derived, from `novelty.NOVELTY_SCALE`."""


class ItemChange(NamedTuple):
    """What happened to one text of a block, and why it counts or not."""

    kind: ItemKind
    before: str
    after: str
    counts: bool = True
    why: str = ""
    weight: float = 0.0  # of an edit, by what it says, in [0, 1]
    stands_as: Literal["", "entry", "alarm", "title"] = ""  # an entry of a list; what matters wherever it stands
    said: str = ""  # what is after without the parts that never rest, where there are any

    def as_data(self, longest: int = 200) -> dict[str, Any]:
        """As `changes --json`, `compare --json` and the interface show it."""
        kind, before, after, counts, why, *_ = self
        return {"kind": kind, "before": before[:longest], "after": after[:longest], "counts": counts, "why": why}


def items_told(items: Iterable[dict[str, Any]], noise: str, contribution: float) -> list[dict[str, Any]]:
    """Texts of a block as readers are told of them: where its change is noise and comes to nothing, none counts.

    >>> new = ItemChange("new", "", "Most read: ferries").as_data()
    >>> [one["why"] for one in items_told([new], "changed in 9 of 9 comparisons", 0.2)]
    ['changed in 9 of 9 comparisons']
    >>> [one["counts"] for part in (0.2, 4.0) for one in items_told([new], "mostly links", part)]
    [False, True]
    """
    idle = noise and contribution < NOTHING
    return [{**one, "counts": False, "why": noise} if idle and one["counts"] else one for one in items]


def block_told(block: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a changed block, as readers are told of it."""
    if "items" not in block:  # of an older release
        return dict(block)
    return {**block, "items": items_told(block["items"], block["noise"], block["contribution"])}
