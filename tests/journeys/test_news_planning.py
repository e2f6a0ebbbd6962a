"""A restless front page among pages that stand still: it is planned, classed and shown as what it is."""

import json
import random
import time
from collections import Counter
from datetime import UTC, datetime

import pytest

from journeys.command import here, strandline
from strandline.lab.experiments.living_lists import LinkList
from strandline.lab.experiments.living_pages import paragraphs
from strandline.lab.experiments.made_words import paragraph, sentence

SITE = "https://harbour-daily.example"
FRONT = f"{SITE}/"
CONTRACT = f"{SITE}/terms.html"
COUNTER = f"{SITE}/visitors.html"
QUIET = tuple(f"{SITE}/about/{number}.html" for number in range(5))
LOOKS, APART = 36, 3 * 3600.0
TEXTS = [paragraph(random.Random(number)) for number in range(12)]


def page(title, texts):
    return f"<!doctype html><title>{title}</title><main><h1>{title}</h1>{paragraphs(texts)}</main>"


def looks():
    """Address, number of the look, and what it showed."""
    front = [one.html.decode() for one in LinkList(5).captures(LOOKS)]
    for number in range(LOOKS):
        yield FRONT, number, front[number]
        yield CONTRACT, number, page("Terms", [*TEXTS[:4], "Either side gives notice of 30 days.", *TEXTS[4:8]])
        yield COUNTER, number, page("Guests", [*TEXTS[8:10], f"{4000 + 17 * number} visitors since 1999"])
        for place, url in enumerate(QUIET):
            yield url, number, page(sentence(random.Random(place)), TEXTS[place : place + 4])


@pytest.fixture(scope="module")
def begun():
    return time.time() - LOOKS * APART


@pytest.fixture(scope="module")
def archive(tmp_path_factory, begun):
    folder = tmp_path_factory.mktemp("restless")
    lines = [
        json.dumps({"url": url, "time": at(begun + number * APART), "html": html}) for url, number, html in looks()
    ]
    (folder / "looks.jsonl").write_text("\n".join(lines))
    made = strandline("import", folder / "archive", folder / "looks.jsonl")
    assert made.code == 0, made.err
    return folder / "archive"


def at(seconds):
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def asked(*words):
    return json.loads(here(*words, "--json").stdout)


@pytest.mark.parametrize("budget_text", ["1/hour", "24/day"])
def test_the_front_page_gets_by_far_the_most_visits_of_the_coming_day(archive, budget_text):
    assert asked("next", archive, "--visits", 3)[0]["url"] == FRONT
    budget = 24  # three visits for each page, if all were alike
    planned = Counter(one["url"] for one in asked("plan", archive, "--for", "24h", "--budget", budget_text))
    others = [planned[url] for url in (CONTRACT, COUNTER, *QUIET)]
    assert planned[FRONT] >= budget / 2
    assert planned[FRONT] >= 5 * max(others)


def test_it_alone_is_in_the_fastest_class(archive):
    found = asked("classes", archive)
    assert {one["url"] for one in found["pages"] if one["class"] == 0} == {FRONT}
    assert found["classes"][0]["changes_a_day"] > 3
    assert len(found["classes"]) > 1


def test_never_changed_is_said_only_of_pages_nothing_was_seen_to_change_of(archive):
    def said(words):
        return {line.split()[1]: line for line in words.splitlines() if line.lstrip().startswith("[")}

    found = said(here("classes", archive).stdout)
    assert {url for url, line in found.items() if "never seen to change" in line} == {CONTRACT, *QUIET}
    assert "only slight changes" in found[COUNTER]
    assert f"{LOOKS - 1} slightly" in found[COUNTER]
    assert {one["url"]: one["slight"] for one in asked("classes", archive)["pages"]}[COUNTER] == LOOKS - 1
    lines = {line.split()[0]: line for line in here("patterns", archive).stdout.splitlines()}
    assert "only slight changes" in lines[COUNTER]
    assert "never seen to change" in lines[CONTRACT]
    assert f"{LOOKS - 1} too small to count" in here("why", archive, COUNTER).stdout
    here("learn", archive)
    assert "had changed: only slight changes" in here("why", archive, COUNTER).stdout
    assert "had changed: never seen to change" in here("why", archive, CONTRACT).stdout


@pytest.mark.parametrize("look", range(3, LOOKS - 2, 7))
def test_nothing_is_proved_of_a_page_that_showed_something_else_just_before_or_after(archive, begun, look):
    moment = at(begun + (look + 0.5) * APART)
    found = {one["url"]: one["evidence"] for one in asked("quality", archive, "--at", moment)["archive"]["mementos"]}
    assert found[FRONT] != "proved"
    assert found[COUNTER] != "proved"
    assert {found[url] for url in (CONTRACT, *QUIET)} == {"proved"}
