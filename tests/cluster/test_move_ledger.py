"""How far a move is: kept with the target, whatever cuts it short."""

import contextlib

import pytest

from servers import postgres
from strandline.cluster.move_ledger import FolderLedger, SharedLedger
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.session import Session

pytestmark = postgres.GROUP


@pytest.fixture(params=["folder", "cluster"])
def opened(request, tmp_path):
    """Opens the ledger of one place, any number of times."""
    if request.param == "folder":
        yield lambda: FolderLedger(tmp_path / "migrating")
        return
    database = postgres.running().database()
    with contextlib.closing(PostgresCatalog(database)) as catalog:
        catalog.note("cluster", [("store", b"s3://here")])
    with contextlib.closing(Session(database)) as session:
        yield lambda: SharedLedger(session)


def test_what_was_noted_last_counts(opened):
    ledger = opened()
    assert ledger.get("") == ledger.get("a.warc.gz") == "" and ledger.files() == {}
    ledger.put("", "state")
    ledger.put("a.warc.gz", "1")
    ledger.put("b é.warc.gz", "2")
    ledger.put("a.warc.gz", "3")
    for one in (ledger, opened()):
        assert (one.get(""), one.get("a.warc.gz")) == ("state", "3")
        assert one.files() == {"a.warc.gz": "3", "b é.warc.gz": "2"}
    ledger.put("a.warc.gz", "")
    assert list(opened().files()) == ["b é.warc.gz"] and opened().get("a.warc.gz") == ""


def test_a_line_that_was_cut_short_does_not_count(tmp_path):
    path = tmp_path / "migrating"
    path.write_text("")
    FolderLedger(path).put("a.warc.gz", "1")
    whole = path.read_text()
    FolderLedger(path).put("b.warc.gz", "2")
    for cut in range(len(whole), len(path.read_text()) - 1):
        path.write_text(path.read_text()[:cut])
        ledger = FolderLedger(path)
        assert list(ledger.files()) == ["a.warc.gz"]
        ledger.put("b.warc.gz", "2")
        assert list(FolderLedger(path).files()) == ["a.warc.gz", "b.warc.gz"], "the next line begins anew"


def test_in_the_end_the_cluster_keeps_its_other_notes():
    database = postgres.running().database()
    with contextlib.closing(PostgresCatalog(database)) as catalog, contextlib.closing(Session(database)) as session:
        catalog.note("cluster", [("store", b"s3://here")])
        ledger = SharedLedger(session)
        ledger.put("a", "1")
        ledger.clear()
        assert ledger.files() == {} and catalog.reading.note("cluster", "store") == b"s3://here"
