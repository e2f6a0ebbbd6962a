"""Files of workers that are gone."""

import contextlib

import pytest

from contracts.stores import found
from servers import postgres
from strandline.cluster.finishing import finish_abandoned
from strandline.cluster.shared import Cluster
from strandline.errors import LeaseLost
from strandline.ports import Batch
from strandline.settings.schema import Settings
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.warc.objects import Objects
from strandline.warc.objects_joining import unfinished
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.objects_writer import ObjectWriter
from strandline.warc.writer import WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

pytestmark = postgres.GROUP


@pytest.fixture
def database():
    return postgres.running().database()


@pytest.fixture
def catalog(database):
    with contextlib.closing(PostgresCatalog(database)) as opened:
        yield opened


def test_what_a_dead_worker_left_is_finished_and_it_may_not_commit(database, catalog, tmp_path):
    store = (tmp_path / "store").as_uri()
    objects = Objects(store)
    writer = ObjectWriter(objects, tmp_path / "dead", ABOUT, StillClock(), WriterSettings(host=f"h-w{catalog.worker}"))
    kept = writer.keep(exchange("http://a.example/1", b"kept"))
    writer.sync()
    cluster = Cluster(database, store, Settings())
    assert finish_abandoned(cluster, tmp_path, 3600.0) == [], "it was heard of a moment ago"
    assert finish_abandoned(cluster, tmp_path, 0.0) == [kept.place.file]
    assert unfinished(objects) == {} and ObjectReader(objects).read(kept.place).body.read() == b"kept"
    with pytest.raises(LeaseLost):
        catalog.commit(Batch(found=[found("http://a.example/late")]))
