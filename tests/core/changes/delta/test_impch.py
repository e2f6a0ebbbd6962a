"""The formula of paper 001 on what comes as a whole block."""

import pytest

from core.blocks.pages import block, page
from strandline.core.blocks.tree import PICTURE_WEIGHT, Item, PageBlock
from strandline.core.changes.delta.impch import impch
from strandline.core.changes.delta.vidiff import compare

ARTICLE = block("main", *(f"Paragraph number {word} of an article that stands as it stood." for word in "abcdefgh"))


def picture(address):
    return PageBlock("aside", 0, "", "", (Item("image", "", address),), PICTURE_WEIGHT, 0)


@pytest.mark.parametrize("how", ["auto", "area", "uniform"])
def test_an_advertising_picture_that_comes_or_goes_counts_a_tenth_of_a_photo(how):
    before = page(ARTICLE)
    scores = {}
    for name, address in (("photo", "/photos/1.jpg"), ("ad", "https://x.example/advertisement/1.jpg")):
        after = page(ARTICLE, picture(address))
        scores[name] = impch(compare(before, after), blocks=how), impch(compare(after, before), blocks=how)
    (photo_in, photo_out), (ad_in, ad_out) = scores["photo"], scores["ad"]
    assert 0 < ad_in <= 0.15 * photo_in or how == "uniform"
    assert 0 < ad_in < 0.35 * photo_in
    assert ad_out == pytest.approx(0.1 * photo_out)


def test_an_advertisement_dilutes_nothing():
    """What an edit beside it scores is hardly less for the advertisement's coming."""
    edited = block("main", *(text.replace("letter", "word") for text in ARTICLE.texts[:-1]), "An end nobody expected.")
    alone = impch(compare(page(ARTICLE), page(edited)))
    beside = impch(compare(page(ARTICLE), page(edited, picture("/ads/1.png"))))
    assert beside == pytest.approx(alone, rel=0.05)
