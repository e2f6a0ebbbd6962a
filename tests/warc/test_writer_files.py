"""Files of the writer: when they get their names, who hears of them, and what a disk that refuses leaves of them."""

import os

import pytest

from strandline.core.capture import Outcome
from strandline.errors import ArchiveDamaged, OutOfSpace
from strandline.warc import output
from strandline.warc.captures import Kept
from strandline.warc.recover import recover
from strandline.warc.rolling import compared
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange
from warc.test_writer import folder, records, sealed, warcio_check, writer

__all__ = ["folder"]


class Told:
    """A listing that remembers; the capture number `fails_at` finds no room."""

    def __init__(self, fails_at=None, fails_sealed=False):
        self.files, self.waiting = {}, []
        self._left, self._fails_sealed = fails_at, fails_sealed

    def kept(self, capture, content_type):
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._left = None
                raise OSError(28, "No space left on device")
        self.waiting.append(capture.url)

    def sealed(self, file):
        if self._fails_sealed:
            raise OSError(28, "No space left on device")
        self.files[file] = self.waiting

    def dropped(self):
        self.waiting = []


def test_rotation_by_size_and_age(folder):
    clock = StillClock()
    told = Told()
    w = WarcWriter(
        folder,
        ABOUT,
        clock,
        WriterSettings(host="h", rotate_bytes=20_000, rotate_seconds=60),
        listing=told,
    )
    big = w.keep(exchange(body=os.urandom(30_000)))
    w.sync()
    late = w.keep(exchange("http://example.org/late"))
    w.sync()
    clock.sleep(61)
    w.sync()
    last = w.keep(exchange("http://example.org/last"))
    w.close()
    assert len({c.place.file for c in (big, late, last)}) == 3
    assert [f.name for f in sealed(folder)] == sorted(c.place.file for c in (big, late, last))
    assert list(told.files.values()) == [["http://example.org/"], [late.url], [last.url]]
    assert list(told.files) == [c.place.file for c in (big, late, last)]


def test_a_full_file_gets_its_name_with_the_capture_that_follows(folder):
    """Between `sync` and then its captures are recorded: a crash in between leaves them where the next start looks."""
    w = writer(folder, rotate_bytes=1)
    w.keep(exchange())
    w.sync()
    assert [file.suffix for file in folder.iterdir()] == [".open"]
    w.keep(exchange())
    assert sorted(file.suffix for file in folder.iterdir()) == [".gz", ".open"]
    w.close()
    assert len(sealed(folder)) == 2


@pytest.mark.parametrize(("recorded", "suffix"), [("all", ".gz"), ("none", ".open"), ("unknown", ".open")])
def test_what_was_not_recorded_when_a_run_failed_is_found_by_the_next(folder, recorded, suffix):
    def until(name):
        assert name == capture.place.file
        if recorded == "unknown":
            raise OutOfSpace("the catalog cannot be read")
        return capture.place.offset + capture.place.length if recorded == "all" else 0

    told = Told()
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"), listing=told)
    w.leave(until)
    capture = w.keep(exchange())
    w.note(exchange(response_head=b"", request_head=b"", outcome=Outcome.NO_SUCH_HOST))
    w.leave(until)
    assert [file.suffix for file in folder.iterdir()] == [suffix]
    assert list(told.files) == ([capture.place.file] if recorded == "all" else [])
    found = list(recover(folder, folder.parent / "quarantine", lambda _: 0))
    assert [one.capture for file in found for one in file.salvaged[:1]] == ([] if recorded == "all" else [capture])


def test_serial_goes_on_when_the_clock_does_not(folder):
    for _ in range(3):
        w = writer(folder)
        w.keep(exchange())
        w.close()
    assert [f.name.split("-")[2] for f in sealed(folder)] == ["00000", "00001", "00002"]


def failing(monkeypatch, function, error, times=1):
    """Let os.`function` fail `times` times."""
    real, left = getattr(os, function), [times]

    def fail(*arguments):
        if left[0]:
            left[0] -= 1
            raise OSError(error, os.strerror(error))
        return real(*arguments)

    monkeypatch.setattr(output.os, function, fail)


def sync_fails(w, monkeypatch):
    with monkeypatch.context() as patch:
        failing(patch, "fsync", 5)
        with pytest.raises(OSError, match="Input/output"):
            w.sync()


