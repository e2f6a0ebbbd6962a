from dataclasses import replace

import pytest

from strandline.lab.experiments.near_rivals import BUSY, COUNTS, HALF, rivals_table, rivals_target, site_loops
from strandline.lab.simulate.made_sites import MadeSite, counting_crawler
from strandline.lab.simulate.site_loops import PAGE_RATE, crawl_with_budget


def test_on_busy_sites_of_600_pages_no_rival_is_ahead_by_more_than_a_point():
    """Changes on time at half of the requests; once .632 and .899 against .973 and .974 of a counter."""
    loops = [site_loops(made.name, made.made(), still=True) for made in BUSY]
    assert all(one.policy.on_time > 0.98 and one.policy.current > 0.97 for one in loops)
    assert rivals_target(loops).ok, rivals_target(loops)
    table = rivals_table(loops)
    assert [row[0] for row in table.rows] == [made.name for made in BUSY]
    assert all(len(row) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize("kind", ["hot pages scattered", "warm pages scattered"])
def test_the_counter_of_sites_that_grow_counts_as_well_as_the_one_in_ten_lines(kind):
    site = MadeSite(kind, 300, seed=5).made()
    own = crawl_with_budget(site, HALF, PAGE_RATE, settings=COUNTS)
    assert own.on_time == pytest.approx(counting_crawler(site, HALF).on_time, abs=0.015)


def test_the_target_names_the_site_where_a_rival_is_ahead():
    one = site_loops("small", replace(BUSY[0], pages=60).made(), still=False)
    beaten = replace(one, name="beaten", rivals={"counter": replace(one.policy, on_time=one.policy.on_time + 0.02)})
    target = rivals_target([one, beaten])
    assert not target.ok
    assert "beaten" in target.got and "0.020" in target.got
    by_rule = replace(one, name="by rule", at_dormant=replace(one.at_dormant, on_time=one.dormant.on_time - 0.05))
    assert not rivals_target([by_rule]).ok
    assert None not in rivals_table([one]).rows[0], "a counter on every site"
