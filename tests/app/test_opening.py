"""An archive that a command made for nothing goes with it, but never one that somebody else has taken up."""

import pytest

from strandline.app.archive import create
from strandline.app.opening import opened_or_made
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

    monkeypatch.setattr("strandline.app.archive.check_contact", first)
    with opened_or_made(folder) as archive:
        assert archive.settings.archive.contact == contact
    assert contact in (folder / NAME).read_text()
