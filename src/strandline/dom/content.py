"""What tells a page's own content from what stands around it, trees and networks, and the text taken from a page."""

from functools import cache
from importlib.resources import files

import numpy as np

from strandline.core.blocks.content import Scores, chosen, content_scores
from strandline.core.blocks.content_nets import Judges, Nets
from strandline.core.blocks.content_trees import Trees
from strandline.core.blocks.page_told import NOTHING_TOLD, PageTold
from strandline.core.blocks.site_template import NO_TEMPLATE, Template
from strandline.core.blocks.tree import LayoutTree

JUDGES_FILE = "content_judges.npz"
_OF_NODES = ("roots", "feature", "left", "right")
_OF_NETS = ("middle", "spread", "hidden", "bias", "out")


@cache
def shipped_judges() -> Judges:
    """The trees and networks that come with the package."""
    with (files("strandline.dom") / JUDGES_FILE).open("rb") as file, np.load(file) as table:
        wide = {name: table[name].astype(np.int64) for name in _OF_NODES}
        trees = Trees(**wide, limit=table["limit"], value=table["value"], start=float(table["start"]))
        layers = {name: table[name].astype(np.float32) for name in _OF_NETS}
        return Judges(trees, Nets(**layers, start=float(table["nets_start"])))


def write_judges(judges: Judges, file: str) -> None:
    """Write trees and networks as `shipped_judges` reads them."""
    trees, nets = judges.trees, judges.nets
    narrow = {name: getattr(trees, name).astype(np.int16) for name in _OF_NODES}
    narrow |= {name: getattr(nets, name) for name in _OF_NETS} | {"hidden": nets.hidden.astype(np.float16)}
    narrow |= {"limit": trees.limit, "value": trees.value}
    np.savez_compressed(file, start=np.float64(trees.start), nets_start=np.float64(nets.start), **narrow)


def scored(layout: LayoutTree, template: Template = NO_TEMPLATE, told: PageTold = NOTHING_TOLD) -> Scores:
    """How likely each item of a page is its own content (`content_scores`)."""
    return content_scores(layout, shipped_judges(), template, told)


def content_of(layout: LayoutTree, scores: Scores) -> str:
    """The text of a page that is taken as its content, a run a line."""
    rows = np.flatnonzero(layout.item_kinds == 0)
    texts = [layout.items[k][1] for k in rows.tolist()]
    words = np.fromiter([len(text.split()) for text in texts], np.float64, len(texts))
    taken = chosen(scores[rows], words, texts).tolist()
    return "\n".join(text for text, take in zip(texts, taken, strict=True) if take)
