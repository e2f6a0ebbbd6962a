"""What is asked about some pages at a time is what is asked about whole sites."""

from contextlib import closing

import pytest

from made.studied import SITES, made_up
from strandline.core.urls import site
from strandline.store import sightings
from strandline.store.catalog import DATABASE
from strandline.store.learned import LearnedReading, LearnedWriter

BETA = site(f"http://{SITES[1]}/")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = made_up(tmp_path_factory.mktemp("seen") / "archive", pages=7, count=300)
    with closing(LearnedWriter.open(folder / DATABASE)) as writer:
        numbers = list(writer.reading.pages_to_learn()[BETA].numbers)
        sights = writer.reading.first_sights(BETA)
        # Two languages as often: that of the page found first counts.
        writer.keep_first_sights(
            [(page, sights[page], "fr" if n % 2 else "pt") for n, page in enumerate(sorted(sights))]
        )
        assert len(numbers) == 7
    return folder


@pytest.fixture
def reading(archive):
    with closing(LearnedReading.open(archive / DATABASE)) as opened:
        yield opened


def test_pages_to_learn_are_those_of_the_sites_with_their_captures(reading):
    found = reading.pages_to_learn()
    assert list(found) == reading.learned_sites() and len(found) == len(SITES)
    for name, pages in found.items():
        known = [(row.page, row.captures) for row in reading.pages(name) if row.kind == "page" and row.captures]
        assert list(zip(pages.numbers, pages.captures, strict=True)) == known
        assert {one.page for one in reading.visits(name)} == set(pages.numbers)


@pytest.mark.parametrize("together", [1, 3, 500])
def test_captures_claims_and_sights_of_some_pages_are_those_of_the_site(reading, monkeypatch, together):
    monkeypatch.setattr(sightings, "ASKED_AT_ONCE", together)
    for name, pages in reading.pages_to_learn().items():
        parts = list(pages.parts())
        assert [page for part in parts for page in part] == list(pages.numbers)
        assert max(map(len, parts)) == min(together, len(pages.numbers))
        assert [one for part in parts for one in reading.visits_of_pages(part)] == list(reading.visits(name))
        claims = {page: told for part in parts for page, told in reading.claims_of_pages(part).items()}
        assert claims == {page: told for page in pages.numbers if (told := reading.claims(page))} and claims
        seen = [row for part in parts for row in reading.sights_of_pages(part)]
        sights = sorted(item for item in reading.first_sights(name).items() if item[0] in pages.numbers)
        assert seen == [(page, one.text_bytes, one.headings, one.links) for page, one in sights] and seen


def test_a_page_with_very_many_captures_is_asked_about_alone(reading, monkeypatch):
    monkeypatch.setattr(sightings, "_CAPTURES_AT_ONCE", 30)
    for pages in reading.pages_to_learn().values():
        counts = dict(zip(pages.numbers, pages.captures, strict=True))
        parts = list(pages.parts())
        assert [page for part in parts for page in part] == list(pages.numbers)
        assert all(len(part) == 1 or sum(counts[page] for page in part) <= 30 for part in parts)
        assert len(parts) > 1


def test_languages_are_those_spoken_on_each_site(reading):
    found = reading.languages()
    assert found == {name: told for name in reading.learned_sites() if (told := reading.spoken(name))}
    assert set(found.values()) == {"de", "pt"}


def test_addresses_come_in_their_order(reading):
    found = list(reading.addresses())
    assert [url for _, url in found] == sorted(url for _, url in found)
    assert {page for page, _ in found} == {n for one in reading.pages_to_learn().values() for n in one.numbers}
