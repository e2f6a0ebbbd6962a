"""What a cluster gives out is what the same archive in a folder does; what is taken down is not in it."""

import io
import itertools
import json
import zipfile
from contextlib import closing
from random import Random

import pytest
from typer.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator

from access.test_pictures import LOOKS, shown
from servers import object_stores, postgres
from strandline.access.timestamps import timestamp
from strandline.cli.main import app
from strandline.cluster.archive import open_shared
from strandline.cluster.deployment import ClusterPlace
from strandline.cluster.migrating import to_cluster
from strandline.core.capture import Original
from strandline.errors import ArchiveDamaged
from strandline.exchange.deposit import deposit
from strandline.exchange.moving import Wanted, export, take_in
from strandline.exchange.rebuilding import reindex
from strandline.keeping.annotations import AnnotationWish, add_note
from strandline.keeping.collections import add_collection, assign
from strandline.keeping.takedowns import Wish, block, lift
from strandline.python_archive import create_folder as create
from strandline.warc.objects import ARCHIVE, Objects, part_name
from strandline.warc.writer import WarcWriter
from warc.exchanges import ABOUT, START, StillClock, exchange

pytestmark = postgres.GROUP
HOUR = 3600.0
PAGE, OTHER, LARGE = "http://example.org/", "http://other.example/a", "http://example.org/large"


def _archive(folder):
    """Looks with pictures, pages that are the same twice, and a body of several blocks."""
    archive = create(folder)
    writer = WarcWriter(folder / "archive", ABOUT, StillClock())
    for n, (text, whole) in enumerate(LOOKS):
        writer.keep(exchange(PAGE, b"<div id=root></div>", started=START + HOUR * n), None, shown(text, whole))
    first = writer.keep(exchange(OTHER, b"<p>The same words</p>", started=START), None, None)
    writer.keep(
        exchange(OTHER, b"<p>The same words</p>", started=START + HOUR),
        Original(OTHER, first.time, first.digest, first.record_id),
        None,
    )
    large = Random(1).randbytes(10_000_000)
    writer.keep(exchange(LARGE, large, started=START), None, None)
    writer.close()
    reindex(archive)
    return archive


@pytest.fixture(params=["finished", "parts"])
def both(request, tmp_path, monkeypatch):
    """The same archive in a folder and in a cluster, whose files are whole or still in parts."""
    object_stores.entered(monkeypatch)
    folder = _archive(tmp_path / "archive")
    database, store = postgres.running().database(), f"{object_stores.running().bucket()}/web"
    to_cluster(folder.folder, database, store, lambda _: None)
    with closing(open_shared(database)) as archive:
        if request.param == "parts":
            _take_apart(Objects(store), [one.place for one in archive.everything.all_captures()])
        yield folder, archive


def _take_apart(objects, places):
    """As a worker leaves a file that it has not finished: a part for each commit."""
    for file in {place.file for place in places}:
        data = objects.get(f"{ARCHIVE}/{file}")
        starts = [0, *sorted(place.offset for place in places if place.file == file)[1::2], len(data)]
        for start, end in itertools.pairwise(starts):
            objects.put(part_name(file, start), data[start:end])
        objects.delete([f"{ARCHIVE}/{file}"])


def _held(file):
    """Every record of a WACZ, with its bytes but for the warcinfo, and the lines of its index without places."""
    with zipfile.ZipFile(file) as wacz:
        records = [
            (one.rec_headers.get_header("WARC-Record-ID"), one.rec_type, one.content_stream().read())
            for one in ArchiveIterator(io.BytesIO(wacz.read("archive/data.warc.gz")))
            if one.rec_type != "warcinfo"
        ]
        pages = wacz.read("pages/pages.jsonl")
    return records, pages


def test_a_cluster_gives_out_what_a_folder_does(both, tmp_path):
    _folder, archive = both
    files = [tmp_path / f"{name}.wacz" for name in ("folder", "cluster")]
    counts = [export(one, Wanted(file)) for one, file in zip(both, files, strict=True)]
    assert counts[0] == counts[1] == len(LOOKS) + 3
    assert _held(files[0]) == _held(files[1]), "the same records, byte for byte"
    again = create(tmp_path / "again")
    assert take_in(again, files[1]).captures == counts[1] and again.verify().ok
    for name in ("all.cdxj", "all.warc.gz", "all.parquet"):
        assert export(archive, Wanted(tmp_path / name)) > 0
    assert export(archive, Wanted(tmp_path / "site.wacz", site="other.example")) == 2
    assert deposit(archive, Wanted(tmp_path / "bag", site="other.example")) == 2
    assert (tmp_path / "bag" / "manifest-sha256.txt").is_file()


def test_what_is_taken_down_is_not_given_out(both, tmp_path):
    _, archive = both
    block(archive, Wish(OTHER, "somebody asked"))
    act, _ = block(archive, Wish(f"{timestamp(START + HOUR)}/{PAGE}", "somebody asked"))
    with closing(open_shared(archive.cluster.database)) as reader:
        file = tmp_path / "blocked.wacz"
        assert export(reader, Wanted(file)) == len(LOOKS)
        assert b"The same words" not in b"".join(body for _, _, body in _held(file)[0])
    lift(archive, str(act.number), "it was a mistake")
    with closing(open_shared(archive.cluster.database)) as reader:
        assert export(reader, Wanted(tmp_path / "lifted.wacz")) == len(LOOKS) + 1


def test_a_collection_goes_with_its_description_and_notes(both, tmp_path):
    _, archive = both
    place = ClusterPlace.of(archive)
    add_collection(place, "others", {"title": "Other pages", "description": "What others say"})
    assign(place, "others", [OTHER])
    add_note(archive, AnnotationWish(OTHER, "look at this"))
    file = tmp_path / "others.wacz"
    named = ["export", str(archive.cluster.database), "--to", str(file), "--collection", "others", "--json"]
    assert json.loads(CliRunner().invoke(app, named).output)["captures"] == 2
    with zipfile.ZipFile(file) as wacz:
        told = json.loads(wacz.read("datapackage.json"))
        beside = json.loads(wacz.read("strandline/collections.json"))
    assert (told["title"], told["description"]) == ("Other pages", "What others say")
    assert [one["text"] for one in beside["annotations"]] == ["look at this"]


def test_a_file_that_the_store_has_lost_leaves_no_half_export(both, tmp_path):
    _, archive = both
    objects = Objects(archive.cluster.store)
    objects.delete([name for name, _ in objects.names(f"{ARCHIVE}/")])
    with pytest.raises(ArchiveDamaged, match="missing"):
        export(archive, Wanted(tmp_path / "lost.wacz"))
    assert list(tmp_path.glob("lost*")) == []
