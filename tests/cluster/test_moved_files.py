"""WARC files that are moved while they grow: each byte once if it can be, and never a wrong one."""

import contextlib
import os

import pytest

from servers import object_stores, postgres
from strandline.cluster import moved_files
from strandline.cluster.finishing import finish_files
from strandline.cluster.move_ledger import FolderLedger
from strandline.cluster.moved_files import Receiving, Sending
from strandline.errors import ArchiveDamaged
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.session import Session
from strandline.warc.objects import Objects
from strandline.warc.objects_joining import unfinished
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.objects_verify import finished
from strandline.warc.objects_writer import ObjectWriter
from strandline.warc.reader import WarcReader
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

pytestmark = postgres.GROUP


@pytest.fixture
def objects(monkeypatch):
    server = object_stores.entered(monkeypatch)
    return Objects(f"{server.bucket()}/moved")


@pytest.fixture
def ledger(tmp_path):
    return FolderLedger(tmp_path / "ledger")


@pytest.fixture(autouse=True)
def nothing_is_small(monkeypatch):
    monkeypatch.setattr(moved_files, "SMALL", 1)


class Growing:
    """A file that is written record by record, with where the last one ends that was promised."""

    def __init__(self, writer):
        self._writer = writer
        self.places = []

    def grow(self, count=3):
        for _ in range(count):
            url = f"http://a.example/{len(self.places)}"
            kept = self._writer.keep(exchange(url, os.urandom(2000), started=1_780_000_000.0))
            self.places.append(kept.place)
        self._writer.sync()
        return self

    @property
    def name(self):
        return self.places[-1].file

    def committed(self, file):
        return max((place.offset + place.length for place in self.places if place.file == file), default=0)

    def end(self):
        self._writer.close()

    def bodies(self, reader):
        return [reader.read(place).body.read() for place in self.places]


# -- to a store --------------------------------------------------------------------------------------------------------


@pytest.fixture
def growing(tmp_path):
    (tmp_path / "archive").mkdir()
    with contextlib.closing(WarcWriter(tmp_path / "archive", ABOUT, StillClock(), WriterSettings(host="h"))) as writer:
        yield Growing(writer).grow()


@pytest.fixture
def sending(tmp_path, objects, ledger, growing):
    return Sending(tmp_path / "archive", objects, ledger, growing.committed)


def quiet(_line):
    """Nobody listens."""


def test_of_a_file_that_grows_only_what_came_since_is_sent(sending, growing, objects, tmp_path):
    first = sending.run(quiet, last=False)
    assert first.octets == growing.committed(growing.name) and sending.left() > 0
    assert growing.bodies(ObjectReader(objects)), "what is promised can be read while it grows"
    growing.grow()
    assert sending.run(quiet, last=False).octets == growing.committed(growing.name) - first.octets
    assert sending.run(quiet, last=False).octets == 0
    growing.grow(1).end()
    path = tmp_path / "archive" / growing.name
    size, before = path.stat().st_size, growing.places[-1].offset
    last = sending.run(quiet, last=True)
    assert 0 < last.octets < size - before + 1_000 and (last.files, sending.left()) == (1, 0)
    assert growing.bodies(ObjectReader(objects)) == growing.bodies(WarcReader(tmp_path / "archive"))
    assert sending.run(quiet, last=True).octets == 0 and not last.anew
    # A worker makes a whole file of it.
    with contextlib.closing(Session(postgres.running().database())) as session:
        assert finish_files(session, objects, tmp_path, lambda: False) == ([growing.name], [])
    assert objects.get(f"archive/{growing.name}") == path.read_bytes() and not unfinished(objects)


def test_finished_while_others_write_a_file_is_sent_as_a_whole_and_then_left_alone(sending, growing, objects, tmp_path):
    sending.run(quiet, last=False)
    growing.end()
    done = sending.run(quiet, last=False)
    assert done.octets == (tmp_path / "archive" / growing.name).stat().st_size and not done.anew
    assert finished(objects) == {growing.name: done.octets} and not unfinished(objects)
    assert objects.get(f"fixity/{growing.name}.sums") == (tmp_path / "fixity" / f"{growing.name}.sums").read_bytes()
    assert sending.run(quiet, last=True).octets == 0


def test_what_was_overwritten_at_the_source_is_overwritten_at_the_target(sending, growing, objects, tmp_path):
    sending.run(quiet, last=False)
    growing.end()
    path = tmp_path / "archive" / growing.name
    with path.open("r+b") as file:  # as an erasure does it
        file.seek(growing.places[1].offset + 50)
        file.write(b"\0" * 200)
    assert sending.run(quiet, last=True).octets == path.stat().st_size, "what went ahead is not what is there"
    assert objects.get(f"archive/{growing.name}") == path.read_bytes() and not unfinished(objects)
    with path.open("r+b") as file:
        file.seek(growing.places[2].offset + 50)
        file.write(b"\0" * 200)
    done = sending.run(quiet, last=True)
    assert done.anew and objects.get(f"archive/{growing.name}") == path.read_bytes()
    path.unlink()
    assert sending.run(quiet, last=True).anew and objects.names("") == []


