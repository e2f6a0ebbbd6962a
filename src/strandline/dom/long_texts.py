"""Runs of text without any paragraph mark, cut at sentences chosen by their content so that they can be compared."""

import re
from typing import Final

import numpy as np

from strandline.core.blocks.tree import BEGINNING, Item, LayoutTree, hashed

LONG: Final = 2_400  # characters; a longer run is cut
_SHORTEST: Final = 300
_SENTENCE_END: Final = re.compile(r"\s(?<=[.!?;:。！？]\s)\s*")  # looks back from blanks, which are few
_SENTENCE_END_ANYWHERE: Final = re.compile(rf"{_SENTENCE_END.pattern}|(?<=[。！？])")


def split_long_texts(layout: LayoutTree) -> LayoutTree:
    """The same layout with every very long run of text given as several."""
    if layout.weights.max(initial=0) <= LONG:
        return layout
    items = layout.items
    parts = {k: sentences(item[1]) for k, item in enumerate(items) if len(item[1]) > LONG and item[0] == "text"}
    counts = np.ones(len(items), np.int64)
    for k, pieces in parts.items():
        counts[k] = len(pieces)
    if (counts == 1).all():
        return layout
    moved = [0, *np.cumsum(counts).tolist()]
    layout.firsts = [moved[k] for k in layout.firsts]
    layout.lasts = [moved[k] for k in layout.lasts]
    origin = np.repeat(np.arange(len(items)), counts)
    layout.nodes, layout.prominence = layout.nodes[origin], layout.prominence[origin]
    layout.link_weights = layout.link_weights[origin] // counts[origin]
    layout.weights, layout.hashes = layout.weights[origin], layout.hashes[origin]
    layout.items = [items[k] for k in origin.tolist()]
    layout.item_kinds = layout.item_kinds[origin]
    for k in np.flatnonzero(counts > 1).tolist():
        for place, text in enumerate(parts[k], moved[k]):
            layout.items[place] = Item("text", text)
            layout.weights[place], layout.hashes[place] = len(text), hashed(text[:BEGINNING])
    return layout


def sentences(text: str) -> list[str]:
    """A long text as groups of sentences; where a group ends depends on its last sentence alone."""
    if len(text) <= LONG:
        return [text]
    groups: list[str] = []
    current: list[str] = []
    for sentence in _pieces(text):
        current.append(sentence)
        if hashed(sentence) % _SHORTEST < len(sentence):
            groups.append(" ".join(current))
            current = []
    if current:
        groups.append(" ".join(current))
    return groups


def _pieces(text: str) -> list[str]:
    """Sentences; what has no sentence ends is cut after words."""
    pieces = []
    ends = _SENTENCE_END_ANYWHERE if any(sign in text for sign in "。！？") else _SENTENCE_END
    for sentence in ends.split(text):
        if len(sentence) <= LONG:
            pieces.append(sentence)
            continue
        line: list[str] = []
        for word in sentence.split():
            line.append(word)
            if hashed(word) % 32 == 0:
                pieces.append(" ".join(line))
                line = []
        pieces.append(" ".join(line))
    return [piece for piece in pieces if piece]
