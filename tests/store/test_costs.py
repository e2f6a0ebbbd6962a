"""What sites cost and yield, against the captures and changes themselves."""

from made.two_sites import SITES, VISITS, folder
from strandline.store.catalog import DATABASE
from strandline.store.costs import WEEK, CostReading

__all__ = ["folder"]


def test_costs_are_those_of_the_captures(folder):
    captures = list(folder.everything.all_captures())
    now = max(one.time for one in captures) + 1.0
    costs = CostReading.open(folder.folder / DATABASE)
    for week in range(2):
        within = [one for one in captures if now - (week + 1) * WEEK < one.time <= now - week * WEEK]
        found = [one for one in costs.site_weeks(now, 2) if one.week == week]
        assert sum(one.requests for one in found) == len(within)
        assert sum(one.octets for one in found) == sum(one.place.length for one in within)
        assert sum(one.unchanged for one in found) == sum(one.revisit for one in within)
    assert len(captures) == 2 * 4 * VISITS
    total = sum(one.changes for one in costs.site_weeks(now, 520))
    assert total == sum(1 for one in folder.studies.changes() if one.visible) > 0
    only = list(costs.site_weeks(now, 520, "news.example"))
    assert {one.site for one in only} == {"news.example"} and SITES[0].endswith("news.example")
