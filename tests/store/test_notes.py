"""Small state in the catalog."""

from contextlib import closing

from strandline.archive.folder import create
from strandline.store.notes import keep_note
from strandline.store.sqlite import open_writing


def test_a_note_takes_the_place_of_the_one_before_and_goes(tmp_path):
    archive = create(tmp_path / "archive")
    for value in (b"one", b"two"):
        archive.beside(lambda connection, value=value: keep_note(connection, "kind", "key", value))
        assert archive.everything.note("kind", "key") == value
    with closing(open_writing(archive.database)) as connection:
        keep_note(connection, "kind", "key", None)
    assert archive.everything.note("kind", "key") is None
