from dataclasses import replace

from strandline.lab.experiments.near_rivals import BUSY, rivals_table, rivals_target, site_loops


def test_on_busy_sites_of_600_pages_no_rival_is_ahead_by_more_than_a_point():
    """Changes on time at half of the requests; once .632 and .899 against .973 and .974 of a counter."""
    loops = [site_loops(made.name, made.made(), counted=True) for made in BUSY]
    assert all(one.policy.on_time > 0.98 and one.policy.current > 0.97 for one in loops)
    assert rivals_target(loops).ok, rivals_target(loops)
    table = rivals_table(loops)
    assert [row[0] for row in table.rows] == [made.name for made in BUSY]
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_the_target_names_the_site_where_a_rival_is_ahead():
    one = site_loops("small", replace(BUSY[0], pages=60).made(), counted=False)
    beaten = replace(one, name="beaten", rivals={"page rates": replace(one.policy, on_time=one.policy.on_time + 0.02)})
    target = rivals_target([one, beaten])
    assert not target.ok
    assert "beaten" in target.got and "0.020" in target.got
    by_rule = replace(one, name="by rule", at_dormant=replace(one.at_dormant, on_time=one.dormant.on_time - 0.05))
    assert not rivals_target([by_rule]).ok
    assert rivals_table([one]).rows[0][4] is None, "no counter where it was not asked for"
