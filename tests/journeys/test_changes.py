"""What an archivist does with changes: sees through noise, asks what changed and when, rates, searches, compacts."""

import gzip
import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from journeys.command import LOOPBACK, start, strandline
from strandline.core.capture import Place
from strandline.demo.server import DemoServer
from strandline.warc.reader import WarcReader

QUIET_PASSES = 4


@dataclass(frozen=True)
class Watched:
    folder: Path
    url: str
    changed: frozenset
    """Pages that really changed before the last pass."""
    last_pass: float


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """The news of the demonstration site: some passes in which only its noise differs, then twelve hours of news."""
    folder = tmp_path_factory.mktemp("changes") / "archive"
    with DemoServer(hour_seconds=3600.0) as site:
        living = site.site
        living.epoch -= 9 * 3600.0  # nine in the morning
        seed = f"{site.url}news/"
        for _ in range(QUIET_PASSES):
            done = strandline("crawl", folder, "--seeds", seed, "--scope", "prefix", *LOOPBACK)
            assert done.code == 0, done.err
        before = {path: page.version(living.hour(time.time())) for path, page in living.pages.items()}
        living.epoch -= 12 * 3600.0
        last = time.time()
        done = strandline("crawl", folder, "--seeds", seed, "--scope", "prefix", *LOOPBACK)
        assert done.code == 0, done.err
        after = {path: page.version(living.hour(time.time())) for path, page in living.pages.items()}
        changed = {site.url[:-1] + path for path in before if path.startswith("/news/") and before[path] != after[path]}
        return Watched(folder, site.url, frozenset(changed), last)


def articles(lines):
    return [line for line in lines if line["url"].endswith(".html") and "/news/" in line["url"]]


def test_real_news_stands_out_from_clock_and_advertising(watched):
    lines = articles(strandline("changes", watched.folder, "--json").lines)
    stamp = max(line["after"] for line in lines)
    last = [line for line in lines if line["by"] > stamp]
    real = [line["importance"] for line in last if line["url"] in watched.changed]
    noise = [line["importance"] for line in last if line["url"] not in watched.changed]
    assert len(real) >= 10
    assert max(noise, default=0.0) < min(real)
    assert min(real) > 0.05
    assert not any(line["held"] for line in last)
    news = max(last, key=lambda line: line["importance"])
    assert news["visible"]
    assert any("new words" in block["why"] for block in news["blocks"])


def test_noise_sinks_pass_by_pass(watched):
    lines = articles(strandline("changes", watched.folder, "--json").lines)
    url = (
        next(line["url"] for line in lines if line["url"] not in watched.changed)
        if any(line["url"] not in watched.changed for line in lines)
        else lines[0]["url"]
    )
    scores = [line["importance"] for line in lines if line["url"] == url][: QUIET_PASSES - 1]
    assert len(scores) == QUIET_PASSES - 1
    # What differs on every page of the site may be known before this page is compared at all.
    assert scores[-1] < max(scores[0] / 2, 0.02), scores


def test_changes_for_people(watched):
    told = strandline("changes", watched.folder, "--min-importance", "0.05", "--site", watched.url.split("/")[2])
    assert told.code == 0, told.err
    assert "new words" in told.out
    assert told.out.splitlines()[-1].endswith("changes.")
    assert strandline("changes", watched.folder, "--json", "--site", "other.example").out == ""


def test_compare_two_moments(watched):
    url = sorted(watched.changed)[0]
    told = strandline("compare", watched.folder, url)
    assert told.code == 0, told.err
    assert "Why it matters" in told.out
    found = json.loads(strandline("compare", watched.folder, url, "--json").out)
    assert {"importance", "impch", "operations"} <= set(found)
    assert {"kind", "element", "block", "weight", "before", "after"} <= set(found["operations"][0])
    headline = [one for one in found["operations"] if one["block"].startswith("html/body/main")]
    assert headline
    same = json.loads(strandline("compare", watched.folder, url, "--json", "--from", "2100", "--to", "2101").out)
    assert (same["importance"], same["operations"]) == (0.0, [])


def test_search_finds_what_was_said_and_when_it_was_gone(watched):
    url = sorted(watched.changed)[0]
    found = json.loads(strandline("compare", watched.folder, url, "--json").out)
    gone = next(one["before"] for one in found["operations"] if len(one["before"].split()) > 20)
    words = " ".join(gone.split()[:12])
    hits = [hit for hit in strandline("search", watched.folder, words, "--json").lines if hit["url"] == url]
    assert hits
    assert hits[0]["gone"] is not None
    assert hits[0]["first"] < hits[0]["last"] <= hits[0]["gone"]
    assert strandline("search", watched.folder, "zebra crossing", "--json").out == ""


