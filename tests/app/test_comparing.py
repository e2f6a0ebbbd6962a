"""Comparing files: what is no page is refused by name, whichever of the two it is."""

import pytest

from servers.made_pdf import made_pdf
from strandline.app.comparing import compare_files, page_blocks
from strandline.errors import UsageError

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


def test_a_file_of_xhtml_is_read_as_such(tmp_path):
    file = tmp_path / "page.xhtml"
    file.write_text(f"<html xmlns='http://www.w3.org/1999/xhtml'><script src='a.js'/><body>{PAGE}</body></html>")
    assert page_blocks(str(file)).text == "The library opens at nine."
