"""The bundled site, archived and served by the commands a newcomer runs, in a real browser."""

import json
import signal
import subprocess
import sys
import urllib.request

import pytest

from web.chromium import chromium

pytestmark = pytest.mark.browser
STRANDLINE = [sys.executable, "-m", "strandline"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "archive"
    made = subprocess.run(
        [*STRANDLINE, "demo", "--archive", folder, "--days", "0.25", "--no-serve"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    server = subprocess.Popen(
        [*STRANDLINE, "serve", folder, "--port", "0", "--replay-port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield server.stdout.readline().strip()
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(300) == 0
        server.stdout.close()


def shown(asked, frame, site):
    """Kinds of files that were asked of the replay."""
    replay = frame.partition("/web/")[0]
    return {url.partition(f"http://{site}/")[2].rpartition(".")[2] for url in asked if url.startswith(replay)}


def test_the_demo_site_replays_whole_and_stays_inside(address):
    with urllib.request.urlopen(f"{address}api/v1/sites") as answer:
        site = json.load(answer)[0]["site"]
    with chromium() as browser:
        page = browser.new_context().new_page()
        asked, failed, errors = [], [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(f"{address}web/http://{site}/")
        # Not until the network is idle: the bar of the interface may ask again and again.
        while len(page.frames) < 2 or not {"css", "js", "json"} <= shown(asked, page.frames[1].url, site):
            page.wait_for_timeout(50)
        frame = page.frames[1]
        frame.wait_for_load_state("load")
        assert frame.evaluate("document.styleSheets.length") >= 1
        assert frame.evaluate(
            "[...document.images].every(image => image.naturalWidth > 0) && document.images.length > 0"
        )
        replay = frame.url.partition("/web/")[0]
        assert [url for url in asked if not url.startswith((replay, address))] == []
        assert (failed, errors) == ([], [])


def test_what_the_demonstration_learned_is_there_to_browse(address):
    for part in ("patterns", "rules", "classes"):
        with urllib.request.urlopen(f"{address}api/v1/{part}") as answer:
            assert json.load(answer)["about"]["behind"] == 0
