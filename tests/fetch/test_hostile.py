"""Every way to misbehave ends within the limits with the right outcome, in little memory, and nothing inside is hit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostile.inside import SPELLINGS, internal_url
from hostile.server import HostileSite
from hostile.wire import REGISTRY
from strandline.core.capture import Outcome

HERE = Path(__file__).parent
LIMITS = {
    "connect": 3.0,
    "first_byte": 2.0,
    "between_reads": 1.5,
    "total": 6.0,
    "rate_after": 2.0,
    "body": 12 * 1024 * 1024,
}


PARTS = {
    "endless-body": LIMITS["body"],
    "endless-chunks": LIMITS["body"],
    "length-too-long": 20,
    "stall-in-body": 4,
    "never-closes": 16,
    "reset-in-body": 4,
    "chunks-without-end": 10,
    "no-status-line": 20,
    "two-lengths": 20,
}
"""Bytes of the body that come, or that are kept."""


def fetch_all(urls, **job):
    """Run the fetcher in its own process, so that its memory is its own."""
    source = str(HERE.parents[1] / "src")
    answer = subprocess.run(
        [sys.executable, str(HERE / "fetch_all.py")],
        input=json.dumps({"urls": urls, **job}),
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def as_expected(url, result):
    """Whether a behaviour ended with one of its outcomes and the right bytes; anything else must be answered."""
    name = url.rpartition("/h/")[2]
    expected = REGISTRY[name].outcomes if name in REGISTRY else {Outcome.ANSWERED}
    return result["outcome"] in expected and result["body_length"] == PARTS.get(name, result["body_length"])


def too_slow_for(url, result):
    """Whether a time limit ended what should have ended otherwise."""
    by_time = result["outcome"] in (Outcome.TIMEOUT, Outcome.TOO_SLOW) or result["truncated"] == "time"
    return by_time and not as_expected(url, result)


def fetch_patiently(urls, **job):
    """Fetch all; what a busy machine was too slow for is fetched again with more time."""
    report = fetch_all(urls, limits=LIMITS, **job)
    results = report["results"]
    for factor in (4, 16):
        late = [place for place, result in enumerate(results) if result and too_slow_for(urls[place], result)]
        if not late:
            break
        limits = {name: limit if name == "body" else factor * limit for name, limit in LIMITS.items()}
        again = fetch_all([urls[place] for place in late], limits=limits, **job)["results"]
        for place, result in zip(late, again, strict=True):
            results[place] = result
    return report


@pytest.fixture(scope="module")
def site():
    with HostileSite() as running:
        yield running


@pytest.fixture(scope="module")
def fetched(site):
    """One crawl-like run over everything at once; good pages last, behind all the bad ones."""
    names = list(REGISTRY)
    urls = [site.url_of(name) for name in names] + [site.silent_url, *site.good]
    report = fetch_patiently(urls)
    named = dict(zip(names, report["results"], strict=False))
    return named, report["results"][len(names) :], report["grown"]


def test_there_are_enough_behaviours():
    assert len(REGISTRY) >= 120


@pytest.mark.parametrize("name", list(REGISTRY))
def test_ends_with_the_right_outcome(fetched, name):
    result = fetched[0][name]
    assert result is not None, "never came back"
    assert result["outcome"] in REGISTRY[name].outcomes, result
    assert result["seconds"] < 20 * LIMITS["total"], "ended by our limits: the slow ones would go on for minutes"
    assert result["detail"].isprintable()
    if result["outcome"] == Outcome.ANSWERED:
        assert result["whole_head"]
        assert result["truncated"] == ""
    elif result["whole_head"]:
        assert result["truncated"] in ("length", "time", "disconnect", "unspecified")


def test_the_silent_port_times_out_and_good_pages_come(fetched):
    silent, *good = fetched[1]
    assert silent["outcome"] == Outcome.TIMEOUT
    assert len(good) == 20
    assert {result["outcome"] for result in good} == {Outcome.ANSWERED}


def test_memory_stays_flat(fetched):
    assert 0 < fetched[2] < 64


def test_bombs_are_kept_but_not_unfolded(fetched):
    bombs = {name for name in fetched[0] if name.startswith("bomb-")} - {"bomb-sitemap"}
    assert len(bombs) > 2
    for name in bombs:
        assert not fetched[0][name]["complete"], name
        assert fetched[0][name]["decoded"] < 16 * 1024 * 1024, name


def test_bodies_are_cut_to_the_byte(fetched):
    for name in ("endless-body", "endless-chunks"):
        assert fetched[0][name]["body_length"] == PARTS[name] == LIMITS["body"]
        assert fetched[0][name]["truncated"] == "length"


@pytest.mark.parametrize("name", PARTS)
def test_partial_bytes_are_kept(fetched, name):
    assert fetched[0][name]["body_length"] == PARTS[name]


def test_nothing_inside_is_reached(site):
    urls = [internal_url(spelling, port) for spelling in SPELLINGS for port in (site.internal_port, 80)]
    for url, result in zip(urls, fetch_all(urls, limits=LIMITS)["results"], strict=True):
        assert result["outcome"] in (Outcome.BAD_ADDRESS, Outcome.BAD_URL), (url, result)
    assert site.internal_hits == 0


def test_the_counter_counts_when_it_is_allowed(site):
    """The control: the same request with the address opened does reach the service."""
    with HostileSite() as other:
        url = internal_url("hex", other.internal_port)
        assert fetch_all([url], allow=["127.0.0.2/32"])["results"][0]["outcome"] == Outcome.ANSWERED
        assert other.internal_hits == 1
    assert site.internal_hits == 0


def test_few_file_descriptors_slow_down_and_lose_nothing(site):
    names = ["slow-but-good", "calendar", "endless-body", "length-too-long", "stall-in-body"]
    urls = [site.url_of(name) for name in names] * 12 + site.good * 3
    report = fetch_patiently(urls, files=24, connections=100)
    for url, result in zip(urls, report["results"], strict=True):
        assert as_expected(url, result), (url, result)
