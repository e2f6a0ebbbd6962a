from itertools import pairwise

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.dom.html import blocks

HOUR = 3_600.0


def scores(mains, language="en"):
    trees = [blocks(f"<main><h1>At the weir</h1>{main}</main>".encode()) for main in mains]
    noise = NoiseState()
    return [
        study(compare(old, new, language=language, moments=(n * 25 * HOUR, (n + 1) * 25 * HOUR)), noise).value
        for n, (old, new) in enumerate(pairwise(trees))
    ]


def test_a_number_with_a_unit_that_is_another_at_every_look_ticks():
    found = scores(
        [f"<p>Queue: {people} persons</p><p>The hut is open all day.</p>" for people in (4, 9, 3, 8, 5, 9, 2, 7)]
    )
    assert found[0] >= 0.3  # nothing tells yet
    assert max(found[5:]) < 0.015


def test_a_price_never_ticks():
    found = scores([f"<p>Ticket: {price} €</p><p>The hut is open all day.</p>" for price in (4, 9, 3, 8, 5, 9, 2, 7)])
    assert min(found) >= 0.5


def test_what_was_measured_when_the_page_was_made_is_no_news():
    lines = "<dl><dt>Level<dd>{} cm<dt>Mean<dd>204 cm</dl><p>Measured at {}</p>"
    found = scores([lines.format(188, "08:11"), lines.format(233, "09:12"), lines.format(201, "10:14")])
    assert max(found) < 0.015


@pytest.mark.parametrize("heading", ["Quote of the day", "Spruch des Tages", "Citation du jour", "Frase del día"])
def test_the_quote_of_the_day(heading):
    around = "<p>The hut is open all day.</p><h3>{}</h3><p>{}</p><p>Bring a cup.</p>"
    assert max(scores([around.format(heading, text) for text in ("Be still", "Seek and find", "Love bread")])) < 0.015


def test_a_spot_that_shows_something_else_at_every_look():
    texts = ["Ana liked it", "Great weir", "Such calm water", "Worth a detour", "My dog swam", "Nice hut", "Bring tea"]
    found = scores([f"<p>The hut is open all day.</p><p>{text}</p><p>Bring a cup.</p>" for text in texts])
    assert max(found[4:]) < 0.015


def test_figures_all_of_which_are_others_where_the_page_says_when_it_measured_them():
    rows = "".join(f"<tr><td>{name}<td>{{}}</tr>" for name in ("North", "South", "East", "West", "Mill", "Quay"))
    page = f"<table>{rows}</table><p>Measured at {{}}</p>"
    measured = [(41, 7, 33, 58, 12, 90, "08:11"), (35, 18, 61, 9, 77, 4, "09:12"), (28, 66, 2, 51, 19, 83, "10:14")]
    assert max(scores([page.format(*row) for row in measured])) < 0.015
    assert min(scores([page.replace("Measured", "Put down").format(*row) for row in measured])) > 0.3


def test_the_only_person_a_page_quotes_is_another_one():
    said = "<p>Chairs for hire, by the day or by the week.</p><p>They are brought to the door.</p><p>{}</p>"
    voices = ["“So quick.” Nora P., Bristol", "“Never a scratch.” Tom H., Kent", "“All ten came.” Ines R., Leeds"]
    assert max(scores([said.format(voice) for voice in voices])) < 0.015
