import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the extra strandline[study]")

from strandline.core.mining import static_classifiers as sc


@pytest.fixture(scope="module")
def pages():
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1, 2], [200, 200, 60])
    features = np.column_stack([group * 2.0 + rng.normal(0, 0.7, group.size), rng.normal(size=group.size)])
    return features, group


def test_learners_beat_guessing(pages):
    features, group = pages
    for classifier in (sc.unpruned_tree(), sc.pruned_tree(features, group), sc.naive_bayes(), sc.nearest_neighbours(1)):
        assert sc.cross_error(classifier, features, group) < 0.25


def test_pruning_helps_where_there_is_noise(pages):
    features, group = pages
    pruned = sc.cross_error(sc.pruned_tree(features, group), features, group)
    assert pruned < sc.cross_error(sc.unpruned_tree(), features, group)


def test_wrapper_drops_the_feature_that_is_noise(pages):
    kept, error = sc.wrapper_selection(*pages, ("size", "noise"))
    assert kept == ("size",)
    assert error < 0.2


def test_wrapper_keeps_what_helps():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2, 3], 80)
    features = np.column_stack([group % 2 * 3.0, group // 2 * 3.0]) + rng.normal(0, 0.5, (320, 2))
    assert sc.wrapper_selection(features, group, ("a", "b"))[0] == ("a", "b")


def test_balanced_rows(pages):
    group = pages[1]
    rows = sc.balanced(group, np.random.default_rng(0))
    assert np.bincount(group[rows]).tolist() == [60, 60, 60]


def test_chances_of_classes_never_seen(pages):
    features, group = pages
    tree = sc.unpruned_tree()
    tree.fit(features[group > 0], group[group > 0])
    chances = sc.class_chances(tree, features[:5], 4)
    assert chances.shape == (5, 4)
    assert (chances[:, [0, 3]] == 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


def test_one_page_of_a_class_is_too_few():
    with pytest.raises(ValueError, match="two pages of every class"):
        sc.cross_error(sc.naive_bayes(), np.zeros((3, 1)), np.array([0, 0, 1]))


def test_a_tree_says_what_it_rests_on_and_what_links_are_worth(pages):
    features, group = pages
    tree = sc.class_tree(features[:, ::-1], group, ("noise", "in-links"), links=1)
    assert tree.pages == group.size
    assert tree.error < 0.2 < tree.error_without
    assert tree.error_by_majority == pytest.approx(260 / 460)
    assert tree.importance["in-links"] > 0.9
    assert "in-links <=" in tree.text
