"""Two versions for reading: every block once, in page order, marked word by word."""

import re
from html import unescape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.blocks.pages import block, page
from strandline.core.blocks.tree import Item
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance, study
from strandline.core.changes.told import shown as module
from strandline.core.changes.told.shown import as_paragraphs, marked, one_page, shown_blocks, side_by_side

OLD = page(
    block("a", "stays as it <is>"),
    block("b", "goes away for good"),
    block("c", "the fee is four", Item("link", "Fees", "/fees")),
)
NEW = page(
    block("a", "stays as it <is>"),
    block("c", "the fee is five", Item("link", "Fees", "/prices")),
    block("d", "something quite new"),
)


def shown_of(old, new, noise=None):
    delta = compare(old, new)
    return shown_blocks(delta, importance(delta, noise or NoiseState()))


def test_every_block_is_shown_once_in_page_order():
    blocks = shown_of(OLD, NEW)
    assert [(one.kind, one.before, one.after) for one in blocks] == [
        ("unchanged", "stays as it <is>", "stays as it <is>"),
        ("deleted", "goes away for good", ""),
        ("updated", "the fee is four", "the fee is five"),
        ("inserted", "", "something quite new"),
    ]
    same, gone, altered, come = blocks
    assert (same.importance, same.noise, same.reason) == (0.0, "", None)
    assert 0 < come.importance < altered.importance < 1, "four is five now: one word, another fee"
    assert gone.importance > 0
    assert altered.before_html == "<p>the fee is <del>four</del></p>"
    assert altered.after_html == "<p>the fee is <ins>five</ins></p>"
    assert altered.html == "<p>the fee is <del>four</del><ins>five</ins></p>"
    assert [(one["before"], one["after"]) for one in altered.as_data()["linked"]] == [("/fees", "/prices")]
    assert come.as_data()["both"] == "<p><ins>something quite new</ins></p>"


def test_each_text_says_what_happened_to_it_and_why_it_counts():
    old = page(block("m", "The fee is 4 EUR", "12 readers", "Stays as it is"))
    new = page(block("m", "The fee is 5 EUR", "15 readers", "Stays as it is", "Harbour flooded overnight"))
    (shown,) = shown_of(old, new)
    told = {one["after"]: (one["kind"], one["counts"], one["why"]) for one in shown.as_data()["items"]}
    assert told == {
        "The fee is 5 EUR": ("edited", True, "money"),
        "15 readers": ("ticking", False, "a counter"),
        "Harbour flooded overnight": ("new", True, "a new entry"),
    }
    (quiet,) = shown_of(old, page(block("m", "The fee is 4 EUR", "15 readers", "Stays as it is")))
    assert quiet.noise == "a counter"


def test_what_was_deleted_at_the_top_comes_first():
    assert [one.kind for one in shown_of(OLD, page(*OLD.blocks[1:]))] == ["deleted", "unchanged", "unchanged"]


def test_a_moved_block_is_moved():
    parts = [block("m", f"paragraph number {name} about {name}", nth=n) for n, name in enumerate("abcd")]
    kinds = [one.kind for one in shown_of(page(*parts), page(parts[3], *parts[:3]))]
    assert kinds == ["moved", "unchanged", "unchanged", "unchanged"]


def test_noise_says_why():
    def ticker(text):
        return page(block("m", "terms that stay"), block("t", text, role="footer"))

    noise = NoiseState()
    assert shown_of(ticker("ab cd"), ticker("ef gh"), noise)[1].noise == "part of the page: footer"
    for n in range(4):
        study(compare(ticker(f"new{'x' * n} words"), ticker(f"new{'x' * (n + 1)} words")), noise)
    assert shown_of(ticker("ab cd"), ticker("ef gh"), noise)[1].noise == "changed in 4 of 4 comparisons"
    noise.rate_block("t", "noise")
    assert shown_of(ticker("ab cd"), ticker("ef gh"), noise)[1].noise == "rated noise"
    noise.rate_block("t", "matters")
    assert shown_of(ticker("ab cd"), ticker("ef gh"), noise)[1].noise == ""


