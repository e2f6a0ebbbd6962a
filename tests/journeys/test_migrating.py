"""An archive folder becomes a cluster and a folder again: nothing lost, nothing changed, whatever cuts it short."""

import contextlib

import psycopg
import pytest

from journeys.command import LOOPBACK, strandline
from servers import object_stores, postgres
from servers.sites import sites
from strandline.archive.folder import open_archive
from strandline.cluster import move_passes as cluster_moving
from strandline.cluster.migrating import to_cluster, to_folder
from strandline.cluster.shared import mark, open_cluster
from strandline.errors import ArchiveDamaged, SettingError, UsageError
from strandline.store.postgres import moving as postgres_moving
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.warc.objects import Objects

pytestmark = postgres.GROUP


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Two passes over a small site: several WARC files, revisits, links."""
    folder = tmp_path_factory.mktemp("embedded")
    with sites(folder, hosts=1, pages=30, size=600) as site:
        for _ in range(2):
            done = strandline("crawl", folder / "a", "--seeds", site.seeds[0], *LOOPBACK)
            assert done.code == 0, done.err
    with contextlib.closing(open_archive(folder / "a").reading) as reading:
        captures = list(reading.all_captures())
    with open_archive(folder / "a").writing("test") as catalog:
        catalog.studies.take_over([("http://a.example/", "body/p", "noise", 5.25, "Anna")])
    return folder / "a", captures


@pytest.fixture
def place(monkeypatch):
    server = object_stores.entered(monkeypatch)
    return postgres.running().database(), f"{server.bucket()}/moved"


def moved(done):
    assert done.finished and done.rows_left == done.octets_left == 0
    return done.captures, done.files


def test_to_a_cluster_and_back_is_the_same_archive(archive, place, tmp_path, monkeypatch):
    folder, captures = archive
    database, store = place
    monkeypatch.setattr(postgres_moving, "PIECE", 7)
    files = sorted(path.name for path in (folder / "archive").glob("*.warc.gz"))
    assert moved(to_cluster(folder, database, store, lambda _: None)) == (len(captures), len(files))
    assert open_cluster(database).store == store
    with contextlib.closing(PostgresCatalog(database)) as catalog:
        assert list(catalog.all_captures()) == captures
        # The cluster goes on where the folder stopped: numbers that are new are new.
        assert catalog.waiting(1e12)[0] == sum(row.due < 1e12 for row in catalog.reading.pages())
        tasks = [task for _ in range(5) for task in catalog.take(1, 1e12, 1e12, ())]
        assert len(tasks) == 5 and any(task.original is not None for task in tasks)
        catalog.release([task.page for task in tasks])
    assert moved(to_folder(database, tmp_path / "back", lambda _: None)) == (len(captures), len(files))
    back = open_archive(tmp_path / "back")
    assert list(back.reading.all_captures()) == captures
    assert back.settings == open_archive(folder).settings
    for name in files:
        assert (tmp_path / "back" / "archive" / name).read_bytes() == (folder / "archive" / name).read_bytes()
    assert list(back.studies.all_ratings()) == [("http://a.example/", "body/p", "noise", 5.25, "Anna")]
    audit = strandline("verify", tmp_path / "back", "--json")
    assert audit.code == 0 and audit.lines[0]["captures"] == len(captures)
    again = strandline("crawl", tmp_path / "back", "--limit", "1", *LOOPBACK)
    assert again.code == 9 and "Could not connect" in again.err, "it goes on as an archive, but its site is gone"


def test_a_migration_that_is_cut_short_goes_on(archive, place, tmp_path, monkeypatch):
    folder, captures = archive
    database, store = place
    monkeypatch.setattr(postgres_moving, "PIECE", 9)

    class Cut(Exception):  # noqa: N818
        pass

    for stop in (3, 4, 5):
        left = [stop]

        def cut(_line, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise Cut

        with pytest.raises(Cut):
            to_cluster(folder, database, store, cut)
        with pytest.raises(SettingError, match="not finished"):
            open_cluster(database)
    assert to_cluster(folder, database, store, lambda _: None).captures == len(captures)
    left = [4]

    def cut_back(_line):
        left[0] -= 1
        if left[0] == 0:
            raise Cut

    with pytest.raises(Cut):
        to_folder(database, tmp_path / "back", cut_back)
    assert to_folder(database, tmp_path / "back", lambda _: None).captures == len(captures)
    assert list(open_archive(tmp_path / "back").reading.all_captures()) == captures


def test_checksums_that_were_not_moved_yet_are_moved_and_what_is_missing_is_told(archive, place, tmp_path):
    folder, captures = archive
    database, store = place
    to_cluster(folder, database, store, lambda _: None)
    objects, name = Objects(store), sorted(path.name for path in (folder / "archive").glob("*.warc.gz"))[0]
    objects.delete([f"fixity/{name}.sums"])  # as if it had been cut short right before
    mark(database, str(folder.resolve()))
    said = []
    to_cluster(folder, database, store, said.append)
    assert [line for line in said if "sent" in line] and (folder / "fixity" / f"{name}.sums").read_bytes()
    assert objects.get(f"fixity/{name}.sums") == (folder / "fixity" / f"{name}.sums").read_bytes()
    objects.put("archive/strange/file.warc.gz", b"not ours")
    objects.put("archive/.hidden", b"not ours")
    said.clear()
    back = tmp_path / "back"
    to_folder(database, back, said.append)
    assert not [line for line in said if "not in the store" in line]
    (back / "fixity" / f"{name}.sums").unlink()
    (back / "migrating").write_text("")
    objects.delete([f"archive/{sorted(path.name for path in (folder / 'archive').glob('*.warc.gz'))[1]}"])
    assert to_folder(database, back, said.append).captures == len(captures)
    assert (back / "fixity" / f"{name}.sums").exists() and len(
        [line for line in said if "not in the store" in line]
    ) == 1


def test_what_differs_is_found_and_what_is_not_empty_is_refused(archive, place, monkeypatch):
    folder, _ = archive
    database, store = place
    real = cluster_moving.level_all

    def flawed(source, target, progress):
        count = real(source, target, progress)
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("UPDATE captures SET digest = 'sha1:OTHER' WHERE seq = 3")
        return count

    monkeypatch.setattr(cluster_moving, "level_all", flawed)
    with pytest.raises(ArchiveDamaged, match="differ"):
        to_cluster(folder, database, store, lambda _: None)
    other = postgres.running().database()
    with contextlib.closing(PostgresCatalog(other)) as catalog:
        catalog.note("cluster", [("store", store.encode()), ("settings", b""), ("migrating", b"/another/folder")])
    with pytest.raises(UsageError, match="not empty"):
        to_cluster(folder, other, store, lambda _: None)
