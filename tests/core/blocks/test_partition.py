"""Partition: levels, roles, headings, text-only pages; the promises of paper 003's failed case."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.pages import paragraphs, sentence, text_page
from strandline.core.blocks.levels import PageLevel
from strandline.core.changes.delta.vidiff import compare
from strandline.dom.html import blocks

SITE = b"""<html><head><title>Town library</title></head><body class="has-sidebar">
<header id="top"><a href="/">Town library</a></header>
<nav class="menu"><ul>%s</ul></nav>
<main><h1>Opening hours</h1><p>%s</p><h2>Holidays</h2><p>%s</p></main>
<aside class="related"><p>%s</p></aside>
<footer><p>Imprint and contact</p></footer></body></html>""" % (
    b"".join(b'<li><a href="/%d">Shelf number %d</a></li>' % (n, n) for n in range(12)),
    b"The reading room is open on every working day from nine in the morning until seven. " * 4,
    b"On public holidays the whole house stays closed and books may be given back outside. " * 4,
    b"Other libraries in the county lend to members of this one as well. " * 4,
)


def test_parts_of_a_page_are_told_apart_by_role():
    page = blocks(SITE)
    roles = {block.role: block for block in page.blocks}
    assert set(roles) == {"header", "nav", "main", "aside", "footer"}
    assert page.title == "Town library"
    assert [b.lead for b in page.blocks if b.role == "main"] == ["Opening hours", "Holidays"]
    assert roles["aside"].hint == "related"
    assert roles["nav"].link_density > 0.9


def test_a_class_on_the_body_is_no_hint_for_every_block():
    hints = [block.hint for block in blocks(SITE).blocks]
    assert hints and "sidebar" not in hints


def test_a_higher_level_cuts_finer_and_keeps_every_item():
    texts = paragraphs(1, 120)
    cut = {level: blocks(text_page(texts, heading_every=10), level=level) for level in (1, 2, 3)}
    assert len(cut[1].blocks) < len(cut[2].blocks) < len(cut[3].blocks)
    for page in cut.values():
        assert [t for block in page.blocks for t in block.texts if not t.startswith("Section")] == texts


def test_keys_are_unique():
    page = blocks(SITE)
    assert len({block.key for block in page.blocks}) == len(page.blocks)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(40, 250), st.integers(0, 9))
def test_no_block_holds_a_fifth_of_a_text_only_page(seed, count, heading_every):
    texts = paragraphs(seed, count, 5, 60)
    page = blocks(text_page(texts, heading_every), level=2)
    total = sum(block.weight for block in page.blocks)
    largest_paragraph = max(map(len, texts))
    assert max(block.weight for block in page.blocks) <= max(0.2 * total, largest_paragraph + 200)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_inserting_a_paragraph_changes_at_most_two_blocks(seed, data):
    rng = random.Random(seed)
    texts = paragraphs(seed, 150, 20, 80)
    place = data.draw(st.integers(0, len(texts)))
    heading_every = data.draw(st.sampled_from([0, 7]))
    old_parts = [
        f"<h2>{sentence(rng, 3)}</h2>" if heading_every and n % heading_every == 3 else f"<p>{text}</p>"
        for n, text in enumerate(texts)
    ]
    new_parts = [*old_parts[:place], f"<p>{sentence(rng, rng.randint(20, 80))}</p>", *old_parts[place:]]
    old = blocks("".join(["<body>", *old_parts]).encode())
    new = blocks("".join(["<body>", *new_parts]).encode(), scale=old.scale)
    known = {block.digest for block in old.blocks}
    assert sum(block.digest not in known for block in new.blocks) <= 2
    # A page that has grown may hold a larger block: then two become one, and their texts move.
    assert sum(bool(change.content) for change in compare(old, new).changes) <= 2


def test_one_endless_paragraph_is_cut_at_sentences():
    rng = random.Random(5)
    text = " ".join(sentence(rng, 12) for _ in range(400))
    page = blocks(f"<body><p>{text}</p></body>".encode())
    total = sum(block.weight for block in page.blocks)
    assert max(block.weight for block in page.blocks) <= 0.2 * total
    assert " ".join(t for block in page.blocks for t in block.texts) == text


def test_preformatted_text_is_cut_at_blank_lines():
    texts = paragraphs(3, 60)
    page = blocks(("<pre>" + "\n\n".join(texts) + "</pre>").encode())
    assert [t for block in page.blocks for t in block.texts] == texts
    assert len(page.blocks) >= 5


def test_double_line_breaks_are_paragraphs():
    page = blocks(b"<div>one<br>still one<br><br>two</div>")
    assert page.blocks[0].texts == ("one still one", "two")


def test_an_empty_page_has_no_blocks():
    assert blocks(b"").blocks == ()
    assert blocks(b"<html><body><script>x()</script></body></html>").blocks == ()


def test_a_page_made_by_scripts_is_nearly_empty():
    assert blocks(b"<div id=app>Loading</div><script>render()</script>").nearly_empty
    assert not blocks(SITE).nearly_empty


def test_a_level_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="1, 2 or 3"):
        PageLevel(4)


COLUMNS = (
    "<div id=root><div class=top><a href=/1>Home</a><a href=/2>News</a></div><div class=wrap>"
    "<div class=col1><h1>Night of the organs</h1><p>Tickets from € 18 at the door and in the shop.</p></div>"
    "<div class=col2><div class=box><div class=bt>Beside it</div><a href=/r>Why cats purr</a></div></div>"
    "</div><div class=bot>Imprint</div></div>"
)


def test_columns_of_a_small_page_are_parts_of_their_own():
    paths = {text: block.path for block in blocks(COLUMNS.encode()).blocks for text in block.texts}
    assert paths["Night of the organs"] == "html/body/div#root/div.wrap/div:1"
    assert paths["Why cats purr"] == "html/body/div#root/div.wrap/div:2/div.box"
    assert paths["Imprint"] == "html/body/div#root/div.bot"


def test_columns_of_a_table_are_too_and_rows_of_figures_are_not():
    page = (
        "<table><tr><td><table><tr><td>Menu</table><td><h1>Fees</h1><p>Four euro a month, and ten in all.</p><td>Links"
        "<tr><td colspan=3>Visitors: 4</table>"
    )
    paths = {text: block.path for block in blocks(page.encode()).blocks for text in block.texts}
    assert paths["Fees"] == "html/body/table/tbody/tr:1/td:2"
    assert len({path.rpartition("/td")[0] for path in paths.values()}) > 1
    figures = "<h1>Lots</h1><table><tr><td>12<td>Chair<tr><td>13<td>Clock<tr><td>14<td>Map</table>"
    assert {block.path for block in blocks(figures.encode()).blocks} == {"html/body"}


def test_entries_that_look_alike_are_no_columns():
    cards = "".join(f"<div class=card><h3>Baker {n}</h3><p>Full time, from May</p></div>" for n in range(4))
    assert {block.path for block in blocks(f"<div id=list>{cards}</div>".encode()).blocks} == {"html/body/div#list"}
