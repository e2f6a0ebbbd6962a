"""Comparing files: what is no page is refused by name, whichever it is. Versions are judged as of their time."""

import json
from zipfile import ZipFile

import pytest

from servers.made_pdf import made_pdf
from strandline.errors import UsageError
from strandline.python_archive import create_folder as create
from strandline.study.comparing import compare_files, compare_versions, page_blocks

PAGE = "<main><p>The library opens at nine.</p></main>"


@pytest.mark.parametrize("content", [b"%PDF-1.7 ...", b"\x89PNG\r\n", b"\x1f\x8b\x08", b"<" * 4_000_001])
@pytest.mark.parametrize("first", [True, False])
def test_what_is_no_page_is_refused(tmp_path, content, first):
    page, other = tmp_path / "page.html", tmp_path / "other.html"
    page.write_text(PAGE)
    other.write_bytes(content)
    with pytest.raises(UsageError, match=r"other\.html"):
        compare_files(*map(str, (other, page) if first else (page, other)))


def test_files_of_pdf_are_compared_whatever_they_are_called(tmp_path):
    old, new = tmp_path / "old.pdf", tmp_path / "new"
    old.write_bytes(made_pdf(["The library opens at nine."]))
    new.write_bytes(made_pdf(["The library opens at eleven."]))
    assert [one.after for one in compare_files(str(old), str(new)).delta.operations] == ["The library opens at eleven."]


def test_zip_files_are_compared_by_their_members(tmp_path):
    for name, hour in (("old.zip", "nine"), ("new.zip", "eleven")):
        with ZipFile(tmp_path / name, "w") as packed:
            packed.writestr("hours.txt", f"The library opens at {hour}.")
    found = compare_files(str(tmp_path / "old.zip"), str(tmp_path / "new.zip"))
    assert any("eleven" in one.after for one in found.delta.operations)


def test_a_file_of_xhtml_is_read_as_such(tmp_path):
    file = tmp_path / "page.xhtml"
    file.write_text(f"<html xmlns='http://www.w3.org/1999/xhtml'><script src='a.js'/><body>{PAGE}</body></html>")
    assert page_blocks(str(file)).text == "The library opens at nine."


def test_texts_of_a_recorded_change_are_judged_by_what_was_known_then(tmp_path):
    url, begin = "https://shop.example/", 1_790_000_000.0
    offers = ("Kettles at half price today", "Lamps for reading in bed", "Kettles at half price today")
    pages = [f"<main><h1>Shop</h1>{PAGE}</main><aside><h3>Offers</h3><p>{offer}</p></aside>" for offer in offers]
    versions = [{"url": url, "time": begin + 3600.0 * n, "html": html} for n, html in enumerate(pages)]
    file = tmp_path / "versions.jsonl"
    file.write_text("\n".join(map(json.dumps, versions)))
    archive = create(tmp_path / "archive")
    archive.bring_in(file)
    archive.study()

    def kinds(first):
        found, _, _ = compare_versions(archive, url, begin + 3600.0 * first, begin + 3600.0 * (first + 1))
        assert found.recorded is not None
        told = {block["path"]: block["contribution"] for block in found.recorded.blocks}
        assert {reason.path: round(reason.contribution, 4) for reason in found.reasons} == told
        return [item.kind for reason in found.reasons for item in reason.counted.items]

    assert (kinds(0), kinds(1)) == (["edited"], ["rotating"])


@pytest.mark.parametrize(
    "name, before, after, told",
    [
        ("shop.json", '{"price": 14.95, "n": "Kettle"}', '{"price": 15.95, "n": "Kettle"}', "rose from 14.95 to 15.95"),
        ("tides.csv", "place,height\nBrest,4\nEmden,3", "place,height\nBrest,4\nEmden,8", "8"),
        ("tides.tsv", "place\theight\nBrest\t4", "place\theight\nBrest\t9", "9"),
        (
            "news.xml",
            "<rss><item><title>Tide turns</title></item></rss>",
            "<rss><item><title>Storm breaks the wall</title></item><item><title>Tide turns</title></item></rss>",
            "Storm breaks the wall",
        ),
        ("rules.xml", "<fees><a>The fee is 4 EUR.</a></fees>", "<fees><a>The fee is 5 EUR.</a></fees>", "from 4 to 5"),
    ],
)  # fmt: skip
def test_files_of_data_are_read_by_their_kind(tmp_path, name, before, after, told):
    old, new = tmp_path / f"old-{name}", tmp_path / f"new-{name}"
    old.write_text(before)
    new.write_text(after)
    found = compare_files(str(old), str(new))
    assert told in found.told.sentence
    assert compare_files(str(old), str(old)).delta.empty


def test_a_file_that_is_not_what_it_is_called_is_refused(tmp_path):
    (tmp_path / "broken.json").write_text("{broken")
    with pytest.raises(UsageError, match="cannot be read as application/json"):
        compare_files(*[str(tmp_path / "broken.json")] * 2)


def test_another_order_inside_a_block_is_shown_as_moves(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text('["one thing", "another thing", "a third thing"]')
    new.write_text('["a third thing", "one thing", "another thing"]')
    found = compare_files(str(old), str(new))
    assert [(operation.kind, operation.after) for operation in found.delta.operations] == [("move", "a third thing")]
    assert found.told.sentence == "Only the order changed"
    assert found.importance == 0.0
