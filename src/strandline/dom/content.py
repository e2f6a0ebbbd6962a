"""The trees that tell a page's own content from what stands around it, and the text they take from a page."""

from functools import cache
from importlib.resources import files

import numpy as np

from strandline.core.blocks.content import Scores, chosen, content_scores
from strandline.core.blocks.content_trees import Trees
from strandline.core.blocks.page_told import NOTHING_TOLD, PageTold
from strandline.core.blocks.site_template import NO_TEMPLATE, Template
from strandline.core.blocks.tree import LayoutTree

TREES_FILE = "content_trees.npz"


@cache
def shipped_trees() -> Trees:
    """The trees that come with the package."""
    with (files("strandline.dom") / TREES_FILE).open("rb") as file, np.load(file) as table:
        wide = {name: table[name].astype(np.int64) for name in ("roots", "feature", "left", "right")}
        return Trees(**wide, limit=table["limit"], value=table["value"], start=float(table["start"]))


def write_trees(trees: Trees, file: str) -> None:
    """Write trees as `shipped_trees` reads them."""
    narrow = {name: getattr(trees, name).astype(np.int16) for name in ("roots", "feature", "left", "right")}
    np.savez_compressed(file, limit=trees.limit, value=trees.value, start=np.float64(trees.start), **narrow)


def scored(layout: LayoutTree, template: Template = NO_TEMPLATE, told: PageTold = NOTHING_TOLD) -> Scores:
    """How likely each item of a page is its own content (`content_scores`)."""
    return content_scores(layout, shipped_trees(), template, told)


def content_of(layout: LayoutTree, scores: Scores) -> str:
    """The text of a page that is taken as its content, a run a line."""
    rows = np.flatnonzero(layout.item_kinds == 0)
    texts = [layout.items[k][1] for k in rows.tolist()]
    words = np.fromiter([len(text.split()) for text in texts], np.float64, len(texts))
    taken = chosen(scores[rows], words, texts).tolist()
    return "\n".join(text for text, take in zip(texts, taken, strict=True) if take)
