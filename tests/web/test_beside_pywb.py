"""The CDX API and unmodified payloads, answer for answer beside pywb in its own environment (warc/pywb_env.py)."""

import http.client
import json
import socket
import subprocess

import pytest

from servers.processes import listening, wait_until
from warc.pywb_env import pywb_python
from web.archives import Builder, served


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    tools = pywb_python().parent
    folder = tmp_path_factory.mktemp("ours")
    made = Builder(folder)
    for day in range(1, 9):
        digest = made.add("http://site.test/", f"day {day % 3}", "text/plain", f"2026-03-0{day}T12:00:00Z")
    made.revisit(
        "http://site.test/",
        digest,
        "http://site.test/",
        "2026-03-08T12:00:00Z",
        "2026-03-09T12:00:00Z",
        [("Content-Type", "text/plain")],
    )
    made.add("http://site.test/a/b?y=2&x=1", "query", "text/plain", "2026-03-01T00:00:00Z")
    made.add("https://www.site.test/a/c", "secure", "text/plain", "2026-03-02T00:00:00Z")
    made.add("http://sub.site.test/", "sub", "text/plain", "2026-03-03T00:00:00Z")
    made.add("http://site.test/gone", "gone", "text/plain", "2026-03-03T00:00:00Z", "404 Not Found")
    holdings = made.holdings()
    theirs = tmp_path_factory.mktemp("theirs")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": theirs}
    subprocess.run([tools / "wb-manager", "init", "test"], check=True, **quiet)
    subprocess.run([tools / "wb-manager", "add", "test", folder / made.name], check=True, **quiet)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([tools / "wayback", "-p", str(port), "-b", "127.0.0.1"], **quiet)
    try:
        wait_until(lambda: listening(port), "pywb", process)
        with served(holdings) as server:
            yield server, port
    finally:
        process.terminate()
        process.wait(300)


def _theirs(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def _rows(body):
    """Fields of the lines; the status of a revisit is told by us and left out by pywb's own indexer."""
    names = ("urlkey", "timestamp", "url", "mime", "length", "offset")
    found = [json.loads(line) for line in body.splitlines() if line.strip()]
    return [(*(row[name] for name in names), "" if row["mime"] == "warc/revisit" else row["status"]) for row in found]


@pytest.mark.parametrize(
    "query",
    [
        "url=http://site.test/",
        "url=site.test",
        "url=https://www.site.test/",
        "url=http://site.test/a/b?x=1%26y=2",
        "url=http://site.test/*",
        "url=http://site.test/a/*",
        "url=*.site.test",
        "url=site.test&matchType=host",
        "url=site.test&matchType=domain",
        "url=site.test/a&matchType=prefix",
        "url=site.test&from=20260303&to=20260305",
        "url=site.test&from=2026&to=202603",
        "url=site.test&limit=3",
        "url=site.test&sort=reverse",
        "url=site.test&sort=reverse&limit=2",
        "url=site.test&closest=20260304130000&limit=3",
        "url=site.test/*&filter==status:404",
        "url=site.test/*&filter=!status:404",
        "url=site.test/*&filter=~timestamp:2026030[12].*",
        "url=site.test&filter=mime:revisit",
        "url=nowhere.test",
    ],
)
def test_the_same_query_has_the_same_answer(both, query):
    server, port = both
    status, _, theirs = _theirs(port, f"/test/cdx?{query}&output=json")
    ours = server.get(f"/cdx?{query}&output=json")
    assert (status, ours[0]) == (200, 200)
    assert _rows(ours[2]) == _rows(theirs)


@pytest.mark.parametrize("stamp", ["20260301120000", "20260304180001", "20260309120000", "2020", "2030"])
def test_the_same_capture_is_chosen_byte_for_byte(both, stamp):
    server, port = both
    status, headers, theirs = _theirs(port, f"/test/{stamp}id_/http://site.test/")
    ours = server.get(f"/web/{stamp}id_/http://site.test/")
    assert (status, theirs) == (ours[0], ours[2])
    assert headers["Memento-Datetime"] == ours[1]["memento-datetime"]
