"""A page's rate, visit by visit, against the same belief kept for many pages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.beliefs.first_sight import DEFAULT
from strandline.core.history.rates import GammaRates
from strandline.core.mining.learned import DirectoryView, PageRate, SiteRules
from strandline.core.mining.near import NearRule, Thresholds


@given(st.floats(1e-5, 10.0), st.lists(st.tuples(st.floats(0.0, 400.0), st.booleans()), max_size=20))
def test_visits_of_one_page_are_those_of_many(prior, visits):
    page, many, row = PageRate(prior=prior), GammaRates.unseen(1), np.array([0])
    for waited, changed in visits:
        many.visit(row, waited, changed, many.mean(prior, DEFAULT.prior_weight)[0])
        page.observe(waited, changed)
    assert page.found == pytest.approx(float(many.found[0]))
    assert page.watched == pytest.approx(float(many.watched[0]))
    assert page.expected == pytest.approx(float(many.mean(prior, DEFAULT.prior_weight)[0]))
    assert (page.visits, page.changes) == (len(visits), sum(changed for _, changed in visits))


def test_a_rate_needs_time_between_captures():
    page = PageRate()
    assert page.rate is None
    page.observe(0.0, True)
    assert (page.found, page.rate) == (1.0, None)
    page.observe(3.0, False)
    assert page.rate > 0


def test_rules_survive_being_written_down():
    rules = SiteRules(
        site="example.org",
        versions=3,
        period=604800.0,
        captures=12,
        first=1.0,
        last=2.0,
        weighted=True,
        thresholds=Thresholds(gamma=0.4),
        chosen=False,
        bypass_ratio=None,
        change_recall=None,
        rules=(NearRule(("a", "a/é"), "a/é/b", 0.5, -1.0, 1.0),),
        dormant=("a/é/b",),
        directories=(DirectoryView("a", 2, 0.1, 1, near=False, dormant=False),),
    )
    assert SiteRules.from_data(rules.as_data()) == rules
