"""A stand-in for Google's object store, run as a program: the part of its XML API that the library speaks.

No emulator of that API can be had from the usual indexes of packages (the common ones speak Google's JSON API), so this
one follows Google's public description: objects with generations, "only if there is none", ranges, lists in pages,
uploads in parts, errors by their codes. Who asks is checked as there: a token signed by the key of a service account.
It shows that our side speaks that language, not how Google's servers behave under load.

    python google_store.py FOLDER PORT        FOLDER/keys.json: {"public": PEM, "may": [accounts]}

A bucket is a folder; an object is a file named by its quoted name.
"""

import base64
import contextlib
import hashlib
import http.server
import json
import re
import sys
import threading
import time
import uuid
from email.utils import formatdate
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

PAGE = 20
"""Objects in one answer to a list; Google's has 1,000. Fewer here, so that every test meets more than one page."""
LEAST_PART = 5 << 20
"""Bytes of every part of an upload but the last."""
STATUS = {
    "NoSuchBucket": 404,
    "NoSuchKey": 404,
    "NoSuchUpload": 404,
    "PreconditionFailed": 412,
    "InvalidRange": 416,
    "EntityTooSmall": 400,
    "InvalidPart": 400,
    "AuthenticationRequired": 401,
    "AccessDenied": 403,
}


class Refused(Exception):  # noqa: N818
    """Told to the client by its code."""


