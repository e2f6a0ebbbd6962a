"""A change in one sentence: golden sentences over page kinds, and what holds for any two pages."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.pages import block, page
from strandline.core.blocks.tree import Item, PageBlock
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.core.changes.told.sentences import told, told_of, with_sentence
from strandline.dom import html

GOLDEN = tomllib.loads((Path(__file__).parent / "golden_sentences.toml").read_text("utf-8"))
CASES = [
    pytest.param(case, id=f"{kind} {number}") for kind, cases in GOLDEN.items() for number, case in enumerate(cases)
]
FRAME = (
    "<!doctype html><html lang=en><head><title>{title}</title></head><body><header><nav><a href=/>Home</a> "
    "<a href=/about>About</a></nav></header><main>{main}</main><footer><p>Imprint</p></footer></body></html>"
)


def delta_of(case):
    titles = case.get("titles", [case.get("title", "A page")] * 2)
    old, new = (
        html.blocks(FRAME.format(title=title, main=case[which]).encode())
        for title, which in zip(titles, ("before", "after"), strict=True)
    )
    return compare(old, new)


def said_of(case):
    delta = delta_of(case)
    return told(delta, importance(delta, NoiseState()))


def test_there_are_enough_golden_sentences():
    assert sum(map(len, GOLDEN.values())) >= 60
    assert len(GOLDEN) >= 9


@pytest.mark.parametrize("case", CASES)
def test_golden(case):
    assert said_of(case).sentence == case["said"]


def test_no_difference_is_said_so():
    case = {"before": "<p>The same text stands here.</p>", "after": "<p>The same text stands here.</p>"}
    assert said_of(case).sentence == "Nothing a reader sees changed"


def test_posts_are_called_so_where_the_page_names_them():
    place, old, new = "html/body/main/div.comments", "Did you look at the tiles?", "It was the gutter, not the tiles."
    delta = compare(page(block(place, old)), page(block(place, old), block(place, new, nth=1)))
    assert told(delta, importance(delta, NoiseState())).sentence == f"1 new post: “{new}”"


def test_both_sentences_and_the_title_are_kept():
    case = {
        "title": "Lease",
        "before": "<h1>Lease</h1><p>We answer soon. The tenant must give notice.</p>",
        "after": "<h1>Lease</h1><p>We answer soon. The tenant may give notice.</p>",
    }
    delta = delta_of(case)
    scored = importance(delta, NoiseState())
    blocks = with_sentence(delta, scored, [reason.as_data() for reason in scored.reasons])
    found = told_of(blocks)
    assert (found.before, found.after) == ("The tenant must give notice.", "The tenant may give notice.")
    assert (found.title, found.sentence) == ("Lease", told(delta, scored).sentence)
    assert [name for name in blocks[0] if name != "told"] == list(scored.reasons[0].as_data())


def test_changes_that_were_kept_without_a_sentence_have_one():
    assert told_of([{"path": "", "why": "the page is gone (404)"}]).sentence == "The page is gone (404)"
    old = [{"path": "html/body", "topic": "Opening hours", "why": "changed: 2 new words (noon, nine)"}]
    assert told_of(old).sentence == "Opening hours: changed: 2 new words (noon, nine)"
    assert told_of([]).sentence == ""


def test_a_page_with_thousands_of_changes_is_told_at_bounded_cost(monkeypatch):
    from strandline.core.changes.told import sentences

    looked_at = []
    weigh = sentences.edit_weight
    monkeypatch.setattr(sentences, "edit_weight", lambda *texts: looked_at.append(texts) or weigh(*texts))
    before, after = (
        "".join(
            f"<div><h2>Part {n}</h2><p>The limit of part {n} is {n + more} days. Ask.</p></div>" for n in range(2000)
        )
        for more in (1, 5)
    )
    assert "days" in said_of({"before": before, "after": after}).sentence
    assert len(looked_at) <= 2 * sentences.MOST_TEXTS


TEXTS = st.lists(
    st.sampled_from(
        ["You must pay 4 EUR.", "You may pay 5 EUR.", "Fees", "No dogs.", "3 May 2025", "“", "x" * 400, ""]
    ),
    max_size=6,
)


@given(TEXTS, TEXTS)
def test_any_change_has_one_sentence_on_one_line(before, after):
    pages = ({"before": "".join(f"<p>{text}</p>" for text in before), "after": "".join(f"<p>{t}</p>" for t in after)},)
    for case in pages:
        sentence = said_of(case).sentence
        assert sentence
        assert "\n" not in sentence
        assert len(sentence) < 600


def test_links_of_a_menu_are_no_articles():
    def linked(*names, role):
        items = [Item(kind, name, f"/{name}") for name in names for kind in ("link", "text")]
        weight = sum(len(name) for name in names)
        return PageBlock(f"html/body/{role}", 0, role, "", tuple(items), weight, weight, names[0])

    old, new = "Rules of the reading room", "Opening hours in summer"
    for role, noun in (("nav", "link"), ("main", "article")):
        delta = compare(page(linked(old, role=role)), page(linked(old, new, role=role)))
        assert told(delta, importance(delta, NoiseState())).sentence == f"1 new {noun}: “{new}”"
