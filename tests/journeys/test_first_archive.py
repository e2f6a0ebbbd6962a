"""A newcomer's first archive: init, crawl, crawl again, look at it, check it, take it elsewhere."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from journeys.command import LOOPBACK, strandline
from strandline.cli.crawling import crawl_settings
from strandline.demo.server import DemoServer
from strandline.settings.schema import Settings


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    """The demonstration site, crawled twice."""
    folder = tmp_path_factory.mktemp("first") / "archive"
    with DemoServer(hour_seconds=30.0) as site:
        made = strandline("init", folder, "--seeds", site.url, fresh=True)
        first = strandline("crawl", folder, *LOOPBACK, fresh=True)
        seen = len(site.log)
        second = strandline("crawl", folder, *LOOPBACK)
        return folder, site.url, site.log, seen, (made, first, second)


def test_init_explains_itself(archived):
    folder, url, *_, (made, _, _) = archived
    assert made.code == 0
    assert "contact" in made.err
    settings = (folder / "strandline.toml").read_text()
    assert url in settings
    assert settings.count("# ") > 40


def test_every_page_of_the_site_is_captured_and_promised_once(archived):
    folder, url, _, _, (_, first, _) = archived
    assert first.code == 0, first.err
    done = first.lines[-1]
    assert done["event"] == "done"
    assert done["failed"] == 0
    assert done["captured"] == len(first.captured) > 150
    urls = Counter(event["url"] for event in first.captured)
    assert max(urls.values()) == 1
    for path in (
        "",
        "news/1.html",
        "archive/1999/25.html",
        "style.css",
        "paper.svg",
        "ticker.json",
        "feed.xml",
        "sitemap.xml",
    ):
        assert f"{url}{path}" in urls, path
    for event in first.captured:
        file = folder / "archive" / event["file"]
        assert file.stat().st_size >= event["offset"] + event["length"]


def test_an_archive_is_its_owner_s_alone(archived):
    folder, *_ = archived
    modes = {path.relative_to(folder): path.stat().st_mode & 0o777 for path in folder.rglob("*")}
    assert {"strandline.toml", "index.cdxj"} <= {path.name for path in modes}
    assert {path: mode for path, mode in modes.items() if mode not in (0o600, 0o700)} == {}


def test_robots_and_identity(archived):
    _, _, log, *_ = archived
    assert not [hit for hit in log if hit.path.startswith(("/ads/click", "/private"))]
    assert log[0].path == "/robots.txt"
    assert all(hit.agent.startswith("Mozilla/5.0 (compatible; strandline/") for hit in log)


def test_a_second_crawl_keeps_what_did_not_change_as_revisits(archived):
    _, _, log, seen, (_, _, second) = archived
    assert second.code == 0, second.err
    done = second.lines[-1]
    assert done["unchanged"] > 80
    assert any(event["status"] == 304 and event["revisit"] for event in second.captured)
    asked = Counter(hit.path for hit in log[seen:])
    assert max(asked.values()) == 1, "no page is asked twice in a pass"


def test_versions_and_verify_and_reindex_agree(archived):
    folder, url, *_ = archived
    before = strandline("versions", folder, f"{url}archive/1998/1.html", "--json").lines
    assert [version["revisit"] for version in before] == [False, True]
    audit = strandline("verify", folder, "--json", fresh=True)
    assert audit.code == 0
    counted = json.loads(audit.out)
    assert counted["ok"]
    (folder / "strandline.db").unlink()
    rebuilt = strandline("reindex", folder, "--json", fresh=True)
    assert rebuilt.code == 0, rebuilt.err
    assert rebuilt.lines[0]["captures"] == counted["captures"]
    after = strandline("versions", folder, f"{url}archive/1998/1.html", "--json").lines
    assert [version | {"metadata": None} for version in after] == [old | {"metadata": None} for old in before]
    assert json.loads(strandline("verify", folder, "--json").out) == counted


def test_other_tools_read_the_archive(archived, tmp_path):
    folder, *_ = archived
    files = sorted((folder / "archive").glob("*.warc.gz"))
    tools = Path(sys.executable).parent
    for file in files:
        checked = subprocess.run([tools / "warcio", "check", "-v", file], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout[-2000:]
    indexed = subprocess.run(
        [tools / "cdxj-indexer", "--sort", *files], capture_output=True, check=True
    ).stdout.splitlines()
    ours = (folder / "indexes" / "index.cdxj").read_bytes().splitlines()
    assert ours == indexed


def test_an_address_that_is_allowed_twice_is_written_once():
    """`cluster init` of a compose file runs with every start: settings that are the same must stay the same."""
    once = crawl_settings(Settings(), {}, ["10.0.0.0/8", "127.0.0.1/32"], None)
    assert once.fetch.allow_address == ("10.0.0.0/8", "127.0.0.1/32")
    assert crawl_settings(once, {}, ["127.0.0.1/32"], None) == once
