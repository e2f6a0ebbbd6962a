"""The shared catalog after an erasure: as one in a folder from which the same was erased."""

import time
from contextlib import closing

from contracts.stores import found
from made.two_sites import SITES, folder
from servers import postgres
from strandline.cluster.migrating import to_cluster
from strandline.core.keeping.takedowns import target_of
from strandline.store.browsing import BrowsingReading
from strandline.store.costs import CostReading
from strandline.store.erasing import to_study_again
from strandline.store.postgres.browsing import reading_of
from strandline.store.postgres.erasing import SharedEraser
from strandline.store.postgres.session import Session
from strandline.store.postgres.writing import Spelled

pytestmark = postgres.GROUP
__all__ = ["folder", "found"]

PAGE = f"{SITES[0]}/0"


def _moved(folder, tmp_path):
    database = postgres.running().database()
    to_cluster(folder.folder, database, tmp_path.as_uri(), lambda _: None)
    return database


def _facts(session):
    reading = reading_of(BrowsingReading, session)
    return {
        "sites": sorted((row.name, row.captures, row.first, row.last) for row in reading.sites()),
        "days": sum(day.captures for day in reading.days()),
        "captures": reading.count(),
        "bytes": sum(one.octets for one in reading_of(CostReading, session).site_weeks(time.time(), 520)),
        "pages": sorted((row.url, row.captures, row.due) for row in reading.pages()),
    }


def test_counts_agree_with_what_is_left(folder, tmp_path):
    database, target = _moved(folder, tmp_path), target_of(PAGE)
    with closing(Session(database)) as session:
        reading, eraser = reading_of(BrowsingReading, session), SharedEraser(session)
        before = _facts(session)
        gone = eraser.captures_of(target)
        assert len(gone) == 6 and all(eraser.is_recorded(one.place) for one in gone)
        pages = eraser.erase([(one.place.file, one.place.offset) for one in gone], [target])
        eraser.sweep()
        after = _facts(session)
        assert (len(pages), after["captures"], after["days"]) == (1, before["captures"] - 6, before["days"] - 6)
        assert after["bytes"] == sum(one.place.length for one in reading.all_captures()) < before["bytes"]
        assert [row for row in after["pages"] if row[0] == PAGE] == [(PAGE, 0, float("inf"))]
        assert [row for row in after["pages"] if row[0] != PAGE] == [row for row in before["pages"] if row[0] != PAGE]
        assert eraser.captures_of(target) == [] and not eraser.is_recorded(gone[0].place)
        assert session.run(lambda connection: to_study_again(Spelled(connection))) == []


def test_a_file_that_was_written_anew_is_where_captures_are_found(folder, tmp_path):
    database = _moved(folder, tmp_path)
    with closing(Session(database)) as session:
        eraser = SharedEraser(session)
        places = sorted(eraser.places())
        file, gone = places[0][0], [places[0], places[5]]
        offsets = {offset: number * 10 for number, (_, offset) in enumerate(places) if (file, offset) not in gone}
        eraser.thin_file(gone, file, ("another.warc.gz", offsets))
        assert sorted(eraser.places()) == sorted(("another.warc.gz", new) for new in offsets.values())
        names = session.run(lambda connection: connection.execute("SELECT name FROM files").fetchall())
        assert names == [("another.warc.gz",)]
