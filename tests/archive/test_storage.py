"""What takes room, and when the disk is full."""

from contextlib import closing

import pytest

from made.secrets import DAY, secretive
from strandline.archive import storage as module
from strandline.archive.folder import open_archive
from strandline.archive.storage import Forecast, StoredSums, forecast, storage
from strandline.store.catalog import DATABASE
from strandline.store.retention import RetentionReading
from warc.exchanges import START


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("storage") / "archive"
    secretive(made, studied=False)
    return made


def test_bytes_by_site_kind_and_year_are_those_of_the_captures(folder):
    found = storage(open_archive(folder), START + 400 * DAY)
    captures = list(open_archive(folder).everything.all_captures())
    for what in ("site", "kind", "year"):
        assert sum(size for _, _, size in found.by(what)) == sum(one.place.length for one in captures)
        assert sum(count for _, count, _ in found.by(what)) == len(captures)
    assert {"warc", "packs", "catalog"} <= found.files.keys()
    assert found.forecast.days is None


def test_the_pace_of_the_last_weeks_tells_when_it_is_full(folder, monkeypatch):
    usage = type("Usage", (), {"free": 10_000_000, "total": 20_000_000})
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: usage)
    with closing(RetentionReading.open(folder / DATABASE, everything=True)) as reading:
        last = max(one.time for one in reading.all_captures())
        ahead = forecast(folder, reading, "1 MB", last + 1)
        octets, first = reading.written_since(last + 1 - module.PACE)
    assert ahead.a_day == pytest.approx(octets / max(last + 1 - first, DAY) * DAY)
    assert ahead.days == pytest.approx((10_000_000 - ahead.reserve) / ahead.a_day)
    assert Forecast(1, 0, 1.0, 13.0).soon
    assert not Forecast(1, 0, 1.0, 15.0).soon
    assert not Forecast(1, 0, 0.0, None).soon
    assert [Forecast(1, 0, 1.0, days).far for days in (3_000.0, 200_000.0, None)] == [False, True, False]


class Some:
    """A catalog as it stood after so many captures."""

    def __init__(self, reading, newest, file=None):
        self._reading, self._newest, self._file = reading, newest, file
        self.asked = []

    def written_files(self):
        return self._newest, self._reading.written_files()[1] if self._file is None else self._file

    def stored(self, after, until):
        self.asked.append((after, until))
        return self._reading.stored(after, until)

    def written_on(self, after, until):
        return self._reading.written_on(after, until)


def test_sums_that_are_added_to_are_those_of_all_captures(folder, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    with closing(RetentionReading.open(folder / DATABASE, everything=True)) as reading:
        newest, sums = reading.written_files()[0], StoredSums()
        for number in (1, 2, newest // 2, newest // 2, newest):
            some = Some(reading, number)
            assert sorted(map(str, sums.stored(some))) == sorted(map(str, reading.stored(0, number)))
            times = [one.time for one in reading.all_captures()]
        assert some.asked == [(newest // 2, newest)], "what is new"
        assert sums.stored(Some(reading, newest)) and sums.written_since(0.0)[1] == min(times)
        assert sums.written_since(max(times) + 2 * DAY) == (0, 0.0)
        for change in ({"newest": newest - 1}, {"newest": newest, "file": 99}):
            some = Some(reading, **change)
            sums.stored(some)
            assert some.asked[0][0] == 0, "counted anew: something went"
        clock[0] = 3600.0
        some = Some(reading, newest, 99)
        assert sorted(map(str, sums.stored(some))) == sorted(map(str, reading.stored()))
        assert some.asked == [(0, newest)], "and after an hour"


def test_storage_is_the_same_asked_once_or_again(folder):
    now, sums = START + 400 * DAY, StoredSums()
    for _ in range(2):
        archive = open_archive(folder)
        found, once = storage(archive, now, sums), storage(archive, now)
        assert [found.by(what) for what in ("site", "kind", "year")] == [
            once.by(what) for what in ("site", "kind", "year")
        ]
        assert (found.files, found.forecast.days) == (once.files, once.forecast.days)
