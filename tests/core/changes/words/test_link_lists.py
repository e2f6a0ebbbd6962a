"""Texts that are lists of links are compared entry by entry."""

from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.words.link_lists import by_entries, entries_of
from strandline.dom.html import blocks


def column(*entries: str, title: str = "Links", last: str = "") -> bytes:
    """A column of links divided by line breaks."""
    links = "<br>".join(f"<a href=/{n}>{entry}</a>" for n, entry in enumerate(entries))
    return f"<body><p><b>{title}</b><br>{links}<br>{last}".encode()


def the_block(page: bytes):
    (block,) = blocks(page).blocks
    return block, block.texts[0]


def test_the_entries_are_its_links():
    block, text = the_block(column("Old maps", "Why cats purr", "Seven bridges"))
    assert entries_of(block, text) == ("Old maps", "Why cats purr", "Seven bridges")


def test_a_sentence_with_links_is_no_list():
    block, text = the_block(
        b"<body><p>The <a href=/1>ferry</a> to the <a href=/2>island</a> leaves at <a href=/3>ten</a>."
    )
    assert entries_of(block, text) == ()
    assert by_entries(block, block, text, "Another sentence") == [(text, "Another sentence")]


def test_what_came_and_what_left_is_told_entry_by_entry():
    old = blocks(column("Old maps", "Why cats purr", "Seven bridges"))
    new = blocks(column("Seven bridges", "Old maps", "The ferry at dawn"))
    ((_, texts, _),) = touched_texts(compare(old, new))
    assert sorted(texts) == [("", "The ferry at dawn"), ("Why cats purr", "")]


def test_what_stands_around_the_entries_is_an_edit_of_its_own():
    entries = "Old maps", "Why cats purr", "Seven bridges"
    old, new = blocks(column(*entries, last="Fee 3 €")), blocks(column(*entries, last="Fee 5 €"))
    ((_, texts, _),) = touched_texts(compare(old, new))
    assert texts == [("Links Fee 3 €", "Links Fee 5 €")]
