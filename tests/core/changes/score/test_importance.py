"""Importance for scheduling: noise is learned, returns are no news, collapses are held, users are believed."""

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.pages import block, page
from strandline.core.blocks.tree import Item
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.stays import Stay
from strandline.core.changes.noise.volatility import FADING, MEMORY, NoiseState, steadiness
from strandline.core.changes.score.importance import BELIEF, importance, study

TERMS = block("body/main", "These terms govern the use of the service and all its parts")


def clock(text: str):
    return page(TERMS, block("body/div.ticker", text, role=""))


def test_a_block_that_always_changes_stops_counting():
    noise = NoiseState()
    scores = []
    for n in range(12):
        delta = compare(
            clock(f"visitor wa{'x' * n} said hello ye{'s' * n}"),
            clock(f"visitor wa{'x' * (n + 1)} said hello ye{'s' * (n + 1)}"),
        )
        scores.append(study(delta, noise).value)
    assert scores[-1] < scores[0] / 50
    real = compare(
        clock("x"),
        page(
            block("body/main", TERMS.text, "A new clause about arbitration applies"),
            block("body/div.ticker", "x", role=""),
        ),
    )
    assert study(real, noise).value > 20 * scores[-1]


def test_steadiness_is_the_formula():
    noise = NoiseState()
    assert steadiness(noise.history("p")) == pytest.approx((1 - 0.5 / 1.5) ** 3)
    for n in range(4):
        noise.learn(compare(page(block("p", f"a{n}")), page(block("p", f"a{n + 1}"))))
    assert steadiness(noise.history("p")) == pytest.approx((1 - 4.5 / 5.5) ** 3)


def test_the_past_fades_after_forty_comparisons():
    noise = NoiseState()
    same = compare(page(TERMS), page(TERMS))
    for _ in range(60):
        noise.learn(same)
    known, changed = noise.paths[noise.settled(TERMS.path)]
    assert changed == 0.0
    assert MEMORY <= known <= MEMORY * FADING + 1.0 + 1e-9


def test_a_fetch_that_shows_the_same_counts_as_a_quiet_comparison():
    looked, cheap = NoiseState(), NoiseState()
    first = compare(clock("one here"), clock("two here"))
    same = compare(clock("two here"), clock("two here"))
    for state in (looked, cheap):
        state.learn(first)
    for _ in range(50):
        looked.learn(same)
        cheap.learn_unchanged()
    assert cheap == looked


def test_all_of_a_page_that_never_changed_is_known_to_stand_still():
    """A time that is another for the first time after five looks is no clock; at the first look nobody knows."""
    old, new = (page(block("body/main", TERMS.text, f"Goods are delivered before {hour}:31.")) for hour in (11, 12))
    still = NoiseState()
    for _ in range(5):
        still.learn_unchanged()
    assert still.history("body/main") == (5.0, 0.0)
    assert study(compare(old, new), NoiseState()).value < 0.05
    assert study(compare(old, new), still).value > 0.5
    assert still.paths[still.settled("body/main")] == (6.0, 1.0)


def test_words_that_return_are_no_news():
    noise = NoiseState()
    one, other = clock("quotation about patience and tea"), clock("proverb concerning haste or coffee")
    first = study(compare(one, other), noise)
    study(compare(other, one), noise)
    noise.paths.clear()  # only what was seen before shall speak here
    assert importance(compare(one, other), noise).value < first.value / 5


def test_a_counter_counts_little_and_a_new_word_much():
    number = importance(compare(clock("count is 120 now"), clock("count is 121 now")), NoiseState())
    text = importance(compare(clock("count is low now"), clock("count is unprecedented now")), NoiseState())
    assert text.value > 4 * number.value > 0


def test_a_collapse_is_held_and_believed_when_it_stays():
    full = page(*(block("body/main", f"section {n} speaks of matter {n}", nth=n) for n in range(12)))
    wall = page(block("body/div", "Please enable cookies and try again", role=""))
    noise = NoiseState()
    first = study(compare(full, wall), noise)
    assert first.held
    assert first.value == pytest.approx(BELIEF * first.believed)
    assert noise.comparisons == 0
    again = study(compare(full, page(block("body/div", "Please enable cookies, request 2", role=""))), noise)
    assert not again.held
    assert again.value == again.believed > first.value


