from strandline.core.history.delta_tree import DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds
from strandline.core.skip.threshold_choice import (
    Choice,
    best_choice,
    choose_for_site,
    choose_thresholds,
    measure_thresholds,
    threshold_grid,
)

GRID = threshold_grid(alphas=(0.01, 0.3), betas=(0.1, 0.5), thetas=(0.5, 1.0))


def study(listed):
    history = SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))
    return history, DeltaTree.of(history, (0.01, 0.3))


def regular(weeks):
    """`busy` changes each week, `quiet` never, `late` only in the second half."""
    return [
        {"busy/x": str(n), "quiet/y": "1", "late/z": str(max(0, n - weeks // 2)), "quiet/w": "1"} for n in range(weeks)
    ]


def test_a_directory_that_stays_quiet_is_skipped():
    history, tree = study(regular(12))
    choice = choose_thresholds(history, tree, (0, 5), GRID, floor=1.0)
    assert choice is not None
    assert choice.change_recall_strict == 1.0
    assert choice.bypass_ratio == 0.75  # quiet and, in these weeks, late


def test_rules_that_fail_in_the_second_half_are_not_chosen():
    history, tree = study(regular(12))
    measured = measure_thresholds(history, tree, (0, 11), GRID)
    # `late` wakes up in the second of six weeks and is half of the changes from then on.
    assert {round(choice.change_recall_strict, 6) for choice in measured} == {round(3.5 / 6, 6), 1.0}
    assert choose_thresholds(history, tree, (0, 11), GRID, floor=0.9).bypass_ratio == 0.0
    assert choose_thresholds(history, tree, (0, 11), GRID, floor=0.5).bypass_ratio == 0.75


def test_no_choice_without_evidence():
    still = [{"a/x": "1"}] * 10
    history, tree = study(still)
    assert choose_thresholds(history, tree, (0, 9), GRID) is None
    assert choose_thresholds(history, tree, (3, 3), GRID) is None
    assert best_choice([], 0.5) is None


def test_most_skipped_wins_then_most_caught():
    low, high, best = (Choice(Thresholds(), *pair) for pair in ((0.2, 1.0), (0.4, 0.96), (0.4, 0.97)))
    assert best_choice([low, high, best], 0.95) is best
    assert best_choice([low, high, best], 0.99) is low


def test_the_future_does_not_change_the_choice():
    listed = regular(12)
    history, tree = study(listed)
    shorter, shorter_tree = study(listed[:8])
    assert choose_thresholds(history, tree, (0, 7), GRID) == choose_thresholds(shorter, shorter_tree, (0, 7), GRID)


def test_a_choice_for_the_next_crawl():
    history, _ = study(regular(12))
    assert choose_for_site(history, versions=6, floor=0.9).bypass_ratio >= 0.5
    assert choose_for_site(study(regular(2))[0]) is None
