from strandline.keeping.sites import Site
from strandline.settings.site_tables import SiteSettings
from strandline.store.costs import SiteWeek
from strandline.web.views.sites import site_view

WEEK = 7 * 86_400.0


def test_weeks_are_told_one_by_one_and_together():
    weeks = (SiteWeek("a.test", 0, 5, 1, 0, 700, 2, 1, 0.5), SiteWeek("a.test", 2, 7, 2, 1, 300, 1, 0, 0.25))
    site = Site("a.test", SiteSettings("a.test", budget="9/day"), ("http://a.test/",), weeks=weeks)
    view = site_view(site, 10 * WEEK)
    assert (view.week.requests, view.week.bytes, view.week.changes, view.week.importance) == (12, 1000, 3, 0.75)
    assert [one.until for one in view.weeks] == [10 * WEEK, 8 * WEEK]
    assert (view.state, view.settings) == ("active", {"budget": "9/day"})
    assert site_view(Site("b.test", SiteSettings("b.test"), ()), 0.0).state == "parts"
