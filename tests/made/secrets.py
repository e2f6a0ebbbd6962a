"""An archive in which every answer holds a text of its own, to be looked for after some of them were erased.

Versions of pages in several WARC files, half of them compacted; answers that were the same as before, of the same page
and of another; some of both with what a browser showed of them; visits that failed. `remains` looks for a text
everywhere: in the bytes of all files, in what they unpack to, and in every column of the catalog.
"""

import atexit
import hashlib
import os
import random
import re
import shutil
import tempfile
import zlib
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import zstandard

from strandline.access.payload import LostError, read_payload, read_rendering
from strandline.archive.folder import open_archive
from strandline.archive.holdings import holdings
from strandline.core.capture import Evidence, Kind, Outcome
from strandline.core.shown import DOCUMENT, TEXT, Shown, View
from strandline.errors import ArchiveDamaged
from strandline.exchange.compacting import compact_archive
from strandline.ports import Batch, Found, Visited
from strandline.python_archive import create_folder
from strandline.store import sqlite
from strandline.store.catalog import DATABASE
from strandline.study.pending import study
from strandline.warc.compacted import DELTA, PACK, CompactedWindow, finished_files, name_of
from strandline.warc.deltas import CompactedWarc
from strandline.warc.members import Gap, Window, walk
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, START, StillClock, exchange, original_of

DAY = 86_400.0
_SHORTEST = 13
_HEX = re.compile(rb"[0-9a-f]{13,}")
PLACES = ("alpha.example", "beta.example", "www.gamma.example")


@dataclass(frozen=True)
class Secret:
    """A capture and the text that only it holds."""

    url: str
    time: float
    text: str


def secretive(
    folder: Path, captures: int = 120, studied: bool = True, compacted: bool = True, browsed: bool = True
) -> tuple[list[Secret], list[tuple]]:
    """An archive; its captures with texts of their own, and (url, time, of which url and time) of the others.

    It is made once in a process, and copied.
    """
    made, secrets, same = _made(captures, studied, compacted, browsed)
    shutil.copytree(made, folder)
    return list(secrets), list(same)


