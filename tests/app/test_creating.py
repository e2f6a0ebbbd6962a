"""Making an archive: whole, or nothing."""

import resource

import pytest

import strandline
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
