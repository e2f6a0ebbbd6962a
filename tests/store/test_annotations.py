"""Tags and notes in the catalog: not kept twice, found by page and tag."""

import contextlib
import sqlite3

from strandline.core.keeping.annotations import Annotation
from strandline.store import sqlite
from strandline.store.annotations import AnnotationReading, forget_annotations, keep_annotations


def test_the_same_is_kept_once_and_found_by_page_and_tag(tmp_path):
    database = tmp_path / "strandline.db"
    one = Annotation("0" * 16, "tag", "http://a.example/", "x", None, "", 1.0)
    of_capture = Annotation("1" * 16, "tag", "http://a.example/", "x", 5.0, "", 2.0)
    note = Annotation("2" * 16, "note", "http://b.example/", "x", None, "me", 3.0)
    twice = Annotation("3" * 16, "tag", "https://www.a.example/", "x", None, "", 4.0)
    with contextlib.closing(sqlite.open_writing(database)) as connection, sqlite.transaction(connection):
        assert keep_annotations(connection, [one, of_capture, note, twice, note]) == 3
    with contextlib.closing(AnnotationReading.open(database)) as reading:
        assert list(reading.annotations()) == [note, of_capture, one]
        assert list(reading.annotations("example,a)/", tag="x")) == list(reading.annotations(kind="tag"))
        assert reading.tags() == {"x": 2} and reading.annotation(note.key) == note
        assert reading.annotation("nothing") is None
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        forget_annotations(connection, [one.key, "nothing"])
        assert connection.execute("SELECT count(*) FROM annotations").fetchone() == (2,)
