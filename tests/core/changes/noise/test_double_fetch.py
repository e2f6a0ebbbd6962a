"""What differs between two fetches seconds apart is noise, and nothing beside it is."""

import copy

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.double_fetch import differing_places, turning_spots
from strandline.core.changes.noise.site_noise import ENOUGH, SiteNoise
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.dom.html import blocks

ABOUT = "Solid oak table with turned legs, made in the valley workshop and oiled twice. " * 4
QUOTES = [
    "Patience is the best joiner",
    "Measure twice and saw once",
    "Wood remembers every storm",
    "Glue needs a night",
]


def shop(price="149.00", looks=100, quote="", more=""):
    main = f"<h1>Table 3</h1><p class=price>Price: €{price}</p><p>{ABOUT}</p><p>{looks} people looked at this</p>"
    said = f"<h2>Said in the workshop</h2><p>{quote}</p>" if quote else ""
    return blocks(f"<html><title>Table 3</title><body><main>{main}{said}{more}</main></body></html>".encode())


def twice(first, second):
    noise = NoiseState()
    noise.learn_double_fetch(compare(first, second))
    return noise


def worth(first, second, noise):
    return importance(compare(first, second), copy.deepcopy(noise)).value


def test_a_counter_makes_no_noise_of_the_price_beside_it():
    """All of such a page lies in one part: a shop whose pages count their visitors never had a price that mattered."""
    noise = twice(shop(looks=100), shop(looks=104))
    assert worth(shop(looks=104), shop(looks=7312), noise) < 0.015
    assert worth(shop(looks=104), shop("159.00", looks=7312), noise) > 0.5
    assert worth(shop(looks=104), shop(looks=7312, more=f"<p>{ABOUT} Now sold out.</p>"), noise) > 0.1


def test_nor_do_other_pages_of_its_site():
    site, noise = SiteNoise(), twice(shop(looks=100), shop(looks=104))
    noise.learn_unchanged()
    for page in range(ENOUGH + 1):
        site.learn(page, noise)
    other = NoiseState(noisy_elsewhere=frozenset(site.noisy))
    assert worth(shop(looks=104), shop("159.00", looks=7312), other) > 0.5


@pytest.mark.parametrize("quote", QUOTES[2:])
def test_a_text_that_turns_is_noise_where_it_stands(quote):
    noise = twice(shop(quote=QUOTES[0]), shop(quote=QUOTES[1]))
    assert worth(shop(quote=QUOTES[1]), shop(quote=quote), noise) < 0.015
    assert worth(shop(quote=QUOTES[1]), shop("159.00", quote=quote), noise) > 0.5
    assert worth(shop(quote=QUOTES[1]), shop(quote=quote), NoiseState()) > 0.015, "control: it is told by two fetches"


def test_a_box_of_its_own_differs_as_a_whole():
    def page(ad):
        return blocks(f"<body><main><h1>Oak</h1><p>{ABOUT}</p></main><div class=offer>{ad}</div></body>".encode())

    first, second = page("<p>Tyres at Kolbe, fitted today</p>"), page("<p>Learn the cello in ten weeks</p>")
    assert len(differing_places(compare(first, second))) == 1
    assert worth(second, page("<p>Roof tiles from the kiln</p>"), twice(first, second)) == 0.0


def test_an_entry_that_was_published_between_two_fetches_masks_no_list():
    def page(*stories):
        rows = "".join(
            f"<div class=story><h3><a href=/{n}>{story}</a></h3><p>{ABOUT}</p></div>" for n, story in stories
        )
        return blocks(f"<body><main>{rows}</main></body>".encode())

    stories = [(n, f"The council opens school number {n} beside the river") for n in range(6)]
    first, second = page(*stories[1:]), page(*stories)
    assert not differing_places(compare(first, second)) and not list(turning_spots(compare(first, second)))
    news = page((9, "Storm breaks the harbour wall"), *stories)
    assert worth(second, news, twice(first, second)) > 0.1
