"""The rendered provider: the same layout tree from a browser's snapshot. Skipped where there is no Chromium."""

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.dom import rendered
from strandline.dom.html import blocks
from strandline.dom.rendered import browser, chromium_path, layout_of
from strandline.errors import SettingError

PAGE = """<html><head><title>Library</title></head><body style='margin:0'>
<header style='background:#eee'><p>Town library</p></header>
<div style='display:flex'><nav style='width:200px'><a href='/a?x=1'>Shelves</a></nav>
<main style='flex:1'><h1>Hours</h1><p>Open <b>every</b> working day from <a href='/nine'>nine</a></p>
<p style='display:none'>never shown</p><p style='visibility:hidden'>nor this</p>
<p style='margin-top:120px'>Far below stands a note</p></main></div></body></html>"""

needs_browser = pytest.mark.skipif(chromium_path() is None, reason="Chromium is not installed")


def snapshot(nodes):
    """A snapshot as Chromium gives it, from (parent, tag or #text, value, attributes, box or None, style)."""
    strings: list[str] = []

    def number(text: str) -> int:
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    document = {
        "title": number("Made"),
        "nodes": {
            "parentIndex": [node[0] for node in nodes],
            "nodeName": [number(node[1]) for node in nodes],
            "nodeType": [3 if node[1] == "#text" else 1 for node in nodes],
            "nodeValue": [number(node[2]) if node[2] else -1 for node in nodes],
            "attributes": [[number(part) for part in node[3]] for node in nodes],
        },
        "layout": {
            "nodeIndex": [place for place, node in enumerate(nodes) if node[4]],
            "bounds": [node[4] for node in nodes if node[4]],
            "styles": [[number(part) for part in node[5]] for node in nodes if node[4]],
        },
    }
    return {"documents": [document], "strings": strings}


BLOCK = ("block", "visible", "rgba(0, 0, 0, 0)", "16px", "400", "1", "normal")
INLINE = ("inline", *BLOCK[1:])


def test_a_snapshot_becomes_a_layout_tree():
    tree = layout_of(
        snapshot(
            [
                (-1, "HTML", "", (), [0, 0, 1000, 800], BLOCK),
                (0, "BODY", "", (), [0, 0, 1000, 800], BLOCK),
                (1, "H2", "", (), [0, 0, 1000, 40], BLOCK),
                (2, "#text", "Hours", (), [0, 0, 90, 20], INLINE),
                (1, "P", "", ("id", "note"), [0, 60, 1000, 20], BLOCK),
                (4, "#text", "Open  ", (), [0, 60, 50, 20], INLINE),
                (4, "A", "", ("href", "/x"), [50, 60, 50, 20], INLINE),
                (6, "#text", "daily", (), [50, 60, 50, 20], INLINE),
                (1, "P", "", (), None, ()),
                (8, "#text", "hidden", (), None, ()),
            ]
        )
    )
    assert [(item.kind, item.text, item.address) for item in tree.items] == [
        ("text", "Hours", ""),
        ("link", "", "/x"),
        ("text", "Open daily", ""),
    ]
    assert tree.prominence.tolist() == [2, 9, 9]
    assert tree.parents == [-1, 0, 1, 1]
    assert tree.lasts[:2] == [3, 3]
    assert (tree.step(3), tree.hint(3)) == ("p#note", "")
    assert tree.title == "Made"


def test_halves_of_characters_are_replaced():
    made = [(-1, "BODY", "", (), [0, 0, 9, 9], BLOCK), (0, "#text", "half \ud83d, whole 😀", (), [0, 0, 9, 9], INLINE)]
    made.append((0, "IMG", "", ("src", "data:\ud83d"), [0, 0, 9, 9], INLINE))
    assert {item.text + item.address for item in layout_of(snapshot(made)).items} == {"half ?, whole 😀", "data:?"}


def test_without_chromium_the_user_is_told(monkeypatch):
    monkeypatch.setattr(rendered, "CHROMIUM", ("/nowhere/chromium",))
    with pytest.raises(SettingError, match="Chromium"), browser():
        pass


@needs_browser
@pytest.mark.browser
def test_a_page_as_shown():
    with browser() as chromium:
        page = chromium.blocks(PAGE, url="https://library.example/")
        again = chromium.blocks(PAGE, url="https://library.example/")
    assert page.title == "Library"
    assert page.rendered
    assert "never shown" not in page.text
    assert "nor this" not in page.text
    assert {block.role for block in page.blocks} == {"header", "nav", "main"}
    assert [block.text for block in page.blocks if block.role == "main"] == [
        "Hours\nOpen every working day from nine",
        "Far below stands a note",
    ]
    assert all(block.box is not None for block in page.blocks)
    assert compare(page, again).empty


@needs_browser
@pytest.mark.browser
def test_static_and_rendered_say_the_same_of_the_same_page():
    html = "<main><h1>Fees</h1><p>Four euro a month</p></main><footer>Imprint</footer>"
    with browser() as chromium:
        shown = chromium.blocks(html)
    assert [block.text for block in shown.blocks] == [block.text for block in blocks(html.encode()).blocks]
