import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.discovery.weight import FOLLOW, page_rank, weights


def slow_rank(links, pages):
    """The stationary distribution of the random surfer, from the whole matrix."""
    matrix = np.full((pages, pages), (1 - FOLLOW) / pages)
    for page in range(pages):
        named = {target for source, target in links if source == page and target != page}
        for target in named or range(pages):
            matrix[target, page] += FOLLOW / len(named or range(pages))
    system = matrix - np.eye(pages)
    system[0] = 1.0
    return np.linalg.solve(system, np.eye(pages)[0]) * pages


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
    )
)
def test_as_the_dense_matrix_has_it(graph):
    pages, links = graph
    found = page_rank([source for source, _ in links], [target for _, target in links], pages)
    np.testing.assert_allclose(found, slow_rank(links, pages), atol=1e-7)
    assert found.mean() == pytest.approx(1.0) and (found > 0).all()


def test_without_links_all_pages_weigh_the_same():
    assert page_rank([], [], 4).tolist() == [1.0] * 4
    assert page_rank([], [], 0).tolist() == []


def test_a_long_chain_and_a_large_star_converge():
    n = 20_000
    chain = page_rank(np.arange(n - 1), np.arange(1, n), n)
    assert chain.mean() == pytest.approx(1.0) and chain[-1] > chain[0]
    star = page_rank(np.arange(1, n), np.zeros(n - 1, int), n)
    assert star[0] > 1000 and star.mean() == pytest.approx(1.0)


def test_numbers_may_have_gaps_and_given_weights_win():
    found = weights([7, 900, 5], [900, 7, 7], [7, 900], given={900: 12.5, 5: 1.0})
    assert found == {7: pytest.approx(1.0), 900: 12.5}
    assert weights([], [], []) == {}


@pytest.mark.parametrize(("sources", "targets"), [([0], [2]), ([-1], [0]), ([0, 1], [1])])
def test_links_that_make_no_sense(sources, targets):
    with pytest.raises(ValueError, match="link"):
        page_rank(sources, targets, 2)
