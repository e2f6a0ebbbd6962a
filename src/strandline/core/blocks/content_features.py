"""What tells a page's own content from what stands around it: a row of numbers for each run of text (`NAMES`).

A run is described by its own characters, the runs beside it, what the parts around it hold (text, links, paragraphs,
pictures), whether they repeat beside others that look alike (cards, posts, rows), where it stands to six parts of the
page (the ones that hold most paragraphs, most plain text, the title, the largest repeated list), the tags and names
around it, the page as a whole, and whether it says what the page tells other sites of itself (`page_told`). Sums over a
part leave out what tags or names call navigation, footer, consent, advertising or hidden, so that a long cookie notice
is not taken for the article.
"""

from typing import Final

import numpy as np

from strandline.core.blocks.content_kernels import (
    ALIKE,
    ANCHORS,
    CHARS,
    CLEAN,
    COMMAS,
    COPIES,
    G_CHARS,
    G_CLEAN,
    G_LINKED,
    IMAGES,
    IN_KINDS,
    IN_MARKS,
    IS_CLEAN,
    KIND,
    LEADER,
    LEVEL,
    LINKED,
    LOOK,
    MARKS,
    MONEY,
    NODE,
    PARENT,
    PLAIN,
    PROSE,
    PROSE_LENGTH,
    RUNS,
    RUNS_WIDTH,
    STOPS,
    SUMS_WIDTH,
    TREE_WIDTH,
    Floats,
    Ints,
    Rows,
    add_up,
    count_characters,
    deepest_holding,
    descend,
    fill,
    find_repeats,
    relate,
)
from strandline.core.blocks.content_kin import KIN_NAMES, kin_columns
from strandline.core.blocks.content_marks import AROUND_GROUPS, AROUND_KINDS, GROUPS, KIND_OF_TAG, KINDS, PAGE_KINDS
from strandline.core.blocks.page_told import NOTHING_TOLD, TOLD_NAMES, PageTold, told_columns
from strandline.core.blocks.tree import LayoutTree

_OWN: Final = (
    "chars linked prose clean words commas stops digits uppers money short stop level copies since_heading "
    "heading_level place place_chars place_prose index left from_title depth kind kind_above"
)
_BESIDE: Final = ("chars", "linked", "stops", "level")
_PART: Final = ("chars", "share", "linked", "prose", "runs", "mean", "images", "anchors")
_GROUP: Final = ("alike", "mean", "share", "linked", "prose", "own")
_CORE: Final = ("inside", "steps", "below", "share", "prose", "branch", "side")
_CORE_NAMES: Final = ("paragraphs", "more_paragraphs", "text", "more_text", "title", "list")
_PAGE_TAGS: Final = ("li", "dd", "article", "main", "form")
_PAGE_GROUPS: Final = (9, 13, 14, 17, 18)
"""Groups of names that say what kind of page it is: comments, items, messages, prices, reviews.
Origin: a definition."""
_PAGE: Final = (
    "runs chars linked prose paragraphs images anchors money titles clean repeated "
    "list_share list_alike list_mean list_linked"
)
NAMES: Final = (
    *_OWN.split(),
    *(f"{side}_{name}" for side in ("before", "after") for name in _BESIDE),
    *(f"within{reach}_{name}" for reach in (3, 10, 30) for name in ("chars", "linked", "prose")),
    *(f"{which}_{name}" for which in ("node", "above", "above2", "heavy", "heavier") for name in _PART),
    *(f"{which}_{name}" for which in ("repeated", "card") for name in _GROUP),
    *(f"{core}_{name}" for core in _CORE_NAMES for name in _CORE),
    *(f"in_kind{kind}" for kind in range(KINDS)),
    *(f"in_group{group}" for group in range(GROUPS)),
    *(f"page_{name}" for name in _PAGE.split()),
    *(f"page_tag_{tag}" for tag in _PAGE_TAGS),
    *(f"page_group{group}" for group in _PAGE_GROUPS),
    *(f"page_is_{kind}" for kind in PAGE_KINDS),
    *KIN_NAMES,
    *TOLD_NAMES,
)
_OF_KIN: Final = slice(-len(KIN_NAMES) - len(TOLD_NAMES), -len(TOLD_NAMES))


