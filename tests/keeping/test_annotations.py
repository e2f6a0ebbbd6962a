"""Tags and notes: written beside a watch, found, taken back; lost by no reindex, seen by nobody when taken down."""

import contextlib
import time

import pytest

from made.two_sites import cluster, folder
from servers import postgres
from strandline.access.timestamps import timestamp
from strandline.errors import TakenDown, UsageError
from strandline.keeping.annotations import (
    AnnotationWish,
    add_note,
    annotations,
    remove_annotation,
    shown_capture,
    tag,
    tags,
    untag,
)
from strandline.keeping.takedowns import Wish, block, lift
from strandline.python_archive import open_folder
from web.archives import Builder

__all__ = ["cluster", "folder"]
URL = "http://site.test/a.html"


@pytest.fixture
def archive(tmp_path):
    made = Builder(tmp_path)
    for hour in range(3):
        made.add(URL, f"<p>at {hour}</p>", when=f"2026-03-01T1{hour}:00:00Z")
    made.add("http://site.test/b.html", "other", when="2026-03-01T10:00:00Z")
    return open_folder(made.archive().folder)


def assert_all_of_it(archive):
    """The same with every archive that has a page of two captures and another page."""
    pages = [row.url for row in archive.reading.pages() if archive.captures(row.url)][:2]
    first, last = archive.captures(pages[0])[0].time, archive.captures(pages[0])[-1].time
    one = tag(archive, AnnotationWish(pages[0], " Of  interest ", author="A. Keeper"))
    assert tag(archive, AnnotationWish(pages[0], "Of interest")) == one
    of_change = tag(archive, AnnotationWish(pages[0], "Of interest", last + 0.4))
    assert (one.capture, of_change.capture, one.author) == (None, last, "A. Keeper")
    note = add_note(archive, AnnotationWish(pages[1], "<b>why</b>\nsecond line"))
    assert tags(archive) == {"Of interest": 2}
    assert [found.key for found in annotations(archive)] == [note.key, of_change.key, one.key]
    assert annotations(archive, pages[1]) == [note] and annotations(archive, kind="note") == [note]
    assert {found.key for found in annotations(archive, tag="Of interest")} == {one.key, of_change.key}
    assert len(shown_capture(of_change)) == 14 and not shown_capture(one)
    try:
        block(archive, Wish(pages[1], "Request 1"))
        _until(lambda: note.key not in {found.key for found in annotations(archive)})
        with pytest.raises(TakenDown):
            annotations(archive, pages[1])
        with pytest.raises(TakenDown):
            add_note(archive, AnnotationWish(pages[1], "more"))
        with pytest.raises(UsageError, match="no tag or note"):
            remove_annotation(archive, note.key)
        lift(archive, pages[1])
        block(archive, Wish(f"{timestamp(first)}/{pages[0]}", "Request 2"))
        _until(lambda: [found.key for found in annotations(archive)] == [note.key, one.key])
    finally:
        with contextlib.suppress(UsageError):
            lift(archive, f"{timestamp(first)}/{pages[0]}")
        _until(lambda: len(annotations(archive)) == 3)
    return pages, (note, of_change, one)


def _until(condition):
    """Readers of a cluster look at the journal each second."""
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_they_are_kept_found_hidden_and_taken_back(archive):
    _, (note, of_change, one) = assert_all_of_it(archive)
    with archive.writing("watch"):  # somebody else writes meanwhile
        late = archive.note("https://www.site.test/a.html", "late")
    assert late.url == URL
    archive.reindex()
    again = open_folder(archive.folder)
    assert {found.key for found in again.annotations()} == {note.key, of_change.key, one.key, late.key}
    assert again.untag(URL, "Of interest") == 1
    assert again.remove_annotation(of_change.key) == of_change
    assert again.tags() == {} and [found.key for found in again.annotations()] == [late.key, note.key]


def test_what_cannot_be_is_told(archive):
    for wish, said in (
        (AnnotationWish("http://site.test/nowhere", "x"), "nothing was captured"),
        (AnnotationWish(URL, "x", 5.0), "nothing was captured at 1970"),
        (AnnotationWish(URL, " "), "a tag has letters"),
        (AnnotationWish("nothing", "x"), "nothing"),
    ):
        with pytest.raises(UsageError, match=said):
            tag(archive, wish)
    with pytest.raises(UsageError, match="no tag 'x'"):
        untag(archive, AnnotationWish(URL, "x"))


def test_erased_pages_take_what_was_written_of_them_along(archive):
    archive.note(URL, "of a")
    kept = archive.note("http://site.test/b.html", "of b")
    archive.note(URL, "of a capture", archive.captures(URL)[0].time)
    archive.erase("http://site.test/a.html", reason="Request 3")
    again = open_folder(archive.folder)
    assert again.annotations() == [kept]
    again.lift("http://site.test/a.html")
    assert again.annotations() == [kept]


@postgres.GROUP
def test_a_cluster_keeps_the_same(cluster):
    _, made = assert_all_of_it(cluster)
    for one in made:
        remove_annotation(cluster, one.key)
    assert annotations(cluster) == []
