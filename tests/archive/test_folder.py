"""Making an archive: whole, or nothing."""

import resource

import pytest

import strandline
from strandline.app.opening import opened_or_made
from strandline.archive.folder import create
from strandline.errors import OutOfSpace, UsageError


def test_an_archive_that_cannot_be_made_leaves_nothing_behind(tmp_path):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, limit[1]))
    try:
        with pytest.raises(OutOfSpace, match="cannot be made"):
            strandline.create(tmp_path / "archive")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert not (tmp_path / "archive").exists()
    assert strandline.create(tmp_path / "archive").settings.archive.contact == ""


def test_what_killed_crawls_and_imports_left_is_swept(tmp_path):
    archive = create(tmp_path / "a")
    (archive.folder / "spool-a1b2c3d4" / "deep").mkdir(parents=True)
    (archive.folder / "spool-a1b2c3d4" / "deep" / "body").write_bytes(b"x" * 10)
    (archive.folder / "unpacked-0_9zyxwv").write_bytes(b"x" * 10)
    (archive.folder / "unpacked-by-hand.warc").write_bytes(b"somebody's own")
    (archive.folder / "spool-elsewhere").symlink_to(tmp_path)
    kept = {"unpacked-by-hand.warc", "spool-elsewhere"}
    with archive.writing("test"):
        assert {path.name for path in archive.folder.iterdir() if path.name[:5] in ("spool", "unpac")} == kept


@pytest.mark.parametrize("first", [(), ("archive",), ("archive", "indexes")])
def test_one_who_was_killed_while_making_it_is_not_in_the_way(tmp_path, first):
    folder = tmp_path / "a"
    for name in ("", *first):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with opened_or_made(folder) as archive, archive.writing("test"):
        assert archive.folder == folder
    assert not strandline.open(folder).verify().problems


def test_what_holds_somebody_s_own_is_no_place_for_a_new_one(tmp_path):
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "letters").write_text("somebody's own")
    with pytest.raises(UsageError, match="not an empty folder"):
        create(tmp_path)
    with pytest.raises(UsageError, match="is no archive"), opened_or_made(tmp_path):
        pass
