"""Bringing in what other tools archived: their addresses are found however they were written."""

import pytest

import strandline
from warc.test_exchange import ODD, odd_file


@pytest.mark.parametrize("anew", [False, True])
def test_odd_addresses_are_found_after_an_import(tmp_path, anew):
    archive = strandline.create(tmp_path / "archive")
    brought = archive.bring_in(odd_file(tmp_path / "odd.warc.gz"))
    assert brought.captures == 6
    assert brought.findings == ("kept, but no captures of the web: dns: 1, urn: 1",)
    if anew:
        assert archive.reindex().captures == 6
    for written, url in ODD.items():
        if url:
            assert [capture.url for capture in archive.captures(written.strip("<>"))] == [url]
    assert archive.verify().ok
