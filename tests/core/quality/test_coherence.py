import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.quality.coherence import (
    Captures,
    Evidence,
    archive_coherence,
    best_instant,
    closest_capture,
    coherence,
    coherent_chance,
    shown_versions,
)
from strandline.core.quality.completeness import Changes

from .test_completeness import archives, as_arrays


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=7))
def test_coherence_is_the_heaviest_set_that_shares_a_point(intervals):
    begin = np.array([b for b, _, _ in intervals], dtype=float)
    end = np.array([b + d for b, d, _ in intervals], dtype=float)
    weight = np.array([w / 4 for _, _, w in intervals])
    # A common point, if there is one, can be taken at the beginning of an interval.
    sets = [(begin <= x) & (x <= end) for x in begin]
    total = weight.sum()
    found = coherence(begin, end, weight)
    assert found.by_weight == pytest.approx(max(weight[s].sum() for s in sets) / total if total else 1.0)
    assert found.by_count == pytest.approx(max(s.sum() for s in sets) / len(intervals))
    at = (begin <= found.instant) & (found.instant <= end)
    assert weight[at].sum() == pytest.approx(max(weight[s].sum() for s in sets))


@settings(max_examples=100, deadline=None)
@given(archives(), st.integers(-2, 15))
def test_query_results_are_the_closest_captures(archive, instant):
    times, importances, captures, weights = archive
    changes, pages = as_arrays(times, importances), len(times)
    page = np.array([c[0] for c in captures], dtype=np.int64)
    moment = np.array([c[1] for c in captures], dtype=float)
    sorted_captures = Captures.of(page, moment, pages)
    chosen = closest_capture(sorted_captures, float(instant))
    begin, end, weight = [], [], []
    for i in range(pages):
        own = sorted(t for p, t in captures if p == i)
        if not own:
            assert chosen[i] == -1
            continue
        closest = min(own, key=lambda t: (abs(t - instant), t))
        assert sorted_captures.time[chosen[i]] == closest
        before = [k for k, t in enumerate(times[i]) if t <= closest]
        after = [t for t in times[i] if t > closest]
        begin.append(times[i][before[-1]] if before else -np.inf)
        end.append(after[0] if after else np.inf)
        weight.append(weights[i] * (importances[i][before[-1]] if before else 0.5))
    shown = shown_versions(changes, sorted_captures, np.array(weights, dtype=float), initial=0.5)
    expected = coherence(np.array(begin), np.array(end), np.array(weight))
    whole = archive_coherence(shown, np.array([float(instant)]), np.zeros(pages, dtype=np.int64))
    assert whole == pytest.approx(expected.by_weight)


def coherence_at(shown, instant, members):
    """Of the versions of some pages that are closest to an instant."""
    chosen = closest_capture(shown.captures, instant)[members]
    chosen = chosen[chosen >= 0]
    return coherence(shown.begin[chosen], shown.end[chosen], shown.weight[chosen]).by_weight


@settings(max_examples=50, deadline=None)
@given(archives(), st.lists(st.floats(-2.0, 15.0), max_size=6), st.booleans())
def test_many_instants_are_the_mean_of_each(archive, instants, blocks):
    times, importances, captures, weights = archive
    pages = len(times)
    moments = Captures.of(*(np.array(column) for column in zip(*captures, strict=True)), pages) if captures else None
    if moments is None:
        return
    shown = shown_versions(as_arrays(times, importances), moments, np.array(weights, dtype=float), initial=0.5)
    site = np.arange(pages) % 2
    with pytest.MonkeyPatch.context() as patch:
        if blocks:
            patch.setattr("strandline.core.quality.coherence._COUNTS", 2 * pages)
        found = archive_coherence(shown, np.array(instants), site)
    each = [coherence_at(shown, instant, site == name) for instant in instants for name in np.unique(site)]
    assert found == pytest.approx(float(np.mean(each)) if each else 0.0)


