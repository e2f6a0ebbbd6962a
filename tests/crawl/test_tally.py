"""Seeds that led to no page are named, so that a crawl which captured nothing can say so."""

import pytest

from crawl.scripted import SITE, Workshop, answer, page, redirect, silence
from strandline.core.capture import Outcome
from strandline.crawl.tally import Tally

SEED = f"{SITE}/"


def robots(request):
    return answer(request, b"User-agent: *\nDisallow: /\n")


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ({SEED: lambda request: silence(request, Outcome.NO_SUCH_HOST)}, "no-such-host: nobody there"),
        ({f"{SITE}/robots.txt": lambda request: silence(request, Outcome.NO_SUCH_HOST)}, "no-such-host: nobody there"),
        ({}, "answered 404"),
        ({SEED: redirect("/gone")}, "answered 404 (http://h.example/gone)"),
        ({SEED: page(), f"{SITE}/robots.txt": robots}, "not allowed: robots.txt"),
    ],
    ids=["no answer", "no such host", "not found", "redirected to nothing", "robots.txt"],
)
def test_a_seed_that_led_to_no_page_is_named(tmp_path, pages, reason):
    tally = Workshop(tmp_path, pages).run()
    assert tally.pages == 0
    assert list(tally.seeds_failed) == [SEED]
    assert tally.seeds_failed[SEED].startswith(reason)
    assert tally.document()["seeds_failed"] == tally.seeds_failed


def test_a_seed_that_sends_us_round_in_circles(tmp_path):
    tally = Workshop(tmp_path, {SEED: redirect("/a"), f"{SITE}/a": redirect("/")}).run()
    assert (tally.pages, tally.seeds_failed, tally.seeds_moved) == (0, {}, {SEED: f"{SITE}/"})


def test_a_seed_that_sends_us_to_a_page_is_not_named(tmp_path):
    tally = Workshop(tmp_path, {SEED: redirect("/a"), f"{SITE}/a": redirect("/b"), f"{SITE}/b": page("/gone")}).run()
    assert (tally.pages, tally.seeds_failed, tally.seeds_moved) == (1, {}, {})


def test_a_seed_that_was_found_is_not_named(tmp_path):
    tally = Workshop(tmp_path, {SEED: page("/gone")}).run()
    assert (tally.pages, tally.seeds_failed) == (1, {})


def test_a_seed_found_at_a_later_try_is_not_named(tmp_path):
    replies = iter([lambda request: silence(request, Outcome.RESET), page()])
    tally = Workshop(tmp_path, {SEED: lambda request: next(replies)(request)}, patience=10_000.0).run()
    assert (tally.failed, tally.pages, tally.seeds_failed) == (1, 1, {})


def test_two_runs_as_one():
    both = Tally(pages=1, seeds_failed={"a": "x"}).followed_by(Tally(pages=2, seeds_failed={"b": "y"}))
    assert (both.pages, both.seeds_failed) == (3, {"a": "x", "b": "y"})
