"""Pictures given as files are compared by what they show."""

from pathlib import Path

import pytest

from strandline.core.changes.delta.pictures import ANOTHER
from strandline.errors import UsageError
from strandline.study.comparing import compare_files
from strandline.study.picture_comparison import picture_delta, picture_kind

Image = pytest.importorskip("PIL.Image")


def draw(file: Path, *, bright_left: bool, size: int = 200) -> str:
    steps = range(0, 250, 10)
    row = bytes(steps if not bright_left else reversed(steps))
    Image.frombytes("L", (len(row), 1), row).resize((size, size)).convert("RGB").save(file)
    return str(file)


def test_a_picture_encoded_and_scaled_again_is_the_same(tmp_path: Path) -> None:
    old = draw(tmp_path / "old.png", bright_left=True)
    new = draw(tmp_path / "new.jpg", bright_left=True, size=120)
    found = compare_files(old, new)
    assert found.delta.empty
    assert found.importance == found.impch == 0.0


def test_another_picture_is_a_change_that_says_so(tmp_path: Path) -> None:
    found = compare_files(draw(tmp_path / "old.png", bright_left=True), draw(tmp_path / "new.png", bright_left=False))
    assert found.told.sentence == found.as_data()["sentence"] == ANOTHER
    assert found.importance > 0.2
    assert found.impch == 1.0
    assert [(one.kind, one.element) for one in found.delta.operations] == [("update", "image")]


def test_a_picture_and_a_page_have_nothing_to_compare(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>The library opens at nine.</p>")
    with pytest.raises(UsageError, match="no page, but a file of another format"):
        compare_files(draw(tmp_path / "old.png", bright_left=True), str(page))


def test_broken_pictures_are_the_same_only_byte_by_byte() -> None:
    broken = b"\x89PNG\r\n\x1a\nnothing"
    assert picture_delta(broken, broken).empty
    with pytest.raises(UsageError, match="whether they look alike is not known"):
        picture_delta(broken, broken + b"more")


def test_pictures_are_told_by_their_first_bytes() -> None:
    assert picture_kind(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert picture_kind(b"GIF89a") == "image/gif"
    assert picture_kind(b"<html>") == picture_kind(b"RIFF\0\0\0\0WAVE") == ""
