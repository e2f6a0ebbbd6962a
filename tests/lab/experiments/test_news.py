"""Experiment `news`: the golden cases. News keep scoring after a hundred captures, and what only moves does not."""

import lzma
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.dom.html import blocks
from strandline.lab.experiments.living_pages import paragraphs
from strandline.lab.experiments.made_words import paragraph
from strandline.lab.experiments.news import FIRST, KINDS, LATE, WANTED, area, run, scores
from strandline.learn.observations import NOISE

SHARED = Path(__file__).parents[4] / "shared" / "data"
AT_FIRST = {"two layouts": 0.85, "daily box": 0.85}  # a rotation is known only when something returned


@pytest.mark.parametrize("kind", KINDS)
def test_news_of_a_kind_of_page_score_higher_than_what_only_moves(kind):
    scored = scores(KINDS[kind](11).captures(LATE + 40))
    late, news = scored[LATE:], [one[1] for one in scored if one[0]]
    assert area(late) >= WANTED
    assert area(scored[:FIRST]) >= AT_FIRST.get(kind, WANTED)
    assert min(news) >= NOISE, "no news is taken for nothing"
    assert max((one[1] for one in late if not one[0]), default=0.0) < NOISE, "and nothing for news"


def successive(pages: list[str], quiet: int = 0) -> list[float]:
    """The score of each page after the first, which is seen some times before."""
    noise, found = NoiseState(), []
    trees = [blocks(html.encode(), url="https://made.example/") for html in pages]
    for _ in range(quiet):
        study(compare(trees[0], trees[0]), noise)
    for old, new in pairwise(trees):
        found.append(study(compare(old, new), noise).value)
    return found


TERMS = [paragraph(random.Random(number)) for number in range(8)]


def contract(days: int) -> str:
    notice = f"This contract ends when either side gives notice of {days} days in writing."
    return f"<main><h1>Terms</h1>{paragraphs([*TERMS[:4], notice, *TERMS[4:]])}</main>"


@pytest.mark.parametrize("quiet", [0, 10])
def test_a_term_of_a_contract_scores_above_half_on_its_first_change_and_on_its_tenth(quiet):
    assert min(successive([contract(days) for days in (14, 30, 60, 90)], quiet)) > 0.5
    assert min(successive([contract(days) for days in (14, 30, 60, 90, 30, 45, 14, 90, 120, 180, 365)], quiet)) > 0.5


def test_a_price_scores_above_half_on_its_first_change_and_on_its_tenth():
    def product(price: float, viewers: int) -> str:
        texts = f"<p>{price:.2f} EUR</p><p>{viewers} people are viewing this</p>{paragraphs(TERMS[:3])}"
        return f"<main><h1>Kettle</h1>{texts}</main>"

    prices = (14.95, 15.95, 16.5, 14.95, 13, 15.95, 17.2, 18, 19.9, 21, 22.5)
    assert min(successive([product(price, 12 + 7 * n % 30) for n, price in enumerate(prices)])) > 0.5
    assert max(successive([product(14.95, 12 + 7 * n % 30) for n in range(12)])) < NOISE


def test_the_date_of_an_event_scores_above_half_on_its_first_change_and_on_its_tenth():
    def event(day: int) -> str:
        return f"<main><h1>Songs</h1><p>Date: {day} September 2026</p>{paragraphs(TERMS[:3])}</main>"

    assert min(successive([event(day) for day in (12, 13, 19, 5, 12, 26, 27, 1, 2, 9, 16)])) > 0.5


def test_a_correction_and_a_changed_headline_of_a_restless_article_count():
    def article(title: str, texts: list[str], comments: int) -> str:
        return f"<article><h1>{title}</h1>{paragraphs(texts)}</article><p>{comments} comments</p>"

    pages = [article("Council votes on bridge", TERMS, n) for n in range(3, 33)]
    other = article("Harbour flooded overnight", TERMS, 34)
    shorter = article("Harbour flooded overnight", TERMS[:2] + TERMS[4:], 35)
    notice = "Correction: an earlier version of this article misstated the height of the bridge."
    corrected = article("Harbour flooded overnight", [*TERMS[:2], *TERMS[4:], notice], 36)
    found = successive([*pages, other, shorter, corrected])
    assert max(found[:29]) < NOISE
    assert min(found[29:]) > 2 * NOISE
    assert found[-1] > 0.5


NOTICES = {
    "en": (
        "Correction: the bridge was built in 1913, not 1931.",
        "An earlier version of this report was wrong.",
    ),
    "fr": ("Rectificatif : le pont date de 1913.", "Une version précédente de cet article donnait un autre prix."),
    "de": ("Korrektur: Die Brücke ist von 1913.", "In einer früheren Version stand, der Rat habe abgelehnt."),
    "es": ("Fe de errores: el puente es de 1913.", "Una versión anterior de este texto daba otro precio."),
    "it": ("Rettifica: il ponte è del 1913.", "Una versione precedente di questo articolo dava un altro prezzo."),
    "nl": ("Rectificatie: de brug is van 1913.", "In een eerdere versie stond een ander bedrag."),
}
OTHERS = (
    "The correction of the river took ten years and three mayors.",
    "The law was amended on 3 May and applies from June.",
    "Die Korrektur der Donau dauerte zehn Jahre.",
)


