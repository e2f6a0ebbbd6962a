"""The set of pages that need a browser: what HTTP alone captures of them, and what a browser does."""

import pytest

import strandline
from browser.scoring import crawl_set, scored
from servers.script_pages import HOSTILE, PAGES
from servers.script_server import serving
from strandline.study.comparing import compare_versions

NAMES = tuple(name for name in PAGES if name not in HOSTILE)
AGENT = "compatible; strandline"


@pytest.fixture(scope="module")
def crawls(tmp_path_factory):
    """Of each way to crawl: what of each page is wanted and missing, the log of the server, and the tally."""
    found = {}
    for mode in ("never", "always"):
        with serving(*NAMES) as (base, log):
            folder = tmp_path_factory.mktemp(mode) / "archive"
            tally = crawl_set(folder, base, mode, "capture.load_more=true")
            found[mode] = scored(folder, base, NAMES), log, tally, folder
    return found


def captured(score):
    wanted = sum(count for count, _ in score.values())
    return 1.0 - sum(len(missing) for _, missing in score.values()) / wanted


def test_there_are_at_least_thirty_pages():
    assert len(NAMES) >= 30
    assert len(PAGES) > len(NAMES)


def test_a_browser_captures_what_http_alone_does_not(crawls):
    browser, plain = crawls["always"][0], crawls["never"][0]
    assert not {name: missing for name, (_, missing) in browser.items() if missing}
    assert captured(browser) >= 0.95
    assert captured(plain) <= 0.6


def test_every_request_is_ours(crawls):
    _, log, tally, _ = crawls["always"]
    assert len(log.requests) > 80
    assert {agent for _, _, agent in log.requests if AGENT not in agent} == set()
    assert not tally.browser_failures


def test_cookies_stand_in_no_request_record(crawls):
    folder = crawls["always"][3]
    import gzip

    for file in (folder / "archive").glob("*.warc.gz"):
        with gzip.open(file) as records:
            assert b"mine=1" not in records.read().replace(b"document.cookie='mine=1", b"").replace(b'"mine=1"', b"")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_costs_itself_only(name, tmp_path):
    for seconds in (600,) if name == "hungry" else (12, 60):  # a busy machine takes its time for the other page, too
        bounds = (f'capture.page_seconds="{seconds} s"', "capture.page_requests=60", 'capture.memory="700 MiB"')
        with serving(name, "spa") as (base, log):
            tally = crawl_set(tmp_path / f"archive-{seconds}", base, "always", *bounds)
            found = scored(tmp_path / f"archive-{seconds}", base, (name, "spa"))
        if found["spa"] == (6, []):
            break
    lost = PAGES[name][0].ends == "lost"
    assert tally.ended == "complete"
    assert found["spa"] == (6, [])
    assert not found[name][1]
    assert sum(tally.browser_failures.values()) == lost
    assert len(log.requests) < 200


def test_what_scripts_bring_is_studied_searched_and_compared(tmp_path, monkeypatch):
    folder = tmp_path / "archive"
    with serving("spa") as (base, _):
        crawl_set(folder, base, "never")
        crawl_set(folder, base, "always")
        items = b'[{"id":1,"name":"first item"},{"id":2,"name":"quite another thing that was never there before"}]'
        monkeypatch.setitem(PAGES["spa"][1], "items.json", ("application/json", items))
        crawl_set(folder, base, "always")
    archive = strandline.open(folder)
    archive.study()
    changes = [change for change in archive.changes() if change.url == f"{base}/spa/"]
    assert len(changes) == 1  # to be shown in a browser for the first time is no change
    assert changes[0].importance > 0
    assert list(archive.search("quite another thing"))
    captures = [one for one in archive.captures(f"{base}/spa/") if one.rendering]
    found, _, _ = compare_versions(archive, f"{base}/spa/", captures[0].time, captures[1].time)
    assert found.recorded is not None
    assert not found.delta.empty
