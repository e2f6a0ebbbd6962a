"""The fixity audit of a store: every changed byte, every missing object, and nothing else; also while it is written."""

import json
import random
from contextlib import closing

import obstore

from servers.postgres import GROUP
from strandline.warc import objects_verify, verify
from strandline.warc.objects_verify import ObjectShelf, stored, verify_objects
from strandline.warc.verify import Course
from warc.exchanges import exchange
from warc.test_objects import objects, writer

pytestmark = GROUP
__all__ = ["objects"]


class Index:
    """What was recorded."""

    def __init__(self, kept):
        self.kept = kept

    def warc_files(self):
        return {one.place.file for one in self.kept}

    def captures_in(self, file):
        return [one for one in self.kept if one.place.file == file]


def keep(objects, folder, count=4, finish=True, **settings):
    store = writer(objects, folder, **settings)
    kept = []
    for n in range(count):
        kept.append(store.keep(exchange(f"http://a.example/{n}", b"page %d " % n * 200)))
        store.sync()
    if finish:
        store.close()
    return store, kept


def replace(objects, name, data):
    obstore.put(objects._store, name, data, mode="overwrite")


def flipped(data, place):
    return data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]


def found(objects, kept, **course):
    return verify_objects(objects, Index(kept), Course(**course))


def test_what_is_sound_is_said_to_be_and_every_kind_of_damage_is_found(objects, tmp_path):
    _, kept = keep(objects, tmp_path, rotate_bytes=1)
    files = [one.place.file for one in kept]
    begun, sound = [], []
    audit = found(objects, kept, begun=lambda name, size: begun.append((name, size)), sound=sound.append)
    assert audit.ok and (audit.captures, audit.files, audit.unlisted) == (4, 4, ())
    assert sound == files and audit.bytes == sum(size for _, size in begun) > 0
    whole = {name: objects.get(f"archive/{name}") for name in files}
    replace(objects, f"archive/{files[0]}", flipped(whole[files[0]], kept[0].place.offset + 300))
    objects.delete([f"archive/{files[1]}"])
    replace(objects, f"archive/{files[2]}", whole[files[2]][:-40])
    objects.delete([f"fixity/{files[3]}.sums"])
    audit = found(objects, kept, sound=sound.append)
    assert [(one.file, one.url) for one in audit.problems[:2]] == [
        (files[0], "http://a.example/0"),
        (files[1], "http://a.example/1"),
    ]
    assert audit.problems[1].problem == "the file is missing"
    assert {one.file for one in audit.problems} == set(files[:3]) and audit.unlisted == (files[3],)
    assert sound[4:] == files[3:] and not json.loads(json.dumps(audit.as_json()))["ok"]
    # The few bits no gzip checksum covers: found by the list of checksums alone.
    replace(objects, f"archive/{files[0]}", flipped(whole[files[0]], 4))
    assert [one.offset for one in found(objects, kept[:1]).problems if one.file == files[0]] == [0]


def test_files_in_parts_are_read_as_far_as_they_are_recorded(objects, tmp_path):
    store, kept = keep(objects, tmp_path, finish=False)
    file = kept[0].place.file
    parts = [name for name, _ in objects.names(f"archive/{file}.parts/")]
    assert len(parts) == 4 and not stored(objects, file).finished
    sound = []
    assert found(objects, kept, sound=sound.append).ok and sound == [], "it may still grow"
    whole = objects.get(parts[2])
    replace(objects, parts[2], flipped(whole, 300))
    assert {one.url for one in found(objects, kept).problems} == {"http://a.example/2"}
    assert found(objects, kept[:2]).ok, "nothing was promised of what is not recorded"
    replace(objects, parts[2], whole)
    objects.delete([parts[1]])
    (problem,) = found(objects, kept).problems
    assert (problem.url, problem.offset) == ("http://a.example/1", kept[1].place.offset)
    assert "gone" in problem.problem
    objects.put(parts[1], b"")
    store.close()  # the whole file is sent from the worker's own disk
    assert stored(objects, file).finished and found(objects, kept).ok


def test_what_was_sound_not_long_ago_is_left_out_but_must_be_there(objects, tmp_path):
    _, kept = keep(objects, tmp_path, rotate_bytes=1)
    files = [one.place.file for one in kept]
    audit = found(objects, kept, leave_out=set(files[:3]))
    assert audit.ok and (audit.captures, audit.files, audit.left_out) == (1, 1, 3)
    objects.delete([f"archive/{files[0]}"])
    audit = found(objects, kept, leave_out=set(files))
    assert [one.problem for one in audit.problems] == ["the file is missing"] and audit.left_out == 3


def test_a_file_is_compared_a_little_at_a_time(objects, tmp_path):
    _, kept = keep(objects, tmp_path)
    file = kept[0].place.file
    shelf = ObjectShelf(objects, Index(kept))
    assert list(shelf.sizes()) == [file] and shelf.missing() == []
    pieces = list(shelf.compared(file))
    assert sum(one.octets for one in pieces) == shelf.sizes()[file] and not any(one.problem for one in pieces)
    whole = objects.get(f"archive/{file}")
    for place in range(0, len(whole), 97):
        replace(objects, f"archive/{file}", flipped(whole, place))
        assert any(one.problem for one in shelf.compared(file)), place
    for wrong in (whole[:-9], whole + b"x"):
        replace(objects, f"archive/{file}", wrong)
        assert any(one.problem for one in shelf.compared(file))
    for ruin in (b"", b"what is this"):
        replace(objects, f"fixity/{file}.sums", ruin)
        assert any("list of checksums" in one.problem for one in shelf.compared(file))
    objects.delete([f"archive/{file}"])
    assert [one.problem for one in shelf.compared(file)] == ["the file is missing"]
    objects.delete([f"fixity/{file}.sums"])
    assert list(shelf.compared(file)) == []
    assert ObjectShelf(objects, Index(kept)).missing() == [file]


def test_records_larger_than_what_is_read_at_once(objects, tmp_path, monkeypatch):
    monkeypatch.setattr(objects_verify, "_BLOCK", 50_000)
    monkeypatch.setattr(verify, "_AT_ONCE", 100_000)
    with closing(writer(objects, tmp_path)) as store:
        kept = [store.keep(exchange(f"http://a.example/{n}", random.Random(n).randbytes(300_000))) for n in range(2)]
    file = kept[0].place.file
    assert found(objects, kept).ok
    shelf = ObjectShelf(objects, Index(kept))
    assert not any(one.problem for one in shelf.compared(file))
    replace(objects, f"archive/{file}", flipped(objects.get(f"archive/{file}"), 450_000))
    assert {one.url for one in found(objects, kept).problems} == {"http://a.example/1"}
    assert any(one.problem for one in shelf.compared(file))
