"""A Parquet dataset in an object store: exported, learned from and cleaned up, in stores of each kind and a folder."""

import json
import random
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from made.studied import START, captures, made_up, study
from servers import object_stores
from servers.postgres import GROUP
from strandline.archive.folder import open_archive
from strandline.cli.main import app
from strandline.engines import mining_objects
from strandline.engines.mining import LocalTasks
from strandline.engines.mining_dataset import Dataset, Writing, read_list
from strandline.engines.mining_objects import LOCK
from strandline.errors import ArchiveBusy, ArchiveDamaged, OutOfSpace, SettingError, UsageError
from strandline.exchange.parquet import SCHEMAS, export_archive
from strandline.learn import dataset_places as mining_places
from strandline.learn.dataset_places import ObjectFindings, place_at
from strandline.learn.engine import Mining, mine
from strandline.learn.learning import PARTS, from_history
from strandline.learn.tasks import Wish
from strandline.settings.schema import LearnSettings
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.learned import LearnedReading
from strandline.warc.objects import Objects

pytestmark = GROUP
pytest.importorskip("duckdb")

WISH = Wish(LearnSettings(version=3 * 86_400.0), PARTS)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return made_up(tmp_path_factory.mktemp("kept") / "archive", pages=5, count=250)


@pytest.fixture(params=[*object_stores.KINDS, "file"])
def address(request, tmp_path, monkeypatch):
    if request.param == "file":
        return (tmp_path / "store").as_uri()
    server = object_stores.entered(monkeypatch, request.param)
    return f"{server.bucket()}/web/parquet"


def kept(learned):
    """What would be kept, page by page."""
    series = {page: (one.changes.tolist(), group) for page, one, group in learned.patterns.to_keep()}
    rates = {page: (asdict(rate), last) for page, rate, last in learned.rates.to_keep(learned.lasts)}
    return series, rates, [one.as_data() for one in learned.rules]


def test_what_is_learned_from_objects_is_what_the_catalog_teaches(archive, address):
    first = export_archive(open_archive(archive), address)
    assert first.captures > 200 and first.folder == address
    assert export_archive(open_archive(archive), address).captures == 0
    with closing(open_catalog(archive)) as catalog:
        catalog.bring(captures(random.Random(9), 5, 20, START + 20 * 86_400.0, f"{hash(address)}.warc.gz"))
        study(random.Random(3), catalog, 10**6)
    assert export_archive(open_archive(archive), address).captures == 20
    with closing(LearnedReading.open(archive / DATABASE)) as reading:
        wanted = kept(from_history(reading, WISH.settings, PARTS, lambda _: None))
    with mine(Dataset(place_at(address)), WISH, Mining(LocalTasks())) as found:
        assert kept(found.learned) == wanted
        assert any(name.startswith("learning-") for name, _ in Objects(address).names(""))
    names = [name for name, _ in Objects(address).names("")]
    listed = {one.file for one in read_list(place_at(address)).parts}
    assert set(names) == listed | {"dataset.json"}


def test_one_writer_at_a_time_and_nothing_left_of_one_that_died(archive, address, monkeypatch):
    export_archive(open_archive(archive), address)
    objects = Objects(address)
    place = place_at(address)
    place.enter()
    with pytest.raises(ArchiveBusy, match=r"another export; if that has ended, remove dataset\.lock"):
        export_archive(open_archive(archive), address)
    # A writer that died while it sent files: its note is too old, its file belongs to nothing.
    objects.put("captures/site=alpha.example/month=2026-09/part-000999.parquet", b"half")
    monkeypatch.setattr(mining_objects, "_HOLDS", -1.0)
    place.put_list(place.list_text())
    monkeypatch.undo()
    if not address.startswith("file"):
        object_stores.entered(monkeypatch, address.partition(":")[0])
    export_archive(open_archive(archive), address)
    assert not any("000999" in name or name == "dataset.lock" for name, _ in objects.names(""))