def unpacked(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class Store:
    """Buckets in a folder. One request writes at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lock = folder, threading.Lock()
        keys = json.loads((folder / "keys.json").read_text())
        self._public, self._may = serialization.load_pem_public_key(keys["public"].encode()), keys["may"]

    def admit(self, header: str) -> None:
        """Refused unless the token is signed by the known key, is still valid, and its account may enter."""
        try:
            head, claims, signature = header.removeprefix("Bearer ").split(".")
            self._public.verify(
                unpacked(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256()
            )  # fmt: skip
            said = json.loads(unpacked(claims))
        except (ValueError, InvalidSignature):
            raise Refused("AuthenticationRequired") from None
        if said["exp"] < time.time():
            raise Refused("AuthenticationRequired")
        if said["iss"] not in self._may:
            raise Refused("AccessDenied")

    def bucket(self, name: str) -> Path:
        path = self.folder / "buckets" / name
        if not name or not path.is_dir():
            raise Refused("NoSuchBucket")
        return path

    def path(self, bucket: str, name: str) -> Path:
        """A file for an object; long names are cut into folders, as file systems want it."""
        quoted = quote(name, safe="")
        return self.bucket(bucket).joinpath(*(quoted[at : at + 200] + "~" for at in range(0, len(quoted), 200)))

    def names(self, bucket: str) -> list[tuple[str, Path]]:
        top = self.bucket(bucket)
        found = (path for path in top.rglob("*~") if path.is_file())
        return sorted((unquote(str(path.relative_to(top)).replace("~/", "").removesuffix("~")), path) for path in found)

    def write(self, path: Path, pieces: list[Path] | bytes, only_new: bool) -> None:
        """Whole or not at all."""
        with self.lock:
            if only_new and path.exists():
                raise Refused("PreconditionFailed")
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.folder / f"new-{uuid.uuid4().hex}"
            if isinstance(pieces, bytes):
                fresh.write_bytes(pieces)
            else:
                with fresh.open("wb") as file:
                    for piece in pieces:
                        file.write(piece.read_bytes())
            fresh.rename(path)


class Asked(http.server.BaseHTTPRequestHandler):
    """One client."""

    protocol_version = "HTTP/1.1"
    store: Store

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        address = urlsplit(self.path)
        bucket, _, name = address.path.removeprefix("/").partition("/")
        wish = {key: values[0] for key, values in parse_qs(address.query, keep_blank_values=True).items()}
        try:
            self.store.admit(self.headers.get("Authorization", ""))
            self.store.bucket(bucket)
            if not name:
                self.list(bucket, wish)
            elif "uploads" in wish or "uploadId" in wish:
                self.upload(bucket, unquote(name), wish, body)
            else:
                self.object(bucket, unquote(name), body)
        except Refused as refused:
            code = str(refused)
            self.answer(STATUS[code], f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode())

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = handle_any  # noqa: N815

    def answer(self, status: int, data: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        if "Content-Length" not in (headers or {}):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def object(self, bucket: str, name: str, body: bytes) -> None:
        path = self.store.path(bucket, name)
        if self.command == "PUT":
            self.store.write(path, body, self.headers.get("x-goog-if-generation-match") == "0")
            self.answer(200, headers=marks(path))
            return
        if not path.is_file():
            raise Refused("NoSuchKey")
        if self.command == "DELETE":
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            self.answer(204)
            return
        data = path.read_bytes()
        size, wanted = len(data), self.headers.get("Range")
        if not wanted:
            self.answer(200, data, marks(path) | {"Content-Length": str(size)})
            return
        first, last = re.fullmatch(r"bytes=(\d+)-(\d*)", wanted).groups()
        start, end = int(first), min(int(last) + 1 if last else size, size)
        if start >= size:
            raise Refused("InvalidRange")
        self.answer(206, data[start:end], marks(path) | {"Content-Range": f"bytes {start}-{end - 1}/{size}"})

    def list(self, bucket: str, wish: dict[str, str]) -> None:
        after = max(wish.get("continuation-token", ""), wish.get("start-after", ""))
        matching = [one for one in self.store.names(bucket) if one[0].startswith(wish.get("prefix", ""))]
        left = [(name, path) for name, path in matching if name > after]
        text = ""
        for name, path in left[:PAGE]:
            with contextlib.suppress(FileNotFoundError):
                state = path.stat()
                moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(state.st_mtime))
                text += f"<Contents><Key>{escape(name)}</Key><Generation>{state.st_mtime_ns}</Generation>"
                text += f'<LastModified>{moment}</LastModified><ETag>"{state.st_mtime_ns:x}"</ETag>'
                text += f"<Size>{state.st_size}</Size></Contents>"
        more = f"<NextContinuationToken>{escape(left[PAGE - 1][0])}</NextContinuationToken>" if left[PAGE:] else ""
        told = f"<ListBucketResult><Name>{bucket}</Name><IsTruncated>{str(bool(more)).lower()}</IsTruncated>"
        self.answer(200, f"<?xml version='1.0' encoding='UTF-8'?>{told}{more}{text}</ListBucketResult>".encode())

    def upload(self, bucket: str, name: str, wish: dict[str, str], body: bytes) -> None:
        """In parts: begun, sent, put together in the order that is asked for, or given up."""
        if "uploads" in wish:
            mark = uuid.uuid4().hex
            (self.store.folder / "uploads" / mark).mkdir(parents=True)
            told = f"<InitiateMultipartUploadResult><UploadId>{mark}</UploadId></InitiateMultipartUploadResult>"
            self.answer(200, told.encode())
            return
        parts = self.store.folder / "uploads" / Path(wish["uploadId"]).name
        if not parts.is_dir():
            raise Refused("NoSuchUpload")
        if self.command == "PUT":
            (parts / wish["partNumber"]).write_bytes(body)
            self.answer(200, headers={"ETag": f'"{mark_of(body)}"'})
            return
        if self.command == "POST":
            self.complete(parts, self.store.path(bucket, name), body.decode())
        for path in parts.iterdir():
            path.unlink()
        parts.rmdir()
        if self.command == "DELETE":
            self.answer(204)

    def complete(self, parts: Path, path: Path, wish: str) -> None:
        wanted = [{one.tag: one.text or "" for one in part} for part in ElementTree.fromstring(wish)]
        pieces = [parts / Path(one["PartNumber"]).name for one in wanted]
        there = [one.exists() and mark_of(one.read_bytes()) for one in pieces]
        if not wanted or there != [one["ETag"].strip('"') for one in wanted]:
            raise Refused("InvalidPart")
        if any(one.stat().st_size < LEAST_PART for one in pieces[:-1]):
            raise Refused("EntityTooSmall")
        self.store.write(path, pieces, self.headers.get("x-goog-if-generation-match") == "0")
        told = f"<CompleteMultipartUploadResult><ETag>{marks(path)['ETag']}</ETag></CompleteMultipartUploadResult>"
        self.answer(200, told.encode(), {"x-goog-generation": marks(path)["x-goog-generation"]})

    def log_message(self, *_) -> None:
        """Nothing."""


def mark_of(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


def marks(path: Path) -> dict[str, str]:
    state = path.stat()
    moment = formatdate(state.st_mtime, usegmt=True)
    return {"ETag": f'"{state.st_mtime_ns:x}"', "x-goog-generation": str(state.st_mtime_ns), "Last-Modified": moment}


if __name__ == "__main__":
    Asked.store = Store(Path(sys.argv[1]))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Asked)
    server.daemon_threads = True
    server.serve_forever()
