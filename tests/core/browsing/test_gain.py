"""What only a browser saw, as a share."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.browsing.gain import gain_of

ARTICLE = "an article about the river and its bridge in winter with quite a few words in it " * 3


def test_all_of_an_application_is_gain_and_a_counter_is_none():
    assert gain_of(b"<div id=root></div>", ARTICLE).share > 0.6
    page = f"<p>{ARTICLE}</p>".encode()
    assert gain_of(page, ARTICLE + " visit 17 today").share == 0.0
    assert not gain_of(page, ARTICLE).pays


def test_comments_below_an_article_pay():
    more = " ".join(f"comment{n}" for n in range(20))
    assert gain_of(f"<p>{ARTICLE}</p>".encode(), f"{ARTICLE} {more}").pays


def test_links_alone_pay_when_they_are_many():
    page = f"<p>{ARTICLE}</p>".encode()
    known = {f"https://a.example/{n}" for n in range(10)}
    assert not gain_of(page, ARTICLE, known, known).pays
    assert not gain_of(page, ARTICLE, known, known | {"https://a.example/x"}).pays
    assert gain_of(page, ARTICLE, known, known | {f"https://a.example/new{n}" for n in range(10)}).pays


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_share_is_one(document, text):
    found = gain_of(document.encode(), text)
    assert 0.0 <= found.share <= 1.0
    assert found.words >= 0
    assert gain_of(text.replace("<", "").replace("&", "").encode(), text.replace("<", "").replace("&", "")).words == 0
