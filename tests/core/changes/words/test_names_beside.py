import pytest

from strandline.core.changes.words.names_beside import begins_with_heading, heads, is_name_beside
from strandline.dom.html import blocks

TEXT = "<p>The ferry does not run when the water is high, and whoever waits may wait in the hut.</p>" * 3


def names(html):
    page = blocks(f"<body><h1>Ferry</h1>{TEXT}{html}</body>".encode())
    return {text for block in page.blocks for text in block.texts if is_name_beside(page, block.path, text)}


def test_names_below_a_heading_without_a_link():
    found = names("<div>Das könnte Sie auch interessieren</div><div>Drei Schwestern</div><div>Ein Ofen</div>")
    assert found == {"Drei Schwestern", "Ein Ofen"}


@pytest.mark.parametrize(
    "html",
    [
        "<div>You may also like</div><div>Kettle</div>",  # one name is none of a list
        "<div>Tag 3</div><div>Oslo</div><div>Bergen</div>",
        "<div>Links</div><div>Left bank</div><div>Right bank</div>",
        "<div>You may also like</div><div>Kettle 12 €</div><div>Pan 9 €</div>",
        "<div>You may also like</div><div>It rains.</div><div>It snows.</div>",
    ],
)
def test_what_is_no_name(html):
    assert names(html) == set()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Les plus lus Dix lacs Trois sœurs et un four", True),
        ("Meistgelesen Wollpullover stopfen Zehn Seen", True),
        ("Most read on trains and in waiting rooms all over the country", False),
        ("Most read", False),
        ("The most read story", False),
    ],
)
def test_a_heading_with_names_behind_it(line, found):
    assert begins_with_heading(line) is found


def test_headings_of_one_short_word_head_other_things_too():
    assert not heads("Tags")
    assert heads("Populaire artikelen")
