"""Paper 003, table 1: its functional tests, the one it failed (pages that are mostly text) included."""

import random

import pytest

from core.blocks.pages import paragraphs, sentence, text_page
from strandline.core.blocks.levels import PageLevel
from strandline.core.changes.delta.impch import impch
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.versions import PageHistory, Sight, block_record, layout_record
from strandline.dom.html import blocks

TEXTS = paragraphs(11, 60)
URL = "https://paper.example/"


def site(body: str, extra: str = "") -> bytes:
    return f"<html><body><nav><a href='/'>Home</a></nav><main>{body}</main>{extra}</body></html>".encode()


def article(texts: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def stored(history: PageHistory, page, time: float):
    records = tuple(map(block_record, page.blocks))
    return history.add(Sight(int(time), time, time, layout_record(page), records, indexed=False))


def stored_texts(page) -> list[str]:
    return [text for part in page.blocks for text in part.texts if text != "Home"]


def test_pages_whose_layout_changes_often():
    wrappers = ["<div class='one'>{}</div>", "<section><div>{}</div></section>", "<table><tr><td>{}</td></tr></table>"]
    history = PageHistory()
    pages = [blocks(site(wrapper.format(article(TEXTS))), url=URL) for wrapper in wrappers]
    steps = [stored(history, page, float(time)) for time, page in enumerate(pages)]
    assert all(step.layout for step in steps)
    assert [len(step.blocks) for step in steps[1:]] == [0, 0]  # the text is stored once, whatever is around it
    assert all(compare(one, other).empty for one in pages for other in pages)


def test_pages_with_tiny_changes():
    old = blocks(site(article(TEXTS)), url=URL)
    edited = [*TEXTS[:7], TEXTS[7] + " Addendum.", *TEXTS[8:]]
    new = blocks(site(article(edited)), url=URL, scale=old.scale)
    delta = compare(old, new)
    assert [(op.kind, op.element) for op in delta.operations] == [("update", "text")]
    assert 0.0 < impch(delta) < 0.05
    history = PageHistory()
    stored(history, old, 1.0)
    assert len(stored(history, new, 2.0).blocks) <= 2


def test_abnormally_complex_structure():

    html = "tables"
    for depth in range(300):
        html = f"<table><tr><td>cell {depth}</td><td><div><ul><li>{html}</li></ul></div></td></tr></table>"
    page = blocks(site(html + article(TEXTS)))
    assert "tables" in page.text
    assert all(text in page.text for text in TEXTS)


def test_abnormally_simple_structure():
    assert stored_texts(blocks(b"Just a line of text")) == ["Just a line of text"]
    assert len(blocks(b"<p>One</p>").blocks) == 1


def test_pages_with_many_scripts():
    script = "<script>document.write('<p>not text</p>'); var t = %d;</script>"
    one, other = (
        blocks(site("".join(f"<p>{text}</p>{script % (n + shift)}" for n, text in enumerate(TEXTS))))
        for shift in (0, 9)
    )
    assert stored_texts(one) == TEXTS
    assert compare(one, other).empty


@pytest.mark.parametrize("heading_every", [0, 6])
def test_pages_that_are_mostly_text(heading_every):
    texts = paragraphs(12, 140)
    old = blocks(text_page(texts, heading_every), url=URL)
    total = sum(part.weight for part in old.blocks)
    assert max(part.weight for part in old.blocks) <= 0.2 * total
    changed = [*texts[:50], sentence(random.Random(1), 40), *texts[50:]]
    rewritten = b"".join(text_page([text]) for text in changed) if heading_every else text_page(changed)
    new = blocks(rewritten, url=URL, scale=old.scale)
    if not heading_every:
        known = {part.digest for part in old.blocks}
        assert sum(part.digest not in known for part in new.blocks) <= 2
    assert 0.0 < impch(compare(old, new)) < 0.2


def test_pages_with_a_lot_of_blanks():
    spaced = "".join(f"\n\n   \n<p>   {text.replace(' ', '   &nbsp; ')}  </p>\n\n <p> &nbsp; </p>" for text in TEXTS)
    assert stored_texts(blocks(site(spaced))) == TEXTS
    assert compare(blocks(site(spaced)), blocks(site(article(TEXTS)))).empty


def test_fragmentary_pages():
    whole = site(article(TEXTS))
    for cut in range(40, len(whole), 997):
        page = blocks(whole[:cut])
        assert all(any(text.startswith(read) for text in TEXTS) for read in stored_texts(page) if read)
    assert stored_texts(blocks(b"</div></p><li>left over<li>bits<p")) == ["left over", "bits"]


def test_pages_with_lots_of_images():
    images = "".join(f"<p><img src='/i/{n}.png' alt='picture {n}'></p>" for n in range(400))
    old = blocks(site(images))
    assert sum(item.kind == "image" for part in old.blocks for item in part.items) == 400
    new = blocks(site(images.replace("/i/200.png", "/i/new.png")), scale=old.scale)
    operations = [
        (op.kind, op.element, op.before, op.after) for op in compare(old, new).operations if op.kind != "move"
    ]
    assert operations == [("update", "image", "/i/200.png", "/i/new.png")]


@pytest.mark.parametrize("level", [3, 1], ids=["great", "small"])
def test_great_and_small_partition_levels(level):
    middle, page = blocks(site(article(TEXTS))), blocks(site(article(TEXTS)), level=level)
    assert stored_texts(page) == TEXTS
    assert (len(page.blocks) > len(middle.blocks)) == (level == 3)


def test_an_unstable_partition_level():
    known = PageLevel()
    versions = []
    for level in (2, 2, 3, 3, 1):
        if level != known.level:
            known = PageLevel(level)
        page = blocks(site(article(TEXTS)), url=URL, level=known.level, scale=known.scale)
        known = PageLevel(page.level, page.scale)
        versions.append(page)
    for one in versions:
        for other in versions:
            assert all(op.kind == "move" for op in compare(one, other).operations)
    assert versions[0] == versions[1]
