"""Making an archive: whole, or nothing."""

import resource

import pytest

import strandline
from strandline.archive.folder import create
from strandline.errors import OutOfSpace


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
