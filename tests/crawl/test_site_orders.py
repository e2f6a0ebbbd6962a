"""What is said of single sites, as a crawl goes by it."""

from dataclasses import replace

import pytest

from strandline.core.politeness.delays import Manners, MannersSettings
from strandline.crawl.preparing import CrawlRequest, prepare_crawl
from strandline.crawl.site_orders import Gate, manners_with_sites, rules_of, site_headers
from strandline.errors import SettingError
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings

NOON, NIGHT = 1_772_452_800.0, 1_772_492_400.0  # a Monday, 12:00 and 23:00 UTC


def _with(*sites):
    return replace(Settings(), learn=replace(Settings().learn, zone="UTC"), site=sites)


def test_a_gate_closes_known_hosts_and_those_that_are_met():
    settings = _with(SiteSettings("a.example", hours=("22:00-06:00",)), SiteSettings("b.example", state="paused"))
    hosts = {"a.example": ["a.example", "www.a.example"], "b.example": ["b.example"]}
    gate = Gate(rules_of(settings), lambda site: hosts[site])
    assert gate.closed(NOON) == {"a.example", "www.a.example", "b.example"}
    assert gate.why_not("new.a.example", NOON) == "outside the hours of the site"
    assert "new.a.example" in gate.closed(NOON)
    assert gate.closed(NIGHT) == {"b.example"}
    assert gate.why_not("c.example", NOON) == ""
    gate.change(rules_of(_with()))
    assert gate.closed(NOON) == set() and gate.why_not("b.example", NOON) == ""


def test_sites_are_treated_as_politely_as_was_said():
    usual = MannersSettings(delay=3.0)
    settings = manners_with_sites(_with(SiteSettings("slow.example", delay="60 s", connections=2)), usual)
    manners = Manners(settings, lambda: 0.0)
    for host in ("slow.example", "www.slow.example", "other.example"):
        manners.began(host, 0.0, 1)
        manners.ended(host, 0.1, 1, 0.1, "answered")
    assert [manners.ready(host, 10.0) for host in ("slow.example", "www.slow.example", "other.example")] == [
        False,
        False,
        True,
    ]
    manners.change(usual)
    manners.began("slow.example", 100.0, 2)
    assert manners.ready_at("slow.example", 103.5) == 103.5


def test_fields_come_from_the_settings_and_secrets_from_the_environment(monkeypatch):
    monkeypatch.setenv("NEWS_COOKIE", "k=v")
    settings = _with(SiteSettings("a.example", headers=("Accept-Language: de", "Cookie: ${NEWS_COOKIE}")))
    of = site_headers(settings)
    assert of("www.a.example") == (("Accept-Language", "de"), ("Cookie", "k=v"))
    assert of("b.example") == ()
    monkeypatch.delenv("NEWS_COOKIE")
    with pytest.raises(SettingError, match=r"a\.example: headers name \$NEWS_COOKIE"):
        prepare_crawl(settings, CrawlRequest())
