"""Folders of WARC files: with an index in the old form, with CDXJ, as Browsertrix leaves them, and without."""

import gzip

from exchange.test_moving import made
from strandline.exchange.warc_folder import is_old_index, is_warc_folder, read_old_index, read_warc_folder
from warc.test_wacz import WARC, package

OLD = " CDX N b a m s k r M S V g\n"


def export(folder, index):
    (folder / "warcs").mkdir(parents=True)
    (folder / "warcs" / "a.warc.gz").write_bytes(WARC)
    (folder / "warcs" / "other.warc.gz").write_bytes(WARC)
    for name, text in index.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return folder


def old_lines(*names):
    return OLD + "".join(
        f"org,example)/ 20240101000000 http://example.org/ text/html 200 A - - 5 0 {n}\n" for n in names
    )


def test_the_old_form_says_which_files_belong_to_an_export(tmp_path):
    source = export(tmp_path / "out", {"index.cdx": old_lines("a.warc.gz", "a.warc.gz", "lost.warc.gz")})
    archive = made(tmp_path / "archive")
    brought = archive.bring_in(source)
    assert brought.kind == "cdx"
    assert brought.captures == len(list(archive.reading.all_captures())) > 0
    assert dict(brought.left_out) == {
        "WARC files that the index names and that are not here": 1,
        "WARC files that the index does not name": 1,
    }
    assert "the index has 3 lines and names 2 WARC files" in brought.findings
    file = source / "index.cdx"
    assert is_old_index(file)
    assert [one.name for one in read_old_index(file).files] == ["a.warc.gz"]
    assert archive.bring_in(file).captures == 0


def test_cdxj_packed_and_a_package_beside_the_files_it_is_made_of(tmp_path):
    line = 'org,example)/ 20240101000000 {"url": "http://example.org/", "filename": "a.warc.gz"}\n'
    source = export(tmp_path / "crawl", {"indexes/index.cdxj.gz": line + "no line\n"})
    (source / "crawl.wacz").write_bytes(package({"archive/a.warc.gz": WARC}))
    holding = read_warc_folder(source)
    assert [file.name for file in holding.files] == ["a.warc.gz"]
    assert holding.left_out["WACZ files beside the WARC files they are made of"] == 1
    assert not is_old_index(source / "indexes" / "index.cdxj.gz")


def test_without_an_index_all_files_are_taken(tmp_path):
    source = export(tmp_path / "files", {})
    assert is_warc_folder(source) and not is_warc_folder(tmp_path / "files" / "none")
    assert [file.name for file in read_warc_folder(source).files] == ["a.warc.gz", "other.warc.gz"]
    archive = made(tmp_path / "archive")
    first = archive.bring_in(source)
    assert (first.kind, first.captures) == ("warc", len(list(archive.reading.all_captures())))
    assert any("in the archive already" in finding for finding in first.findings)  # the second holds the same
