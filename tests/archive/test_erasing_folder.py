"""The files of an archive folder, as an erasure looks at them."""

from made.secrets import secretive
from strandline.archive.erasing import ErasePlan
from strandline.archive.erasing_folder import FolderShelf
from strandline.archive.folder import open_archive
from strandline.warc.erasing import Erased


def test_every_record_of_every_file_is_seen(tmp_path):
    folder = tmp_path / "archive"
    secretive(folder, studied=False)
    shelf = FolderShelf(folder)
    heads = {(file, head.offset) for file in shelf.files() for head in shelf.heads(file)}
    held = open_archive(folder).everything.all_captures()
    assert {(one.place.file, one.place.offset) for one in held} < heads
    assert list(shelf.heads("none.warc.gz")) == []
    assert shelf.size() == sum(path.stat().st_size for path in (folder / "archive").iterdir())


def test_a_plan_is_kept_until_it_is_carried_out(tmp_path):
    folder = tmp_path / "archive"
    secretive(folder, studied=False)
    plan = ErasePlan([1], 5.0, ["http://alpha.example/"], {"a.warc.gz": [Erased(0, 10, "<urn:x>")]}, [("a.warc.gz", 0)])
    with open_archive(folder).erasing("test") as place:
        place.end_plan()
        assert place.kept_plan() is None
        place.keep_plan(plan)
        assert place.kept_plan() == plan
        place.end_plan()
        assert place.kept_plan() is None
