"""Where a browser pays: shrunk chances, trials that are bounded, scripts that change."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.browsing.signs import EMPTY, KINDS, PLAIN, SCRIPTED, THIN, Signs
from strandline.core.browsing.worth import (
    PROMISE,
    Rules,
    SiteLooks,
    begun,
    chance,
    decide,
    learn,
    met,
    over,
    requests_of,
    took,
)

RULES = Rules()


def signs(kind, script=7):
    return Signs(kind, 500, 1, script)


def crawl(pages, needs, rng, looks=None):
    """One pass over (page, directory, kind): how many were shown, how many that need it were, and what is known."""
    looks, shown, caught = looks or SiteLooks(), 0, set()
    for page, directory, kind in pages:
        met(looks, directory, signs(kind))
        found = decide(looks, page, directory, signs(kind), rng.random, RULES)
        if found.show:
            shown += 1
            learn(looks, page, directory, kind, page in needs)
            caught |= {page} & needs
    return shown, caught, looks


def test_an_empty_shell_is_shown_at_once_and_a_page_without_scripts_is_not():
    assert decide(SiteLooks(), "p", "d", signs(EMPTY), lambda: 0.9, RULES).show
    looks = SiteLooks(seen=10_000)
    assert not decide(looks, "p", "d", signs(PLAIN), lambda: 0.0, RULES).show


def test_three_pages_of_a_directory_are_tried_and_the_others_wait_for_them():
    looks = SiteLooks(seen=100)
    for n in range(3):
        found = decide(looks, f"p{n}", "d", signs(SCRIPTED), lambda: 0.9, RULES)
        assert found.show
        assert found.trial
        begun(looks, "d", SCRIPTED)
    fourth = decide(looks, "p4", "d", signs(SCRIPTED), lambda: 0.9, RULES)
    assert not fourth.show
    assert fourth.wait
    for n in range(3):
        over(looks, "d", SCRIPTED)
        learn(looks, f"p{n}", "d", SCRIPTED, pays=True)
    assert not looks.trying
    now = decide(looks, "p4", "d", signs(SCRIPTED), lambda: 0.9, RULES)
    assert now.show
    assert "3 of 3 looks under d showed more" in now.why


def test_where_no_page_needs_a_browser_little_is_wasted():
    for directories in (1, 10, 100):
        pages = [(f"d{n % directories}/{n}", f"d{n % directories}", SCRIPTED) for n in range(300)]
        shown, _, _ = crawl(pages, set(), random.Random(1))
        assert shown <= 15


@settings(max_examples=50)
@given(st.integers(0, 10_000))
def test_waste_is_bounded_whatever_the_order(seed):
    rng = random.Random(seed)
    kinds = [SCRIPTED, THIN]
    pages = [(f"d{n % 7}/{n}", f"d{n % 7}", rng.choice(kinds)) for n in range(300)]
    rng.shuffle(pages)
    shown, _, looks = crawl(pages, set(), rng)
    # A kind that promises much is tried in each directory before the site is known.
    assert shown <= RULES.free_waste + RULES.waste * 300 + 3 * 7
    assert looks.wasted == shown


def test_pages_that_need_one_are_found_among_many_that_do_not():
    rng = random.Random(3)
    pages = [(f"a/{n}", "a", SCRIPTED) for n in range(130)] + [(f"b/{n}", "b", SCRIPTED) for n in range(130)]
    needing = {f"c/{n}" for n in range(40)}
    pages += [(page, "c", SCRIPTED) for page in sorted(needing)]
    rng.shuffle(pages)
    shown, caught, looks = crawl(pages, needing, rng)
    assert shown <= 90
    again, caught, _ = crawl(pages, needing, rng, looks)
    assert len(caught) >= 38
    assert again <= 90


def test_scripts_that_are_new_are_tried_again():
    looks, place = SiteLooks(seen=1000), "a.example/d"
    for n in range(5):
        learn(looks, f"https://a.example/d/{n}", place, SCRIPTED, pays=False)
    met(looks, place, signs(SCRIPTED, 7))
    looks.wasted = 0
    new = "https://a.example/d/9"
    assert not decide(looks, new, place, signs(SCRIPTED), lambda: 0.9, RULES).show
    met(looks, place, signs(SCRIPTED, 8))
    assert decide(looks, new, place, signs(SCRIPTED, 8), lambda: 0.9, RULES).trial
    met(looks, place, signs(SCRIPTED, 7))  # an old friend changes nothing
    assert looks.directories[f"scripted {place}"] == [1.25, 0.0]
    assert looks.pages["https://a.example/d/1"] == [0.25, 0.0]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from(KINDS), st.booleans()), max_size=40
    )
)
def test_the_chance_is_a_chance_and_follows_the_evidence(looked):
    looks = SiteLooks()
    for page, directory, kind, pays in looked:
        learn(looks, page, directory, kind, pays)
    for kind in KINDS:
        before = chance(looks, "a", "x", kind, RULES)
        assert 0.0 < before < 1.0
        more, less = (SiteLooks.from_data(json.loads(json.dumps(looks.as_data()))) for _ in range(2))
        learn(more, "a", "x", kind, pays=True)
        learn(less, "a", "x", kind, pays=False)
        assert chance(less, "a", "x", kind, RULES) < before < chance(more, "a", "x", kind, RULES)


def test_without_any_look_the_kind_alone_promises():
    for kind in KINDS:
        assert chance(SiteLooks(), "p", "d", kind, RULES) == PROMISE[kind][0]
        assert "no look" in decide(SiteLooks(), "p", "d", signs(kind), lambda: 0.9, RULES).why


def test_what_is_kept_is_bounded():
    looks = SiteLooks()
    for n in range(6000):
        learn(looks, f"p{n}", f"d{n}", SCRIPTED, pays=False)
    assert len(looks.pages) == 5000
    assert len(looks.directories) == 2000
    assert "p5999" in looks.pages


def test_the_cost_of_showing_a_page_follows_what_pages_take_now():
    looks = SiteLooks()
    guess = requests_of(looks, 1.0)
    for _ in range(100):
        took(looks, 20)
    assert guess < requests_of(looks, 1.0) == pytest.approx(21, abs=0.5)
    for _ in range(200):
        took(looks, 2)
    assert requests_of(looks, 1.0) == pytest.approx(3, abs=0.5)
    assert SiteLooks.from_data(looks.as_data()).parts == looks.parts
