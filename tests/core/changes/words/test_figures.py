"""Numbers: prices, fees, tables and scores count; clocks, dates, counters and identifiers do not."""

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.blocks.pages import block, paragraphs
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.core.changes.words import figures
from strandline.core.changes.words.figures import Changed, changed_figures, is_table
from strandline.dom.html import blocks
from strandline.learn.observations import NOISE

TEXT = "".join(f"<p>{text}</p>" for text in paragraphs(5, 6))
CITIES = ["Berlin", "Hamburg", "Kiel", "Bremen", "Leipzig", "Dresden", "Bonn", "Ulm"]


def table(rng: random.Random) -> str:
    cells = "".join(f"<tr><td>{city}<td>{rng.randint(100, 999)}<td>{rng.randint(1, 99)}" for city in CITIES)
    return f"<table>{cells}</table>"


CONTENT = {
    "a price": lambda n, _: f"<main>{TEXT}<p class=price>{20 + 3 * n % 17}.{37 * n % 100:02d} EUR</p></main>",
    "a table in the main part": lambda _, rng: f"<main>{TEXT}{table(rng)}</main>",
    "a page that is a table": lambda _, rng: f"<h1>Cases by city</h1>{table(rng)}",
    "a score": lambda n, _: f"<main>{TEXT}<p>Rovers {n} : {n // 2} United</p><p>Minute {4 * n}</p></main>",
    "a price in Chinese": lambda n, _: f"<main>{TEXT}<p>价格{20 + 3 * n % 17}元</p></main>",
}
NOISY = {
    "a clock": lambda n, _: f"<main>{TEXT}<p>It is {n % 24:02d}:{7 * n % 60:02d}:{13 * n % 60:02d}</p></main>",
    "a date": lambda n, _: f"<main>{TEXT}<p>{1 + n} May 2026, {1 + n}.5.2026, 2026-05-{1 + n:02d}</p></main>",
    "a counter of readers": lambda n, rng: f"{TEXT}<p>Read {20_000 + 40 * n + rng.randint(0, 9)} times</p>",
    "an identifier": lambda _, rng: f"<main>{TEXT}<p>Request {rng.randint(10**12, 10**13)}</p></main>",
    "a ticker beside a text": lambda _, rng: f"<main>{TEXT * 3}</main><div>{table(rng)}</div>",
    "days gone by": lambda n, _: f"<main>{TEXT}<p>Posted {n + 2} days ago by somebody</p></main>",
    "the year in a footer": lambda n, _: f"<main>{TEXT}</main><footer>Copyright {2000 + n}</footer>",
}


def counted(made, visits: int = 24) -> list[bool]:
    """Whether each visit finds a change worth one, while the page's noise is learned."""
    rng, noise, found = random.Random(3), NoiseState(), []
    old = blocks(made(0, rng).encode())
    for n in range(1, visits):
        new = blocks(made(n, rng).encode(), scale=old.scale)
        found.append(study(compare(old, new), noise).value >= NOISE)
        old = new
    return found


@pytest.mark.parametrize("made", CONTENT.values(), ids=CONTENT)
def test_figures_that_are_the_content_count_at_every_visit(made):
    assert all(counted(made))


@pytest.mark.parametrize("made", NOISY.values(), ids=NOISY)
def test_numbers_that_go_with_a_page_soon_stop_counting(made):
    assert not any(counted(made)[3:])


@pytest.mark.parametrize(
    "text", ["A card costs {} euro a month", "Notice has to be given {} days before", "Up to {} books at a time"]
)
def test_a_figure_in_a_text_that_stood_still_counts(text):
    page = f"{TEXT}<p>{text}, and nothing else.</p>"
    old, new = (blocks(page.format(number).encode()) for number in (14, 30))
    noise = NoiseState()
    for _ in range(20):
        noise.learn(compare(old, old))
    scored = study(compare(old, new), noise)
    assert scored.value >= NOISE
    assert scored.reasons[0].why.startswith("changed: 1 other figure")


