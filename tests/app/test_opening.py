"""An archive that a command made for nothing goes with it, but never one that somebody else has taken up."""

import pytest

from strandline.app.opening import opened_or_made
from strandline.archive.folder import create
from strandline.errors import UsageError
from strandline.settings.file import NAME
from strandline.store.lock import WriteLock


def test_what_failed_leaves_nothing_behind(tmp_path):
    with pytest.raises(UsageError, match="mistyped"), opened_or_made(tmp_path / "a"):
        raise UsageError("mistyped")
    assert not (tmp_path / "a").exists()


def test_what_somebody_else_writes_by_now_stays(tmp_path):
    with pytest.raises(UsageError, match="too late"), opened_or_made(tmp_path / "a") as archive:
        other = WriteLock(archive.folder, "crawl")  # the other has not committed anything yet
        raise UsageError("too late")
    assert (tmp_path / "a" / NAME).exists()
    other.release()


def test_settings_that_somebody_else_wrote_first_stay(tmp_path, monkeypatch):
    folder = tmp_path / "a"
    contact = "https://library.example/bot"

    def first(text):
        """Another command makes the archive while this one still looks at its arguments."""
        monkeypatch.undo()
        create(folder, contact=contact)

    monkeypatch.setattr("strandline.archive.folder.texts.contact", first)
    with opened_or_made(folder) as archive:
        assert archive.settings.archive.contact == contact
    assert contact in (folder / NAME).read_text()


@pytest.mark.parametrize("name", ["my-archve", "my-archives", "My-archive", "myarchive"])
def test_a_mistyped_folder_does_not_become_a_new_archive(tmp_path, name):
    create(tmp_path / "my-archive")
    with pytest.raises(UsageError, match=r"did you mean .*my-archive\?"), opened_or_made(tmp_path / name):
        pass
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["my-archive-2", "my-archive2026", "news", "archive"])
def test_a_folder_of_another_name_does(tmp_path, name):
    create(tmp_path / "my-archive")
    (tmp_path / "newsy").mkdir()  # no archive
    with opened_or_made(tmp_path / name) as archive:
        assert (archive.folder / NAME).exists()
