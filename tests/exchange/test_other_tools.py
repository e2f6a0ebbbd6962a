"""Which tool something comes from is told by what is in it, or by whoever asks."""

import pytest

from exchange.test_archivebox import data_folder
from exchange.test_changedetection import datastore, zipped
from exchange.test_git_history import repository
from exchange.test_warc_folder import export, old_lines
from strandline.errors import UsageError
from strandline.exchange.other_tools import KINDS, held_by


def test_kinds_are_told_apart(tmp_path):
    git = repository(tmp_path / "git", (1700000000, "x", {"a.html": b"a"}))
    warc = export(tmp_path / "warc", {"index.cdx": old_lines("a.warc.gz")})
    store = datastore(tmp_path / "store")
    sources = {
        data_folder(tmp_path / "box"): "archivebox",
        store: "changedetection",
        zipped(store): "changedetection",
        warc: "cdx",
        warc / "warcs": "warc",
        warc / "index.cdx": "cdx",
    }
    assert {source: held_by(source).kind for source in sources} == sources
    assert held_by(git, addresses={"*": "https://a.example/"}).kind == "git"
    assert held_by(warc, "cdx").kind == "cdx"
    assert held_by(warc / "warcs" / "a.warc.gz") is None
    assert set(KINDS) == {*sources.values(), "git"}


@pytest.mark.parametrize(
    ("name", "kind", "addresses", "said"),
    [
        ("none", "", {}, "no such"),
        ("empty", "", {}, "nothing that is known"),
        ("empty", "pocket", {}, "one of archivebox"),
        ("store", "", {"a": "https://a.example/"}, "--url is for repositories"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, kind, addresses, said):
    (tmp_path / "empty").mkdir()
    datastore(tmp_path / "store")
    with pytest.raises(UsageError, match=said):
        held_by(tmp_path / name, kind, addresses)
