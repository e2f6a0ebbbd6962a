"""Compacted files read as the files they stand for, and a crash at any step leaves the old or the new."""

import gzip
import itertools
import json
import os
import shutil
from pathlib import Path

import pytest

from faults.loops import die_at, every_step
from strandline.core.capture import Place
from strandline.errors import ArchiveDamaged
from strandline.warc import compacted
from strandline.warc.captures import Kept, captures_of
from strandline.warc.compacted import compact_files, finished_files, name_of, remove_unfinished, tidy
from strandline.warc.fixity import complete_sums
from strandline.warc.reader import WarcReader
from strandline.warc.rolling import compared, missing_files, stored_files
from strandline.warc.verify import verify

TEXT = " ".join(f"paragraph {n} about the harbour and the council" for n in range(120))


class Killed(BaseException):
    """The process ends here."""


def record(url, number, body):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    block = head + body
    fields = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-{number + 1:02}T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{hash((url, number)) & 0xFFFFFFFFFFFF:012x}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(fields.encode() + block + b"\r\n\r\n", 6, mtime=0)


@pytest.fixture
def folder(tmp_path):
    """Five crawls of six pages, a file each."""
    archive = tmp_path / "archive"
    archive.mkdir()
    for crawl in range(5):
        path = archive / f"crawl-{crawl}.warc.gz"
        bodies = (f"<p>{TEXT} page {page} version {crawl}</p>".encode() for page in range(6))
        path.write_bytes(b"".join(record(f"http://a.example/{n}", crawl, body) for n, body in enumerate(bodies)))
        complete_sums(archive, path.name, path)
    return archive


def listed(folder):
    """Captures as reindex finds them, and their content as replay reads it."""
    reader = WarcReader(folder)
    found = []
    for path in finished_files(folder):
        for item in captures_of(path):
            assert isinstance(item, Kept), item
            read = reader.read(item.place)
            found.append((item.capture, read.type, read.headers, read.http_head, read.body.read()))
    return found


def captures(folder):
    return [capture for capture, *_ in listed(folder)]


def test_records_keep_their_places_and_content(folder):
    before = listed(folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    became, stored = compact_files(finished_files(folder))
    assert not any(one.left for one in became)
    assert stored == sum(path.stat().st_size for path in folder.iterdir()) < 0.5 * size
    assert listed(folder) == before
    assert [name_of(path) for path in finished_files(folder)] == [f"crawl-{n}.warc.gz" for n in range(5)]
    audit = verify(folder, lambda: captures(folder))
    assert audit.ok, audit.problems
    assert audit.captures == 30


@pytest.mark.parametrize("step", range(1, 31))
def test_a_crash_at_any_step_leaves_the_old_or_the_new(folder, monkeypatch, step):
    before = listed(folder)
    count = 0

    def deadly(function):
        def called(*arguments, **named):
            nonlocal count
            count += 1
            if count == step:
                raise Killed
            return function(*arguments, **named)

        return called

    with monkeypatch.context() as patched:
        for name in ("sync_path", "write_sums", "_compare"):
            patched.setattr(compacted, name, deadly(getattr(compacted, name)))
        for name in ("unlink", "replace"):
            patched.setattr(Path, name, deadly(getattr(Path, name)))
        try:
            compact_files(finished_files(folder))
            crashed = False
        except Killed:
            crashed = True
    assert listed(folder) == before
    assert crashed or step > 15
    tidy(folder)
    assert listed(folder) == before
    left = [path for path in finished_files(folder) if not path.name.endswith(".delta")]
    if left:
        compact_files(left)
    assert listed(folder) == before
    assert not list(folder.glob("*.new"))
    audit = verify(folder, lambda: captures(folder))
    assert audit.ok, audit.problems


@every_step(5)
def test_killed_at_any_step_an_audit_misses_nothing_and_the_next_start_removes_what_is_half_done(
    folder, in_memory, every
):
    before = listed(folder)
    for step in itertools.count(1, every):
        work = in_memory / f"n{step}"
        for name in ("archive", "fixity"):
            shutil.copytree(folder.parent / name, work / name)
        pid = os.fork()
        if pid == 0:
            die_at(step, (compacted, "_compare"), (compacted, "compact"))
            compact_files(finished_files(work / "archive"))
            os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert missing_files(work / "archive") == [], step
        files = stored_files(work / "archive").values()
        wrong = {one.problem for path in files for one in compared(work / "archive", path)} - {""}
        assert not wrong, (step, wrong)
        assert verify(work / "archive", lambda work=work: captures(work / "archive")).ok
        remove_unfinished(work / "archive")
        assert not list((work / "archive").glob("*.new")), step
        assert listed(work / "archive") == before
        if ended == 0:
            break
        shutil.rmtree(work)
    assert step > 15


def test_a_file_that_is_not_sound_is_left(folder):
    bad = folder / "crawl-2.warc.gz"
    data = bad.read_bytes()
    bad.write_bytes(data[:200] + b"\0" + data[201:])
    became, _ = compact_files(finished_files(folder))
    assert {one.file: bool(one.left) for one in became} == {f"crawl-{n}.warc.gz": n == 2 for n in range(5)}
    assert bad.exists()


def test_what_gains_little_is_left(tmp_path):
    folder = tmp_path / "archive"
    folder.mkdir()
    path = folder / "one.warc.gz"
    path.write_bytes(record("http://a.example/", 0, bytes(range(256)) * 2))
    became, stored = compact_files([path])
    assert (became[0].left, stored) == ("it would gain little", 0)
    assert [one.name for one in folder.iterdir()] == ["one.warc.gz"]


def test_a_pack_that_differs_from_the_files_removes_nothing(folder, monkeypatch):
    before = listed(folder)
    honest = compacted._sorted_records

    def lying(*arguments):
        for old in honest(*arguments):
            yield old._replace(data=old.data.replace(b"harbour", b"harvest"))

    monkeypatch.setattr(compacted, "_sorted_records", lying)
    with pytest.raises(ArchiveDamaged, match="nothing was removed"):
        compact_files(finished_files(folder))
    assert listed(folder) == before
    assert not list(folder.glob("*.pack*"))


def test_damage_is_named_with_file_and_offset(folder):
    compact_files(finished_files(folder))
    (pack,) = folder.glob("*.pack")
    place = captures(folder)[3].place
    pack.write_bytes(pack.read_bytes()[:-40])
    with pytest.raises(ArchiveDamaged, match=f"{place.file} at {place.offset}"):
        WarcReader(folder).read(place)
    pack.unlink()
    with pytest.raises(ArchiveDamaged, match="is missing"):
        WarcReader(folder).read(place)
    guide = folder / f"{place.file}.delta"
    guide.write_bytes(b"SLGUIDE1" + json.dumps({}).encode())
    with pytest.raises(ArchiveDamaged, match="damaged"):
        WarcReader(folder).read(place)
    audit = verify(folder, lambda: [])
    assert len({problem.file for problem in audit.problems}) == 5


def test_an_offset_where_nothing_was_written_is_refused(folder):
    compact_files(finished_files(folder))
    with pytest.raises(ArchiveDamaged, match="no record was written at 7"):
        WarcReader(folder).read(Place("crawl-0.warc.gz", 7, 0))
