"""What happened to one text of a page, as it is counted and told."""

from typing import Any, Literal, NamedTuple

ItemKind = Literal["new", "gone", "edited", "returned", "rotating", "ticking", "moved"]


class ItemChange(NamedTuple):
    """What happened to one text of a block, and why it counts or not."""

    kind: ItemKind
    before: str
    after: str
    counts: bool = True
    why: str = ""
    weight: float = 0.0  # of an edit, by what it says, in [0, 1]
    stands_as: Literal["", "entry", "alarm", "title"] = ""  # an entry of a list; what matters wherever it stands

    def as_data(self, longest: int = 200) -> dict[str, Any]:
        """As `changes --json`, `compare --json` and the interface show it."""
        return {
            "kind": self.kind,
            "before": self.before[:longest],
            "after": self.after[:longest],
            "counts": self.counts,
            "why": self.why,
        }
