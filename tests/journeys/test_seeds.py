"""Where a crawl starts is said once: later runs know it, and what a narrower run left out comes back."""

import pytest

from journeys.command import UNSTUDIED, strandline
from strandline.demo.server import DemoServer
from strandline.settings.edit import change_settings


@pytest.fixture
def site():
    with DemoServer(hour_seconds=3600.0) as running:
        yield running


def pages(done):
    return {event["url"] for event in done.captured if event["url"].endswith((".html", "/"))}


def test_a_run_without_seeds_starts_where_the_archive_started(tmp_path, site):
    folder = tmp_path / "archive"
    assert strandline("init", folder).code == 0
    first = strandline("crawl", folder, "--seeds", site.url, *UNSTUDIED)
    again = strandline("crawl", folder, *UNSTUDIED)
    assert again.code == 0, again.err
    assert pages(again) == pages(first)
    assert len(pages(first)) > 20
    settings = (
        "--allow-address",
        "127.0.0.1/32",
        "--budget",
        "30/hour",
        "--hour-seconds",
        "2",
        "--for",
        "3h",
        "--json",
    )
    watched = strandline("watch", folder, *settings)
    assert watched.code == 0, watched.err
    assert pages(watched)


def test_what_a_narrower_run_left_out_is_asked_again_by_a_wider_one(tmp_path, site):
    folder = tmp_path / "archive"
    assert strandline("init", folder).code == 0
    whole = strandline("crawl", folder, "--seeds", site.url, *UNSTUDIED)
    narrow = strandline("crawl", folder, "--seeds", f"{site.url}news/", "--scope", "prefix", *UNSTUDIED)
    assert 0 < len(pages(narrow)) < len(pages(whole))
    assert all("/news/" in url for url in pages(narrow))
    wide = strandline("crawl", folder, "--seeds", site.url, *UNSTUDIED)
    assert pages(wide) == pages(whole)


def test_a_seed_given_by_a_command_stays_when_others_come_to_the_settings(tmp_path, site):
    folder = tmp_path / "archive"
    with DemoServer(hour_seconds=3600.0) as named, DemoServer(hour_seconds=3600.0) as later:
        assert strandline("init", folder, "--seeds", named.url).code == 0
        assert strandline("crawl", folder, "--seeds", site.url, "--limit", "5", *UNSTUDIED).code == 0
        change_settings(folder, {"scope.seeds": f'["{later.url}"]'})
        assert strandline("reindex", folder).code == 0
        again = strandline("crawl", folder, *UNSTUDIED)
        places = {url.split("/")[2] for url in pages(again)}
        assert places == {one.url.split("/")[2] for one in (site, later)}, "what the settings named went with them"
        why = strandline("why", folder, site.url, "--json")
        assert "out of scope" not in why.out