def small_evidence():
    # Page 0: same content at 0 and 10. Page 1: content changed between 0 and 10. Page 2: one capture.
    captures = Captures.of(np.array([0, 0, 1, 1, 2]), np.array([0.0, 10.0, 0.0, 10.0, 6.0]), 3)
    return evidence_of(captures, [7, 7, 1, 2, 3], [0.1, 0.2, 0.3], [1.0, 1.0, 2.0])


def evidence_of(captures, version, rate, weight=None):
    """Pages whose rates are known."""
    count = len(rate)
    weight = np.ones(count) if weight is None else np.array(weight)
    return Evidence(captures, np.array(version), np.array(rate)[:, None], np.ones((count, 1)), weight)


def test_chances_of_being_live_at_an_instant():
    chosen, chance = coherent_chance(small_evidence(), 4.0)
    assert chosen.tolist() == [0, 2, 4]
    bridged = np.exp(-0.8) * (1 - np.exp(-1.2)) / (1 - np.exp(-2.0))
    assert chance == pytest.approx([1.0, bridged, np.exp(-0.6)])


def test_a_change_known_to_lie_between_two_captures_is_not_forgotten():
    """Captures at 09:00 and 15:00 differ: at 12:00 it is a toss, however rarely the page changes."""
    day = Captures.of(np.zeros(2, int), np.array([9.0, 15.0]), 1)
    for rate in (1e-15, 1e-6, 0.003):
        evidence = evidence_of(day, [0, 1], [rate])
        assert coherent_chance(evidence, 12.0)[1][0] == pytest.approx(0.5, abs=0.01)
        assert coherent_chance(evidence, 9.0)[1][0] == pytest.approx(1.0)
        assert coherent_chance(evidence, 14.4)[1][0] == pytest.approx(0.9, abs=0.01)
        told = replace(evidence, told=Captures.of(np.zeros(1, int), np.array([14.0]), 1))
        assert coherent_chance(told, 11.0)[1][0] == pytest.approx(1.0, abs=0.01), "the change came later"
        assert coherent_chance(told, 13.0)[1][0] == 0.0, "what is shown came later"


@pytest.mark.parametrize("rates", [(0.02,), (0.3,), (2.0,), (0.01, 0.2, 3.0)])
def test_chances_agree_with_worlds_whose_truth_is_known(rates):
    """Pages that change by chance, captured by chance: of mementos given a chance, that share was live. Where pages
    have one of several rates, all that is known of each is what its captures make likely.
    """
    rng = np.random.default_rng(8)
    pages, span = 20_000, 10.0
    ladder = np.array(rates)
    counts = rng.poisson(rng.choice(ladder, pages) * span)
    changes = Captures.of(np.repeat(np.arange(pages), counts), rng.uniform(0, span, counts.sum()), pages)
    looks = rng.integers(1, 5, pages)
    captures = Captures.of(np.repeat(np.arange(pages), looks), rng.uniform(0, span, looks.sum()), pages)
    running = np.searchsorted(changes.page * 100.0 + changes.time, captures.page * 100.0 + captures.time)
    own = captures.page
    gap, same = np.diff(captures.time)[:, None], (np.diff(running) == 0)[:, None]
    told = np.where(same, -ladder * gap, np.log(-np.expm1(-ladder * np.abs(gap))))
    odds = np.zeros((pages, len(ladder)))
    np.add.at(odds, own[1:][np.diff(own) == 0], told[np.diff(own) == 0])
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    evidence = Evidence(captures, running, np.tile(ladder, (pages, 1)), odds, np.ones(pages))
    instant = 5.0
    chosen, chance = coherent_chance(evidence, instant)
    live = np.searchsorted(changes.page * 100.0 + changes.time, np.arange(pages) * 100.0 + instant)
    right = running[chosen] == live
    edges = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1.1])
    for low, high in itertools.pairwise(edges):
        band = (chance >= low) & (chance < high)
        if band.sum() >= 200:
            error = 4.0 * np.sqrt(0.25 / band.sum())
            assert right[band].mean() == pytest.approx(chance[band].mean(), abs=error), (low, high)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(1e-4, 5.0), st.floats(0.1, 1.0)), min_size=1, max_size=4),
    st.floats(0.05, 0.95),
    st.floats(0.5, 30.0),
)
def test_two_captures_that_differ_against_every_moment_of_the_change(prior, part, gap):
    """Slow reference: the first change after the earlier capture (the last one before the later) may lie at any moment
    of the gap, at any rate the page may have; the share of it beyond the instant is the chance.
    """
    edges = np.linspace(0.0, gap, 20_001)
    moments, width = (edges[1:] + edges[:-1]) / 2.0, gap / 20_000
    first = sum(odds * rate * np.exp(-rate * moments) * width for rate, odds in prior)
    rates = np.array([rate for rate, _ in prior])
    odds = np.array([odds for _, odds in prior]) * -np.expm1(-rates * gap)  # what two captures that differ make of it
    captures = Captures.of(np.zeros(2, int), np.array([0.0, gap]), 1)
    evidence = Evidence(captures, np.array([0, 1]), rates[None, :], odds[None, :] / odds.sum(), np.ones(1))
    instant = part * gap
    distance = min(instant, gap - instant)
    expected = first[moments > distance].sum() / first.sum()
    assert coherent_chance(evidence, instant)[1][0] == pytest.approx(expected, abs=2e-3)