def test_ratings_are_used_and_outlive_a_reindex(watched, tmp_path):
    folder = tmp_path / "rated"
    shutil.copytree(watched.folder, folder)
    url = sorted(watched.changed)[0]
    before = json.loads(strandline("compare", folder, url, "--json").out)
    rated = strandline("rate", folder, url, "noise", "--json")
    assert rated.code == 0, rated.err
    assert rated.lines[0]["blocks"]
    after = json.loads(strandline("compare", folder, url, "--json").out)
    assert after["importance"] < before["importance"] / 5
    assert strandline("reindex", folder).code == 0
    again = [line for line in strandline("changes", folder, "--json").lines if line["url"] == url]
    assert again[-1]["importance"] == 0.0
    assert strandline("rate", folder, url, "boring").code == 2
    assert strandline("rate", folder, "https://elsewhere.example/", "noise").code == 2


def test_after_reindex_study_comes_to_the_same(watched, tmp_path):
    folder = tmp_path / "again"
    shutil.copytree(watched.folder, folder)
    before = strandline("changes", folder, "--json").out
    (folder / "strandline.db").unlink()
    assert strandline("reindex", folder).code == 0
    assert sorted(strandline("changes", folder, "--json").out.splitlines()) == sorted(before.splitlines())


# Compaction


def contents(folder):
    """Every capture as replay reads it: record, HTTP head and body."""
    reader = WarcReader(folder / "archive")
    listed = []
    for line in (folder / "indexes" / "index.cdxj").read_text().splitlines():
        entry = json.loads(line.split(" ", 2)[2])
        record = reader.read(Place(entry["filename"], int(entry["offset"]), int(entry["length"])))
        listed.append((line, record.type, record.headers, record.http_head, record.body.read()))
    return listed


def exported(folder, to):
    done = strandline("export", folder, "--to", to)
    assert done.code == 0, done.err
    return gzip.decompress(to.read_bytes()).split(b"WARC/1.1\r\n")[2:]  # without the warcinfo of the export


def test_compacting_changes_nothing_but_the_size(watched, tmp_path):
    folder = tmp_path / "cold"
    shutil.copytree(watched.folder, folder)
    before, out = contents(folder), exported(folder, tmp_path / "before.warc.gz")
    size = sum(path.stat().st_size for path in (folder / "archive").iterdir())
    assert strandline("compact", folder, "--json").lines[0]["files"] == [], "nothing is cold yet"
    done = strandline("compact", folder, "--older-than", "0s", "--json")
    assert done.code == 0, done.err
    report = done.lines[0]
    assert report["after"] < 0.7 * report["before"]
    assert sum(path.stat().st_size for path in (folder / "archive").iterdir()) < 0.7 * size
    assert not list((folder / "archive").glob("*.warc.gz"))
    assert contents(folder) == before
    assert exported(folder, tmp_path / "after.warc.gz") == out
    audit = json.loads(strandline("verify", folder, "--json").out)
    assert audit["ok"], audit
    index = (folder / "indexes" / "index.cdxj").read_bytes()
    again = strandline("reindex", folder)
    assert again.code == 0 and "missing" not in again.out + again.err, again.err
    assert (folder / "indexes" / "index.cdxj").read_bytes() == index
    assert json.loads(strandline("verify", folder, "--json").out)["captures"] == audit["captures"]
    assert strandline("compact", folder, "--older-than", "0s", "--json").lines[0]["files"] == []


@pytest.fixture(scope="module")
def compacted(watched, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compacted") / "archive"
    shutil.copytree(watched.folder, folder)
    assert strandline("compact", folder, "--older-than", "0s").code == 0
    return folder


@pytest.mark.parametrize("part", ["*.pack", "*.delta"])
def test_every_flipped_bit_of_a_compacted_file_is_found(compacted, part):
    path = next((compacted / "archive").glob(part))
    sound = path.read_bytes()
    for place in (9, len(sound) // 2, len(sound) - 1):
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 4]) + sound[place + 1 :])
        assert strandline("verify", compacted, "--json").code == 6, (part, place)
    path.write_bytes(sound[:-20])
    assert strandline("verify", compacted).code == 6
    path.write_bytes(sound)
    assert strandline("verify", compacted).code == 0


def test_a_compaction_that_is_killed_leaves_the_old_or_the_new(watched, tmp_path):
    before = None
    for number, delay in enumerate((0.0, 0.03, 0.2)):
        folder = tmp_path / f"killed{number}"
        shutil.copytree(watched.folder, folder)
        before = before or contents(folder)
        process = start("compact", folder, "--older-than", "0s")
        while process.poll() is None and not list((folder / "archive").glob("*.new")):
            time.sleep(0.002)
        time.sleep(delay)
        process.kill()
        process.communicate()
        assert contents(folder) == before
        assert strandline("verify", folder).code == 0
    assert strandline("compact", folder, "--older-than", "0s").code == 0
    assert contents(folder) == before
    assert not list((folder / "archive").glob("*.new"))
