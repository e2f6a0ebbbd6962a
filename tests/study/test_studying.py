"""Study of a whole archive: rounds, late captures, and a page that kills its worker."""

import json
from pathlib import Path

import pytest

from strandline.core.changes.observation import PageStudy
from strandline.python_archive import create_folder as create
from strandline.store.studies import Wanted
from strandline.study import studying

URL = "https://library.example/rules"
FEES = "A library card costs four euro a month for adults who live in the town and nothing for children."
NEW = "Complaints about a decision of the library go to an arbitrator appointed each year by the council."


def page(*paragraphs):
    return "<main>" + "".join(f"<h2>Part {n}</h2><p>{text}</p>" for n, text in enumerate(paragraphs)) + "</main>"


def versions(folder: Path, *entries):
    """A file of page versions (time, html[, url])."""
    file = folder / f"{entries[0][0]}.jsonl"
    lines = [{"time": time, "html": html, "url": rest[0] if rest else URL} for time, html, *rest in entries]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.fixture
def archive(tmp_path):
    return create(tmp_path / "archive", contact="https://library.example/bot")


def told(archive):
    return [(change.after, change.by, round(change.importance, 4)) for change in archive.studies.changes_of(URL)]


def test_imported_versions_are_studied_in_time_order(archive, tmp_path):
    archive.bring_in(versions(tmp_path, (1000, page(FEES)), (2000, page(FEES)), (3000, page(FEES, NEW))))
    ((after, by, importance),) = told(archive)
    assert (after, by) == (2000.0, 3000.0)
    assert importance > 0.1
    assert [life.first for life in archive.studies.search(Wanted("arbitrator"))] == [3000.0]
    assert archive.study() == 0


def test_older_captures_that_come_later_are_put_in_their_place(archive, tmp_path):
    archive.bring_in(versions(tmp_path, (2000, page(FEES)), (3000, page(FEES, NEW))))
    archive.bring_in(versions(tmp_path, (1000, page(NEW))))
    both = told(archive)
    assert [(after, by) for after, by, _ in both] == [(1000.0, 2000.0), (2000.0, 3000.0)]
    other = create(tmp_path / "other", contact="https://library.example/bot")
    other.bring_in(versions(tmp_path, (1000, page(NEW)), (2000, page(FEES)), (3000, page(FEES, NEW))))
    assert told(other) == both


def test_a_page_is_relearned_at_another_level(archive, tmp_path):
    archive.bring_in(versions(tmp_path, (1000, page(*[FEES] * 20)), (2000, page(*[FEES] * 20, NEW))))
    number = archive.page(URL).page
    before = told(archive)
    few = len(archive.studies.version(URL, 1e9)[1].blocks)
    archive.relearn(URL, 3)
    assert archive.studies.state(number).level == 3
    assert len(archive.studies.version(URL, 1e9)[1].blocks) > few
    assert [(after, by) for after, by, _ in told(archive)] == [(1000.0, 2000.0)]
    archive.bring_in(versions(tmp_path, (3000, page(*[FEES] * 20))))
    assert archive.studies.version(URL, 1e9)[1].level == 3
    archive.relearn(URL, 2)
    assert told(archive)[0] == before[0]


def test_rounds_come_to_the_same_as_one(archive, tmp_path, monkeypatch):
    entries = [(1000 + n, page(FEES, *[NEW] * (n > 3), f"Day {n}")) for n in range(8)]
    archive.bring_in(versions(tmp_path, *entries))
    other = create(tmp_path / "other", contact="https://library.example/bot")
    monkeypatch.setattr(studying, "ROUND", 3)
    other.bring_in(versions(tmp_path, *entries))
    assert told(other) == told(archive)
    assert list(other.studies.block_history(URL)) == list(archive.studies.block_history(URL))


def test_a_page_that_kills_its_worker_is_noted_and_the_others_are_studied(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(studying, "_WORKER", "made.deadly_worker")
    other = "https://library.example/other"
    file = versions(
        tmp_path,
        (1000, page(FEES)),
        (2000, page("deadly")),
        (3000, page(FEES, NEW)),
        (4000, page(FEES), other),
        (5000, page(NEW), other),
    )
    archive.bring_in(file)
    assert [(after, by) for after, by, _ in told(archive)] == [(1000.0, 3000.0)]
    assert len(list(archive.studies.changes_of(other))) == 1
    ((url, time, why),) = archive.studies.problems()
    assert (url, time) == (URL, 2000.0)
    assert "ended the process" in why
    assert archive.studies.waiting() == 0


def test_work_that_never_begins_is_given_up(archive):
    with archive.writing("study") as catalog:
        desk = studying.Studying(archive.folder, archive.settings.study, catalog)
        work = studying.PageWork(7, URL, None, None, ())
        for _ in range(studying.TRIES):
            desk._fallen(studying.Fallen(work, 0, "ended"))
        assert [study.page for study in desk._done if isinstance(study, PageStudy)] == [7]
        desk.__exit__(None, None, None)
