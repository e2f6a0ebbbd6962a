import json
from dataclasses import replace

import pytest

import strandline
from strandline.errors import UsageError
from strandline.study.pending import relearn, study

URL = "https://site.example/"


@pytest.fixture
def archive(tmp_path):
    """Two versions of a page that nobody looked at yet."""
    made = strandline.create(tmp_path / "archive", contact="https://library.example/bot")
    wanted, made.settings = made.settings, replace(made.settings, study=replace(made.settings.study, workers=0))
    pages = [f"<title>Fees</title><h1>Fees</h1><p>A passport costs {fee} euros.</p>" for fee in (60, 75)]
    rows = [{"url": URL, "time": 1000.0 * n, "html": html} for n, html in enumerate(pages, 1)]
    (tmp_path / "versions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    made.bring_in(tmp_path / "versions.jsonl")
    made.settings = wanted
    return made


def test_what_is_pending_is_studied_once(archive):
    assert list(archive.changes()) == []
    told = []
    assert study(archive, lambda done, left: told.append((done, left))) == 2
    assert [change.by for change in archive.changes()] == [2000.0]
    assert study(archive) == 0


def test_a_page_is_studied_again_at_another_level(archive):
    study(archive)
    relearn(archive, URL, 3)
    assert archive.studies.state(archive.page(URL).page).level == 3
    assert [change.by for change in archive.changes()] == [2000.0]


@pytest.mark.parametrize(("url", "level", "problem"), [(URL, 4, "1, 2 or 3"), (URL + "away", 0, "not in this archive")])
def test_what_cannot_be_studied_again_is_told(archive, url, level, problem):
    with pytest.raises(UsageError, match=problem):
        relearn(archive, url, level)
