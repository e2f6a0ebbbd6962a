"""The page about Python shows what works: its code is run from top to bottom, on a site of one page that changes."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import strandline

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


NEWS = (
    "The library opens a reading room for children on Saturday.",
    "Heavy rain closed the bridge; buses take another road until spring.",
    "A ship from Norway brought paintings that nobody had seen before.",
)


class Changing(BaseHTTPRequestHandler):
    """One page that says something else whenever it is asked for."""

    asked = 0

    def do_GET(self):
        kind = type(self)
        kind.asked += self.path == "/"
        news = NEWS[kind.asked % len(NEWS)]
        body = f"<html><body><main><h1>News</h1><p>{news}</p></main></body></html>".encode()
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Changing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_the_code_of_the_page_runs(site, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 8
    names = {}
    for number, code in enumerate(blocks):
        exec(code.replace("https://example.org/", site), names)
        if number == 0:  # the machine itself may be asked, without pauses
            settings = tmp_path / "my-archive" / "strandline.toml"
            text = settings.read_text().replace("allow_address = []", 'allow_address = ["127.0.0.1/32"]')
            settings.write_text(re.sub(r"(?m)^delay = .*$", "delay = 0", text))
    told = capsys.readouterr().out
    assert re.search(r"^1 0 0$|^2 0 0$|^3 0 0$", told, re.MULTILINE), "captured by the first pass"
    assert "round-robin 10.0" in told
    assert (tmp_path / "example.wacz").stat().st_size > 500


def test_what_was_captured_can_be_read(tmp_path):
    archive = strandline.create(tmp_path / "read")
    versions = [
        {"url": "https://site.test/", "time": f"2026-01-0{day}T00:00:00Z", "html": f"<p>é {text}</p>"}
        for day, text in ((1, "old"), (2, "old"), (3, "new"))
    ]
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in versions))
    archive.bring_in(file)
    newest = archive.at("https://site.test/")
    assert newest.time == 1767398400.0 and archive.text(newest) == "<p>é new</p>"
    second = archive.at("https://site.test", 1767312000.0)
    assert second.revisit and archive.content(second) == "<p>é old</p>".encode()
    assert archive.at("https://other.test/") is None
    next((archive.folder / "archive").glob("*.warc*")).unlink()
    with pytest.raises(strandline.StrandlineError, match="missing"):
        archive.content(newest)


def test_what_makes_no_sense_is_a_usage_error(tmp_path):
    with pytest.raises(strandline.UsageError, match="no archive") as found:
        strandline.open(tmp_path / "nowhere")
    assert found.value.exit_code == 2
    archive = strandline.create(str(tmp_path / "new"))
    with pytest.raises(strandline.UsageError, match="already"):
        strandline.create(tmp_path / "new")
    with pytest.raises(strandline.StrandlineError, match="no captures"):
        archive.quality()
    with pytest.raises(strandline.UsageError, match="no site"):
        archive.save(tmp_path / "x.cdxj", site="other.example")
    with pytest.raises(strandline.UsageError, match="not a web address"):
        archive.captures("nonsense")
