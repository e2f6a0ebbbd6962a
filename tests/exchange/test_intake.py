"""Where imports go: opened when it is needed first, and whether a capture is there in more than name."""

from dataclasses import replace

import pytest

import strandline
from strandline.errors import ArchiveBusy
from strandline.exchange.intake import intake_of
from warc.test_exchange import odd_file


def test_nobody_is_kept_from_writing_until_there_is_something_to_write(tmp_path):
    archive = strandline.create(tmp_path / "archive")
    with intake_of(archive) as intake:
        with archive.writing("test"):
            pass
        assert intake.catalog is intake.catalog
        with pytest.raises(ArchiveBusy), archive.writing("test"):
            pass
    with archive.writing("test"):
        pass


def test_a_capture_is_there_when_its_file_is(tmp_path):
    archive = strandline.create(tmp_path / "archive")
    assert archive.bring_in(odd_file(tmp_path / "odd.warc.gz")).captures
    one = next(iter(archive.everything.all_captures()))
    with intake_of(archive) as intake:
        assert intake.has(one) and intake.reaches(one.place)
        assert not intake.has(replace(one, record_id="")), "of an index alone"
        assert not intake.reaches(replace(one.place, offset=10**9))
        (intake.files / one.place.file).unlink()
        assert not intake.has(one)
