"""Deltas: nothing for equal pages, everything to make the new version, moves that are moves."""

import json
from itertools import combinations
from xml.etree import ElementTree

from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.blocks.pages import block, page, paragraphs, text_page
from strandline.core.blocks.tree import Item
from strandline.core.changes.delta.delta import applied
from strandline.core.changes.delta.impch import impch
from strandline.core.changes.delta.matching import in_place
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.dom.html import blocks

LINK = Item("link", "Fees", "/fees")

ITEM = st.one_of(
    st.builds(Item, st.just("text"), st.text("abc de", min_size=1, max_size=12)),
    st.builds(
        Item,
        st.sampled_from(["link", "image", "frame"]),
        st.text("xy", max_size=3),
        st.text("/uv?#", min_size=1, max_size=4),
    ),
)
PAGE = st.lists(
    st.tuples(st.sampled_from(["body/main", "body/nav", "body/div"]), st.lists(ITEM, min_size=1, max_size=5)),
    max_size=7,
).map(lambda parts: page(*(block(path, *items, nth=number) for number, (path, items) in enumerate(parts))))


@settings(max_examples=100, deadline=None)
@given(PAGE)
def test_equal_pages_give_an_empty_delta_and_zero(tree):
    delta = compare(tree, tree)
    assert delta.empty
    assert impch(delta) == 0.0
    assert importance(delta, NoiseState()).value == 0.0


@settings(max_examples=100, deadline=None)
@given(PAGE, PAGE)
def test_applying_a_delta_gives_the_new_version(old, new):
    delta = compare(old, new)
    script = json.loads(json.dumps(delta.as_data()))["script"]
    assert applied(old, script) == new


@settings(max_examples=100, deadline=None)
@given(PAGE, PAGE)
def test_scores_lie_between_zero_and_one_and_nothing_gained_or_lost_is_left_out(old, new):
    delta = compare(old, new)
    for reading in ("monotone", "A", "B", "C", "D"):
        assert 0.0 <= impch(delta, reading) <= 1.0
    assert 0.0 <= importance(delta, NoiseState()).value < 1.0 + 1e-12

    def shown(tree):
        return {(item.kind, item.identity) for part in tree.blocks for item in part.items}

    assert bool(shown(old) ^ shown(new)) <= bool(delta.operations)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 29), min_size=1, max_size=6, unique=True))
@example(1531, [0, 1, 2, 3, 5])
def test_scores_rise_with_every_added_edit(seed, places):
    texts = paragraphs(seed, 30)
    old = blocks(text_page(texts))
    last_value = last_impch = 0.0
    for count, place in enumerate(places):
        texts[place] += f" Novelty{'qwxyzv'[count]} addendum{'qwxyzv'[count]}."
        new = blocks(text_page(texts), scale=old.scale)
        delta = compare(old, new)
        value, paper = importance(delta, NoiseState()).value, impch(delta)
        assert value > last_value
        assert paper > last_impch, "also where an edit moves a cut"
        last_value, last_impch = value, paper


EDITS = st.lists(
    st.tuples(st.sampled_from(["add", "drop", "alter", "link", "advert", "block"]), st.integers(0, 3)),
    unique=True,
    max_size=12,
)


@settings(max_examples=100, deadline=None)
@given(EDITS)
@example([("alter", 0), ("advert", 0), ("drop", 0)])
def test_no_edit_of_any_kind_lowers_a_score(edits):
    letters = "abcdefghijklmnopqrstuvwxyz"
    parts = [[Item("text", f"{a}{b}q {a}{b}w {a}{b}x {a}{b}y {a}{b}z") for b in letters[:6]] for a in letters[:4]]

    def shown():
        return page(*(block(f"body/div.{letters[n]}", *items) for n, items in enumerate(parts)))

    old = shown()
    last = (0.0, 0.0)
    for number, (kind, place) in enumerate(edits):
        fresh = f"{letters[number]}new {letters[number]}fresh {letters[number]}novel"
        if kind == "add":
            parts[place].append(Item("text", fresh))
        elif kind == "drop":
            del parts[place][0]
        elif kind == "alter":
            parts[place][3] = Item("text", f"{parts[place][3].text} {fresh}")
        elif kind == "block":
            parts.append([Item("text", fresh)])
        else:
            parts[place].append(Item("link", "", f"/{'advert/' if kind == 'advert' else ''}{number}"))
        delta = compare(old, shown())
        scores = importance(delta, NoiseState()).believed, impch(delta)
        assert all(now >= before - 1e-12 for now, before in zip(scores, last, strict=True))
        last = scores


