"""Texts a change touched, against the obvious way: go through all texts of both versions."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.tree import BlockTree, Item, PageBlock
from strandline.core.changes.delta import touched
from strandline.core.changes.delta.touched import FEW, followers, touched_texts
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.core.changes.words import moving_parts, same_text, ticking
from strandline.dom.html import blocks
from strandline.lab.experiments.living_lists import Forum, FrontPage, Results, Ticker
from strandline.lab.experiments.living_texts import Contract, Product

TEXTS = st.sampled_from([f"text {letter} of the page" for letter in "abcdefgh"] + ["7 points", "8 points"])
PAGES = st.lists(st.lists(TEXTS, max_size=4), max_size=5)


def page(texts):
    return BlockTree(
        tuple(
            PageBlock("html/body/div", nth, "", "", tuple(Item("text", text) for text in block), 100, 0)
            for nth, block in enumerate(texts)
        )
    )


def slowly_in_place(delta, touched):
    """Every text of both versions, one by one."""
    gone = {before for _, texts, _ in touched for before, after in texts if not after}
    come = {after for _, texts, _ in touched for before, after in texts if not before}
    old, new = (list(chain.from_iterable(block.texts for block in page.blocks)) for page in (delta.old, delta.new))
    both = set(old) & set(new)
    left = dict(followers(old, both))
    pairs = {}
    for stay, others in followers(new, both):
        before = left.get(stay, [])
        if 0 < len(others) == len(before) <= FEW:
            pairs.update((new, old) for old, new in zip(before, others, strict=True) if old in gone and new in come)
    taken = set(pairs.values())
    return [
        (
            change,
            [(before or pairs.get(after, ""), after) for before, after in texts if after or before not in taken],
            addresses,
        )
        for change, texts, addresses in touched
    ]


@given(PAGES, PAGES)
def test_texts_that_took_the_place_of_others_are_those_found_by_going_through_all(old, new):
    delta = compare(page(old), page(new))
    loose = touched._partnered([(change, *touched._touched(change)) for change in delta.changes if change.content])
    assert touched_texts(delta) == slowly_in_place(delta, loose)


def scores(kind, count=14):
    noise, old, found = NoiseState(), None, []
    for capture in kind(3).captures(count):
        new = blocks(capture.html, url=capture.url, scale=old.scale if old else 0)
        if old:
            scored = study(compare(old, new), noise)
            found.append((scored.value, [(reason.why, reason.counted.items) for reason in scored.reasons]))
        old = new
    return found


@pytest.mark.parametrize("kind", [FrontPage, Forum, Results, Ticker, Contract, Product])
def test_scores_are_those_of_the_obvious_way(kind, monkeypatch):
    quick = scores(kind)
    monkeypatch.setattr(touched, "_in_place", slowly_in_place)
    monkeypatch.setattr(moving_parts, "_is_figure", lambda text: False)
    monkeypatch.setattr("strandline.core.changes.score.novelty.holds_only_numbers", lambda text: False)
    kept = (moving_parts.parts_of, ticking.settled_text, ticking.tick_form, same_text.is_same_text, same_text.is_slot)
    for remembering in kept:
        remembering.cache_clear()
    assert scores(kind) == quick