def test_figures_of_a_block_count_ten_words_at_most_and_are_no_noise():
    rng, noise = random.Random(1), NoiseState()
    old, new = (blocks(f"<main>{TEXT}{table(rng) * 3}</main>".encode()) for _ in range(2))
    for _ in range(30):
        noise.learn(compare(old, new))
    for reason in study(compare(old, new), noise).reasons:
        assert reason.counted.content and reason.noise == ""
        assert reason.novelty - 0.1 * (reason.counted.shown * 2 + len(reason.block.texts)) <= 10.0


KINDS = st.sampled_from(["plain", "price", "up", "date", "time", "year", "name", "long"])
MADE = {  # of a number: how it stands in a text
    "plain": "{}",
    "price": "{} EUR",
    "up": "9{:05d}",
    "date": "{0}/11/2026",
    "time": "{0}:30",
    "year": "20{0}",
    "name": "sha{}",
    "long": "{:012d}",
}


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(KINDS, st.integers(10, 40), st.integers(50, 99)), max_size=8))
def test_figures_are_what_is_neither_moment_nor_counter_nor_name(parts):
    before, after = (
        " and after that ".join(
            MADE[part[0]].format(part[at] % 24 + 10 if part[0] == "time" else part[at]) for part in parts
        )
        for at in (1, 2)
    )
    plain = sum(kind == "plain" for kind, _, _ in parts)
    rising = sum(kind == "up" for kind, _, _ in parts)
    signed = sum(kind == "price" for kind, _, _ in parts)
    assert changed_figures(before, after) == Changed(plain, signed)
    assert changed_figures(before, after, counters=True) == Changed(plain + rising, signed)


def test_a_text_that_says_something_else_has_no_figures():
    assert changed_figures("Fee of 4 a month", "Fee of 5 a year") == Changed()
    assert changed_figures("2:1", "12:15") == Changed()


ANY = st.text("#019.,:/- %aE€年٣²\n", max_size=14)


@settings(max_examples=100, deadline=None)
@given(ANY, ANY)
def test_no_text_is_too_strange(before, after):
    assert sum(changed_figures(before, before)) == 0
    assert sum(changed_figures(before, after)) <= sum(map(str.isdigit, before))


def test_few_numbers_are_no_table():
    assert not is_table(block("p", "Visitors", "12 13"))
    assert is_table(block("p", "Berlin", "12 13 14", "Kiel", "15"))
    assert not is_table(block("p", "one two three four five 1 2 3 4"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_price_counts_however_the_page_is_cut(seed):
    """Where a page is cut depends on its texts: a block may end after one price and not after another."""
    rng = random.Random(seed)
    texts = paragraphs(seed, 12, 3, 9)
    place = rng.randrange(len(texts))
    old, new = (
        blocks("".join(["<main>", *texts_with(texts, place, f"{rng.randint(10, 99)}{cents} EUR")]).encode())
        for cents in (".01", ".02")
    )
    scored = study(compare(old, new), NoiseState())
    assert sum(reason.counted.figures for reason in scored.reasons) == 1
    assert scored.value >= NOISE


def texts_with(texts: list[str], place: int, price: str) -> list[str]:
    return [f"<p>{text}</p>" for text in [*texts[:place], price, *texts[place:]]]


_NUMBERS = st.text(st.sampled_from("0123456789.,%$€ -/:年1992020"), min_size=1, max_size=12)


@given(_NUMBERS, _NUMBERS)
@example("at 5 past 12 Mai 2020", "at 6 past 12 Mai 2020")
@example("open 7 days", "open 8 days")
def test_a_number_by_itself_is_judged_as_any_other_number(before: str, after: str) -> None:
    quick = figures._differing.__wrapped__(before, after)
    shortcuts = figures._ALONE, figures._is_lone
    figures._ALONE, figures._is_lone = re.compile(r"(?!)"), lambda *_: False
    try:
        assert figures._differing.__wrapped__(before, after) == quick
    finally:
        figures._ALONE, figures._is_lone = shortcuts