@cache
def _made(captures: int, studied: bool, compacted: bool, browsed: bool) -> tuple[Path, list[Secret], list[tuple]]:
    folder = Path(tempfile.mkdtemp(prefix="strandline-secrets-")) / "archive"
    atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
    rng = random.Random(1)
    archive = create_folder(folder, contact="https://library.example/bot")
    urls = [f"http://{PLACES[n % 3]}/{'ab'[n % 2]}/{n}.html" for n in range(max(4, captures // 8))]
    clock, secrets, same, last = StillClock(), [], [], {}
    parts = 4
    with archive.writing("test") as catalog:
        catalog.add([Found(url, Kind.PAGE, "seed", 0, 0, 0.0, 0.0) for url in urls])
        pages = {url: catalog.page(url).page for url in urls}
        for part in range(parts):
            with closing(WarcWriter(folder / "archive", ABOUT, clock, WriterSettings())) as writer:
                batch = []
                for number in range(captures // parts):
                    clock.time = START + part * 30 * DAY + number * 37.0
                    url = rng.choice(urls)
                    kept = _visit(rng, writer, clock.time, url, (secrets, same, last), browsed)
                    batch.append(_visited(pages[url], kept))
                    if len(batch) == 200 or number == captures // parts - 1:
                        writer.sync()
                        catalog.commit(Batch(batch))
                        batch = []
                writer.note(exchange(rng.choice(urls), b"", started=clock.time))
                writer.sync()
    archive.index.refresh()
    files = finished_files(folder / "archive") if compacted else []
    for path in files[: len(files) // 2]:
        os.utime(path, (1.0, 1.0))
    # By far older than the others, however long these took to be made.
    assert not compacted or len(compact_archive(archive, 30 * DAY).files) == len(files) // 2
    if studied:
        assert study(archive)
    return folder, secrets, same


def _visited(page, capture):
    known = {"outcome": Outcome.ANSWERED, "detail": "", "evidence": Evidence.PRESENT}
    return Visited(page, capture=capture, time=capture.time, due=1e12, not_before=0.0, attempts=0, **known)


def _visit(rng, writer, time, url, known, browsed):
    secrets, same, last = known
    if last and rng.random() < 0.2:  # as before: of the same page, or of another one
        other = url if url in last and rng.random() < 0.7 else rng.choice(sorted(last))
        before = last[other][0]
        text, views = _seen(time) if browsed else ("", None)
        kept = writer.keep(exchange(url, last[other][1], started=time), original_of(before), views)
        same.append((url, kept.time, before.url, before.time))
        if views is not None:
            secrets.append(Secret(url, kept.time, text))
        return kept
    text = f"{rng.getrandbits(64):016x}"
    words = " ".join(rng.choice(("harbour", "market", "verdict", "concert", "rescue")) for _ in range(120))
    body = f"<html><body><h1>Title</h1><p>{words}</p><p>About {text} and no other.</p></body></html>".encode()
    kept = writer.keep(exchange(url, body, started=time), None, _seen(time)[1] if browsed else None)
    secrets.append(Secret(url, kept.time, text))
    last[url] = (kept, body)
    return kept


def _seen(time: float) -> tuple[str, Shown | None]:
    """What a browser made of every third answer, with a text of its own."""
    rng = random.Random(time)
    text = f"{rng.getrandbits(64):016x}"
    if rng.random() < 2 / 3:
        return text, None
    page = f"<html><body><h1>Title</h1><p>Shown with {text}, and with no other.</p></body></html>".encode()
    views = (View(DOCUMENT, "text/html; charset=utf-8", page), View(TEXT, "text/plain", text.encode()))
    return text, Shown(1, time + 2.0, "settled", views, stands=True)


def shown(folder: Path) -> dict[tuple[str, float], str]:
    """What replay shows of every capture, as digests; "lost" of what it cannot show."""
    return shown_by(open_archive(folder))


def shown_by(archive) -> dict[tuple[str, float], str]:
    """The same, of an archive that is open."""
    held, found_ = holdings(archive), {}
    for capture in archive.everything.all_captures():
        try:
            content = read_payload(held, capture).decoded()
            if capture.rendering is not None:
                content += read_rendering(held, capture).decoded()
            found_[capture.url, round(capture.time, 3)] = hashlib.sha256(content).hexdigest()
        except (LostError, ArchiveDamaged) as lost:
            found_[capture.url, round(capture.time, 3)] = f"lost: {lost}"
    return found_


def stored(folder: Path) -> dict[tuple[str, int], bytes]:
    """Every record by file and offset: its stored bytes, or what a compacted file gives back."""
    found_ = {}
    for path in finished_files(folder / "archive"):
        if path.name.endswith(DELTA):
            with closing(CompactedWindow(path)) as window:
                for offset in window.places:
                    found_[name_of(path), offset] = window.record(offset)
            continue
        with closing(Window(path)) as window:
            for item in walk(window):
                assert not isinstance(item, Gap), (path, item.problem)
                item.drain()
                found_[path.name, item.offset] = path.read_bytes()[item.offset : item.offset + item.length]
    return found_


def everything(folder: Path) -> list[tuple[str, bytes]]:
    """All bytes of an archive folder, as they are and unpacked, with where they are."""
    found_ = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        found_.append((str(path), data))
        if path.name.endswith(".gz") or ".tail" in path.name or path.name.endswith((".open", ".gz.new")):
            found_.append((f"{path} unpacked", unpacked(data)))
        elif path.name.endswith(PACK):
            with path.open("rb") as file:
                found_.append((f"{path} rebuilt", b"".join(record.data for record in CompactedWarc(file))))
    with closing(sqlite.open_reading(folder / DATABASE)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f"SELECT * FROM {table}"):
                for value in row:
                    if isinstance(value, bytes):
                        found_.append((f"catalog {table}", value + unzstd(value)))
                    elif isinstance(value, str):
                        found_.append((f"catalog {table}", value.encode("utf-8", "surrogatepass")))
    return found_


def unpacked(data: bytes) -> bytes:
    out = b""
    while data:
        reader = zlib.decompressobj(31)
        try:
            out += reader.decompress(data)
        except zlib.error:
            at = data.find(b"\x1f\x8b\x08", 1)
            data = data[at:] if at > 0 else b""
            continue
        data = reader.unused_data
    return out


def unzstd(value: bytes) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(value)
    except zstandard.ZstdError:
        return b""


def remains(folder: Path, texts: list[str]) -> list[tuple[str, str]]:
    """Where any of these texts is still found; words of an index are kept without their first letters."""
    return found_in(everything(folder), texts)


def found_in(haystack: list[tuple[str, bytes]], texts: list[str]) -> list[tuple[str, str]]:
    """Where any of these texts is found in what is given."""
    windows: set[bytes] = set()
    for _, data in haystack:
        for run in _HEX.findall(data):
            windows.update(run[at : at + _SHORTEST] for at in range(len(run) - _SHORTEST + 1))
    left = [text for text in texts if text[-_SHORTEST:].encode() in windows]
    return [(text, where) for text in left for where, data in haystack if text[-_SHORTEST:].encode() in data]


def growing(folder: Path, promised: list, began, stop) -> None:
    """Write an archive until told to stop: small files, a commit for every few captures, each then promised."""
    archive, rng, clock = create_folder(folder, contact="https://library.example/bot"), random.Random(1), StillClock()
    urls = [f"http://alpha.example/{n}.html" for n in range(20)]
    with archive.writing("watch") as catalog:
        catalog.add([Found(url, Kind.PAGE, "seed", 0, 0, 0.0, 0.0) for url in urls])
        pages = {url: catalog.page(url).page for url in urls}
        settings = WriterSettings(rotate_bytes=20_000)
        with closing(WarcWriter(folder / "archive", ABOUT, clock, settings)) as writer:
            while not stop.is_set():
                batch = []
                for _ in range(5):
                    clock.time += 7.0
                    body = f"<p>{rng.getrandbits(2000):x}</p>".encode()
                    kept = writer.keep(exchange(rng.choice(urls), body, started=clock.time))
                    batch.append(_visited(pages[kept.url], kept))
                writer.sync()
                catalog.commit(Batch(batch))
                promised += [(visit.capture.url, visit.capture.time) for visit in batch]
                if len(promised) > 100:
                    began.set()
