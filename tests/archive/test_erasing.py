"""Erasing from an archive folder, step by step."""

import json
from contextlib import closing

import pytest

from made.secrets import remains, secretive, shown
from strandline.archive.erasing import ErasePlan, go_on, plan_erasure
from strandline.archive.erasing_folder import FolderErasing
from strandline.archive.folder import open_archive
from strandline.core.keeping.takedowns import Act
from strandline.core.urls import surt_key
from strandline.store.takedowns import erased_stretches
from strandline.warc.compacted import DELTA
from strandline.warc.reader import file_in


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("erased") / "archive"
    return folder, *secretive(folder)


def _plan(folder, *targets):
    with open_archive(folder).erasing("test") as place:
        return plan_erasure(place, [Act(1, 1.7e9, "erase", target, "because") for target in targets])


def test_a_plan_names_answers_requests_and_failures_and_changes_nothing(made):
    folder, secrets, _ = made
    before = {path: path.read_bytes() for path in (folder / "archive").iterdir()}
    plan = _plan(folder, secrets[0].url)
    held = open_archive(folder).everything.captures(secrets[0].url)
    assert sorted(plan.captures) == sorted((one.place.file, one.place.offset) for one in held)
    assert plan.counts()["records"] >= 2 * len(held)
    assert {path: path.read_bytes() for path in (folder / "archive").iterdir()} == before
    kinds = {file_in(folder / "archive", file).name.endswith(DELTA) for file in plan.records}
    assert kinds == {True, False}


def test_a_plan_survives_being_written(made):
    folder, secrets, _ = made
    plan = _plan(folder, *(one.url for one in secrets[:5]))
    assert plan.whole
    assert ErasePlan.of(json.loads(json.dumps(plan.as_json()))) == plan


def test_captures_that_refer_to_what_goes_are_made_whole(made):
    folder, _secrets, same = made
    url, at, of_url, _of_time = next(one for one in same if one[0] != one[2])
    plan = _plan(folder, of_url)
    revisit = next(one for one in open_archive(folder).everything.captures(url) if abs(one.time - at) < 0.01)
    assert revisit.place in [one.revisit for one in plan.whole]


def test_what_a_browser_showed_of_a_revisit_goes_where_it_goes(tmp_path):
    folder = tmp_path / "archive"
    _, same = secretive(folder)
    archive = open_archive(folder)
    seen = {(one.url, round(one.time, 3)) for one in archive.everything.all_captures() if one.revisit and one.rendering}
    url, at, of_url, _ = next(one for one in same if one[0] != one[2] and (one[0], round(one[1], 3)) in seen)
    before = shown(folder)
    plan = _plan(folder, of_url)
    assert any(one.views for one in plan.whole)
    archive.journal.add(Act(0, 0.0, "erase", of_url, "because"))
    with archive.writing("test"):
        pass
    after = shown(folder)
    assert after == {place: what for place, what in before.items() if surt_key(place[0]) != surt_key(of_url)}
    moved = next(one for one in open_archive(folder).everything.captures(url) if abs(one.time - at) < 0.01)
    assert moved.place.file.startswith("whole-") and not moved.revisit and moved.rendering is not None
    assert open_archive(folder).verify().ok


def test_it_is_done_once_the_archive_is_opened_for_writing(tmp_path):
    folder = tmp_path / "archive"
    secrets, same = secretive(folder)
    before, archive, told = shown(folder), open_archive(folder), []
    archive.say = told.append
    gone = secrets[3]
    archive.journal.add(Act(0, 0.0, "erase", gone.url, "because"))
    with archive.writing("test") as catalog:
        assert [act.act for act in archive.journal.acts()] == ["erase", "erased"]
        assert not told or told[0].startswith("erased ")
        go_on(FolderErasing(folder, catalog, archive.index), told.append)
        assert len(archive.journal.acts()) == 2
    after = shown(folder)
    assert after == {place: what for place, what in before.items() if surt_key(place[0]) != surt_key(gone.url)}
    kept = {(of_url, round(of_time, 3)) for url, _, of_url, of_time in same if surt_key(url) != surt_key(gone.url)}
    texts = [one.text for one in secrets if one.url == gone.url and (one.url, round(one.time, 3)) not in kept]
    assert texts
    assert remains(folder, texts) == []
    assert open_archive(folder).verify().ok
    row = open_archive(folder).everything.page(gone.url)
    assert (row.captures, row.due) == (0, float("inf"))
    assert erased_stretches(folder) == ((surt_key(gone.url), f"{surt_key(gone.url)}\0"),)


def test_a_journal_that_was_tampered_with_erases_nothing(tmp_path):
    folder = tmp_path / "archive"
    secrets, _ = secretive(folder, studied=False)
    archive = open_archive(folder)
    archive.journal.add(Act(0, 0.0, "block", secrets[0].url, "because"))
    journal = folder / "takedowns" / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"block"', '"erase"'))
    before = shown(folder)
    told = []
    archive.say = told.append
    with archive.writing("test"):
        pass
    assert shown(folder) == before
    assert "tampered" in told[0]


def test_torn_ends_that_name_an_erased_address_go(tmp_path):
    folder = tmp_path / "archive"
    secrets, _ = secretive(folder, studied=False)
    archive = open_archive(folder)
    capture = archive.everything.captures(secrets[-1].url)[-1]
    path = file_in(folder / "archive", capture.place.file)
    with closing(path.open("rb")) as file:
        file.seek(capture.place.offset)
        torn = file.read(capture.place.length // 2)
    (folder / "quarantine").mkdir()
    (folder / "quarantine" / "x.1.tail").write_bytes(torn)
    (folder / "quarantine" / "y.2.tail").write_bytes(b"nothing of it")
    archive.journal.add(Act(0, 0.0, "erase", secrets[-1].url, "because"))
    with archive.writing("test"):
        pass
    assert [one.name for one in (folder / "quarantine").iterdir()] == ["y.2.tail"]
