"""Paper 003's repository: layouts and blocks once, versions rebuilt, lifetimes of blocks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.pages import block, page
from strandline.core.blocks.tree import Item
from strandline.core.changes import versions
from strandline.core.changes.versions import (
    PageHistory,
    Sight,
    block_record,
    labels,
    layout_record,
    packed,
)


def sight(time, tree, after=None, indexed=True, **metadata):
    records = tuple(block_record(part) for part in tree.blocks)
    seen = time if after is None else after
    return Sight(int(time), float(seen), float(time), layout_record(tree), records, indexed, metadata)


def test_only_what_is_new_is_stored():
    history = PageHistory()
    a, b, c = block("m", "first"), block("m", "second", nth=1), block("m", "other", nth=1)
    first = history.add(sight(1, page(a, b)))
    assert (first.layout, first.blocks, first.version.blocks) == (True, (0, 1), (0, 1))
    changed = history.add(sight(3, page(a, c)))
    assert (changed.layout, changed.blocks, changed.version.blocks) == (False, (2,), (0, 2))
    assert history.block(2).text == "other"
    moved = history.add(sight(4, page(block("n", "first"), c)))
    assert (moved.layout, moved.blocks) == (True, ())
    back = history.add(sight(5, page(a, b)))
    assert (back.layout, back.blocks, back.version.layout) == (False, (), 0)


def test_a_block_that_occurs_twice_is_stored_once():
    added = PageHistory().add(sight(1, page(block("m", "same"), block("m", "same", nth=1))))
    assert (added.blocks, added.version.blocks) == ((0,), (0, 0))


def test_when_a_paragraph_appeared_and_vanished():
    history = PageHistory()
    a, b = block("m", "stays"), block("m", "comes and goes", nth=1)
    for time, tree in enumerate([page(a), page(a, b), page(a), page(a, b)]):
        history.add(sight(time, tree, after=time - 0.5))
    found = [(life.block, life.first, life.last, life.gone) for life in history.lives()]
    assert found == [(0, 0.0, None, None), (1, 1.0, 1.5, 2.0), (1, 3.0, None, None)]


TEXTS = st.sampled_from([f"{name} says much that is new and something that is known" for name in "abcdefgh"])
PAGES = st.lists(st.lists(TEXTS, max_size=5), min_size=1, max_size=40)


@given(PAGES, st.integers(1, 7), st.integers(60, 4000))
@settings(max_examples=60)
def test_a_history_gives_back_every_version_however_it_is_cut(pages, versions_each, octets):
    with pytest.MonkeyPatch.context() as cut:
        cut.setattr(versions, "SEGMENT_VERSIONS", versions_each)
        cut.setattr(versions, "SEGMENT_BYTES", octets)
        history = PageHistory()
        trees = [page(*(block("m", text, nth=nth) for nth, text in enumerate(texts))) for texts in pages]
        for time, tree in enumerate(trees):
            # As a writer does: each time from what was stored.
            history = PageHistory(history.segments)
            history.add(sight(time, tree, title=f"Edition {time}", indexed=time % 2 == 0))
        read = PageHistory(history.segments)
    found = list(read.versions())
    assert [read.tree(version, trees[0].url) for version in found] == trees
    assert [(one.seq, one.indexed, one.metadata["title"]) for one in found] == [
        (time, time % 2 == 0, f"Edition {time}") for time in range(len(trees))
    ]
    distinct = {text for texts in pages for text in texts}
    assert read.block_count == len(distinct)
    assert {read.block(number).text for number in range(read.block_count)} == distinct
    assert read.at(-0.5) is None
    assert [read.at(time + 0.5).seq for time in range(len(trees))] == list(range(len(trees)))
    assert sum(segment.versions for segment in history.segments) == len(trees)
    # Lives, by looking at every version for every block.
    shown = {(life.block, time) for life in read.lives() for time in range(len(trees))
             if life.first <= time and (life.gone is None or time < life.gone)}  # fmt: skip
    assert shown == {(number, one.seq) for one in found for number in one.blocks}


def test_editions_that_are_much_alike_take_little_room():
    history = PageHistory()
    long = " ".join(f"word{n}" for n in range(300))
    for time in range(40):
        history.add(sight(time, page(block("m", f"{long} edition {time}"), block("n", "stays"))))
    alone = len(packed(repr(block_record(block("m", long)).as_data()).encode()))
    assert sum(len(segment.frame) for segment in history.segments) < 3 * alone


def test_a_token_in_a_link_makes_no_new_block():
    one, other = (block_record(block("m", Item("link", "a", f"/x?t={n}"))) for n in (1, 2))
    assert one == other


def test_a_block_is_called_by_people_its_role_and_its_names():
    assert labels("nav", "menu", "main menu") == ("main menu", "nav", "menu")
    assert labels("", "", "") == ()
    assert labels("footer", "footer") == ("footer",)
