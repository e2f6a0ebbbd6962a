"""What readers of other tools share."""

import pytest

from strandline.exchange.holding import content_type, inside, is_address


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("a.html", "é".encode(), "text/html; charset=utf-8"),
        ("a.HTML", b"\xe9", "text/html"),
        ("b/c.md", b"x", "text/markdown; charset=utf-8"),
        ("a.pdf", b"%PDF", "application/pdf"),
        ("a.py", b"1", ""),
        ("Makefile", b"", ""),
    ],
)
def test_types_by_name_and_utf_8_where_it_is(name, body, kind):
    assert content_type(name, body) == kind


def test_addresses_are_those_of_the_web():
    assert is_address("https://a.example/x y")
    assert not any(map(is_address, ("", None, 5, "ftp://a.example/", "javascript:1", "https://")))


def test_links_out_of_a_folder_are_not_inside(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out.txt").write_text("secret")
    (tmp_path / "in" / "own.txt").write_text("own")
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "out.txt")
    assert inside(tmp_path / "in", tmp_path / "in" / "own.txt")
    assert not inside(tmp_path / "in", tmp_path / "in" / "link.txt")
    assert not inside(tmp_path / "in", tmp_path / "in")
