"""Pages that a browser saw live, replayed and compared: whole ones score 1, and what is lost is named."""

import json
import time

import pytest

import strandline
from browser.scoring import crawl_set
from journeys.command import strandline as command
from servers.script_server import serving
from strandline.errors import UsageError
from strandline.keeping.takedowns import Wish, block

NAMES = ("spa", "frames", "post", "shadow", "worker", "imports")


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quality") / "archive"
    with serving(*NAMES, "service") as (base, log):
        crawl_set(folder, base, "always")
        yield folder, base, log


def test_what_is_shown_again_and_what_is_missing(captured):
    folder, base, log = captured
    before = log.connections
    archive = strandline.open(folder)
    found = archive.replay_quality()
    pages = {page.url: page for page in found.pages}
    assert {name: pages[f"{base}/{name}/"].score for name in NAMES} == dict.fromkeys(NAMES, 1.0)
    assert [page.outside for page in found.pages if page.outside] == []
    assert log.connections == before
    lost = pages[f"{base}/service/"]
    assert (lost.score, lost.mendable) == (0.0, False)
    assert lost.missing_blocks[0].text == "answered by the service worker"
    assert 0.8 < found.score < 1.0
    assert list(found.sites()) == [base.removeprefix("http://")]

    block(archive, Wish(f"{base}/spa/items.json", "test"))
    block(archive, Wish(f"{base}/imports/back.png", "test"))
    spa = archive.replay_quality(f"{base}/spa/").pages[0]
    assert spa.blocks == 0.0
    assert spa.missing_requests == ((f"{base}/spa/items.json", "not captured"),)
    assert spa.mendable
    assert archive.replay_quality(f"{base}/spa/", again=True).planned == (f"{base}/spa/",)
    assert archive.reading.page(f"{base}/spa/").due < time.time() + 60
    styled = archive.replay_quality(f"{base}/imports/").pages[0]
    assert (styled.blocks, 0.5 < styled.parts < 1.0) == (1.0, True)


def test_the_command_says_the_same(captured):
    folder, base, _ = captured
    told = json.loads(command("quality", folder, f"{base}/frames/", "--replay", "--json").out)
    assert (told["score"], told["pages"][0]["url"]) == (1.0, f"{base}/frames/")
    assert "replays 1.00" in command("quality", folder, f"{base}/frames/", "--replay").out
    assert command("quality", folder, f"{base}/frames/").code == 2


def test_a_page_no_browser_saw_has_nothing_to_be_compared_with(captured):
    folder, base, _ = captured
    with pytest.raises(UsageError, match="nothing to compare"):
        strandline.open(folder).replay_quality(f"{base}/nowhere/")
