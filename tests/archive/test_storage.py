"""What takes room, and when the disk is full."""

from contextlib import closing

import pytest

from made.secrets import DAY, secretive
from strandline.archive import storage as module
from strandline.archive.folder import open_archive
from strandline.archive.storage import Forecast, forecast, storage
from strandline.store.catalog import DATABASE
from strandline.store.retention import RetentionReading
from warc.exchanges import START


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("storage") / "archive"
    secretive(made, studied=False)
    return made


def test_bytes_by_site_kind_and_year_are_those_of_the_captures(folder):
    found = storage(folder, "1 MB", START + 400 * DAY)
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
