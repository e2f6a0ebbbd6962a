import re
from itertools import pairwise

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.page.returning import Returning
from strandline.core.changes.score.restless import Restless
from strandline.core.changes.score.restless_parts import RestlessParts
from strandline.dom.html import blocks

PAGE = "<main><h1>At the weir</h1><p>The hut is open all day.</p><p>{}</p></main>"


def set_back(*lines):
    """What is left of the last line after looks at all others, and the line before it."""
    trees = [blocks(PAGE.format(line).encode()) for line in lines]
    noise = NoiseState()
    for old, new in list(pairwise(trees))[:-1]:
        noise.learn(compare(old, new))
    delta = compare(*trees[-2:])
    kind = PageKind(trees[-1], noise=noise, earlier=trees[-2])
    returning = Returning(delta, noise, kind)
    parts = RestlessParts(delta, noise, kind, returning, Restless(delta, noise, kind, returning))
    plain = [re.sub("<[^>]+>", "", line) for line in lines[-2:]]
    block = next(block for block in trees[-1].blocks if plain[1] in block.texts)
    return parts.set_back(block, *plain)


def test_numbers_that_are_others_at_every_look():
    lines = [f"Lent {number} books in {rooms} rooms" for number, rooms in ((7, 2), (9, 2), (4, 2), (6, 2), (8, 3))]
    assert set_back(*lines) == "Lent 6 books in 3 rooms"


def test_a_number_in_a_link_is_part_of_an_entry():
    lines = [f"<a href=/{number}>Release {number} of the sluice</a>" for number in (7, 9, 4, 6, 8)]
    assert set_back(*lines) == "Release 8 of the sluice"


def test_a_number_goes_with_those_beside_it_though_it_stays_at_times():
    lines = [f"Air {a} C, wind {b} km/h, rain {c} mm" for a, b, c in ((7, 2, 5), (9, 4, 1), (9, 1, 3), (5, 6, 4))]
    assert set_back(*lines) == lines[-2]


def test_texts_that_take_turns_behind_a_label():
    said = ("Ebb", "Tide", "Salt", "Ebb")
    assert set_back(*(f"Next up: {name}" for name in said)) == "Next up: Salt"
    assert set_back("Next up: Ebb", "Next up: Tide") == "Next up: Tide"  # nothing tells yet


def test_a_state_counts_however_often_it_turns():
    said = ("open", "closed", "open", "closed", "open")
    assert set_back(*(f"The bridge: {state}" for state in said)).endswith("open")


def test_sentences_do_not_turn_unless_their_words_are_known():
    said = [f"News: {who} came to see the weir." for who in ("Ada", "Bo", "Cleo", "Dora")]
    assert set_back(*said) == said[-1]