def test_what_is_small_or_named_like_a_workers_waits_until_it_is_finished(
    sending, growing, objects, tmp_path, monkeypatch
):
    monkeypatch.setattr(moved_files, "SMALL", 1 << 20)
    assert sending.run(quiet, last=False).octets == 0 and objects.names("") == []
    monkeypatch.setattr(moved_files, "SMALL", 1)
    growing.end()
    named = WriterSettings(host="h-w3")
    with contextlib.closing(WarcWriter(tmp_path / "archive", ABOUT, StillClock(5e9), named)) as writer:
        other = Growing(writer).grow()
        sending.run(quiet, last=False)
        assert list(finished(objects)) == [growing.name] and not unfinished(objects)
        assert sending.left() == (tmp_path / "archive" / f"{other.name}.open").stat().st_size
    sending.run(quiet, last=True)
    assert sorted(finished(objects)) == sorted([growing.name, other.name])


def test_bytes_that_change_on_their_way_are_noticed(sending, growing, objects, monkeypatch):
    real = Objects.put_pieces
    monkeypatch.setattr(Objects, "put_pieces", lambda self, name, pieces: real(self, name, lambda: iter([b"wrong"])))
    with pytest.raises(ArchiveDamaged, match="did not arrive"):
        sending.run(quiet, last=False)
    assert objects.names("") == []


# -- from a store ------------------------------------------------------------------------------------------------------


@pytest.fixture
def worker(tmp_path, objects):
    with ObjectWriter(objects, tmp_path / "spool", ABOUT, StillClock(), WriterSettings(host="h-w1")) as writer:
        yield Growing(writer).grow()


@pytest.fixture
def receiving(tmp_path, objects, ledger):
    (tmp_path / "archive").mkdir()
    return Receiving(objects, tmp_path / "archive", ledger)


def received(tmp_path, name):
    return (tmp_path / "archive" / name).read_bytes(), (tmp_path / "fixity" / f"{name}.sums").read_bytes()


def test_of_a_file_that_a_worker_writes_only_what_came_since_is_received(receiving, worker, objects, tmp_path):
    first = receiving.run(quiet, last=False)
    assert first.octets >= worker.committed(worker.name) and receiving.left() == 0
    worker.grow()
    assert receiving.left() > 0
    assert (
        receiving.run(quiet, last=False).octets
        == receiving._archive.joinpath(f"{worker.name}.moving").stat().st_size - first.octets
    )
    assert receiving.run(quiet, last=False).octets == 0
    worker.grow(1).end()
    size = objects.size(f"archive/{worker.name}")
    last = receiving.run(quiet, last=True)
    assert 0 < last.octets < size - first.octets and last.files == 1 and not last.anew
    assert received(tmp_path, worker.name) == (
        objects.get(f"archive/{worker.name}"),
        objects.get(f"fixity/{worker.name}.sums"),
    )
    assert receiving.run(quiet, last=True).octets == 0 == receiving.left()
    assert [path.name for path in (tmp_path / "archive").iterdir()] == [worker.name]


def test_what_was_cut_short_goes_on_and_what_is_wrong_is_received_anew(receiving, worker, objects, tmp_path):
    receiving.run(quiet, last=False)
    ahead = tmp_path / "archive" / f"{worker.name}.moving"
    whole = ahead.read_bytes()
    os.truncate(ahead, len(whole) // 2)
    receiving.run(quiet, last=False)
    assert ahead.read_bytes() == whole
    ahead.write_bytes(whole[:100] + b"wrong" + whole[105:])
    worker.end()
    receiving.run(quiet, last=True)
    assert received(tmp_path, worker.name)[0] == objects.get(f"archive/{worker.name}")


def test_files_that_were_written_anew_or_are_gone_in_the_store_are_so_here(receiving, worker, objects, tmp_path):
    worker.end()
    receiving.run(quiet, last=False)
    path = tmp_path / "archive" / worker.name
    changed = path.read_bytes()[:-3] + b"\0\0\0"
    spare = tmp_path / "spare"
    spare.write_bytes(changed)
    objects.put(f"archive/{worker.name}", spare)
    done = receiving.run(quiet, last=False)
    assert done.anew and path.read_bytes() == changed
    objects.delete([f"archive/{worker.name}"])
    assert receiving.run(quiet, last=False).anew and not path.exists()


def test_files_of_a_folder_that_lie_in_parts_wait_for_no_worker(tmp_path, objects):
    """A name without a worker's number is of a folder that was moved here; one of a worker that lives is left alone."""
    database = postgres.running().database()
    with contextlib.closing(PostgresCatalog(database)) as living, contextlib.closing(Session(database)) as session:
        for host in ("h", f"h-w{living.worker}"):
            settings = WriterSettings(host=host)
            Growing(ObjectWriter(objects, tmp_path / host, ABOUT, StillClock(), settings)).grow()
        done, damaged = finish_files(session, objects, tmp_path, lambda: False)
        assert [name.rpartition("-")[2] for name in done] == ["h.warc.gz"] and not damaged
        assert list(unfinished(objects)) == [name for name in unfinished(objects) if "-w" in name] != []
