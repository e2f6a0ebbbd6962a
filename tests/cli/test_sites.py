"""`strandline sites` and `strandline site` as a keeper uses them."""

import json

import pytest

from journeys.command import here, strandline
from servers.small_site import small_site
from strandline.settings.edit import change_settings
from web.archives import Builder


@pytest.fixture
def folder(tmp_path):
    made = Builder(tmp_path)
    for hour in range(2):
        made.add("http://site.test/a.html", f"at {hour}", when=f"2026-03-01T1{hour}:00:00Z")
    folder = made.archive().folder
    change_settings(folder, {"archive.contact": '"https://keeper.example/"'})
    return folder


def test_add_set_pause_show_and_list(folder):
    assert here("site", "add", folder, "https://example.org/", "budget=9/day").stdout.startswith("example.org: added (")
    assert 'hours = ["22:00-06:00"]' in here("site", "set", folder, "example.org", "hours=22:00-06:00").stdout
    assert here("site", "pause", folder, "example.org").stdout.startswith("example.org: paused")
    table = here("sites", folder, "--all").stdout
    assert "example.org  paused" in table
    assert "budget 9/day; hours 22:00-06:00" in table
    assert "site.test" in table
    shown = json.loads(here("site", "show", folder, "example.org", "--json").stdout)
    assert (shown["state"], shown["settings"]["budget"], shown["closed"]) == ("paused", "9/day", "the site is paused")
    assert "starts at https://example.org/" in here("site", "show", folder, "example.org").stdout
    assert here("site", "resume", folder, "example.org").stdout.startswith("example.org: resumed")
    assert here("site", "remove", folder, "example.org").stdout.startswith("example.org: removed")
    listed = [json.loads(line) for line in here("sites", folder, "--json", "--all").stdout.splitlines()]
    assert {one["site"]: one["state"] for one in listed} == {"example.org": "removed", "site.test": "parts"}
    assert "holds 2 captures of 1 addresses" in here("site", "show", folder, "site.test", "--weeks", "520").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("set", "site.test"), "say what to set"),
        (("set", "site.test", "budget"), "write KEY=VALUE"),
        (("set", "site.test", "colour=red"), "cannot be set of a site"),
        (("set", "site.test", "hours=noon"), "are no hours"),
        (("pause", "nowhere.test"), "no site nowhere.test"),
        (("show", "nowhere.test"), "no site nowhere.test"),
    ],
)
def test_wrong_use_is_told(folder, words, said):
    done = strandline("site", words[0], folder, *words[1:])
    assert done.code in (2, 4)
    assert said in done.err


def test_a_site_is_looked_at_before_it_is_added(folder):
    change_settings(folder, {"fetch.allow_address": '["127.0.0.1/32"]', "politeness.delay": '"0.01"'})
    with small_site() as site:
        site.answers |= {
            "/": '<html lang="fr"><title>Le port</title><p>Sept bateaux sont partis.<a href="/a">a</a>',
            "/robots.txt": (200, "text/plain", "User-agent: *\nDisallow: /private"),
        }
        found = json.loads(here("site", "look", folder, site.url, "--json").stdout)
        assert (found["title"], found["language"], found["pages"]["host"]) == ("Le port", "fr", 2)
        said = here("site", "look", folder, f"{site.url}private/").stdout
    assert "not allowed (robots.txt)" in said and "problem    robots" in said
