from dataclasses import replace

from strandline.settings.in_force import in_force, is_domain, removed_sites, with_seeds
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings
from strandline.settings.texts import FORMS


def _with(*sites, seeds=()):
    return replace(Settings(), scope=replace(Settings().scope, seeds=seeds), site=sites)


def test_what_is_said_of_sites_stands_where_it_is_looked_for_and_twice_is_once():
    settings = _with(
        SiteSettings("example.org", ("https://example.org/",), budget="100/day", weight=2.5, browser="auto"),
        SiteSettings("www.example.com", budget="5/hour"),
        SiteSettings("gone.example", ("https://gone.example/",), state="removed", budget="1/day", weight=9.0),
        seeds=("https://a.example/", "https://www.gone.example/x"),
    )
    found = in_force(settings)
    assert found.scope.seeds == ("https://a.example/", "https://example.org/")
    assert found.plan.site_budgets == ("example.org 100/day",)
    assert found.plan.host_budgets == ("www.example.com 5/hour",)
    assert [FORMS["campaign"](text)[1::3] for text in found.plan.campaigns] == [("example.org", 2.5)]
    assert found.capture.browser_sites == ("example.org auto",)
    assert in_force(found) == found
    assert in_force(Settings()) is not None and in_force(Settings()) == Settings()


def test_seeds_of_removed_sites_are_none():
    settings = _with(SiteSettings("gone.example", state="removed"))
    assert removed_sites(settings)("http://www.gone.example/x") and not removed_sites(settings)("http://a.example/")
    assert with_seeds(settings, ("http://gone.example/", "http://a.example/")) == ("http://a.example/",)
    assert not is_domain("www.example.org")
