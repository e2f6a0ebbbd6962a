"""The compiled passes behind `content_features`: characters of runs, sums over nodes, where a run stands.

Three tables go through them: `tree` (a row a node), `sums` (what each node holds, a row a node) and `runs` (a row a run
of text). The constants name their columns.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_marks import CONSENT, CONTENT_KINDS, GROUPS, KINDS
from strandline.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.float32]

PARENT, END, FIRST, LAST, KIND, MARKS, LOOK, DEPTH, IN_KINDS, IN_MARKS, ALIKE, LEADER = range(12)
HEAVY, HEAVIER, REPEATED, CARD, MET = range(12, 17)
CORES: Final = 6  # parts of the page that each node is seen from
OF_A_CORE: Final = 7  # numbers on each of them
TREE_WIDTH: Final = 16 + CORES
CHARS, LINKED, PROSE, PLAIN, CLEAN, RUNS, ANCHORS, IMAGES, G_CHARS, G_LINKED, G_PROSE, G_CLEAN = range(12)
SUMS_WIDTH: Final = 12
# of `runs`; the first three also of `sums`
IS_CLEAN, WORDS, COMMAS, STOPS, DIGITS, UPPERS, LETTERS, MONEY, SHORT, LAST_LETTER, LEVEL, COPIES, ITEM, NODE = range(
    3, 17
)
RUNS_WIDTH: Final = 17
PROSE_LENGTH: Final = 80  # characters of a run that may be a paragraph
LARGE: Final = 0.5  # a name on a part that holds more of the page speaks of the page


def _latin_classes() -> Ints:
    """The column of `runs` that counts each Latin-1 character; 0 for none."""
    classes = np.zeros(256, np.int64)
    classes[97:123] = classes[223:256] = LETTERS
    classes[65:91] = classes[192:223] = UPPERS
    classes[48:58] = DIGITS
    classes[[ord(","), ord(";")]] = COMMAS
    classes[[ord("."), ord("!"), ord("?"), ord(":")]] = STOPS
    classes[[ord("$"), ord("£"), ord("¥")]] = MONEY
    return classes


_LATIN: Final = _latin_classes()
_WITHOUT_BLANKS: Final = -1  # a letter of a script whose words are not parted


@compiled
def class_of(letter: int) -> int:
    """The column of `runs` that counts a character; 0 for none."""
    if letter < 256:
        return int(_LATIN[letter])
    if letter < 0x2000 or 0x2C00 <= letter < 0x2E00:
        return LETTERS
    if letter == 0x20AC:
        return MONEY
    if letter in (0x3001, 0xFF0C):
        return COMMAS
    if letter in (0x3002, 0xFF01, 0xFF1F):
        return STOPS
    return _WITHOUT_BLANKS if letter >= 0x3040 else 0


@compiled
def ends_sentence(text: NDArray[np.uint32], following: int, end: int) -> bool:
    """Whether a full stop and its like ends a sentence there, rather than standing in a number or an address."""
    return following >= end or text[following] in (32, 34, 0x201D)


@compiled
def count_run(text: NDArray[np.uint32], start: int, end: int, run: Floats) -> None:
    """How often each class of characters occurs in one run."""
    length, lower = 0, True
    run[WORDS], run[CHARS] = 1.0, end - start
    for i in range(start, end):
        letter = text[i]
        if letter == 32:
            run[WORDS] += 1
            if 0 < length <= 3 and lower:
                run[SHORT] += 1
            length, lower = 0, True
            continue
        length += 1
        kind = class_of(letter)
        if kind in (UPPERS, DIGITS):
            lower = False
        if kind in (UPPERS, _WITHOUT_BLANKS):
            run[LETTERS] += 1
        if kind == _WITHOUT_BLANKS:
            run[WORDS] += 0.5  # two letters for a word
        elif kind > 0 and (kind != STOPS or letter > 255 or ends_sentence(text, i + 1, end)):
            run[kind] += 1
    if 0 < length <= 3 and lower:
        run[SHORT] += 1
    if end > start:
        run[LAST_LETTER] = text[end - 1]


@compiled
def count_characters(text: NDArray[np.uint32], ends: Ints, runs: Floats) -> None:
    """How often each class of characters occurs in each run; `ends` is where each run ends in the text of all."""
    start = 0
    for k in range(ends.size):
        count_run(text, start, int(ends[k]), runs[k])
        start = int(ends[k])


@compiled
def descend(tree: Ints, sums: Floats) -> None:
    """Of each node its depth, and the kinds of tags and groups of names it and all above it have."""
    for n in range(tree.shape[0]):
        above = tree[n, PARENT]
        kinds = np.int64(1) << tree[n, KIND] if tree[n, KIND] >= 0 else np.int64(0)
        marks = tree[n, MARKS] if sums[n, CHARS] <= LARGE * sums[0, CHARS] else np.int64(0)
        if above >= 0:
            kinds |= tree[above, IN_KINDS]
            marks |= tree[above, IN_MARKS]
            tree[n, DEPTH] = tree[above, DEPTH] + 1
        if kinds & CONTENT_KINDS:  # cookies in the main part are its subject
            marks &= ~CONSENT
        tree[n, IN_KINDS], tree[n, IN_MARKS] = kinds, marks


@compiled
def add_up(tree: Ints, values: Floats, sums: Floats, column: int) -> None:
    """Of each node the sum of a value over the items it holds; `values` begins with a 0 and is summed up in place."""
    for k in range(1, values.size):
        values[k] += values[k - 1]
    for n in range(tree.shape[0]):
        sums[n, column] = values[tree[n, LAST]] - values[tree[n, FIRST]]


@compiled
def find_repeats(tree: Ints, order: Ints, sums: Floats) -> None:
    """How many siblings of a node look like it (with itself), the first of them, and what they hold together.

    `order` sorts the nodes by parent, then by look.
    """
    k = 0
    while k < order.size:
        first, end = order[k], k + 1
        while (
            end < order.size
            and tree[order[end], PARENT] == tree[first, PARENT]
            and tree[order[end], LOOK] == tree[first, LOOK]
        ):
            end += 1
        for i in range(k, end):
            n = order[i]
            tree[n, ALIKE], tree[n, LEADER] = end - k, first
            sums[first, G_CHARS] += sums[n, CHARS]
            sums[first, G_LINKED] += sums[n, LINKED]
            sums[first, G_PROSE] += sums[n, PROSE]
            sums[first, G_CLEAN] += sums[n, CLEAN]
        k = end


@compiled
def deepest_holding(tree: Ints, sums: Floats, column: int, share: float) -> int:
    """The deepest node that holds at least a share of the page, going down from the root."""
    best, least = 0, share * sums[0, column]
    if least <= 0:
        return 0
    for n in range(1, tree.shape[0]):
        if tree[n, PARENT] == best and sums[n, column] >= least:
            best = n
    return best


@compiled
def relate(tree: Ints, sums: Floats, cores: Ints) -> None:
    """Of each node the nearest at or above it that is heavy, or repeated, and the deepest that also holds each core."""
    total = sums[0, CHARS]
    for n in range(tree.shape[0]):
        above, chars = tree[n, PARENT], sums[n, CHARS]
        top = above < 0
        tree[n, HEAVY] = n if top or chars >= max(0.1 * total, 200.0) else tree[above, HEAVY]
        tree[n, HEAVIER] = n if top or chars >= max(0.3 * total, 200.0) else tree[above, HEAVIER]
        repeated = tree[n, ALIKE] >= 3
        tree[n, REPEATED] = n if repeated and chars >= 1 else -1 if top else tree[above, REPEATED]
        tree[n, CARD] = n if repeated and chars >= 100 else -1 if top else tree[above, CARD]
        for c in range(CORES):
            tree[n, MET + c] = n if top or n <= cores[c] < tree[n, END] else tree[above, MET + c]


@compiled
def part(value: float, whole: float) -> float:
    """A share; 0 of nothing."""
    return value / whole if whole > 0 else 0.0


@compiled
def describe_node(sums: Floats, node: int, out: Rows, column: int) -> int:
    """Eight numbers on what a node holds; returns the next column."""
    chars, count = sums[node, CHARS], sums[node, RUNS]
    out[column] = chars
    out[column + 1] = part(chars, sums[0, CHARS])
    out[column + 2] = part(sums[node, LINKED], chars)
    out[column + 3] = part(sums[node, PROSE], chars)
    out[column + 4] = count
    out[column + 5] = part(chars, count)
    out[column + 6] = sums[node, IMAGES]
    out[column + 7] = part(sums[node, ANCHORS], count)
    return column + 8


@compiled
def describe_group(tree: Ints, sums: Floats, node: int, out: Rows, column: int) -> int:
    """Six numbers on the siblings that look like a node; returns the next column."""
    if node >= 0:
        first = tree[node, LEADER]
        chars = sums[first, G_CHARS]
        out[column] = tree[node, ALIKE]
        out[column + 1] = part(chars, float(tree[node, ALIKE]))
        out[column + 2] = part(chars, sums[0, CHARS])
        out[column + 3] = part(sums[first, G_LINKED], chars)
        out[column + 4] = part(sums[first, G_PROSE], chars)
        out[column + 5] = sums[node, CHARS]
    return column + 6


@compiled
def describe_core(tree: Ints, sums: Floats, node: int, met: int, core: int, out: Rows) -> None:
    """Numbers on where a node stands to a part of the page, into `out`; `met` is the deepest node that holds both."""
    out[0] = met == core
    out[1] = tree[core, DEPTH] - tree[met, DEPTH]
    out[2] = tree[node, DEPTH] - tree[core, DEPTH]
    out[3] = part(sums[core, CHARS], sums[0, CHARS])
    out[4] = part(sums[core, PROSE], sums[0, PROSE])
    out[5] = part(sums[met, CHARS], sums[0, CHARS])
    out[6] = -1.0 if node < core else 1.0 if node >= tree[core, END] else 0.0


@compiled
def describe_place(tree: Ints, sums: Floats, node: int, out: Rows, column: int) -> int:
    """What the node of a run, those around it and its repeated siblings hold; returns the next column."""
    above = max(tree[node, PARENT], 0)
    column = describe_node(sums, node, out, column)
    column = describe_node(sums, above, out, column)
    column = describe_node(sums, max(tree[above, PARENT], 0), out, column)
    column = describe_node(sums, tree[node, HEAVY], out, column)
    column = describe_node(sums, tree[node, HEAVIER], out, column)
    column = describe_group(tree, sums, tree[node, REPEATED], out, column)
    return describe_group(tree, sums, tree[node, CARD], out, column)


@compiled
def describe_around(runs: Floats, before: Floats, k: int, out: Rows, column: int) -> int:
    """The runs beside a run, and what lies within 3, 10 and 30 runs of it; `before` are running sums of the runs."""
    count = runs.shape[0]
    for other in (k - 1, k + 1):
        if 0 <= other < count:
            out[column] = runs[other, CHARS]
            out[column + 1] = part(runs[other, LINKED], runs[other, CHARS])
            out[column + 2] = runs[other, STOPS]
            out[column + 3] = runs[other, LEVEL]
        column += 4
    for reach in (3, 10, 30):
        low, high = max(k - reach, 0), min(k + reach + 1, count)
        chars = before[high, CHARS] - before[low, CHARS]
        out[column] = chars
        out[column + 1] = part(before[high, LINKED] - before[low, LINKED], chars)
        out[column + 2] = part(before[high, PROSE] - before[low, PROSE], chars)
        column += 3
    return column


@compiled
def fill(tree: Ints, sums: Floats, cores: Ints, runs: Floats, page: Floats, out: Rows) -> None:
    """One row of numbers a run, in the order of `content_features.NAMES`.

    `page` holds the number of the first run that is a title, or -1, and the numbers that all rows share.
    """
    count = runs.shape[0]
    before = np.zeros((count + 1, 3))
    first_title, last_heading, level = np.int64(page[0]), -1, 0.0
    for k in range(count):
        for c in range(3):
            before[k + 1, c] = before[k, c] + runs[k, c]
    for k in range(count):
        row, run, node = out[k], runs[k], int(runs[k, NODE])
        if run[LEVEL] <= 6:
            last_heading, level = k, run[LEVEL]
        row[0] = run[CHARS]
        row[1] = part(run[LINKED], run[CHARS])
        row[2] = run[PROSE] > 0
        row[3] = run[IS_CLEAN]
        row[4], row[5], row[6] = run[WORDS], run[COMMAS], run[STOPS]
        row[7] = part(run[DIGITS], run[CHARS])
        row[8] = part(run[UPPERS], run[LETTERS])
        row[9] = run[MONEY]
        row[10] = part(run[SHORT], run[WORDS])
        row[11] = run[LAST_LETTER] in (33.0, 46.0, 63.0, 12290.0)
        row[12], row[13] = run[LEVEL], run[COPIES]
        row[14] = k - last_heading if last_heading >= 0 else 999.0
        row[15] = level
        row[16] = k / count
        row[17] = part(before[k, CHARS], sums[0, CHARS])
        row[18] = part(before[k, PROSE], sums[0, PROSE])
        row[19], row[20] = k, count - k
        row[21] = k - first_title if first_title >= 0 else 9999.0
        row[22] = tree[node, DEPTH]
        row[23] = tree[node, KIND]
        row[24] = tree[max(tree[node, PARENT], 0), KIND]
        column = describe_around(runs, before, k, row, 25)
        column = describe_place(tree, sums, node, row, column)
        for core in range(CORES):
            met, other = int(tree[node, MET + core]), int(cores[core])
            describe_core(tree, sums, node, met, other, row[column : column + OF_A_CORE])
            column += OF_A_CORE
        for kind in range(KINDS):
            row[column + kind] = (tree[node, IN_KINDS] >> kind) & 1
        column += KINDS
        for group in range(GROUPS):
            row[column + group] = (tree[node, IN_MARKS] >> group) & 1
        column += GROUPS
        for k2 in range(1, page.size):
            row[column + k2 - 1] = page[k2]


@compiled
def add_leaves(rows: Rows, roots: Ints, nodes: Ints, limits: Rows, values: Rows, sums: Floats) -> None:
    """Add to each row's sum the value of the leaf it falls into in each tree; `nodes` are feature, left and right."""
    for k in range(rows.shape[0]):
        total = 0.0
        for root in roots:
            node = root
            while nodes[node, 0] >= 0:
                node = nodes[node, 1] if rows[k, nodes[node, 0]] <= limits[node] else nodes[node, 2]
            total += values[node]
        sums[k] += total
