"""Erasing from packs: what stays is rebuilt as it was, what went is nowhere."""

from contextlib import closing, suppress

from strandline.warc import erasing_packs
from strandline.warc.compacted import CompactedWindow, compact_files, finished_files, name_of, stored_problems
from strandline.warc.deltas import CompactedWarc
from strandline.warc.erasing import Erased, heads_of
from strandline.warc.erasing_packs import erase_in_packs
from strandline.warc.writer import WarcWriter
from warc.exchanges import ABOUT, START, StillClock, exchange


def _compacted(folder):
    archive, clock = folder / "archive", StillClock()
    archive.mkdir()
    for part in range(3):
        with closing(WarcWriter(archive, ABOUT, clock)) as writer:
            for number in range(8):
                clock.time += 60
                body = f"<p>{'the tide comes in ' * 40} secret-{part}-{number}</p>".encode()
                writer.keep(exchange(f"http://example.org/{number % 4}", body, started=clock.time))
    files, _ = compact_files(finished_files(archive))
    assert not [one for one in files if one.left]
    return archive


def _records(archive):
    found = {}
    for path in finished_files(archive):
        with closing(CompactedWindow(path)) as window:
            found |= {(name_of(path), offset): window.record(offset) for offset in window.places}
    return found


def _pack(guide):
    with closing(CompactedWindow(guide)) as window:
        return window.pack


def test_what_stays_is_as_it_was_and_what_went_is_nowhere(tmp_path):
    archive = _compacted(tmp_path)
    before = _records(archive)
    (old,) = archive.glob("*.pack")
    gone = {}
    for path in finished_files(archive):
        heads = [head for head in heads_of(path) if head.url == "http://example.org/2"]
        gone[name_of(path)] = [Erased(head.offset, head.length, head.fields["warc-record-id"]) for head in heads]
    assert sum(map(len, gone.values())) == 12  # six answers and their requests: base and differences
    assert erase_in_packs(archive, gone, START) == 1
    assert not old.exists()
    (new,) = archive.glob("*.pack")
    after = _records(archive)
    assert after.keys() == before.keys()
    places = {(file, one.offset) for file, records in gone.items() for one in records}
    assert {place for place in before if before[place] != after[place]} == places
    with new.open("rb") as file:
        rebuilt = b"".join(record.data for record in CompactedWarc(file))
    secrets = [f"secret-{part}-{number}".encode() for part in range(3) for number in (2, 6)]
    assert not [one for one in secrets if one in rebuilt]
    assert rebuilt.count(b"secret-") == 18
    assert not [problem for path in (new, *finished_files(archive)) for problem in stored_problems(path)]


def test_done_again_it_changes_nothing(tmp_path):
    archive = _compacted(tmp_path)
    path = finished_files(archive)[0]
    head = next(head for head in heads_of(path) if head.fields["warc-type"] == "response")
    gone = {name_of(path): [Erased(head.offset, head.length, head.fields["warc-record-id"])]}
    assert erase_in_packs(archive, gone, START) == 1
    files = {one.name: one.read_bytes() for one in archive.iterdir()}
    assert erase_in_packs(archive, gone, START) == 0
    assert {one.name: one.read_bytes() for one in archive.iterdir()} == files


def test_a_crash_between_guides_leaves_both_packs_and_goes_on(tmp_path, monkeypatch):
    archive = _compacted(tmp_path)
    before = _records(archive)
    gone = {}
    for path in finished_files(archive):
        head = next(head for head in heads_of(path) if head.url == "http://example.org/1")
        gone[name_of(path)] = [Erased(head.offset, head.length, head.fields["warc-record-id"])]
    written = []

    def dying(*arguments):
        if written:
            raise KeyboardInterrupt
        written.append(write_guide(*arguments))

    write_guide = erasing_packs.write_guide
    monkeypatch.setattr(erasing_packs, "write_guide", dying)
    with suppress(KeyboardInterrupt):
        erase_in_packs(archive, gone, START)
    assert len(list(archive.glob("*.pack"))) == 2
    places = {(file, one.offset) for file, records in gone.items() for one in records}
    assert {place: data for place, data in _records(archive).items() if place not in places} == {
        place: data for place, data in before.items() if place not in places
    }
    monkeypatch.setattr(erasing_packs, "write_guide", write_guide)
    assert erase_in_packs(archive, gone, START) >= 1
    for path in archive.glob("*.pack"):
        with path.open("rb") as file:
            rebuilt = b"".join(record.data for record in CompactedWarc(file))
        assert rebuilt.count(b"WARC-Type: warcinfo") == len(
            [one for one in finished_files(archive) if _pack(one) == path.name]
        )
        assert not [part for part in range(3) if f"secret-{part}-1".encode() in rebuilt]
