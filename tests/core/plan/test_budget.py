import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.plan.budget import SAMPLE, Allowance, Budget, spend
from strandline.core.plan.strategy import PageTable


def slow_spend(urgency, budget, pages):
    """Sort everything, take one after the other while the caps allow."""
    taken, sites, hosts = [], {}, {}
    wanted = [row for row in range(len(urgency)) if urgency[row] > -np.inf]
    for row in sorted(wanted, key=lambda r: (-urgency[r], r)):
        site, host = int(pages.site[row]), int(pages.host[row])
        if len(taken) == budget.visits:
            continue
        if sites.get(site, 0) >= budget.site_caps.get(site, budget.site_cap if budget.site_cap is not None else 10**9):
            continue
        if hosts.get(host, 0) >= budget.host_caps.get(host, budget.host_cap if budget.host_cap is not None else 10**9):
            continue
        taken.append(row)
        sites[site] = sites.get(site, 0) + 1
        hosts[host] = hosts.get(host, 0) + 1
    return taken


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(st.integers(0, 20).map(float), st.just(np.nan), st.just(-np.inf)), max_size=40),
    st.integers(1, 45),
    st.one_of(st.none(), st.integers(0, 6)),
    st.one_of(st.none(), st.integers(0, 4)),
)
def test_spend_is_the_slow_greedy_choice(scores, visits, site_cap, host_cap):
    # Distinct urgencies: with ties the choice among equals is free.
    urgency = np.array([s + i * 1e-3 if np.isfinite(s) else s for i, s in enumerate(scores)])
    count = len(urgency)
    pages = PageTable.of(count, site=np.arange(count) % 3, host=np.arange(count) % 5)
    budget = Budget(visits, site_cap=site_cap, host_cap=host_cap)
    assert spend(urgency, budget, pages).tolist() == slow_spend(urgency, budget, pages)


@pytest.mark.parametrize("kind", ["even", "ties", "rising"])
def test_long_tables_give_the_same_choice_as_a_full_sort(kind):
    count, rng = 200_000, np.random.default_rng(1)
    scores = {"even": rng.random(count), "ties": rng.integers(0, 3, count) / 2, "rising": np.arange(count) / count}
    score, pages = scores[kind], PageTable.of(count)
    for visits in (1, 700, 30_000):
        expected = np.lexsort((np.arange(count), -score))[:visits]
        assert np.array_equal(spend(score, Budget(visits), pages), expected)


def test_a_sample_that_misleads_changes_nothing():
    """Every row the sample sees is among the best: where it would cut there are too few."""
    score = np.random.default_rng(2).random(70_000) / 2
    score[:: len(score) // SAMPLE] = 1.0
    expected = np.lexsort((np.arange(len(score)), -score))[:5000]
    assert np.array_equal(spend(score, Budget(5000), PageTable.of(len(score))), expected)


def test_caps_by_name_of_sites_and_of_hosts_hold_together():
    pages = PageTable.of(6, site=[0, 0, 0, 1, 1, 1], host=[0, 1, 2, 3, 4, 4])
    budget = Budget(6, site_caps={0: 2}, host_caps={4: 1})
    urgency = np.arange(6.0)
    assert spend(urgency, budget, pages).tolist() == slow_spend(urgency, budget, pages) == [5, 3, 2, 1]


def test_bytes_are_kept():
    pages = PageTable.of(4, size=[100.0, 100.0, 100.0, 10.0])
    assert spend(np.array([4.0, 3.0, 2.0, 1.0]), Budget(4, max_bytes=205.0), pages).tolist() == [0, 1]


@pytest.mark.parametrize("visits", [0, -3])
def test_impossible_budgets_are_refused(visits):
    with pytest.raises(ValueError, match="at least one visit"):
        Budget(visits)
    with pytest.raises(ValueError, match="above zero"):
        Allowance(float(visits), 24.0)
    with pytest.raises(ValueError, match="above zero"):
        Allowance(24.0, float(visits))


@pytest.mark.parametrize(
    "spans", [("h", "hour", 1.0), ("d", "day", 24.0), ("w", "Week", 168.0)], ids=lambda one: one[1]
)
def test_spans_of_time_have_a_name_and_a_letter(spans):
    letter, name, hours = spans
    assert Allowance.parse(f"7/{letter}") == Allowance.parse(f"7 per {name}") == Allowance(7.0, hours)


@pytest.mark.parametrize("text", ["", "fast", "500", "-3/day", "5/century", "0/day", "nan/day"])
def test_unreadable_budgets_are_refused(text):
    with pytest.raises(ValueError, match="budget"):
        Allowance.parse(text)


@given(st.floats(0.01, 500), st.floats(0, 1000), st.lists(st.floats(0.01, 5), max_size=30))
def test_rounding_loses_nothing_over_time(per_hour, start, steps):
    allowance = Allowance(per_hour, 1.0)
    total, now = 0, start
    for step in steps:
        total += allowance.whole(now, now + step)
        now += step
    assert abs(total - per_hour * (now - start)) <= 1.0 + 1e-6


def test_budgets_in_bytes():
    found = Allowance.parse("200 MB/day")
    assert found.in_bytes
    assert found.per_hour == pytest.approx(200e6 / 24)
