"""Paper 001, sections 6.2 and 7, and SPEC section 2: the formula by hand, its readings, the index threshold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.pages import block, page
from strandline.core.blocks.tree import Item
from strandline.core.blocks.words import word_distance
from strandline.core.changes.delta.impch import block_score, impch
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.index_threshold import IndexGate, indexed

OLD = page(
    block(
        "body/main",
        "Our fee is four euro a month",
        "Cash is taken at the desk",
        Item("link", "", "/fees"),
        Item("image", "", "/map.png"),
    ),
    block("body/div", "Write to us any time", Item("link", "", "/contact")),
)
NEW = page(
    block(
        "body/main",
        "Our fee is five euro a month",
        "Cash is taken at the desk",
        Item("link", "", "/advert/fees"),
        Item("image", "", "/map.png"),
    ),
    block("body/div", "Write to us any time", Item("link", "", "/contact"), Item("image", "", "/desk.png")),
)
# Main: one text updated, 2 of 8 distinct words differ (four, five); one link updated to an advertising one (alpha .1).
# Second block: one image inserted among three elements.
FEE = 2 / 8


@pytest.mark.parametrize(
    ("reading", "main", "second"),
    [
        # PerCh(update, text) = 1/4 and PerCh(update, link) = 1/4 in the main block, PerCh(insert, image) = 1/3
        ("A", (FEE / 4 + 0.1 / 4) / 2, 1 / 3),
        ("B", ((FEE + 0.1) / 2 * 2 / 4) / 3, 1 / 3 / 3),
        ("C", (FEE / 4 + 0.1 / 4) / 3, 1 / 3 / 3),
        ("D", (FEE / 4 + 0.1 / 4) / 9, 1 / 3 / 9),
        ("monotone", (FEE + 0.1) / 4, 1 / 3),
    ],
)
def test_the_formula_by_hand(reading, main, second):
    delta = compare(OLD, NEW)
    assert sorted((op.kind, op.element) for op in delta.operations) == [
        ("insert", "image"),
        ("update", "link"),
        ("update", "text"),
    ]
    assert impch(delta, reading, "uniform") == pytest.approx((main + second) / 2)


def test_distance_is_the_share_of_distinct_words_that_differ():
    assert word_distance("Our fee is four euro a month", "Our fee is five euro a month") == pytest.approx(FEE)


def test_a_page_replaced_as_a_whole_scores_one():
    delta = compare(OLD, page(block("body/main", "Nothing of it is left here at all")))
    assert impch(delta) == pytest.approx(1.0)


def test_reading_a_falls_with_more_edits_and_the_monotone_one_does_not():
    inserted = [("insert", "text", 1.0)] * 5
    more = inserted + [("update", "text", 0.1)] * 5
    assert block_score(inserted, 10, "A", 5) == pytest.approx(0.5)
    assert block_score(more, 10, "A", 10) == pytest.approx(0.275)
    assert block_score(more, 10, "monotone", 10) == pytest.approx(0.55)


OPERATION = st.tuples(
    st.sampled_from(["insert", "delete", "update"]), st.sampled_from(["text", "link", "image"]), st.floats(0.01, 1)
)


@settings(max_examples=100, deadline=None)
@given(st.lists(OPERATION, max_size=12), OPERATION, st.integers(1, 15))
def test_the_default_reading_is_monotone_and_bounded(operations, another, elements):
    before = block_score(operations, elements, "monotone", len(operations))
    after = block_score([*operations, another], elements, "monotone", len(operations) + 1)
    assert 0.0 <= before <= after + 1e-12 <= 1.0 + 2e-12


def test_small_changes_add_up_until_one_version_is_indexed():
    assert indexed([0.5, 0.1, 0.05, 0.05, 0.0, 0.3], 0.2) == [True, False, False, True, False, True]
    gate = IndexGate(0.2)
    for importance in (0.5, 0.1, 0.05, 0.05, 0.0, 0.3):
        gate.admits(importance)
    assert gate.saving == pytest.approx(0.5)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=30), st.floats(0.01, 1))
def test_what_waits_is_always_below_the_threshold(importances, threshold):
    waiting = 0.0
    for importance, taken in zip(importances, indexed(importances, threshold), strict=True):
        waiting += importance
        assert taken == (waiting >= threshold - 1e-12)
        waiting = 0.0 if taken else waiting