def features(layout: LayoutTree, rows: Ints, told: PageTold = NOTHING_TOLD) -> Rows:
    """A row of numbers for each of these items, which are the runs of text of a page whose nodes are described.

    `told` is what the page tells other sites of itself.
    """
    tree = np.zeros((len(layout.parents), TREE_WIDTH), np.int64)
    columns = (layout.parents, layout.ends, layout.firsts, layout.lasts, layout.kinds, layout.marks, layout.looks)
    tree[:, : LOOK + 1] = np.array(columns).T
    sums = np.zeros((len(tree), SUMS_WIDTH))
    runs = _runs(layout, rows)
    count = len(layout.items)

    def add(column: int, values: Floats, places: Ints) -> None:
        spread = np.zeros(count + 1)
        spread[places + 1] = values
        add_up(tree, spread, sums, column)

    kinds = layout.item_kinds
    anchors, images = np.flatnonzero(kinds == 1), np.flatnonzero(kinds == 2)
    add(CHARS, runs[:, CHARS], rows)
    add(LINKED, runs[:, LINKED], rows)
    add(RUNS, np.ones(len(rows)), rows)
    add(ANCHORS, np.ones(len(anchors)), anchors)
    add(IMAGES, np.ones(len(images)), images)
    descend(tree, sums)
    at = layout.nodes[rows]
    clean = ((tree[at, IN_KINDS] & AROUND_KINDS) == 0) & ((tree[at, IN_MARKS] & AROUND_GROUPS) == 0)
    chars, linked = runs[:, CHARS], runs[:, LINKED]
    paragraph = (chars >= PROSE_LENGTH) & (linked < 0.3 * chars) & (runs[:, STOPS] + runs[:, COMMAS] >= 1) & clean
    runs[:, IS_CLEAN], runs[:, PROSE] = clean, np.where(paragraph, chars, 0.0)
    add(PROSE, runs[:, PROSE], rows)
    add(PLAIN, np.where(clean, chars - linked, 0.0), rows)
    add(CLEAN, np.where(clean, chars, 0.0), rows)
    order = np.lexsort((tree[:, LOOK], tree[:, PARENT]))
    find_repeats(tree, order, sums)
    titles = np.flatnonzero(runs[:, LEVEL] == 1)
    largest = int(np.argmax(np.where(tree[:, ALIKE] >= 3, sums[tree[:, LEADER], G_CLEAN], -1.0)))
    cores = np.array(
        (
            deepest_holding(tree, sums, PROSE, 0.4),
            deepest_holding(tree, sums, PROSE, 0.75),
            deepest_holding(tree, sums, PLAIN, 0.4),
            deepest_holding(tree, sums, PLAIN, 0.7),
            at[titles[0]] if titles.size else 0,
            max(tree[largest, PARENT], 0) if tree[largest, ALIKE] >= 3 else 0,
        ),
        np.int64,
    )
    relate(tree, sums, cores)
    page = _page(layout, tree, sums, runs, largest)
    out = np.zeros((len(rows), len(NAMES)), np.float32)
    fill(tree, sums, cores, runs, np.array([titles[0] if titles.size else -1, *page], np.float64), out)
    if len(rows):
        out[:, _OF_KIN] = kin_columns(tree, sums, runs, order)
    out[:, -len(TOLD_NAMES) :] = told_columns([layout.items[k][1] for k in rows.tolist()], layout.title, told)
    return out


def _runs(layout: LayoutTree, rows: Ints) -> Floats:
    """The table of runs: what can be said of each by itself."""
    texts = [layout.items[k][1] for k in rows.tolist()]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    runs = np.zeros((len(texts), RUNS_WIDTH))
    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    count_characters(letters, np.cumsum(lengths), runs)
    runs[:, LINKED] = np.minimum(layout.link_weights[rows], lengths)
    runs[:, LEVEL], runs[:, NODE] = layout.prominence[rows], layout.nodes[rows]
    _, places, copies = np.unique(layout.hashes[rows], return_inverse=True, return_counts=True)
    runs[:, COPIES] = copies[places]
    return runs


def _page(layout: LayoutTree, tree: Ints, sums: Floats, runs: Floats, largest: int) -> list[float]:
    """The numbers that all runs of a page share, coarse, so that no page is known again by them."""
    total = max(float(sums[0, CHARS]), 1.0)
    first, alike = int(tree[largest, LEADER]), int(tree[largest, ALIKE])
    listed = alike >= 3
    counted = (
        len(runs), total, (runs[:, PROSE] > 0).sum(), sums[0, IMAGES], runs[:, MONEY].sum(),
        (runs[:, LEVEL] == 1).sum(), alike if listed else 0, sums[first, G_CLEAN] / alike if listed else 0,
    )  # fmt: skip
    count, chars, paragraphs, images, money, titles, alike_, mean = np.round(
        np.log2(1.0 + np.array(counted, float))
    ).tolist()
    shares = (
        sums[0, LINKED] / total,
        sums[0, PROSE] / total,
        sums[0, ANCHORS] / max(len(runs), 1) / 2,
        sums[0, CLEAN] / total,
        sums[tree[:, LEADER], G_CHARS][tree[:, ALIKE] >= 3].max(initial=0.0) / total,
        sums[first, G_CLEAN] / max(float(sums[0, CLEAN]), 1.0) if listed else 0.0,
        sums[first, G_LINKED] / max(float(sums[first, G_CHARS]), 1.0) if listed else 0.0,
    )
    linked, prose, anchors, clean, repeated, share, list_linked = np.round(16 * np.array(shares)).tolist()
    tags = [np.count_nonzero(tree[:, KIND] == KIND_OF_TAG[tag]) for tag in _PAGE_TAGS]
    groups = [np.count_nonzero((tree[:, MARKS] >> group) & 1) for group in _PAGE_GROUPS]
    kinds = [float(layout.declared >> place & 1) for place in range(len(PAGE_KINDS))]
    return [
        count, chars, linked, prose, paragraphs, images, anchors, money, titles, clean, repeated, share, alike_, mean,
        list_linked, *np.round(np.log2(1.0 + np.array(tags + groups, float))).tolist(), *kinds,
    ]  # fmt: skip