def test_masked_and_returning_texts_say_so():
    noise = NoiseState()
    one, other = page(block("t", "of patience and of tea")), page(block("t", "haste or coffee, or both"))
    noise.learn(compare(one, other))
    noise.paths.clear()
    gone, back = shown_of(other, one, noise)
    assert (gone.kind, gone.noise, back.kind, back.noise) == ("deleted", "", "inserted", "was shown before")
    noise.learn_double_fetch(compare(one, other))
    assert [shown.noise for shown in shown_of(other, one, noise)] == ["differs at every fetch"] * 2


TEXTS = st.lists(st.sampled_from(["ab cd", "the fee is", "<b>", "今日", "x  y", "fees"]), max_size=6).map("\n".join)


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
@example("a", "")
def test_marks_hold_both_texts(before, after):
    marks = list(marked(before, after))
    assert "".join(text for mark, text in marks if mark != "+") == before
    assert "".join(text for mark, text in marks if mark != "-") == after
    plain = re.sub(r"</?(p|ins)>", "", as_paragraphs((m, text) for m, text in marks if m != "-"))
    assert unescape(plain) == after.replace("\n", "")


@pytest.mark.parametrize(
    ("pieces", "between"),
    [
        (list("市长今天宣布新的预算我们不同意") * 40, ""),
        (["yes", "no", "open", "closed", "yes", "no"] * 60, "\n"),
        (["the", "fee", "of", "the", "mayor", "and", "town"] * 60, " "),
    ],
    ids=["Chinese", "table", "few words"],
)
def test_only_what_came_is_marked_in_texts_of_few_words(pieces, between):
    edited = [*pieces[:100], "狗", *pieces[100:250], "猫", *pieces[250:]]
    marks = list(marked(between.join(pieces), between.join(edited)))
    assert [(mark, text.strip()) for mark, text in marks if mark != " "] == [("+", "狗"), ("+", "猫")]


def test_very_long_texts_are_not_compared_word_by_word(monkeypatch):
    monkeypatch.setattr(module, "MOST_PIECES", 3)
    assert list(marked("a b c d", "e b c f")) == [("-", "a b c d"), ("+", "e b c f")]


def test_a_page_is_compared_word_by_word_as_far_as_its_effort_goes():
    before, after = "the old fee and the old term " * 8, "the new fee and the new term " * 8
    effort = module.Effort(600)
    first, second = (list(marked(before, after, effort)) for _ in range(2))
    assert len(first) > 20 and [mark for mark, _ in second] == [" ", "-", "+", " "]
    delta = compare(*(page(block("p", text), block("q", text)) for text in ("an old fee", "a new fee")))
    shown = shown_blocks(delta, importance(delta, NoiseState()))
    assert len(shown) == 2 and shown[0].effort is shown[1].effort


def test_pages_to_read():
    delta = compare(OLD, NEW)
    scored = importance(delta, NoiseState())
    for html in (side_by_side(delta, scored), one_page(delta, scored)):
        assert "stays as it &lt;is&gt;" in html
        assert "<ins>five</ins>" in html
        assert f"importance {scored.value:.2f}" in html
        assert "<script" not in html
    assert "<del>four</del></p></td><td><p>the fee is <ins>five" in side_by_side(delta, scored)


def test_texts_of_a_box_that_is_another_at_every_look_do_not_count():
    """Block and texts contradicted each other: noise, .00, and below it "counts"."""

    def look(number):
        box = [f"ferries {number} palaces", f"towers {number * 3} markets"]
        return page(block("article", "the fee is four for members of the club"), block("aside", *box))

    noise = NoiseState()
    for number in range(14):
        study(compare(look(number), look(number + 1)), noise)
    box = next(one for one in shown_of(look(14), look(15), noise) if one.block.path == "aside")
    assert box.noise and box.importance < 0.015 and box.items()
    assert {(one["counts"], one["why"]) for one in box.items()} == {(False, box.noise)}
    fresh = next(one for one in shown_of(look(14), look(15)) if one.block.path == "aside")
    assert any(one["counts"] for one in fresh.items()), "control: at the first look they do"
    assert box.as_data()["items"] == box.items()
