"""Bringing in what other tools archived: their addresses are found however they were written, and whatever ends it on
the way, files and catalog agree.
"""

import errno
import gzip
import itertools
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import tracemalloc
import zipfile
from dataclasses import replace

import pytest

import strandline
from access.test_pictures import pictured
from faults.loops import die_at, every_step
from strandline.access.pictures import has_picture, picture_of
from strandline.archive.holdings import holdings
from strandline.core.wording import counted
from strandline.errors import ArchiveBusy, OutOfSpace
from strandline.exchange import moving, version_records
from strandline.exchange.intake import Intake
from strandline.exchange.moving import Wanted, export, take_in
from strandline.store.catalog import SqliteCatalog
from strandline.store.lock import WriteLock
from strandline.warc import importing, output
from strandline.warc.captures import Kept, captures_of
from strandline.warc.importing import _copy
from warc.test_exchange import ODD, odd_file
from warc.test_wacz import WARC, package


def made(folder):
    archive = strandline.create(folder)
    archive.settings = replace(archive.settings, study=replace(archive.settings.study, workers=0))
    return archive


@pytest.mark.parametrize("anew", [False, True])
def test_odd_addresses_are_found_after_an_import(tmp_path, anew):
    archive = made(tmp_path / "archive")
    brought = archive.bring_in(odd_file(tmp_path / "odd.warc.gz"))
    assert brought.captures == 6
    assert brought.findings == ("kept, but no captures of the web: dns: 1, urn: 1",)
    if anew:
        assert archive.reindex().captures == 6
    for written, url in ODD.items():
        if url:
            assert [capture.url for capture in archive.captures(written.strip("<>"))] == [url]
    assert archive.verify().ok


def two_warcs(folder):
    """A package of two WARC files, packed: it is unpacked on the way."""
    names = ("archive/a.warc.gz", "archive/b.warc.gz")
    file = folder / "two.wacz"
    file.write_bytes(package(dict.fromkeys(names, WARC), kinds=dict.fromkeys(names, zipfile.ZIP_DEFLATED)))
    return file


def one_warc(folder):
    file = folder / "one.warc.gz"
    file.write_bytes(WARC)
    return file


