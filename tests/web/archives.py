"""Small archives made with warcio, served for a test."""

import asyncio
import gzip
import http.client
import io
import threading
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from made.memory_index import MemoryIndex
from strandline.access.index import Holdings
from strandline.archive.folder import Archive
from strandline.archive.holdings import holdings
from strandline.python_archive import OpenedArchive
from strandline.python_archive import create_folder as create
from strandline.settings.file import NAME, settings_text, with_overrides
from strandline.warc.captures import Kept, captures_of
from strandline.warc.reader import WarcReader
from strandline.web.options import ServeOptions
from strandline.web.server import Service


@dataclass
class Builder:
    """Writes exchanges into one WARC file."""

    folder: Path
    name: str = "made.warc.gz"

    def __post_init__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = (self.folder / self.name).open("wb")
        self._writer = WARCWriter(self._file, gzip=True)

    def add(self, url, body=b"", content_type="text/html", when="2026-03-01T12:00:00Z", status="200 OK", headers=()):
        body = body.encode() if isinstance(body, str) else body
        fields = [("Content-Type", content_type), *headers] if content_type else list(headers)
        if not any(name.lower() in ("transfer-encoding", "content-length") for name, _ in fields):
            fields.append(("Content-Length", str(len(body))))
        record = self._writer.create_warc_record(
            url,
            "response",
            payload=io.BytesIO(body),
            length=len(body),
            http_headers=StatusAndHeaders(status, fields, protocol="HTTP/1.1"),
            warc_headers_dict={"WARC-Date": when},
        )
        self._writer.write_record(record)
        return record.rec_headers.get_header("WARC-Payload-Digest")

    def raw(self, url, block, when="2026-03-01T12:00:00Z"):
        """A response record whose block is what it is, well-formed or not."""
        lines = {"WARC-Type": "response", "WARC-Record-ID": f"<{uuid.uuid4().urn}>", "WARC-Target-URI": url}
        lines |= {"WARC-Date": when, "Content-Type": "application/http", "Content-Length": str(len(block))}
        head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
        self._file.write(gzip.compress(head.encode() + block + b"\r\n\r\n"))

    def revisit(
        self, url, digest, original, original_date, when, headers=(("Content-Type", "text/html"),), status="200 OK"
    ):
        record = self._writer.create_revisit_record(
            url,
            digest,
            original,
            original_date,
            http_headers=StatusAndHeaders(status, list(headers), protocol="HTTP/1.1") if headers is not None else None,
            warc_headers_dict={"WARC-Date": when},
        )
        self._writer.write_record(record)

    def holdings(self) -> Holdings:
        self._file.close()
        found = [item.capture for item in captures_of(self.folder / self.name, strict=False) if isinstance(item, Kept)]
        return Holdings(MemoryIndex(found), WarcReader(self.folder), "Test archive")

    def archive(self) -> Archive:
        """The same as an archive folder, not studied."""
        self._file.close()
        made = create(self.folder / "folder", contact="https://library.test/bot")
        made = OpenedArchive(
            made.folder, with_overrides(made.settings, ["study.workers=0", "archive.description=Test archive"])
        )
        (made.folder / NAME).write_text(settings_text(made.settings))
        if (self.folder / self.name).stat().st_size:
            made.bring_in(self.folder / self.name)
        return made


@dataclass
class Served:
    """A running server."""

    interface: str
    replay: str
    port: int
    replay_port: int
    token: str = ""

    def get(self, path, headers=None, method="GET", origin="replay", body=None, host=None):
        """Status, headers (lower-cased, last wins) and body of an answer."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.replay_port if origin == "replay" else self.port, timeout=300
        )
        try:
            connection.putrequest(method, path, skip_host=host is not None, skip_accept_encoding=True)
            if host is not None:
                connection.putheader("Host", host)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            data = answer.read()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, data
        finally:
            connection.close()


@contextmanager
def served(what: Holdings | Archive, **options):
    """Serve holdings, or a whole archive, on free ports for a while."""
    held, archive = (holdings(what), what) if isinstance(what, Archive) else (what, None)
    service = Service(held, ServeOptions(**{"port": 0, "replay_port": 0, **options}), archive)
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(service.run(lambda _: ready.set())), daemon=True)
    thread.start()
    assert ready.wait(300), "the server did not start"
    addresses = service.addresses
    ports = [int(address.rstrip("/").rpartition(":")[2]) for address in (addresses.interface, addresses.replay)]
    try:
        yield Served(addresses.interface.rstrip("/"), addresses.replay.rstrip("/"), *ports, token=addresses.token)
    finally:
        service.stop()
        thread.join(20)
        assert not thread.is_alive(), "the server did not stop"
