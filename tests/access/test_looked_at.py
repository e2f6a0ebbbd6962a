"""Pages looked at some at a time, against all of them at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.access import looked_at as module
from strandline.access.gaps import Hours, Pages, Said, Sights, gaps_of
from strandline.access.looked_at import AllPages, in_turn, looked_at, of_directories
from strandline.access.quality import INSTANTS, Held, Measures
from strandline.core.beliefs.estimate import Estimate
from strandline.core.beliefs.page_beliefs import NearRows
from strandline.core.quality.coherence import Captures, Evidence
from strandline.core.quality.estimates import coherence_estimate
from strandline.core.quality.missed import missed_changes

PAGES = 23


def archive(seed: int) -> Held:
    """Pages of some directories with captures, claims, ends and hours of all kinds; several were never captured."""
    rng = np.random.default_rng(seed)
    bins, looks = 3, int(rng.integers(0, 160))
    row = np.sort(rng.integers(0, PAGES - 3, looks)).astype(np.int32)
    time = np.round(rng.uniform(0.0, 400.0, looks), 2)
    directory = rng.integers(0, 6, PAGES)
    told = rng.integers(0, PAGES, 40)
    claimed = rng.uniform(0.0, 400.0, 40)
    said = Said(told, claimed, claimed + rng.uniform(-1.0, 30.0, 40), {n: np.arange(0.0, 400.0, 5.0) for n in range(2)})
    estimate = Estimate(
        rng.gamma(1.0, 0.02, (PAGES, bins)).astype(np.float32),
        rng.uniform(0.1, 0.9, (PAGES, bins)).astype(np.float32),
        np.sort(rng.gamma(2.0, 0.5, (PAGES, 3)), axis=1),
        np.full((PAGES, 3), 1 / 3),
        np.array([0.5, 0.25, 0.25]),
    )
    sights, shown = Sights.pair(row, time, rng.random(looks) < 0.4, rng.random(looks) < 0.6)
    return Held(
        site=directory % 2,
        sites=("a.org", "b.org"),
        weight=rng.uniform(0.5, 3.0, PAGES),
        estimate=estimate,
        sights=sights,
        told=(np.empty(0, np.int64), np.empty(0)),
        directory=directory,
        hours=Hours(np.array([0, 1, 2, 0]), rng.integers(-3, 3, PAGES).astype(float)),
        ended=np.where(rng.random(PAGES) < 0.2, 350.0, np.nan),
        said=said,
        shown=shown,
        hollow=["empty" if rng.random() < 0.1 else "" for _ in range(PAGES)],
    )


def at_once(held: Held, end: float):
    """What was missed and how coherent everything is, of all pages together."""
    assert isinstance(held.estimate, Estimate)
    sights = held.sights.until(end).without(held.empty)
    facts = (held.estimate, held.hours, held.site, held.directory, held.ended, held.said)
    missed = missed_changes(gaps_of(Pages(*facts), sights, end))
    start = np.searchsorted(sights.row, np.arange(PAGES + 1))
    rates = held.estimate.rates
    evidence = Evidence(Captures(start, sights.time), sights.version, rates, held.estimate.odds, held.weight)
    return sights, missed, evidence


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([9, 40, 200, 65_536]), st.sampled_from([410.0, 200.0]))
def test_some_pages_at_a_time_tell_what_all_of_them_do(seed, together, end):
    held = archive(seed)
    sights, missed, evidence = at_once(held, end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TOGETHER", together)
        found = looked_at(held.pages(), sights, end)
        whole = Measures(held, end, end).of("all", np.arange(PAGES))
        over_time = Measures(held, 1e6).of("all", np.arange(PAGES))
    np.testing.assert_allclose(found.missed.mean, missed.mean, rtol=1e-9)
    np.testing.assert_allclose(found.missed.spread, missed.spread, rtol=1e-7, atol=1e-9)
    rates, odds = found.watched.rates.of(np.arange(PAGES))
    np.testing.assert_allclose(rates, held.estimate.rates, rtol=1e-12)
    assert odds.tolist() == held.estimate.odds.tolist()
    np.testing.assert_allclose(found.watched.importance, held.estimate.mean_importance, rtol=1e-12)
    assert found.watched.found.tolist() == np.bincount(sights.row[sights.new], minlength=PAGES).tolist()
    for row in range(PAGES):
        own = sights.time[sights.row == row]
        assert found.captures[row] == len(own)
        assert found.first[row] == min(own, default=np.inf)
        assert found.watched.last[row] == max(own, default=np.nan) or not len(own)
        assert found.watched.span[row] == (end - own.min() if len(own) else 0.0)
    if whole.captures:
        assert whole.coherence == pytest.approx(coherence_estimate(evidence, np.array([end])))
        expected = missed.share(found.watched.found, held.weight * held.estimate.mean_importance, np.arange(PAGES))
        if (found.watched.span > 0).any():
            facts = whole.completeness
            assert (facts.value, facts.low, facts.high) == pytest.approx(expected)
    if over_time.captures:
        sights, _, evidence = at_once(held, 1e6)
        instants = np.linspace(sights.time.min(), sights.time.max(), INSTANTS)
        assert over_time.coherence == pytest.approx(coherence_estimate(evidence, instants))
        assert (over_time.since, over_time.captures) == (sights.time.min(), len(sights.time))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=30), st.sampled_from([9, 30, 100]))
def test_directories_are_not_divided_and_nothing_is_left_out(pages, together):
    directory, captures = (np.array([one[n] for one in pages], dtype=np.int64) for n in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TOGETHER", together)
        parts, turns = list(of_directories(directory, captures)), list(in_turn(np.arange(len(pages)), captures))
    assert sorted(np.concatenate([*parts, np.empty(0)]).tolist()) == list(range(len(pages)))
    assert np.concatenate([*turns, np.empty(0)]).tolist() == list(range(len(pages)))
    seen: set[int] = set()
    for rows in parts:
        here = set(directory[rows].tolist())
        assert not here & seen, "a directory is in one part"
        assert (
            len(here) == 1
            or len(rows) == 1
            or (captures[rows] + 8).sum() <= together + np.bincount(directory, weights=captures + 8).max()
        )
        seen |= here
    assert all(len(rows) == 1 or (captures[rows] + 8).sum() <= together + 17 for rows in turns)


def test_an_archive_without_pages():
    nothing = np.empty(0, dtype=np.int64)
    none = Estimate(
        np.empty((0, 1), np.float32), np.empty((0, 1), np.float32), np.empty((0, 3)), np.empty((0, 3)), np.ones(1)
    )
    pages = AllPages(none, Hours(), nothing, nothing, np.empty(0), Said(), np.empty(0), NearRows)
    found = looked_at(pages, Sights.of(nothing, np.empty(0), np.empty(0, bool)), 5.0)
    assert len(found.captures) == len(found.watched.rates.of(nothing)[0]) == 0
