"""Another crawler kept fed: its files are taken in as such crawlers write them, once, and the plan goes on."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from strandline.errors import UsageError
from strandline.keeping.feeding import Feeder, Terms
from strandline.python_archive import create_folder
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange
from warc.test_wacz import package

PAGES = ("http://a.example/", "http://a.example/news")
NOW = 1_780_000_200.0
HOUR = 3600.0


@pytest.fixture
def places(tmp_path):
    plans, results = tmp_path / "job" / "action", tmp_path / "job" / "warcs"
    plans.mkdir(parents=True)
    results.mkdir()
    archive = create_folder(tmp_path / "archive", contact="https://library.example/bot", seeds=PAGES)
    return archive, plans, results


def crawled(folder, at, text="first"):
    """The WARC file of a crawl of the pages, as bytes."""
    folder.mkdir(parents=True)
    clock = StillClock()
    clock.time = at
    with closing(WarcWriter(folder, ABOUT, clock, WriterSettings())) as writer:
        for number, url in enumerate(PAGES):
            body = f"<html><body><p>The {text} words of page {number}, and some more.</p></body></html>".encode()
            writer.keep(exchange(url, body, started=at + number))
        writer.sync()
    (file,) = folder.glob("*.warc.gz*")
    return file.read_bytes()


def written(path, data, at):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (at, at))


def asked(plan: Path):
    """The pages a plan asks for."""
    if plan.suffix == ".force":
        lines = plan.read_text().splitlines()
        assert all(line.startswith("F+ ") for line in lines)
        return sorted(line.removeprefix("F+ ") for line in lines)
    lines = [line.strip() for line in plan.read_text().splitlines()]
    assert "generateWACZ: true" in lines
    return sorted(json.loads(line.removeprefix("- url: ")) for line in lines if line.startswith("- url: "))


def test_heritrix_is_fed_and_its_files_are_taken_in_when_it_has_renamed_them(places, tmp_path):
    archive, plans, results = places
    feeder = Feeder(archive, Terms("heritrix", plans, results))
    first = feeder.look(NOW)
    assert asked(plans / first.plan) == sorted(PAGES) and first.visits == 2
    assert [path.name for path in plans.iterdir()] == [first.plan], "nothing half written lies there"
    assert feeder.look(NOW + 30).as_json() == {
        "event": "fed", "captures": 0, "files": [], "refused": [], "plan": "", "visits": 0
    }  # fmt: skip
    data = crawled(tmp_path / "one", NOW + 60)
    growing = results / "WEB-20260528-00000.warc.gz.open"
    written(growing, data[: len(data) // 2], NOW + 61)
    assert feeder.look(NOW + 120).files == []
    written(growing, data, NOW + 130)
    done = growing.with_suffix("")
    growing.rename(done)
    assert feeder.look(NOW + 131).files == [], "it was written to a second ago"
    took = feeder.look(NOW + 160)
    assert (took.files, took.captures) == ([done.name], 2)
    assert [len(archive.captures(url)) for url in PAGES] == [1, 1]
    assert feeder.look(NOW + 190).files == []
    again = Feeder(archive, Terms("heritrix", plans, results)).look(NOW + 200)
    assert again.files == [], "another process knows what was taken in"
    assert archive.verify().ok


def test_what_did_not_come_back_is_not_handed_over_each_hour(places):
    archive, plans, results = places
    feeder = Feeder(archive, Terms("heritrix", plans, results))
    assert feeder.look(NOW).visits == 2
    assert feeder.look(NOW + HOUR).plan == ""
    late = feeder.look(NOW + 7 * HOUR)
    assert asked(plans / late.plan) == sorted(PAGES)


def test_browsertrix_is_fed_and_only_its_packages_are_taken_in(places, tmp_path):
    archive, plans, results = places
    feeder = Feeder(archive, Terms("browsertrix", plans, results))
    plan = plans / feeder.look(NOW).plan
    assert asked(plan) == sorted(PAGES)
    data = crawled(tmp_path / "one", NOW + 60)
    crawl = results / "collections" / plan.stem
    written(crawl / "archive" / "rec-1.warc.gz", data[:-20], NOW + 61)
    assert feeder.look(NOW + 100).files == []
    packed = package({"archive/rec-1.warc.gz": data})
    written(crawl / f"{plan.stem}.wacz", packed[: len(packed) // 2], NOW + 110)
    cut = feeder.look(NOW + 130)
    assert (cut.files, len(cut.refused)) == ([], 1)
    assert feeder.look(NOW + 150).refused == [], "told once"
    written(crawl / f"{plan.stem}.wacz", packed, NOW + 160)
    took = feeder.look(NOW + 200)
    assert (took.captures, took.refused) == (2, [])
    assert archive.study() == 0, "it is studied, and the plan goes on with it"
    assert [len(archive.captures(url)) for url in PAGES] == [1, 1]


def test_while_somebody_writes_the_archive_results_wait(places, tmp_path):
    archive, plans, results = places
    told = []
    feeder = Feeder(archive, Terms("heritrix", plans, results), told.append)
    written(results / "a.warc.gz", crawled(tmp_path / "one", NOW), NOW)
    with create_folder(tmp_path / "other").writing("test"), archive.writing("watch"):
        assert feeder.look(NOW + 60).files == []
    assert any("waits" in line for line in told)
    assert feeder.look(NOW + 90).captures == 2


def test_what_is_wrong_is_said_first(places, tmp_path):
    archive, plans, results = places
    with pytest.raises(UsageError, match="no crawler"):
        Feeder(archive, Terms("wget", plans, results))
    with pytest.raises(UsageError, match="no such folder"):
        Feeder(archive, Terms("heritrix", plans, tmp_path / "nowhere"))