@pytest.mark.parametrize(("language", "notice"), [(code, text) for code, two in NOTICES.items() for text in two])
def test_a_notice_of_a_correction_scores_high_in_six_languages(language, notice):
    def article(texts: list[str]) -> str:
        return f"<html lang={language}><article><h1>Council votes on bridge</h1>{paragraphs(texts)}</article>"

    (found,) = successive([article(TERMS), article([notice, *TERMS])], quiet=5)
    assert found > 0.5
    menu = f"<nav><a href=/c>{notice}</a></nav>"
    (beside,) = successive([article(TERMS), menu + article(TERMS)], quiet=5)
    assert beside < 0.2, "but not in a menu"


@pytest.mark.parametrize("text", OTHERS)
def test_what_only_sounds_like_a_correction_is_one_more_paragraph(text):
    def article(texts: list[str]) -> str:
        return f"<article><h1>Council votes on bridge</h1>{paragraphs(texts)}</article>"

    assert max(successive([article(TERMS), article([*TERMS, text])], quiet=5)) < 0.5


TITLES = {
    "articles": lambda n: paragraph(random.Random(100 + n)).partition(".")[0],
    "minutes": lambda n: f"Minutes of the meeting of {28 - n % 28} {('July', 'June', 'May')[n % 3]} {2026 - n // 12}",
    "jobs": lambda n: f"{('Driver', 'Nurse', 'Cook')[n % 3]} (m/f) in {('Bremen', 'Kiel')[n % 2]}, number {4000 - n}",
    "police reports": lambda n: f"Police report {900 - n}/2026: {('theft', 'fire', 'noise')[n % 3]} in Elm Street",
    "releases": lambda n: f"Release {90 - n // 10}.{9 - n % 10} of the library is available",
}


@pytest.mark.parametrize("kind", TITLES)
def test_a_later_page_of_a_list_that_shifts_scores_low_and_a_new_item_at_its_top_does_not(kind):
    """`?page=5`: what comes in at the top left the page before, and what leaves goes to the next."""
    titles = [TITLES[kind](number) for number in range(60)]

    def listing(first: int, page: int) -> str:
        items = "".join(f"<li><a href='/a/{n}'>{titles[n]}</a></li>" for n in range(first, first + 10))
        others = f"<p>Page {page} of 12 <a href='?page={page - 1}'>newer</a> <a href='?page={page + 1}'>older</a></p>"
        return f"<main><h1>News</h1><ul>{items}</ul>{others}</main>"

    firsts = (45, 42, 40, 36, 33, 32, 28)
    noise, scored = NoiseState(), {5: [], 1: []}
    for number in scored:
        noise = NoiseState()
        trees = [
            blocks(listing(first, number).encode(), url=f"https://made.example/news?page={number}") for first in firsts
        ]
        scored[number] = [study(compare(old, new), noise).value for old, new in pairwise(trees)]
    assert max(scored[5]) < 0.05, scored
    assert median(scored[1]) > 3 * max(scored[5]), scored


def test_a_report_has_all_kinds_and_every_target_can_fail(monkeypatch):
    import strandline.lab.experiments.news as experiment

    kinds = {kind: KINDS[kind] for kind in ("link list", "contract", "product", "article")}
    monkeypatch.setattr(experiment, "KINDS", kinds)
    report = run(None, quick=True)
    assert report.ok, [target for target in report.targets if not target.ok]
    assert {figure.title.partition(":")[0] for figure in report.figures} == set(kinds)
    plain = scores(KINDS["link list"](1).captures(LATE + 20))
    monkeypatch.setattr(experiment, "scores", lambda _: [(not one[0], *one[1:]) for one in plain])
    assert not any(target.ok for target in run(None, quick=True).targets if "AUC" in target.name)


def test_front_pages_are_read_from_items(tmp_path):
    lines = [
        '{"url": "https://x.example/", "time": "2025-01-06T00:00:00Z", "items": [1, 2, 3]}',
        '{"url": "https://x.example/", "time": "2025-01-06T01:00:00Z", "items": [4, 1, 2]}',
        '{"url": "https://x.example/", "time": "2025-01-06T02:00:00Z", "items": [1, 4, 2]}',
        '{"url": "https://x.example/", "time": "2025-01-06T03:00:00Z", "items": [1, 3, 2]}',
    ]
    file = tmp_path / "made_items.jsonl.xz"
    file.write_bytes(lzma.compress("\n".join(lines).encode()))
    from strandline.lab.experiments.news import _front_pages

    ((url, states),) = _front_pages(tmp_path, 10)
    assert (url, [state.real for state in states]) == ("https://x.example/", [False, True, False, False])


@pytest.mark.skipif(not (SHARED / "pages").is_dir(), reason="the shared page data is not here")
def test_new_items_of_real_front_pages_score_higher_than_others():
    from strandline.lab.experiments.news import _front_pages

    scored = []
    for number, (_, states) in enumerate(_front_pages(SHARED, 60)):
        scored += scores(replace(state) for state in states)
        if number >= 4:
            break
    assert area(scored) >= WANTED