def page_versions(folder, count=3):
    file = folder / "versions.jsonl"
    lines = [{"url": f"http://a.example/{n}", "time": 1000 + n, "html": f"<p>version {n}</p>"} for n in range(count)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def in_files(archive):
    """All captures that the WARC files hold."""
    files = sorted((archive.folder / "archive").iterdir())
    return {item.capture.place for file in files for item in captures_of(file) if isinstance(item, Kept)}


def in_catalog(archive):
    return {capture.place for capture in archive.reading.all_captures()}


@pytest.mark.parametrize("source", [one_warc, two_warcs, page_versions])
def test_an_archive_that_is_being_written_is_left_as_it_is(tmp_path, source):
    archive = made(tmp_path / "archive")
    with WriteLock(archive.folder, "watch"), pytest.raises(ArchiveBusy):
        archive.bring_in(source(tmp_path))
    assert in_files(archive) == set()


@pytest.mark.parametrize("source", [one_warc, page_versions])
def test_a_file_that_is_brought_in_again_is_not_kept_twice(tmp_path, source):
    archive = made(tmp_path / "archive")
    first = archive.bring_in(source(tmp_path)).captures
    held, files = in_files(archive), set((archive.folder / "archive").iterdir())
    again = archive.bring_in(source(tmp_path))
    assert again.captures == 0
    assert again.findings == (f"in the archive already, and not kept again: {counted(first, 'capture')}",)
    assert in_files(archive) == in_catalog(archive) == held
    assert set((archive.folder / "archive").iterdir()) == files
    assert archive.verify().ok


@pytest.mark.parametrize("source", [one_warc, page_versions])
def test_what_was_lost_can_be_brought_in_again(tmp_path, source):
    archive = made(tmp_path / "archive")
    first = archive.bring_in(source(tmp_path)).captures
    for file in (archive.folder / "archive").iterdir():
        file.unlink()
    assert archive.bring_in(source(tmp_path)).captures == first


def test_page_versions_that_came_since_are_brought_in(tmp_path):
    """Unchanged ones among them refer to what was brought in the first time; another text at a known time is new."""
    archive = made(tmp_path / "archive")
    archive.bring_in(page_versions(tmp_path))
    file = page_versions(tmp_path, 5)
    more = [
        {"url": "http://a.example/1", "time": 1001, "html": "<p>mended</p>"},
        {"url": "http://a.example/2", "time": 2000, "html": "<p>version 2</p>"},
    ]
    file.write_text(file.read_text() + "".join(json.dumps(line) + "\n" for line in more))
    brought = archive.bring_in(file)
    assert (brought.captures, len(brought.findings)) == (4, 1)
    unchanged = archive.captures("http://a.example/2")[-1]
    assert (unchanged.time, unchanged.revisit) == (2000, True)
    assert archive.content(unchanged) == b"<p>version 2</p>"
    assert in_files(archive) == in_catalog(archive)


def test_of_a_package_for_which_there_is_no_room_nothing_is_kept(tmp_path, monkeypatch):
    archive, copied = made(tmp_path / "archive"), []

    def copy(*arguments):
        copied.append(1)
        if len(copied) > 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        return _copy(*arguments)

    monkeypatch.setattr(importing, "_copy", copy)
    with pytest.raises(OutOfSpace):
        archive.bring_in(two_warcs(tmp_path))
    assert in_files(archive) == set() == in_catalog(archive)
    assert not list((archive.folder / "fixity").glob("*")), "nor a list of checksums"


def test_versions_of_a_file_that_was_given_up_are_not_recorded(tmp_path, monkeypatch):
    archive, synced = made(tmp_path / "archive"), []
    monkeypatch.setattr(version_records, "_COMMIT", 2)

    def sync(file):
        synced.append(file)
        if len(synced) == 2:
            raise OSError(errno.EIO, "Input/output error")
        return OpenWarc_sync(file)

    OpenWarc_sync = output.OpenWarc.sync  # noqa: N806
    monkeypatch.setattr(output.OpenWarc, "sync", sync)
    with pytest.raises(OSError, match="Input/output error"):
        archive.bring_in(page_versions(tmp_path, 9))
    assert len(in_catalog(archive)) == 2
    assert archive.verify().ok


@every_step(5)
@pytest.mark.parametrize("source", [two_warcs, page_versions])
def test_killed_at_any_step_files_and_catalog_agree_and_nothing_else_is_left(in_memory, source, every):
    """The N-th call that changes something is the last one of the process, for every N until it comes to its end."""
    file = source(in_memory)
    for number in itertools.count(1, every):
        archive = made(in_memory / f"n{number}")
        pid = os.fork()
        if pid == 0:
            die_at(number, (SqliteCatalog, "bring"), (zipfile.ZipExtFile, "read"))
            archive.bring_in(file)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0:
            break
        with archive.writing("test"):
            pass  # mends
        assert in_catalog(archive) == in_files(archive), number
        assert archive.verify().ok
        kinds = {"archive", "fixity", "indexes", "quarantine", "strandline.db", "strandline.lock", "strandline.toml"}
        left = {path.name for path in archive.folder.iterdir()} - kinds - {"strandline.db-wal", "strandline.db-shm"}
        assert left == set(), number
        shutil.rmtree(archive.folder)
    assert number > 8
    assert in_catalog(archive) == in_files(archive) != set()


def test_a_reindex_that_is_killed_leaves_a_catalog_that_knows_all_captures(in_memory):
    """What was committed last is still in the log of the database: the process that did it died."""
    archive = made(in_memory / "archive")
    file = page_versions(in_memory, 6)
    pid = os.fork()
    if pid == 0:
        held = Intake(archive, archive.folder / "archive")  # open until the end
        moving.bring_in(file, held)
        os._exit(0)
    os.waitpid(pid, 0)
    assert (archive.folder / "strandline.db-wal").stat().st_size > 0
    for number in itertools.count(1):
        copy = in_memory / f"n{number}"
        shutil.copytree(archive.folder, copy)
        reader = looking_on(copy / "strandline.db")
        pid = os.fork()
        if pid == 0:
            die_at(number)
            strandline.open(copy).reindex()
            os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.kill(reader, signal.SIGKILL)
        os.waitpid(reader, 0)
        with strandline.open(copy).writing("test"):
            pass
        assert len(in_catalog(strandline.open(copy))) == 6, number
        if ended == 0:
            break
        shutil.rmtree(copy)
    assert number > 8


def looking_on(database):
    """A process that has read the catalog and may read again, which keeps its log in use."""
    ready, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        connection = sqlite3.connect(database)
        assert connection.execute("SELECT count(*) FROM captures").fetchone() == (6,)
        os.write(tell, b".")
        signal.pause()
    assert os.read(ready, 1) == b"."
    os.close(ready)
    os.close(tell)
    return pid


def test_versions_are_not_held_until_the_last_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("strandline.exchange.moving.keep_up", lambda _: False)  # tests/learn/test_learning_memory.py
    archive, file, rng = made(tmp_path / "archive"), tmp_path / "versions.jsonl", random.Random(3)
    with file.open("w") as out:
        for number in range(150):
            html = rng.randbytes(100_000).hex()
            out.write(json.dumps({"url": f"http://a.example/{number}", "time": number, "html": html}) + "\n")
    tracemalloc.start()
    try:
        assert archive.bring_in(file).captures == 150
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()


def test_all_that_a_browser_showed_goes_out_and_comes_in(tmp_path):
    archive, kept = pictured(tmp_path / "shown")
    file = tmp_path / "all.wacz"
    assert export(archive, Wanted(file)) == len(kept)
    with zipfile.ZipFile(file) as wacz:
        stored = gzip.decompress(wacz.read("archive/data.warc.gz"))
    (source,) = (tmp_path / "shown" / "archive").glob("*.warc.gz")

    def names(data):
        return sorted(re.findall(rb"WARC-Target-URI: (urn:[^\r]+)", data))

    assert names(stored) == names(gzip.decompress(source.read_bytes())) != []
    again = strandline.create(tmp_path / "again")
    assert take_in(again, file).captures == len(kept)
    held = [(holdings(one), list(one.reading.all_captures())) for one in (archive, again)]
    looks = [[picture_of(index, one) for one in captures if has_picture(index, one)] for index, captures in held]
    assert looks[0] == looks[1] and len(looks[0]) == 4
