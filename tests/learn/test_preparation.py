"""What is read of captures before anything is learned from them."""

import contextlib

from strandline.core.beliefs.features import PageSummary
from strandline.core.capture import Capture, Place
from strandline.learn import preparation
from strandline.store.catalog import open_catalog
from strandline.store.learned import LearnedWriter


def pages(count):
    for number in range(1, count + 1):
        place = Place("a.warc.gz", 1000 * number, 900)
        yield Capture(f"https://library.example/{number}", 100.0 * number, 200, "text/html", f"sha1:{number}", place)


def test_first_sights_are_kept_while_a_watch_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(preparation, "_BATCH", 2)
    monkeypatch.setattr(preparation, "last_modified", lambda _records, _capture: None)
    with (
        contextlib.closing(open_catalog(tmp_path, "watch")) as catalog,
        contextlib.closing(LearnedWriter.open(catalog.path)) as writer,
    ):

        def seen(_records, capture):
            catalog.watch.begun(int(capture.time), capture.time, 1.0)  # the watch goes on
            return (PageSummary(10, 2, 3, 4, 5, True), "en") if capture.time != 300.0 else None

        monkeypatch.setattr(preparation, "first_sight", seen)
        catalog.rebuild(pages(7))
        preparation.read_captures(None, writer, lambda _: None)
        assert len(writer.reading.first_sights("library.example")) == 6
        assert len(list(writer.reading.unsighted())) == 1, "nothing is to be seen on it"
