"""What other tools archived, taken into a cluster as into a folder; and another crawler that a cluster keeps fed."""

import json
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from keeping.test_feeding import NOW, PAGES, asked, crawled, written
from servers import object_stores, postgres
from strandline.cluster.archive import ClusterArchive
from strandline.cluster.deployment import ClusterPlace
from strandline.cluster.shared import init_cluster
from strandline.errors import ArchiveDamaged
from strandline.exchange.moving import take_in
from strandline.keeping.feeding import Feeder, Terms
from strandline.settings.file import with_overrides
from warc.test_wacz import package

pytestmark = postgres.GROUP


@pytest.fixture
def archive(monkeypatch):
    object_stores.entered(monkeypatch)
    seeds = ", ".join(f'"{page}"' for page in PAGES)
    given = ["archive.contact=https://library.example/bot", f"scope.seeds=[{seeds}]", "study.workers=1"]
    store = f"{object_stores.running().bucket()}/web"
    cluster = init_cluster(postgres.running().database(), store, lambda known: with_overrides(known, given))
    with closing(ClusterArchive(cluster)) as made:
        yield made


def versions(folder, texts, start=NOW):
    file = folder / "versions.jsonl"
    lines = [
        {"url": PAGES[0], "time": start + 3600 * n, "html": f"<html><body><p>{text}</p></body></html>"}
        for n, text in enumerate(texts)
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def test_files_and_versions_come_in_once_are_studied_and_verified(archive, tmp_path):
    warc = tmp_path / "crawl.warc.gz"
    warc.write_bytes(crawled(tmp_path / "one", NOW))
    assert take_in(archive, warc).captures == 2
    again = take_in(archive, warc)
    assert again.captures == 0 and "not kept again" in again.findings[0]
    file = versions(tmp_path, ["Open from nine to five every day", "Open from ten to four every day"], NOW + 3600)
    assert take_in(archive, file).captures == 2
    assert take_in(archive, file).captures == 0
    assert len(archive.captures(PAGES[0])) == 3 and archive.studies.waiting() == 0
    assert [change.url for change in archive.studies.changes()][:1] == [PAGES[0]]
    assert archive.verify().ok
    assert not list(Path(tempfile.gettempdir()).glob("strandline-import-*")), "nothing is left on this disk"


def test_a_package_brings_its_collections_and_one_that_is_not_sound_nothing(archive, tmp_path):
    told = {
        "format": "strandline-collections-1",
        "collections": [{"name": "votes", "sites": ["a.example"], "title": "Votes"}],
    }
    data = crawled(tmp_path / "one", NOW)
    packed = package({"archive/a.warc.gz": data, "strandline/collections.json": json.dumps(told).encode()})
    file = tmp_path / "a.wacz"
    file.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(ArchiveDamaged):
        take_in(archive, file)
    assert archive.reading.count() == 0
    file.write_bytes(packed)
    assert take_in(archive, file).captures == 2
    assert [one.title for one in ClusterPlace.of(archive).settings().collection] == ["Votes"]
    assert archive.verify().ok


def test_another_crawler_is_kept_fed(archive, tmp_path):
    plans, results = tmp_path / "action", tmp_path / "warcs"
    plans.mkdir()
    results.mkdir()
    feeder = Feeder(archive, Terms("heritrix", plans, results))
    first = feeder.look(NOW)
    assert asked(plans / first.plan) == sorted(PAGES)
    written(results / "WEB-1.warc.gz", crawled(tmp_path / "one", NOW + 60), NOW + 61)
    took = feeder.look(NOW + 160)
    assert (took.files, took.captures) == (["WEB-1.warc.gz"], 2)
    again = Feeder(archive, Terms("heritrix", plans, results)).look(NOW + 200)
    assert again.files == [], "another process knows what was taken in"
    later = feeder.look(NOW + 30 * 3600)
    assert set(asked(plans / later.plan)) <= set(PAGES)
