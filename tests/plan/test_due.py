"""What visits take together, and how many of them are affordable."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.plan.due import Due, affordable, requests_of


def visits(costs):
    return [Due(page, "http://a.example/", 0.0, "", 0.0, cost) for page, cost in enumerate(costs)]


@given(st.integers(0, 30), st.integers(0, 30))
def test_visits_of_one_request_each_are_as_many_as_there_are_requests(count, requests):
    assert len(affordable(visits([1.0] * count), requests, 0.4)) == min(count, requests)


@given(st.lists(st.floats(1.0, 20.0)), st.integers(0, 60))
def test_they_are_the_first_ones_and_take_half_a_visit_more_at_most(costs, requests):
    some = visits(costs)
    kept = affordable(some, requests, 100.0)
    assert kept == some[: len(kept)]
    assert requests_of(kept) <= requests + 10.0
    if len(kept) < len(some):
        assert requests_of(kept) + some[len(kept)].cost > requests


@given(st.lists(st.floats(1.0, 20.0)), st.integers(0, 60), st.floats(0.0, 60.0))
def test_what_cannot_be_paid_is_not_among_them(costs, requests, most):
    kept = affordable(visits(costs), requests, 100.0, most)
    assert requests_of(kept) <= most + 1e-6
    assert kept == affordable(visits(costs), requests, 100.0)[: len(kept)]
