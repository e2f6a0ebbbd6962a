import pytest

from strandline.core.keeping.annotations import (
    LONGEST_NOTE,
    Annotation,
    annotation_of,
    author_name,
    note_text,
    tag_text,
)


def test_texts_are_bounded_and_hold_nothing_that_nobody_sees():
    assert tag_text(" a\tb\n c\u202e ") == "a b c"
    assert note_text("first\r\nsecond\u2028third\x00\n\n") == "first\nsecond\nthird"
    assert author_name("A.\n Keeper\x1b[31m" + "x" * 500)[:13] == "A. Keeper[31m"
    assert len(author_name("x" * 500)) == 200
    for text in ("", "--", "x" * 61):
        with pytest.raises(ValueError, match="a tag has"):
            tag_text(text)
    for text, said in ((" \n", "nothing in"), ("x" * (LONGEST_NOTE + 1), "at most")):
        with pytest.raises(ValueError, match=said):
            note_text(text)


def test_what_was_moved_is_the_same_and_what_is_none_is_refused():
    made = Annotation("0123456789abcdef", "note", "https://www.example.org/a", "x <b>\ny", 12.5, "A", 99.0)
    assert annotation_of(made.as_json()) == made
    assert made.surt == "org,example)/a"
    assert annotation_of(made.as_json() | {"author": "\0"}).author == ""
    for wrong in (
        {"key": "1"}, {"kind": "rating"}, {"text": ""}, {"url": "nothing"}, {"capture": "x"}, {"time": None},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r".+"):
            annotation_of(made.as_json() | wrong)
    with pytest.raises(ValueError, match="not a tag or note"):
        annotation_of({})
