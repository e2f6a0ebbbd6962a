import os
import random

import pytest

from faults.loops import every_step
from strandline.errors import ArchiveBusy
from strandline.warc import recover as recover_module
from strandline.warc.captures import Failed, Kept, captures_of
from strandline.warc.recover import recover
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange, text


@pytest.fixture
def crashed(tmp_path):
    """An `.open` file as a killed process leaves it: bytes, captures (two committed, three not), end of each record."""
    work = tmp_path / "work" / "archive"
    work.mkdir(parents=True)
    w = WarcWriter(work, ABOUT, StillClock(), WriterSettings(host="h"))
    kept = [w.keep(exchange(f"http://example.org/{i}", text(i, 60))) for i in range(5)]
    w.sync()
    data = (work / f"{kept[0].place.file}.open").read_bytes()
    w._file.abandon()
    return data, kept


def run(folder, committed):
    return list(recover(folder / "archive", folder / "quarantine", lambda name: committed.get(name, 0)))


def place(folder, name, data):
    (folder / "archive").mkdir(parents=True)
    (folder / "archive" / f"{name}.open").write_bytes(data)


def end_of(capture):
    return capture.place.offset + capture.place.length


@every_step(17)
def test_cut_at_every_byte_of_the_last_three_records(crashed, in_memory, every):
    data, kept = crashed
    name, committed = kept[0].place.file, end_of(kept[1])
    last_three = kept[3].place.offset + kept[3].place.length  # request, answer, request
    for cut in [*range(last_three, len(data), every), len(data)]:
        folder = in_memory / f"cut{cut}"
        place(folder, name, data[:cut])
        (found,) = run(folder, {name: committed})
        whole = [c for c in kept[2:] if end_of(c) <= cut]
        assert [s.capture for s in found.salvaged] == whole, cut
        assert found.kept + found.quarantined == cut
        assert found.missing == 0
        assert (folder / "archive" / name).stat().st_size == found.kept
        tails = list((folder / "quarantine").glob("*")) if found.quarantined else []
        assert b"".join(t.read_bytes() for t in tails) == data[found.kept : cut]
        assert verify(folder / "archive", lambda whole=whole: kept[:2] + whole).ok
        assert run(folder, {name: committed}) == []


@pytest.mark.parametrize("tail", [b"\0" * 4096, random.Random(3).randbytes(4096), b"\x1f\x8b\x08" + b"\0" * 9, b"W"])
def test_zero_and_garbage_tails(crashed, tmp_path, tail):
    data, kept = crashed
    place(tmp_path, kept[0].place.file, data + tail)
    (found,) = run(tmp_path, {})
    assert [s.capture for s in found.salvaged] == kept
    assert (found.kept, found.quarantined) == (len(data), len(tail))
    assert (tmp_path / "archive" / kept[0].place.file).read_bytes() == data
    assert verify(tmp_path / "archive", lambda: kept).ok


def test_nothing_before_the_committed_end_is_read(crashed, tmp_path, monkeypatch):
    data, kept = crashed
    place(tmp_path, kept[0].place.file, data)
    starts = []
    monkeypatch.setattr(
        recover_module, "captures_of", lambda path, start: starts.append(start) or captures_of(path, start)
    )
    (found,) = run(tmp_path, {kept[0].place.file: end_of(kept[4])})
    assert found.salvaged == ()
    assert starts == [end_of(kept[4])]


def test_lost_promises_are_said(crashed, tmp_path):
    data, kept = crashed
    place(tmp_path, kept[0].place.file, data[:500])
    (found,) = run(tmp_path, {kept[0].place.file: end_of(kept[4])})
    assert found.missing == end_of(kept[4]) - 500


def test_empty_files_and_bare_warcinfo_go(crashed, tmp_path):
    data, kept = crashed
    place(tmp_path, "empty.warc.gz", b"")
    (tmp_path / "archive" / "info.warc.gz.open").write_bytes(data[: kept[0].place.offset])
    assert [found.removed for found in run(tmp_path, {})] == [True, True]
    assert list((tmp_path / "archive").iterdir()) == []


def test_busy_file_is_left_alone(tmp_path):
    (tmp_path / "archive").mkdir()
    w = WarcWriter(tmp_path / "archive", ABOUT, StillClock(), WriterSettings(host="h"))
    w.keep(exchange())
    with pytest.raises(ArchiveBusy, match="being written"):
        run(tmp_path, {})
    w.close()
    assert run(tmp_path, {}) == []


def test_failed_visits_are_salvaged_too(tmp_path):
    (tmp_path / "archive").mkdir()
    w = WarcWriter(tmp_path / "archive", ABOUT, StillClock(), WriterSettings(host="h"))
    w.note(exchange(response_head=b""))
    w.keep(exchange())
    w.sync()
    os.close(w._file._descriptor)
    (found,) = run(tmp_path, {})
    assert [type(s) for s in found.salvaged] == [Failed, Kept]


def test_killed_anywhere_the_next_start_does_the_rest(crashed, tmp_path, monkeypatch):
    """Stop after every system call that changes something; what a second run leaves is always the same."""
    data, kept = crashed
    name = kept[0].place.file

    class KilledError(BaseException):
        pass

    def arm(patch, number):
        left = [number]

        def guarded(function):
            def call(*arguments, **named):
                result = function(*arguments, **named)
                left[0] -= 1
                if left[0] == 0:
                    raise KilledError
                return result

            return call

        for function in ("fsync", "ftruncate", "rename", "replace"):
            patch.setattr(os, function, guarded(getattr(os, function)))
        return left

    stops = 0
    for number in range(1, 40):
        folder = tmp_path / f"n{number}"
        place(folder, name, data + b"torn")
        catalog, committed = [], {}

        def start(folder=folder, catalog=catalog, committed=committed):
            for found in recover(folder / "archive", folder / "quarantine", lambda name: committed.get(name, 0)):
                catalog.extend(s.capture for s in found.salvaged)
                committed[name] = found.kept

        with monkeypatch.context() as patch:
            left = arm(patch, number)
            try:
                start()
            except KilledError:
                stops += 1
        start()
        assert catalog == kept
        assert (folder / "archive" / name).read_bytes() == data
        assert [t.read_bytes() for t in (folder / "quarantine").glob("*.tail")] == [b"torn"]
        if left[0] > 0:
            break
    assert stops >= 5
