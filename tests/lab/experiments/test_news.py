"""Experiment `news`: the golden cases. News keep scoring after a hundred captures, and what only moves does not."""

import lzma
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from strandline.core.changes.importance import study
from strandline.core.changes.vidiff import compare
from strandline.core.changes.volatility import NoiseState
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
