"""What retention reads: every capture once, with its change, and what holds its content."""

from contextlib import closing

from made.studied import made_up
from strandline.store.catalog import DATABASE
from strandline.store.retention import RetentionReading


def test_every_capture_with_the_change_it_shows(tmp_path):
    folder = tmp_path / "archive"
    made_up(folder, pages=6, count=200)
    with closing(RetentionReading.open(folder / DATABASE, everything=True)) as reading:
        pages = list(reading.page_captures())
        seen = {one.seq: one for page in pages for one in page.captures}
        assert len(seen) == reading.count()
        for change in reading.changes():
            shown = seen[change.by_seq]
            assert shown.importance == (change.importance if change.visible else 0.0)
            assert shown.before == change.after_seq
        for page in pages:
            assert [one.time for one in page.captures] == sorted(one.time for one in page.captures)
        assert {one.seq for one in seen.values() if not one.studied} == {
            seq for seq in seen if seq > reading.progress()
        }
        places = list(reading.places(set(list(seen)[:7])))
        assert {seq for seq, *_ in places} == set(list(seen)[:7])
        assert sum(one.bytes for one in reading.stored()) == sum(one.size for one in seen.values())
        assert reading.written_since(float("-inf"))[0] == sum(one.size for one in seen.values())