def test_a_page_that_recovers_was_never_changed():
    full = page(*(block("body/main", f"section {n} speaks of matter {n}", nth=n) for n in range(12)))
    noise = NoiseState()
    study(compare(full, page(block("b", "error"))), noise)
    assert study(compare(full, full), noise).value == 0.0
    assert noise.held == 0


def test_an_empty_page_is_never_believed():
    full = page(*(block("body/main", f"section {n}", nth=n) for n in range(12)))
    noise = NoiseState()
    again = [study(compare(full, page()), noise) for _ in range(3)]
    assert all(score.held for score in again)
    assert [score.value > 0 for score in again] == [True, False, False]  # counted once


def test_what_two_fetches_disagree_on_is_masked():
    def version(token: str, headline: str):
        return page(
            block("body/main", f"Request number {token} was served to you", headline, "third", "fourth", "fifth"),
            block("body/div.ad", f"buy {token} today or never", role=""),
        )

    noise = NoiseState()
    noise.learn_double_fetch(compare(version("aaa", "Mayor resigns"), version("bbb", "Mayor resigns")))
    token_only = importance(compare(version("aaa", "Mayor resigns"), version("ccc", "Mayor resigns")), noise)
    news = importance(compare(version("aaa", "Mayor resigns"), version("ccc", "Harbour flooded overnight")), noise)
    assert token_only.value == 0.0
    assert news.value > 0.02


def scores_of(versions, noise):
    """What each change between successive versions counts, while the noise is learned."""
    return [study(compare(old, new), noise).value for old, new in itertools.pairwise(versions)]


FEW_WORDS = ["river", "tide", "storm", "council", "votes", "bridge", "market", "rises", "school", "opens", "goal"]


def told(rng, count):
    """A text of few words, which soon are all known."""
    return " ".join(rng.choices(FEW_WORDS, k=count))


def test_news_in_known_words_count_at_every_visit_and_a_clock_beside_them_does_not():
    rng = random.Random(5)

    def front(n, news):
        footer = block("body/footer", f"It is {n} o'clock, {n * 7919} visits", role="footer")
        return page(TERMS, block("body/main/p", news), footer)

    busy = scores_of([front(n, told(rng, 40)) for n in range(20)], NoiseState())
    quiet = scores_of([front(n, "always the same") for n in range(20)], NoiseState())
    assert min(busy) > busy[0] / 4
    assert min(busy) > 0.05
    assert max(quiet) < 0.005


def test_a_text_that_moves_on_the_page_says_nothing_new():
    texts = [told(random.Random(n), 30) for n in range(4)]
    here = page(block("body/main/p", *texts[:2]), block("body/main/div", *texts[2:]))
    there = page(block("body/main/p", texts[0]), block("body/main/div", texts[1], *texts[2:]))
    moved = importance(compare(here, there), NoiseState())
    assert sum(reason.counted.new_pairs for reason in moved.reasons) == 0
    assert moved.value < 0.05


def test_headlines_that_are_links_keep_their_news_beside_a_text_after_a_double_fetch_only():
    def front(n: int):
        letter = "abcdefghijklmnop"[n]
        headline = f"headline{letter} storm{letter} reaches coast{letter}"
        listed = block("body/div", Item("link", headline, f"/story{letter}"), headline, role="")
        return page(replace(listed, link_weight=listed.weight), TERMS)

    checked = NoiseState()
    checked.learn_double_fetch(compare(front(0), front(0)))
    fronts = [front(n) for n in range(13)]
    assert scores_of(fronts, checked)[-1] > 20 * scores_of(fronts, NoiseState())[-1]


def test_ratings_decide():
    noise, delta = NoiseState(), compare(clock("old words here"), clock("brand new expressions"))
    plain = importance(delta, noise).value
    noise.rate_block("body/div.ticker", "noise")
    assert importance(delta, noise).value == 0.0
    noise.rate_block("body/div.ticker", "matters")
    assert importance(delta, noise).value > plain
    with pytest.raises(ValueError, match="noise"):
        noise.rate_block("p", "other")


