"""Take-downs of a cluster: the same journal, the same answers as a folder with the same acts."""

import time
from contextlib import closing

import pytest

from made.two_sites import SITES, cluster, folder
from servers import postgres
from strandline.access.timestamps import timestamp
from strandline.archive.folder import open_archive
from strandline.core.keeping.takedowns import Act
from strandline.errors import ArchiveDamaged, TakenDown
from strandline.keeping.takedowns import Wish, block, lift, taken_down
from strandline.store.browsing import BrowsingReading, ChangesWanted
from strandline.store.catalog import DATABASE
from strandline.store.postgres.session import Session
from strandline.store.postgres.takedowns import ReaderSession, SharedJournal
from strandline.store.studies import Wanted

pytestmark = postgres.GROUP
__all__ = ["cluster", "folder"]

PAGE = f"{SITES[0]}/0"


def _seen(archive):
    reading = BrowsingReading.open(archive.folder / DATABASE)
    return {
        "captures": sorted((one.url, one.time) for one in reading.all_captures()),
        "changes": sorted((one.url, one.by) for one in reading.changes()),
        "newest": sorted((one.url, one.by) for one in reading.latest_changes(ChangesWanted(), 100)[0]),
        "pages": sorted(row.url for row in reading.pages()),
        "sites": sorted(row.name for row in reading.sites()),
        "words": sorted({life.url for life in reading.search(Wanted("tide"))}),
        "lives": sorted(life.text for row in reading.pages() for life in reading.lives(row.page)),
    }


def _later():
    time.sleep(1.1)  # readers of a cluster look once a second


@pytest.mark.parametrize("kind", ["address", "beginning", "domain", "capture"])
def test_both_hide_the_same(folder, cluster, kind):
    here = open_archive(folder.folder)
    capture = here.everything.captures(PAGE)[2]
    target = {
        "address": PAGE,
        "beginning": f"{SITES[0]}/*",
        "domain": "*.shop.example",
        "capture": f"{timestamp(capture.time)}/{PAGE}",
    }[kind]
    before = _seen(here)
    assert _seen(cluster) == before
    acts = [block(archive, Wish(target, "because"))[0] for archive in (here, cluster)]
    try:
        _later()
        after = _seen(here)
        assert after != before
        assert _seen(cluster) == after
        if kind != "capture":
            with pytest.raises(TakenDown):
                cluster.page(PAGE if kind != "domain" else f"{SITES[1]}/0")
    finally:
        for archive, act in zip((here, cluster), acts, strict=True):
            lift(archive, str(act.number))
    _later()
    assert _seen(cluster) == before
    assert [act.act for act in taken_down(cluster, time.time(), history=True)][-2:] == ["block", "lift"]


def test_a_new_connection_hides_from_its_first_question_on(cluster):
    act, _ = block(cluster, Wish(PAGE, "because"))
    try:
        session = ReaderSession(cluster.cluster.database, upgrade=False)
        row = session.run(
            lambda connection: connection.execute("SELECT count(*) FROM pages WHERE url = %s", (PAGE,)).fetchone()
        )
        assert row == (0,)
        session.drop()
        assert session.run(lambda c: c.execute("SELECT count(*) FROM pages WHERE url = %s", (PAGE,)).fetchone()) == (0,)
        session.close()
    finally:
        lift(cluster, str(act.number))


def test_the_journal_shows_tampering_and_moves():
    with closing(Session(postgres.running().database())) as session:
        journal = SharedJournal(session)
        assert journal.raw() == (b"", [])
        journal.add(Act(0, 0.0, "block", PAGE, "because"))
        journal.add(Act(0, 0.0, "lift", PAGE, of=1))
        key, lines = journal.raw()
        assert (len(key), len(lines)) == (32, 2)
        seal = journal.last_seal()
        journal.take_over(key, lines)
        assert journal.last_seal() == seal
        assert not journal.problem()
        session.run(lambda c: c.execute("UPDATE takedowns SET line = replace(line, 'because', 'x') WHERE number = 1"))
        assert "line 1" in journal.problem()
        with pytest.raises(ArchiveDamaged):
            journal.add(Act(0, 0.0, "block", PAGE, "because"))
