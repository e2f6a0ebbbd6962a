"""Another headline is news wherever a site puts it, an entry of a menu with the same words is none."""

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.core.changes.told.sentences import told
from strandline.core.changes.words.page_title import names_page
from strandline.dom.html import blocks

OLD, NEW = "Harbour bridge closed for repairs", "Harbour bridge to be torn down in spring"
TEXT = "".join(f"<p>{'The town council met on the matter and heard the engineers. ' * 4}</p>" for _ in range(5))
LINKS = "".join(f"<a href=/{name}>{name} news</a> " for name in ("Town", "Sports", "Culture", "Weather", "Opinion"))
FRAMES = {
    "in a header with menus": "<header class=site-header>{links}<h1>{head}</h1>{links}</header><div>{text}</div>",
    "in the header of an article": "<main><header class=post-header>{links}<h1>{head}</h1></header>{text}</main>",
    "in a banner": "<div class=hero-banner><div>{head}</div><a href=/all>All news</a></div><div class=c>{text}</div>",
    "behind the text": "<div class=c>{text}</div><div class=x><h2>{head}</h2>{links}</div>",
}


def scored(old, new, looks=1):
    trees, noise = [blocks(html.encode(), url="https://made.example/a") for html in (old, new)], NoiseState()
    for _ in range(looks - 1):
        study(compare(trees[0], trees[0]), noise)
    delta = compare(*trees)
    found = study(delta, noise)
    return found.value, told(delta, found).sentence


def page(frame, head, title=""):
    inside = FRAMES[frame].format(head=head, links=LINKS, text=TEXT)
    return f"<!doctype html><html lang=en><title>{title or head} | Made Example</title><body>{inside}</body></html>"


@pytest.mark.parametrize("looks", [1, 10])
@pytest.mark.parametrize("frame", FRAMES)
def test_another_headline_counts_in_every_place(frame, looks):
    score, sentence = scored(page(frame, OLD), page(frame, NEW), looks)
    assert score >= 0.4
    assert NEW in sentence
    assert scored(page(frame, OLD), page(frame, NEW, title=OLD), looks)[0] >= 0.4, "the title lags behind"


def test_an_entry_of_a_menu_is_no_headline_while_the_title_stays():
    menu = "<nav><ul><li><a href=/a>{}</a><li><a href=/b>Opinion and letters</a></ul></nav>"
    old, new = (
        f"<title>Culture and town life</title><body>{menu.format(name)}<main>{TEXT}</main>"
        for name in ("Culture and town life", "Theatre and concerts")
    )
    assert scored(old, new)[0] < 0.015


def test_typography_of_a_headline_says_nothing():
    frame = "in the header of an article"
    assert scored(page(frame, "“Bridge” closed for repairs"), page(frame, '"Bridge" closed for repairs'))[0] < 0.1


@pytest.mark.parametrize(
    ("text", "title", "named"),
    [
        ("", "A title of the page", False),
        ("A title of the page", "", False),
        ("Title", "Title of the page", False),
        ("of other words that the page has, and some more", "A title of the page", False),
        ("word " * 31, "word " * 40, False),
    ],
)
def test_what_names_a_page(text, title, named):
    assert names_page(text, title) is named