def test_names_that_change_between_fetches_are_dropped_from_paths():
    noise = NoiseState()
    old, new = (page(block(f"body/div#{name}/p", "the same text in both")) for name in ("ra", "rb"))
    noise.learn(compare(old, new))
    assert noise.settled("body/div#ra/p") == noise.settled("body/div#rc/p")
    assert noise.settled("body/div#ra/p") != noise.settled("body/div#ra/ul")


def test_advertising_counts_a_tenth():
    def with_link(address: str):
        return page(TERMS, block("body/div", "words", Item("link", "", address), role=""))

    plain = importance(compare(with_link("/a"), with_link("/b")), NoiseState())
    ad = importance(compare(with_link("/a"), with_link("/advert/b")), NoiseState())
    assert ad.reasons[0].novelty == pytest.approx(0.1 * plain.reasons[0].novelty)
    listed = importance(compare(with_link("/a"), with_link("/b")), NoiseState(), lambda address: address == "/b")
    assert listed.value == pytest.approx(ad.value)


def test_reasons_explain_the_score():
    result = importance(
        compare(clock("today there are old news"), clock("today there are extraordinary tidings")), NoiseState()
    )
    (reason,) = result.reasons
    assert "2 new words (extraordinary, tidings)" in reason.why
    assert reason.contribution == pytest.approx(reason.factor * reason.steadiness * reason.novelty)
    assert set(reason.as_data()) >= {"path", "topic", "why", "contribution"}
    noise = NoiseState()
    old, new = clock("today there are old news"), clock("today there are extraordinary tidings")
    study(compare(old, new), noise)
    (reason,) = importance(compare(new, clock("today tidings are extraordinary there")), noise).reasons
    assert "known words in 3 new pairs" in reason.why


STATE = st.builds(
    NoiseState,
    comparisons=st.integers(0, 1000),
    paths=st.dictionaries(
        st.integers(0, 2**64 - 1), st.tuples(st.integers(0, 40).map(float), st.integers(0, 40).map(float))
    ),
    items=st.dictionaries(st.integers(0, 2**64 - 1), st.none()),
    words=st.dictionaries(st.integers(0, 2**32 - 1), st.none()),
    masked_paths=st.sets(st.integers(0, 2**64 - 1)),
    ratings=st.dictionaries(st.integers(0, 2**64 - 1), st.sampled_from(["noise", "matters"])),
    double_fetches=st.integers(0, 9),
    held=st.integers(0, 99),
    arrivals=st.dictionaries(
        st.integers(0, 2**64 - 1), st.tuples(st.integers(0, 40).map(float), st.integers(0, 40).map(float))
    ),
    slots=st.dictionaries(st.integers(0, 2**64 - 1), st.tuples(st.integers(0, 999), st.integers(0, 999))),
    stays=st.dictionaries(st.integers(0, 2**64 - 1), st.builds(Stay, *[st.integers(0, 999)] * 4)),
)


@settings(max_examples=60, deadline=None)
@given(STATE)
def test_the_state_survives_storing(state):
    assert NoiseState.from_bytes(state.as_bytes()) == state


def test_a_damaged_state_is_refused():
    with pytest.raises(ValueError, match="not a stored"):
        NoiseState.from_bytes(b"nothing")
    stored = NoiseState(words={7: None}, items={8: None}).as_bytes()
    assert NoiseState.from_bytes(stored[:-8]) == NoiseState.from_bytes(stored), "stays came last"
    later = stored + (3).to_bytes(4, "little") + b"new"
    assert NoiseState.from_bytes(later) == NoiseState.from_bytes(stored), "what a later release adds is left alone"
    earlier = b"SNS2" + stored[4:-24]  # without the six sections that came later, which are empty
    assert NoiseState.from_bytes(earlier) == NoiseState.from_bytes(stored)
    older = b"SNS1" + stored[4:-24]
    assert NoiseState.from_bytes(older) == NoiseState(items={8: None}), "its words were numbered otherwise"
    with pytest.raises(ValueError, match="cut short"):
        NoiseState.from_bytes(NoiseState().as_bytes()[:-11])
