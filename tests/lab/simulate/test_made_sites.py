import numpy as np
import pytest

from strandline.lab.simulate.made_sites import KINDS, MadeSite, counting_crawler


@pytest.mark.parametrize("kind", KINDS)
def test_a_made_site_is_the_same_for_the_same_seed_and_changes_every_few_weeks_at_least(kind):
    one, same, other = (MadeSite(kind, 60, seed).made() for seed in (1, 1, 2))
    updated = [[changes.updated.tolist() for changes in site.history.changes] for site in (one, same, other)]
    assert updated[0] == updated[1] != updated[2]
    assert one.shape.pages == 60
    assert sum(map(len, updated[0])) > 20


def test_hot_pages_change_nearly_weekly_and_are_four_in_ten():
    for kind in ("hot pages scattered", "hot directories"):
        site = MadeSite(kind, 600).made()
        weeks = np.bincount(np.concatenate([one.updated for one in site.history.changes]), minlength=600)
        assert 0.35 < (weeks > 30).mean() < 0.45
        assert (weeks[weeks <= 30] < 5).all()


def test_the_counter_catches_all_when_it_asks_for_all_and_hot_pages_with_half_of_the_requests():
    site = MadeSite("hot pages scattered", 120).made()
    assert counting_crawler(site, 0.0).on_time == counting_crawler(site, 0.0).current == 1.0
    assert counting_crawler(site, 0.5).on_time > 0.96
    assert counting_crawler(site, 0.9).on_time < 0.5
