"""replayweb.page, the viewer that runs in a reader's browser (wabac.js), as npm has it; kept in a cache folder.

    with replayweb_on(file) as page_at:     # skips the test with a message where npm cannot be had
        browser.goto(page_at("http://example.org/"))

STRANDLINE_TEST_CACHE says where the package is kept (default: ~/.cache/strandline-tests).
"""

import contextlib
import fcntl
import html
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from warc.pywb_env import cache_folder

PACKAGE = "replaywebpage"
VERSION = "2.4.6"
_PAGE = """<!doctype html><script src="/replay/ui.js"></script>
<replay-web-page source="/held.wacz" replayBase="/replay/" embed="replayonly" url="{url}"></replay-web-page>"""


def viewer() -> Path:
    """The folder with `ui.js` and `sw.js`; pytest.skip when it cannot be had."""
    folder = cache_folder() / f"{PACKAGE}-{VERSION}"
    with (cache_folder() / f"{PACKAGE}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            npm = shutil.which("npm")
            if npm is None:
                pytest.skip("replayweb.page not tried: npm is not installed")
            with tempfile.TemporaryDirectory(dir=cache_folder()) as work:
                command = [npm, "pack", "--silent", f"{PACKAGE}@{VERSION}"]
                done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
                if done.returncode:
                    pytest.skip(f"replayweb.page not tried: it cannot be had here ({done.stderr.strip()[-200:]})")
                with tarfile.open(next(Path(work).glob("*.tgz"))) as packed:
                    packed.extractall(work, filter="data")
                (Path(work) / "package").rename(folder)
    return folder


class _Files(SimpleHTTPRequestHandler):
    """Files by ranges, as a viewer asks for them, and a page around each address that is to be shown."""

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):  # a page was left while it was loading
            self._answer()

    def _answer(self) -> None:
        asked = urlsplit(self.path)
        file = Path(self.translate_path(self.path))
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if asked.path == "/show":
            url = html.escape(parse_qs(asked.query)["url"][0])
            self._give(200, _PAGE.format(url=url).encode(), "text/html")
        elif wanted and file.is_file():
            whole = file.read_bytes()
            first = int(wanted[1]) if wanted[1] else max(0, len(whole) - int(wanted[2]))
            end = min(int(wanted[2]) + 1, len(whole)) if wanted[1] and wanted[2] else len(whole)
            self._give(206, whole[first:end], "application/zip", f"bytes {first}-{end - 1}/{len(whole)}")
        else:
            super().do_GET()

    def _give(self, status: int, body: bytes, kind: str, place: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if place:
            self.send_header("Content-Range", place)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def replayweb_on(file: Path) -> Iterator[Callable[[str], str]]:
    """The viewer with a WACZ; gives what makes the address under which an archived address is shown."""
    there = viewer()
    with tempfile.TemporaryDirectory() as root:
        replay = Path(root) / "replay"
        replay.mkdir()
        for name in ("ui.js", "sw.js"):
            shutil.copy(there / name, replay)
        shutil.copy(file, Path(root) / "held.wacz")
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=root)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield lambda url: f"http://127.0.0.1:{server.server_port}/show?url={url}"
            finally:
                server.shutdown()
