"""Versions without HTTP as records: the head says type and origin, what is the same as before is a revisit."""

import gzip

from exchange.test_moving import made
from strandline.exchange.intake import intake_of
from strandline.exchange.page_versions import PageVersion
from strandline.exchange.version_records import keep_versions
from strandline.warc.captures import Kept, captures_of


def test_records_say_where_they_come_from_and_nothing_breaks_out_of_the_head(tmp_path):
    archive = made(tmp_path / "archive")
    origin = "git\r\n\r\n0123456789ab"
    versions = [PageVersion("http://a.example/", 1000.0 + n, b"same", "text/plain", origin) for n in range(2)]
    with intake_of(archive) as intake:
        kept = keep_versions(versions, "somewhere", intake)
        again = keep_versions(versions, "somewhere", intake)
    assert (kept.captures, kept.held_already) == (2, 0)
    assert (again.captures, again.held_already) == (0, 2)
    (file, *_) = sorted((archive.folder / "archive").glob("import-*.warc.gz"))
    found = [item for item in captures_of(file) if isinstance(item, Kept)]
    assert [(item.record_type, item.content_type) for item in found] == [
        ("response", "text/plain"),
        ("revisit", "text/plain"),
    ]
    assert archive.content(found[0].capture) == b"same"
    with gzip.open(file) as records:
        assert b"\r\nStrandline-Imported-From: git 0123456789ab\r\n\r\nsame" in records.read()
