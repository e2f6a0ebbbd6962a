"""Hiding, listing and showing again, from Python."""

import time

import pytest

from strandline.archive.folder import open_archive
from strandline.errors import TakenDown, UsageError
from strandline.keeping.takedowns import Wish, block, covered, lift, named_target, taken_down
from web.archives import Builder

PAGE = "http://site.test/a/one.html"


@pytest.fixture
def archive(tmp_path):
    made = Builder(tmp_path)
    for hour in range(3):
        for path in ("a/one.html", "a/two.html", "b.html"):
            made.add(f"http://site.test/{path}", f"{path} at {hour}", when=f"2026-03-01T1{hour}:00:00Z")
    return made.archive()


def test_what_it_covers_is_told(archive):
    found = covered(archive, named_target(archive, "http://site.test/a/*"))
    assert (found.captures, found.pages) == (6, 2)
    assert found.bytes == sum(one.place.length for one in archive.reading.all_captures() if "/a/" in one.url)
    capture = archive.captures(PAGE)[1]
    assert named_target(archive, capture.record_id).text == f"20260301110000/{PAGE}"
    assert covered(archive, named_target(archive, capture.record_id)).captures == 1


def test_hidden_until_lifted(archive):
    act, found = block(archive, Wish("http://site.test/a/*", "Request 17", by="keeper"))
    assert (act.number, found.captures) == (1, 6)
    with pytest.raises(TakenDown):
        archive.captures(PAGE)
    assert len(archive.captures("http://site.test/b.html")) == 3
    with pytest.raises(TakenDown):
        open_archive(archive.folder).page(PAGE)
    assert archive.verify().ok
    assert [one.target for one in taken_down(archive, time.time())] == ["http://site.test/a/*"]
    lifted = lift(archive, "http://site.test/a/*", "settled")
    assert (lifted.act, lifted.of) == ("lift", 1)
    assert len(archive.captures(PAGE)) == 3
    assert taken_down(archive, time.time()) == []
    assert [one.act for one in taken_down(archive, time.time(), history=True)] == ["block", "lift"]


def test_what_makes_no_sense_is_told(archive):
    with pytest.raises(UsageError, match="why"):
        block(archive, Wish(PAGE, " "))
    with pytest.raises(UsageError, match="name an address"):
        block(archive, Wish("nonsense", "because"))
    with pytest.raises(UsageError, match="no capture has"):
        block(archive, Wish("<urn:uuid:0>", "because"))
    with pytest.raises(UsageError, match="nothing is taken down"):
        lift(archive, "7")
    with pytest.raises(UsageError, match="at most"):
        block(archive, Wish(PAGE, "x" * 3000))


def test_a_journal_that_was_tampered_with_fails_the_audit(archive):
    block(archive, Wish(PAGE, "because"))
    journal = archive.folder / "takedowns" / "journal.jsonl"
    journal.write_text(journal.read_text().replace("because", "whatever"))
    audit = archive.verify()
    assert [one.file for one in audit.problems] == ["takedowns/journal.jsonl"]
    with pytest.raises(TakenDown):
        open_archive(archive.folder).captures(PAGE)
