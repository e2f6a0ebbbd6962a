"""An object store that answers with 5xx, is cut off in the middle of a request or an answer, or changes bytes: what a
`sync` promised is read back byte for byte, and what was finished is whole.
"""

import contextlib
import http.client
import http.server
import itertools
import os
import random
import threading
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from servers import object_stores
from servers.postgres import GROUP
from strandline.errors import ArchiveDamaged
from strandline.warc.objects import ARCHIVE, Objects
from strandline.warc.objects_joining import unfinished
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.objects_writer import ObjectWriter
from strandline.warc.writer import WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

pytestmark = GROUP

FAULTS = ("refused", "done but failed", "request cut", "answer cut", "reset")


class FaultyProxy(http.server.ThreadingHTTPServer):
    """Between a client and the store; `plan` names the fault of each request, empty for none."""

    daemon_threads = True

    def __init__(self, port, plan):
        super().__init__(("127.0.0.1", 0), _Proxied)
        self.store, self.plan, self.done, self.lock = port, plan, Counter(), threading.Lock()

    def fault(self, method, path):
        with self.lock:
            found = self.plan(method, path)
            self.done[found] += 1
            return found

    def handle_error(self, *_):
        """Clients that are cut off say so themselves."""


class _Proxied(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.fault(self.command, self.path)
        self.close_connection = True
        if fault == "reset":
            return
        if fault == "refused":
            self.send_error(503)
            return
        if fault == "request cut":
            self.forward(body[: len(body) // 2], len(body), wait=False)
            return
        if fault == "bytes changed":
            middle = len(body) // 2
            body = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :]
        status, headers, answer = self.forward(body, len(body))
        if fault == "done but failed":
            self.send_error(500)
            return
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                self.send_header(name, value)
        length = dict(headers).get("Content-Length", len(answer)) if self.command == "HEAD" else len(answer)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(answer[: len(answer) // 2] if fault == "answer cut" else answer)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = handle_any  # noqa: N815

    def forward(self, body, length, wait=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.store, timeout=60)
        with contextlib.closing(connection):
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("connection", "content-length", "expect"):
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(length))
            connection.endheaders(body)
            if not wait:
                return None
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture(params=object_stores.KINDS)
def faulty(request, monkeypatch):
    """Makes an address that goes through a proxy, one that does not, and the proxy."""
    server, opened = object_stores.entered(monkeypatch, request.param), []

    def make(plan, patience):
        bucket = f"{server.bucket()}/web"
        proxy = FaultyProxy(server.port, plan)
        thread = threading.Thread(target=proxy.serve_forever, args=(0.05,))
        thread.start()
        opened.append((proxy, thread))
        direct = Objects(bucket, 5.0)
        for name, value in server.environment(proxy.server_port).items():
            monkeypatch.setenv(name, value)
        return Objects(bucket, patience), direct, proxy

    yield make
    for proxy, thread in opened:
        proxy.shutdown()
        proxy.server_close()
        thread.join()


def writer(objects, folder, **settings):
    return ObjectWriter(objects, folder / "spool", ABOUT, StillClock(), WriterSettings(host="h-w1", **settings))


def test_five_hundreds_and_connections_that_break_cost_time_and_no_byte(faulty, tmp_path):
    rng, faults = random.Random(7), itertools.cycle(one for fault in FAULTS for one in ("", fault, ""))
    through, direct, proxy = faulty(lambda *_: next(faults), 60.0)
    bodies, kept = [rng.randbytes(rng.choice((10, 3000, 40_000))) for _ in range(24)], []
    with writer(through, tmp_path, rotate_bytes=60_000) as store:
        for start in range(0, len(bodies), 3):
            for number in range(start, start + 3):
                kept.append(store.keep(exchange(f"http://a.example/{number}", bodies[number])))
            store.sync()
            for one, body in zip(kept, bodies, strict=False):
                assert ObjectReader(direct).read(one.place).body.read() == body, "promised, and not there"
    assert set(proxy.done) == {"", *FAULTS}, "every kind of fault was met"
    reader = ObjectReader(through)
    assert [reader.read(one.place).body.read() for one in kept] == bodies
    assert unfinished(direct) == {}
    assert len({one.place.file for one in kept}) > 2


def test_a_store_that_changes_bytes_is_noticed_before_parts_are_removed(faulty, tmp_path):
    def wrong(method, path):
        return "bytes changed" if method == "PUT" and unquote(path).endswith(".warc.gz") else ""

    through, direct, proxy = faulty(wrong, 1.0)
    store = writer(through, tmp_path)
    kept = store.keep(exchange("http://a.example/", b"page"))
    store.sync()
    with pytest.raises(ArchiveDamaged, match="did not arrive"):
        store.close()
    assert proxy.done["bytes changed"] > 0
    assert ObjectReader(direct).read(kept.place).body.read() == b"page"
    assert [name for name, _ in direct.names(f"{ARCHIVE}/") if name.endswith(".gz")] == []


def test_a_folder_is_durable_down_to_the_names_of_new_folders(tmp_path, monkeypatch):
    """A store that is a folder answers for itself: a power cut must not take the folder a part was put into."""
    synced = []

    def fsync(descriptor):
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        return sync(descriptor)

    sync = os.fsync
    monkeypatch.setattr(os, "fsync", fsync)
    objects = Objects((tmp_path / "store").as_uri())
    objects.put("archive/a.warc.gz.parts/0000", b"part")
    chain = [tmp_path, *(tmp_path / "store" / end for end in ("", "archive", "archive/a.warc.gz.parts"))]
    assert {str(one) for one in (*chain, chain[-1] / "0000")} <= set(synced)
    assert (tmp_path / "store").stat().st_mode & 0o777 == 0o700, "and its owner's alone"