@settings(max_examples=60, deadline=None)
@given(PAGE, PAGE)
def test_words_are_counted_alike_from_a_delta_and_from_scratch(old, new):
    fresh = page(*new.blocks)
    before, after = compare(old, new).page_words
    assert before.tolist() == old.word_counts.words.tolist()
    assert after.tolist() == fresh.word_counts.words.tolist()
    assert new.word_counts.counts.tolist() == fresh.word_counts.counts.tolist()


def test_inserted_deleted_and_updated_elements():
    old = page(block("m", "The fee is four euro a month", "Cash is taken", LINK))
    new = page(
        block(
            "m", "The fee is five euro a month", "Cards are welcome since today", LINK, Item("image", "", "/card.png")
        )
    )
    found = {(op.kind, op.element, op.before, op.after) for op in compare(old, new).operations}
    assert found == {
        ("update", "text", "The fee is four euro a month", "The fee is five euro a month"),
        ("insert", "text", "", "Cards are welcome since today"),
        ("delete", "text", "Cash is taken", ""),
        ("insert", "image", "", "/card.png"),
    }


def test_a_tracking_token_in_a_link_is_no_change():
    old, new = (page(block("m", "words", Item("link", "a", f"/x?t={n}"))) for n in (1, 2))
    assert compare(old, new).empty


def test_a_moved_block_is_moved_and_nothing_else():
    parts = [block("m", f"paragraph number {name} about {name}", nth=n) for n, name in enumerate("abcde")]
    delta = compare(page(*parts), page(parts[0], parts[4], parts[1], parts[2], parts[3]))
    assert [(op.kind, op.element, op.weight) for op in delta.operations] == [("move", "block", 0.0)]
    assert delta.changes[0].block.text == parts[4].text
    assert impch(delta) == 0.0


def test_an_element_that_only_changed_its_block_is_moved():
    old = page(block("m/a", "first words here", "second words there"), block("m/b", "third text stays put"))
    new = page(block("m/a", "first words here"), block("m/b", "second words there", "third text stays put"))
    assert [(op.kind, op.element, op.after) for op in compare(old, new).operations] == [
        ("move", "text", "second words there")
    ]


def test_a_renamed_class_is_no_change():
    old = page(block("body/div.a", "text that stays"))
    assert compare(old, page(block("body/div.b", "text that stays"))).empty


def test_reordered_words_are_an_update():
    old, new = page(block("m", "pay now not later")), page(block("m", "pay later not now"))
    (operation,) = compare(old, new).operations
    assert operation.kind == "update"
    assert operation.weight > 0


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(7)))
def test_what_stays_is_a_longest_increasing_subsequence(positions):
    pairs = list(enumerate(positions))
    kept = sorted(in_place(pairs))
    assert [positions[i] for i in kept] == sorted(positions[i] for i in kept)
    longest = max(
        size
        for size in range(1, 8)
        for chosen in combinations(range(7), size)
        if list(positions[i] for i in chosen) == sorted(positions[i] for i in chosen)
    )
    assert len(kept) == longest


def test_many_blocks_that_differ_in_numbers_only_are_updated():
    names = [f"Share {chr(97 + n % 26) * (1 + n // 26)}" for n in range(600)]
    old, new = (page(*(block("li", f"{name}: {n + by} euro") for n, name in enumerate(names))) for by in (0, 1_000))
    operations = compare(old, new).operations
    assert {(one.kind, one.element) for one in operations} == {("update", "text")}
    assert len(operations) == 600


def test_the_xml_can_be_read():
    delta = compare(page(block("m", "old & <b>", LINK)), page(block("m", 'new "text" \x01')))
    root = ElementTree.fromstring(delta.as_xml())
    assert [found.get("path") for found in root] == ["m", "m"]
    assert [(op.tag, "".join(op.itertext())) for found in root for op in found] == [
        ("insert", 'new "text" '),
        ("delete", "old & <b>"),
    ]


def test_the_xml_can_be_read_whatever_a_page_is_made_of():
    named = block("div#a\x01b\ufffe", "half \ud83d, none \uffff, whole \U0001f600, \x7f\r\n\tend")
    root = ElementTree.fromstring(compare(page(), page(named)).as_xml().encode())
    assert [found.get("path") for found in root] == ["div#ab"]
    assert "".join(root.itertext()).strip() == "half , none , whole \U0001f600, \x7f\n\tend"
