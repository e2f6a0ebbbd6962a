"""Lists beside what a page is about, told by their headings."""

import tomllib
from importlib.resources import files

import pytest

from strandline.core.changes.words.beside_lists import beside_lists, is_beside
from strandline.core.changes.words.beside_lists import texts_beside as entries_beside
from strandline.core.changes.words.language_rules import LANGUAGES
from strandline.dom.html import blocks


def texts_beside(body: str) -> list[str]:
    page = blocks(f"<html><body>{body}</body></html>".encode(), url="https://made.example/")
    found = beside_lists(page)
    return [text for block in page.blocks if id(block) in found for text in block.texts]


def links(*texts: str) -> str:
    entries = (f"<li><a href=/{n}>{text} and what became of it afterwards</a>" for n, text in enumerate(texts))
    return f"<ul>{''.join(entries)}</ul>"


def text(words: str) -> str:
    return f"<p>{' '.join([words] * 40)}.</p>"


@pytest.mark.parametrize(
    "heading",
    [
        *("You may also like", "Meistgelesen", "À lire aussi : Paris", "Lo más leído", "Leggi anche", "Lees ook:"),
        *("Mais lidas", "Mest lästa just nu", "Læs også", "Les også:", "Najczęściej czytane", "Čtěte také"),
        "Luetuimmat",
    ],
)
def test_links_below_such_a_heading_are_beside_the_page(heading):
    article = f"<div><h1>Of the sea</h1>{text('the sea rose')}</div>"
    page = f"{article}<div><h3>{heading}</h3>{links('One', 'Two', 'Three')}</div>"
    found = texts_beside(page)
    assert len(found) >= 3 and all("afterwards" in one or one == heading for one in found)


def test_another_heading_or_a_text_ends_the_list():
    page = (
        f"<div><h3>Most read</h3>{links('One', 'Two', 'Three')}</div>"
        f"<div><h3>Sport</h3>{links('Four', 'Five', 'Six')}</div>"
        f"{text('the sea rose')}<div>{links('Seven', 'Eight', 'Nine')}</div>"
    )
    found = " ".join(texts_beside(page))
    assert "Three" in found
    assert not any(word in found for word in ("Four", "Seven", "the sea rose"))


def test_a_text_below_such_a_heading_is_none():
    assert texts_beside(f"<div><h2>Related</h2>{text('two brothers who were related met')}</div>") == []


def test_headings_are_known_in_every_language_and_none_is_one_word_of_another_sense():
    headings = files("strandline.core.changes.words") / "languages" / "headings.toml"
    listed = tomllib.loads(headings.read_text("utf-8"))
    assert set(listed) > set(LANGUAGES)
    assert min(map(len, listed.values())) >= 15
    others = ("Opening hours", "Prices", "News", "Latest news", "Notices", "More", "Links between two towns", "Results")
    assert not any(map(is_beside, others))


def test_entries_of_a_list_that_stands_in_one_block_with_the_text():
    cell = "<a href=/1>One</a><br><a href=/2>Two and three</a>"
    crew = "<tr><td>Our crew<td><a href=/4>Four</a></tr>"
    page = f"<table><tr><td>The sea rose.<td><b>Most read</b><br>{cell}</tr>{crew}</table>"
    found = entries_beside(blocks(f"<html><body>{page}</body></html>".encode()))
    assert {"One", "Two and three"} <= {text for _, text in found}
    assert not {"Four", "The sea rose."} & {text for _, text in found}
    said = blocks(f"<html><body>{page}<p>One</p></body></html>".encode())
    assert "One" not in {text for _, text in entries_beside(said)}
    other = blocks(f"<html><body>{page.replace('Most read', 'Our boats')}</body></html>".encode())
    assert entries_beside(other) == frozenset()