def test_what_is_not_known_of_a_rate_is_not_taken_for_a_high_one():
    """Seen twice, six hours apart, different: between .5 (one change) and 0 (very many), by how likely these are."""
    day = Captures.of(np.zeros(2, int), np.array([9.0, 15.0]), 1)
    rates = np.array([[0.01, 0.3, 4.0]])
    unsure = Evidence(day, np.array([0, 1]), rates, np.full((1, 3), 1 / 3), np.ones(1))
    apart = [coherent_chance(evidence_of(day, [0, 1], [rate]), 12.0)[1][0] for rate in rates[0]]
    assert apart == pytest.approx([0.4925, 0.289, 0.0], abs=0.001)
    assert coherent_chance(unsure, 12.0)[1][0] == pytest.approx(np.mean(apart))
    assert coherent_chance(evidence_of(day, [0, 1], [rates.mean()]), 12.0)[1][0] < 0.02, "as it was: the mean rate's"


def test_only_what_was_captured_at_the_instant_or_on_both_sides_is_certain():
    evidence = evidence_of(Captures.of(np.zeros(1, int), np.array([9.0]), 1), [0], [0.0])
    assert coherent_chance(evidence, 9.0)[1][0] == 1.0
    assert 0.999 < coherent_chance(evidence, 12.0)[1][0] < 1.0, "a page thought never to change"


def test_the_best_instant_is_never_worse_than_the_one_asked_for():
    evidence = small_evidence()
    _, asked = best_instant(evidence, 4.0, 0.0)
    instant, share = best_instant(evidence, 4.0, 6.0)
    assert share >= asked
    assert -2.0 <= instant <= 10.0
    # Brute force over a fine ladder of instants.
    ladder = np.linspace(-2.0, 10.0, 49)
    values = [coherent_chance(evidence, x)[1] @ evidence.weight / 4.0 for x in ladder]
    assert share == pytest.approx(max(values))


def test_an_archive_without_captures():
    shown = shown_versions(
        Changes(np.array([0, 0]), np.empty(0), np.empty(0)), Captures.of(np.empty(0, int), np.empty(0), 1), np.ones(1)
    )
    assert archive_coherence(shown, np.array([3.0]), np.zeros(1, dtype=np.int64)) == 1.0
    nothing = evidence_of(shown.captures, np.empty(0, int), [1.0])
    assert best_instant(nothing, 3.0, 2.0) == (3.0, 1.0)
