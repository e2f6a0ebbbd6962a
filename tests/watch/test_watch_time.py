"""How the hours of watches run."""

from strandline.archive.folder import create
from strandline.learn.known_pages import HOUR
from strandline.store.watching import TimePiece
from strandline.watch.watch_time import count_hours_from, time_of

NOW = 1_000_000.0


def test_hours_are_those_of_the_clock_until_others_are_asked_for(tmp_path):
    archive = create(tmp_path / "archive")
    with archive.writing("test") as catalog:
        assert time_of(catalog, 0.0, NOW) is None
        assert time_of(catalog, 5.0, NOW) == TimePiece(NOW, 0.0, 5.0)
        assert time_of(catalog, 0.0, NOW + 50.0) == TimePiece(NOW, 0.0, 5.0), "the archive remembers"
        assert time_of(catalog, 10.0, NOW + 50.0) == TimePiece(NOW + 50.0, 10.0, 10.0), "and goes on counting"


def test_a_watch_may_count_its_hours_from_a_moment(tmp_path):
    archive = create(tmp_path / "archive")
    count_hours_from(archive, NOW)
    with archive.writing("test") as catalog:
        assert time_of(catalog, 0.0, NOW + 7 * HOUR) == TimePiece(NOW, 0.0, HOUR)
