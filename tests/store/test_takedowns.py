"""The journal of a folder: durable, shared between processes, and nothing is shown because it was damaged."""

import multiprocessing
import time

import pytest

from strandline.core.keeping.takedowns import Act
from strandline.core.urls import surt_key
from strandline.errors import ArchiveDamaged
from strandline.store.takedowns import FolderHidden, FolderJournal

A = "https://example.org/a"


def _block(target=A, **about):
    return Act(0, 0.0, "block", target, "because", **about)


def test_acts_are_numbered_and_come_back(tmp_path):
    journal = FolderJournal(tmp_path)
    assert journal.acts() == []
    assert journal.last_seal() == ""
    first, second = journal.add(_block()), journal.add(_block("*.example.net", until=5.0))
    assert [first.number, second.number] == [1, 2]
    assert first.time > 1e9
    assert FolderJournal(tmp_path).acts() == [first, second]
    assert (journal.path.parent / "key").stat().st_mode & 0o077 == 0


def test_a_torn_line_was_never_in_force_and_is_cut_off(tmp_path):
    journal = FolderJournal(tmp_path)
    first = journal.add(_block())
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole + b'{"number": 2, "act": "blo')
    assert journal.acts() == [first]
    journal.add(_block("*.example.net"))
    assert journal.path.read_bytes().startswith(whole)
    assert [act.number for act in journal.acts()] == [1, 2]


def test_tampering_is_told_and_shows_nothing(tmp_path):
    journal = FolderJournal(tmp_path)
    journal.add(_block())
    journal.add(_block("*.example.net"))
    lines = journal.path.read_text().splitlines(keepends=True)
    journal.path.write_text(lines[0].replace("because", "whatever") + lines[1])
    assert "tampered" in journal.problem()
    with pytest.raises(ArchiveDamaged, match="line 1"):
        journal.add(_block())
    hidden = FolderHidden(tmp_path)
    assert hidden.refreshed()
    assert hidden.hidden.hides(surt_key(A))


def test_a_missing_key_is_told(tmp_path):
    journal = FolderJournal(tmp_path)
    journal.add(_block())
    (journal.path.parent / "key").unlink()
    assert "key" in journal.problem()


def test_readers_notice_acts_and_the_end_of_embargoes(tmp_path):
    hidden, journal = FolderHidden(tmp_path), FolderJournal(tmp_path)
    assert not hidden.refreshed()
    end = time.time() + 0.3
    journal.add(_block(until=end))
    assert hidden.refreshed()
    assert hidden.hidden.hides(surt_key(A))
    assert not hidden.refreshed()
    while time.time() < end:
        time.sleep(0.02)
    assert hidden.refreshed()
    assert not hidden.hidden.hides(surt_key(A))


def _add_many(folder, count):
    for number in range(count):
        FolderJournal(folder).add(_block(f"https://example.org/{number}"))


def test_many_processes_add_and_no_line_is_lost(tmp_path):
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add_many, args=(tmp_path, 10)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [act.number for act in FolderJournal(tmp_path).acts()] == list(range(1, 41))
