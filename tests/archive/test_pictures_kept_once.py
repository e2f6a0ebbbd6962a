"""A picture that several captures share outlives the one it was kept with."""

from contextlib import closing

import pytest

from access.test_pictures import NEW, OLD, URL, pictured
from strandline.access.payload import LostError
from strandline.access.pictures import picture_of
from strandline.archive.holdings import holdings
from strandline.archive.pictures_kept_once import heirs
from strandline.core.keeping.retention import rule_of
from strandline.exchange.rebuilding import reindex
from strandline.keeping.erasing import erase, preview_erasure
from strandline.keeping.retention import apply_retention, preview_retention
from strandline.keeping.takedowns import Wish
from strandline.store.retention import RetentionReading


def pictures(archive):
    """The picture of each capture of the page by its place in time; None where none was taken."""
    found = []
    for capture in archive.everything.captures(URL):
        try:
            found.append(picture_of(holdings(archive), capture))
        except LostError:
            found.append(None)
    return found


def named(capture):
    """The address of one capture."""
    return Wish(capture.record_id, "because")


def test_the_first_that_stays_gets_it_and_the_others_find_it_there(tmp_path):
    archive, kept = pictured(tmp_path / "archive")
    shelf = archive.shelf()
    assert heirs(shelf, [(kept, [False] * 5)]) == [] == heirs(shelf, [(kept, [True] * 5)])
    (heir,) = heirs(shelf, [(kept, [True, False, False, False, False])])
    assert (heir.capture, heir.owner) == (kept[1], kept[0])
    (heir,) = heirs(shelf, [(kept, [True, True, True, False, False])])
    assert heir.capture == kept[3]
    assert heirs(shelf, [(kept, [False, True, True, True, True])]) == []
    assert heirs(shelf, [(kept, [False] * 4 + [True])]) == [], "nobody else looks like the last"


@pytest.mark.parametrize("gone", [(0,), (0, 1), (0, 4), (1,)])
def test_erased_with_its_capture_it_moves_to_the_next_that_looks_the_same(tmp_path, gone):
    archive, kept = pictured(tmp_path / "archive")
    bodies = [archive.content(capture) for capture in archive.everything.captures(URL)]
    wishes = [named(kept[n]) for n in gone]
    assert preview_erasure(archive, wishes).made_whole == int(0 in gone)
    erase(archive, wishes)
    expected = [one for n, one in enumerate([OLD, OLD, None, OLD, NEW]) if n not in gone]
    assert pictures(archive) == expected
    assert [archive.content(one) for one in archive.everything.captures(URL)] == bodies[len(gone) :]
    assert archive.verify().ok
    reindex(archive)
    assert pictures(archive) == expected and archive.verify().ok
    if 4 in gone:
        assert all(NEW not in path.read_bytes() for path in (archive.folder / "archive").iterdir())


def test_what_rules_drop_stays_while_others_show_its_picture(tmp_path):
    """The first and the last capture stay by themselves; the last looks as the second did."""
    archive, kept = pictured(tmp_path / "archive", [("Six boats left", look) for look in (NEW, OLD, OLD, OLD)])
    assert archive.study() == 4
    with closing(RetentionReading.open(archive.database, everything=True)) as reading:
        assert len(list(reading.shown_captures())) == 4
    preview = preview_retention(archive, [rule_of("*: older 1h, keep important")], kept[-1].time + 10 * 86_400.0)
    apply_retention(archive, preview)
    left = archive.everything.captures(URL)
    assert [round(one.time) for one in left] == [round(kept[n].time) for n in (0, 1, 3)] and preview.dropped == 1
    assert pictures(archive) == [NEW, OLD, OLD]
    assert archive.verify().ok
