"""What a watch keeps: spending, hours and how it stands are there for whoever opens the catalog next."""

import contextlib

from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.watching import HourRow, TimePiece, WatchReading


def test_what_was_written_is_read_beside_the_writer_and_after_it(tmp_path):
    with contextlib.closing(open_catalog(tmp_path, "test")) as catalog:
        watch = catalog.watch
        assert watch.reading.watch_state() is None
        assert watch.reading.watch_time() is None
        watch.set_time(TimePiece(100.0, 0.0, 5.0))
        watch.begun(watch.last_request() + 1, 101.0, 1.0)
        watch.begun(watch.last_request() + 1, 102.0, 1.0)
        watch.begun(2, 103.0, 0.5)
        watch.stands(100.0, 103.0, "", {"queue": 7})
        watch.hour(HourRow(0, 100.0, 40.0, 30, 2, 1, 1, 0, 1, 0, 0, 900))
        with contextlib.closing(WatchReading.open(tmp_path / DATABASE)) as beside:
            assert beside.watch_state().document == {"queue": 7}
    with contextlib.closing(WatchReading.open(tmp_path / DATABASE)) as after:
        assert after.watch_time() == (100.0, 0.0, 5.0)
        assert after.spent_since(101.0) == [(103.0, 0.5)]
        assert [row.octets for row in after.watch_hours()] == [900]
    with contextlib.closing(open_catalog(tmp_path, "test")) as catalog:
        catalog.watch.forget_before(101.0)
        assert catalog.watch.reading.spent_since(0.0) == [(103.0, 0.5)]
        assert catalog.watch.last_request() == 2


def test_requests_are_as_long_ago_as_before_when_the_clock_is_set(tmp_path):
    with contextlib.closing(open_catalog(tmp_path, "test")) as catalog:
        catalog.watch.begun(1, 101.0, 1.0)
        catalog.watch.clock_set(3600.0)
        assert catalog.watch.reading.spent_since(3700.0) == [(3701.0, 1.0)]
        catalog.watch.clock_set(-3600.0)
        assert catalog.watch.reading.spent_since(100.0) == [(101.0, 1.0)]