def test_failed_fsync_gives_the_file_up(folder, monkeypatch):
    w = writer(folder)
    w.keep(exchange("http://example.org/safe"))
    w.sync()
    w.keep(exchange("http://example.org/doubtful"))
    sync_fails(w, monkeypatch)
    after = w.keep(exchange("http://example.org/after"))
    w.close()
    left, new = sorted(folder.iterdir())
    assert left.name.endswith(".open")
    assert new.name == after.place.file
    urls = [r.rec_headers["WARC-Target-URI"] for r, _ in records(left)][1:]
    assert urls == ["http://example.org/safe"] * 2


def test_failing_again_is_damage(folder, monkeypatch):
    w = writer(folder)
    failing(monkeypatch, "fsync", 5, times=2)
    w.keep(exchange())
    with pytest.raises(OSError, match="Input/output"):
        w.sync()
    w.keep(exchange())
    with pytest.raises(ArchiveDamaged, match="again"):
        w.sync()


def test_no_room_takes_the_record_back(folder, monkeypatch):
    w = writer(folder)
    kept = w.keep(exchange("http://example.org/kept"))
    with monkeypatch.context() as patch:
        failing(patch, "write", 28)
        with pytest.raises(OutOfSpace, match=kept.place.file):
            w.keep(exchange("http://example.org/lost"))
    again = w.keep(exchange("http://example.org/again"))
    w.close()
    (path,) = sealed(folder)
    assert [r.rec_headers["WARC-Target-URI"] for r, _ in records(path) if r.rec_type == "response"] == [
        kept.url,
        again.url,
    ]
    assert warcio_check(path)[0] == 0


@pytest.mark.parametrize("told", [Told(fails_at=1), Told(fails_sealed=True)])
def test_an_index_that_cannot_be_written_costs_no_capture(folder, told):
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"), listing=told)
    for number in range(3):
        w.keep(exchange(f"http://example.org/{number}"))
    w.close()
    (path,) = sealed(folder)
    assert len(records(path)) == 7
    assert told.files == {}, "half a list is no list"


def test_captures_of_a_file_given_up_are_not_listed_with_the_next(folder, monkeypatch):
    told = Told()
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"), listing=told)
    w.keep(exchange("http://example.org/doubtful"))
    sync_fails(w, monkeypatch)
    after = w.keep(exchange("http://example.org/after"))
    w.close()
    assert told.files == {after.place.file: [after.url]}


def test_disk_full_device(folder, monkeypatch):
    """/dev/full behind the descriptor: a real ENOSPC from the kernel."""
    w = writer(folder)
    w.keep(exchange())
    descriptor = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(w._file, "_descriptor", descriptor)
    monkeypatch.setattr(output.os, "ftruncate", lambda *_: None)
    with pytest.raises(OutOfSpace):
        w.keep(exchange())
    os.close(descriptor)


@pytest.mark.parametrize("number", range(1, 6))
def test_no_room_for_a_list_of_checksums_promises_nothing_it_cannot_keep(folder, monkeypatch, number):
    """The list beside a file, not the file: each time it is written in turn, and half a line of it is there."""
    w, promised, calls = writer(folder, rotate_bytes=1), [], []

    def full(file, finish=False):
        calls.append(finish)
        if len(calls) == number:
            path = output.sums_path(file.folder, file.name)
            path.parent.mkdir(exist_ok=True)
            with path.open("ab") as out:
                out.write(b"12 3")
            raise OSError(28, "No space left on device")
        return note(file, finish)

    note = output.OpenWarc._note_sums
    monkeypatch.setattr(output.OpenWarc, "_note_sums", full)
    refused = 0
    for page in range(4):
        try:
            kept = w.keep(exchange(f"http://a.example/{page}"))
            w.sync()
            promised.append(kept)
        except OutOfSpace:
            refused += 1
    w.close()
    assert refused == 1 and True in calls and len(promised) == 3
    found = list(recover(folder, folder.parent / "quarantine", lambda _: 0))
    salvaged = [item.capture for one in found for item in one.salvaged if isinstance(item, Kept)]
    known = {one.place: one for one in (*promised, *salvaged)}
    assert verify(folder, known.values).ok
    assert not any(one.problem for path in sealed(folder) for one in compared(folder, path))
