"""Places for backups: whole or not at all, and zeros take no room in a folder."""

import pytest

from strandline.errors import SettingError
from strandline.keeping.backup import backup_place
from strandline.keeping.backup_place import FolderPlace, digest_of, first_bytes


def test_a_folder_keeps_and_gives_back(tmp_path):
    source = tmp_path / "source"
    source.write_bytes(b"a" * 3_000_000 + bytes(5_000_000) + b"end")
    place = backup_place(str(tmp_path / "place"))
    place.put("archive/x", source, source.stat().st_size)
    assert b"".join(place.pieces("archive/x")) == source.read_bytes()
    assert (tmp_path / "place" / "archive" / "x").stat().st_blocks * 512 < 6_000_000
    place.put("archive/x", source, 10)
    assert b"".join(place.pieces("archive/x")) == b"a" * 10
    place.put_bytes("y", b"small")
    assert place.names() == {"archive/x": 10, "y": 5}
    place.remove("y")
    place.remove("y")
    assert place.names() == {"archive/x": 10}
    with pytest.raises(FileNotFoundError):
        list(place.pieces("y"))
    assert digest_of(first_bytes(source, 3)) == digest_of(iter([b"aaa"]))


def test_what_cannot_be_a_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="cannot be used"):
        FolderPlace(tmp_path / "file" / "x")
