"""Matching, the paper's formula and what is new in a block, each against a slow reading of its definition."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.pages import block, page
from strandline.core.blocks.roles import is_advertising
from strandline.core.blocks.tree import BlockTree, Item, PageBlock
from strandline.core.blocks.words import is_number, masked, words
from strandline.core.changes.delta.delta import BlockChange, Delta
from strandline.core.changes.delta.impch import impch
from strandline.core.changes.delta.matching import matched
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.core.changes.score.item_change import ItemChange
from strandline.core.changes.words.figures import changed_figures

SAID = st.lists(st.sampled_from(["fee", "card", "the", "year", "mayor", "4", "17", "new"]), min_size=1, max_size=7)
ITEM = st.one_of(
    SAID.map(lambda said: Item("text", " ".join(said))),
    st.builds(Item, st.sampled_from(["link", "image"]), st.just("x"), st.sampled_from(["/a", "/b?c", "/advert/1"])),
)
PARTS = st.lists(
    st.tuples(st.sampled_from(["body/main", "body/nav"]), st.lists(ITEM, min_size=1, max_size=4)), max_size=6
)


def cut(parts: list[tuple[str, list[Item]]]) -> BlockTree:
    """Blocks numbered path by path, as a partition numbers them."""
    seen: Counter[str] = Counter()
    made = []
    for path, items in parts:
        made.append(block(path, *items, nth=seen[path], role="main" if path == "body/main" else ""))
        seen[path] += 1
    return page(*made)


PAGE = PARTS.map(cut)


def alike(one: PageBlock, other: PageBlock) -> float:
    left, right = set(words(one.text)), set(words(other.text))
    return len(left & right) / len(left | right) if left | right else 0.0


def slow_pairs(old: tuple[PageBlock, ...], new: tuple[PageBlock, ...]) -> dict[int, int]:
    pairs: dict[int, int] = {}

    def free() -> tuple[list[int], list[int]]:
        return [i for i in range(len(old)) if i not in pairs], [j for j in range(len(new)) if j not in pairs.values()]

    def first_fit(fits) -> None:
        for j in free()[1]:
            found = [i for i in free()[0] if fits(old[i], new[j])]
            if found:
                pairs[found[0]] = j

    def best(scored) -> None:
        for _, i, j in sorted(scored):
            if i not in pairs and j not in pairs.values():
                pairs[i] = j

    first_fit(lambda a, b: (a.identities, a.key) == (b.identities, b.key))
    first_fit(lambda a, b: a.identities == b.identities)
    first_fit(lambda a, b: a.texts == b.texts and (bool(a.texts) or a.key == b.key))
    lefts, rights = free()
    for path in {old[i].path for i in lefts}:
        left, right = [i for i in lefts if old[i].path == path], [j for j in rights if new[j].path == path]
        scored = []
        for i in left:
            for j in right:
                likeness = alike(old[i], new[j])
                same = masked("\x1f".join(old[i].texts)) == masked("\x1f".join(new[j].texts))
                least = 0.1 if len(left) == len(right) == 1 else 0.4
                if likeness >= least or same:
                    scored.append((-(likeness + 0.15 * (old[i].nth == new[j].nth) + same), i, j))
        best(scored)
    lefts, rights = free()
    best([(-alike(old[i], new[j]), i, j) for i in lefts for j in rights if alike(old[i], new[j]) >= 0.5])
    return pairs


@settings(max_examples=100, deadline=None)
@given(PAGE, PAGE)
def test_blocks_are_matched_step_by_step(old, new):
    assert dict(matched(old.blocks, new.blocks)) == slow_pairs(old.blocks, new.blocks)


def slow_operations(change: BlockChange) -> list[tuple[str, str, float]]:
    """Operations as the formula counts them: a block that came or left as each of its elements."""
    found = []
    for one in change.content:
        if one.element == "block":
            found += [(one.kind, item.kind, weight) for item, weight in zip(change.items, change.weights, strict=True)]
        else:
            found.append((one.kind, one.element, one.weight))
    return found


def slow_impch(delta: Delta, reading: str) -> float:
    """All blocks weigh the same; PerCh = elements hit by an operation / elements of the block."""
    changes = [(change, slow_operations(change)) for change in delta.changes if change.content]
    every = sum(len(operations) for _, operations in changes)
    score, whole = 0.0, float(len(delta.old.blocks))
    for change, operations in changes:
        size, weight = len(change.block.items), 1.0
        if change.old is None:
            weight = sum(imp for _, _, imp in operations) / size  # advertising hardly is part of what came
            whole += weight
            size = len(operations)
            operations = [(kind, element, 1.0) for kind, element, _ in operations]
        else:
            came = sum(imp for kind, _, imp in operations if kind == "insert")
            left = sum(kind == "delete" for kind, _, _ in operations)
            size = len(change.old.items) + max(0.0, came - left)
        groups = defaultdict(list)
        for kind, element, imp in operations:
            groups[(kind, element) if reading in "ACD" else kind].append(imp)
        mean_by_share = [sum(g) / len(g) * min(1.0, len(g) / size) for g in groups.values()]
        if reading in "AC":
            inner = sum(sum(g) * min(1.0, len(g) / size) for g in groups.values())
            score += weight * inner / (len(operations) if reading == "A" else every)
        else:
            score += weight * sum(mean_by_share) / {"B": 3, "D": 9}[reading]
    return min(1.0, score / whole) if changes and whole else float(bool(changes))


@settings(max_examples=60, deadline=None)
@given(PAGE, PAGE, st.sampled_from("ABCD"))
def test_the_formula_as_it_is_read(old, new, reading):
    delta = compare(old, new)
    assert impch(delta, reading, "uniform") == pytest.approx(slow_impch(delta, reading))


def slow_novelty(change: BlockChange, delta: Delta, items: Sequence[ItemChange]) -> float:
    """n(b) of a page of which nothing was learned, without its figures; `items` is what happened to each text."""
    texts = [(item.before, item.after) for item in items if item.counts]
    if change.old is None or change.new is None:
        addresses = [item.address for item in change.items if item.kind != "text"]
    else:
        addresses = [one.after or one.before for one in change.content if one.element != "text"]
    before, after = ([text[side] for text in texts if text[side]] for side in (0, 1))
    was, now = ({word for text in side for word in words(text)} for side in (before, after))
    old, new = ({word for one in tree.blocks for word in words(one.text)} for tree in (delta.old, delta.new))
    novel = {word for word in now - was if word not in old and not is_number(word)}
    lost = {word for word in was - now if word not in new and not is_number(word)}
    known = len(now - was) + len(was - now) - len(novel) - len(lost)
    told = {text for one in delta.old.blocks for text in one.texts}
    came = after if all(left for left, _ in texts) else [text for text in after if text not in told]

    def neighbours(listed: list[str]) -> set[tuple[str, str]]:
        found = {pair for text in listed for pair in pairwise(words(text))}
        return {pair for pair in found if not any(is_number(word) or word in novel for word in pair)}

    pairs = neighbours(came) - neighbours(before)
    said = len(novel) + 0.3 * len(pairs) + 0.1 * known + 0.5 * len(lost) + 0.1 * len(texts)
    ticked = 0.002 * sum(item.kind == "ticking" for item in items)
    follow = bool(items) and not texts
    return ticked + said + sum(0.02 if follow or is_advertising(address) else 0.2 for address in addresses)


@settings(max_examples=100, deadline=None)
@given(PAGE, PAGE)
def test_what_is_new_in_a_block(old, new):
    delta = compare(old, new)
    changes = {(change.block.key, change.new is None): change for change in delta.changes}
    for reason in importance(delta, NoiseState()).reasons:
        change = changes[reason.block.key, reason.kind == "deleted"]
        without_figures = slow_novelty(change, delta, reason.counted.items)
        assert reason.novelty >= without_figures - 1e-9
        if not reason.counted.figures:
            assert reason.novelty == pytest.approx(without_figures)
        altered = [(one.before, one.after) for one in reason.counted.items if one.kind == "edited"]
        assert reason.counted.figures >= min(10, max((sum(changed_figures(*text)) for text in altered), default=0))