def test_a_writer_that_stood_still_for_too_long_touches_nothing_more(archive, address, monkeypatch):
    export_archive(open_archive(archive), address)
    objects, slow = Objects(address), Writing(place_at(address), SCHEMAS)
    with pytest.raises(ArchiveBusy, match="taken over by another export"), slow:
        slow.replace(("claims", "alpha.example", ""), [(1, "sitemap", 5.0, 6.0)])
        mine, file = objects.get(LOCK), slow._added[-1].file
        objects.delete([LOCK])  # it is out of date, and another comes
        other = Writing(place_at(address), SCHEMAS)
        with other:
            other.add(("claims", "alpha.example", ""), [(2, "feed", 5.0, 6.0)] * 3)
            assert other._added[-1].file == file and objects.get(LOCK) != mine
            other.commit()
            monkeypatch.setattr(mining_objects, "_HEARD", -1.0)
            with pytest.raises(ArchiveBusy):
                slow.add(("claims", "beta.example", ""), [(3, "sitemap", 5.0, 6.0)])
            assert json.loads(objects.get(LOCK))["mark"] == other._place._mark
        slow.commit()
    assert Dataset(place_at(address)).whole() is None and objects.size(file), "it removed what is the other's"
    objects.put(LOCK, b"what is this")
    assert export_archive(open_archive(archive), address).captures == 0 and objects.size(LOCK) is None


def test_old_findings_and_lost_files(archive, address):
    export_archive(open_archive(archive), address)
    objects = Objects(address)
    objects.put("learning-5f000000-dead/still.parquet", b"old")
    objects.put("learning-about-the-web/notes.txt", b"somebody's")
    findings = ObjectFindings(objects)
    assert [name for name, _ in objects.names("learning-")] == []
    assert [name for name, _ in objects.names("learning-about-the-web/")] == ["learning-about-the-web/notes.txt"]
    with pytest.raises(ArchiveDamaged, match="is missing"):
        findings.local(f"{findings.place.folder}/gone.parquet")
    objects.put(f"{findings.place.folder}/large.parquet", b"1" * 100_000)
    Path(findings._cache.path, "large.parquet").symlink_to("/dev/full")  # every write to it fails as on a full disk
    with pytest.raises(OutOfSpace, match=r"strandline-spill-.*: no space left"):
        mining_places._fetch(
            objects, f"{findings.place.folder}/large.parquet", Path(findings._cache.path, "large.parquet")
        )
    findings.close()
    lost = next(one.file for one in read_list(place_at(address)).parts if one.table == "captures")
    objects.delete([lost])
    with pytest.raises(ArchiveDamaged, match=r"is missing: the export was cut short"):
        mine(Dataset(place_at(address)), WISH, Mining(LocalTasks()))


def test_what_is_wrong_is_told_in_one_line(archive, monkeypatch, tmp_path):
    server = object_stores.entered(monkeypatch, "s3")
    bucket = server.bucket()
    with pytest.raises(SettingError, match="there is no such bucket"):
        export_archive(open_archive(archive), "s3://never-made/parquet")
    with pytest.raises(SettingError, match="not an object store"):
        export_archive(open_archive(archive), "ftp://example.org/parquet")
    with pytest.raises(UsageError, match="holds no Parquet dataset"):
        Dataset(place_at(f"{bucket}/empty"))
    Objects(f"{bucket}/other").put("somebody's", b"1")
    with pytest.raises(UsageError, match="is not empty and holds no Parquet dataset"):
        export_archive(open_archive(archive), f"{bucket}/other")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(SettingError, match="access is refused") as problem:
        export_archive(open_archive(archive), f"{bucket}/parquet")
    assert "\n" not in str(problem.value)


def test_the_commands(archive, tmp_path):
    store = (tmp_path / "store").as_uri()
    with closing(open_catalog(archive)) as catalog:
        study(random.Random(2), catalog, 10**6)
    done = CliRunner().invoke(app, ["export", str(archive), "--dataset", store, "--json"])
    assert json.loads(done.stdout)["folder"] == store
    there = CliRunner().invoke(app, ["learn", str(archive), "rules", "--engine", "local", "--dataset", store, "--json"])
    here = CliRunner().invoke(app, ["learn", str(archive), "rules", "--json"])
    assert json.loads(there.stdout) == json.loads(here.stdout)
