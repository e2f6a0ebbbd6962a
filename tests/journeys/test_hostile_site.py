"""A whole crawl of a site that does everything wrong: good pages are captured, traps named, nothing inside is hit."""

import json

import pytest

from hostile.crawled import crawled, trap_hits
from hostile.server import HostileSite
from journeys.command import strandline

SCALED = [
    "fetch.connect=3s",
    "fetch.first_byte=3s",
    "fetch.between_reads=2s",
    "fetch.total=8s",
    "fetch.body=12MiB",
    "crawl.patience=6s",
]
"""The limits of FAULTS in small, so that every behaviour meets one within the test."""

MANY = 5000
"""Captures by which a crawl that holds any of them in memory, or loses itself in a trap, shows it."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "archive"
    flags = [word for assignment in SCALED for word in ("--set", assignment)]
    with HostileSite() as site:

        def enough(crawl):
            return len(crawl.events) >= MANY and not crawl.missing and min(trap_hits(site).values()) > 0

        yield folder, site, crawled(site, folder, flags, enough)


def test_every_good_page_is_captured(hostile):
    _, _, crawl = hostile
    assert crawl.code in (0, 11, 15), crawl.errors
    assert "Traceback" not in crawl.errors
    assert not crawl.missing


def test_nothing_inside_is_hit_and_robots_are_obeyed(hostile):
    _, site, _ = hostile
    assert site.internal_hits == 0
    assert not [path for path in site.hits if path.startswith("/forbidden/")]


def test_memory_stays_flat(hostile):
    assert 0 < hostile[2].growth < 64


def test_traps_are_named_and_left(hostile):
    _, site, crawl = hostile
    done = crawl.events[-1]
    assert done["event"] == "done"
    hits = trap_hits(site)
    assert min(hits.values()) > 0, hits
    assert max(hits.values()) <= 200, hits
    assert done["traps"], "the report names them"


def test_every_failure_is_recorded_and_the_archive_is_sound(hostile):
    folder, *_ = hostile
    audit = json.loads(strandline("verify", folder, "--json").out)
    assert audit["ok"], audit["problems"][:3]
    assert audit["captures"] > 100
