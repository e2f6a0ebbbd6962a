"""Sites in operation: what is listed, what it costs and brings, what can be said of one."""

import time

import pytest

from made.two_sites import VISITS, cluster, folder
from servers import postgres
from strandline.app.opening import place_of
from strandline.errors import SettingError, UsageError
from strandline.keeping.sites import add_site, all_sites, move_site, set_site, site_at, site_name, with_values
from strandline.python_archive import create_folder, open_folder
from strandline.settings.site_tables import SiteSettings
from strandline.store.catalog import DATABASE
from strandline.store.costs import CostReading

__all__ = ["cluster", "folder"]


@pytest.fixture
def empty(tmp_path):
    return create_folder(tmp_path / "a", contact="https://keeper.example/")


def test_a_site_is_told_set_paused_and_removed(empty):
    place = place_of(empty)
    made = add_site(
        place, "https://www.example.org/start", {"budget": "100/day", "hours": "22:00-06:00;sat 0:00-24:00"}
    )
    assert (made.name, made.hours) == ("example.org", ("22:00-06:00", "sat 0:00-24:00"))
    set_site(place, "www.example.org", {"delay": "9 s"}, empty)
    set_site(place, "https://www.example.org/x", {"budget": "", "weight": 3, "browser": "auto", "hours": []}, empty)
    move_site(place, "example.org", "paused", empty)
    found = {one.name: one for one in all_sites(empty, place.settings(), time.time())}
    assert sorted(found) == ["example.org", "www.example.org"]
    assert (found["example.org"].state, found["example.org"].closed) == ("paused", "the site is paused")
    said = found["example.org"].settings
    assert (said.budget, said.weight, said.browser, said.hours) == ("", 3.0, "auto", ())
    move_site(place, "example.org", "removed", empty)
    again = add_site(place, "https://www.example.org/start")
    assert (again.name, again.delay) == ("www.example.org", "9 s")
    move_site(place, "example.org", "active", empty)
    assert {one.state for one in place.settings().site} == {"active"}
    assert open_folder(empty.folder).site_list()[0].name == "example.org"


def test_what_cannot_be_is_told(empty):
    place = place_of(empty)
    with pytest.raises(UsageError, match="no site nowhere"):
        move_site(place, "nowhere.example", "paused", empty)
    with pytest.raises(UsageError, match="cannot be set"):
        with_values(SiteSettings("a.example"), {"name": "b"})
    with pytest.raises(SettingError, match=r"site a\.example: hops: expected a whole number"):
        with_values(SiteSettings("a.example"), {"hops": "many"})
    with pytest.raises(UsageError, match="no site a"):
        site_at(empty, place.settings(), "a.example", 0.0)
    with pytest.raises(SettingError, match="NOT_THERE"):
        add_site(place, "https://a.example/", {"headers": "Cookie: $NOT_THERE"})
    assert place.settings().site == ()
    assert site_name(" Example.ORG/ ") == "example.org"


def test_without_a_contact_no_site_of_the_web_is_taken_in(tmp_path):
    archive = create_folder(tmp_path / "a")
    with pytest.raises(SettingError, match="contact"):
        add_site(place_of(archive), "https://example.org/")


def _weeks(archive, now):
    reading = CostReading.open(archive.folder / DATABASE)
    return [one._replace(importance=round(one.importance, 6)) for one in reading.site_weeks(now, 3)]


@postgres.GROUP
def test_a_cluster_tells_and_keeps_the_same(folder, cluster):
    now = max(one.time for one in folder.everything.all_captures()) + 1.0
    assert _weeks(cluster, now) == _weeks(folder, now)
    place = place_of(cluster)
    before = place.settings()
    try:
        set_site(place, "news.example", {"budget": "7/day"}, cluster)
        move_site(place, "news.example", "paused", cluster)
        found = site_at(cluster, place.settings(), "news.example", now)
        assert (found.state, found.settings.budget, found.captures) == ("paused", "7/day", 4 * VISITS)
    finally:
        place.change_tables("site", lambda _: before.site)
