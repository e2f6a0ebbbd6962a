"""Backups in an object store."""

import pytest

from made.secrets import secretive, shown
from servers import object_stores, postgres
from strandline.archive.folder import open_archive
from strandline.errors import ArchiveDamaged
from strandline.keeping.backup import back_up, check_backup, restore
from strandline.keeping.backup_objects import ObjectPlace

pytestmark = postgres.GROUP


@pytest.mark.parametrize("kind", object_stores.KINDS)
def test_to_an_object_store_and_back(kind, tmp_path, monkeypatch):
    server = object_stores.entered(monkeypatch, kind)
    folder = tmp_path / "archive"
    secretive(folder, studied=False)
    to = f"{server.bucket()}/backup"
    first = back_up(open_archive(folder), to)
    assert first.sent == first.files
    assert back_up(open_archive(folder), to).sent <= 1
    restore(to, tmp_path / "again")
    assert shown(tmp_path / "again") == shown(folder)
    place = ObjectPlace(to)
    victim = next(name for name in sorted(place.names()) if name.startswith("archive/"))
    place.put_bytes(victim, b"cut")
    assert check_backup(place)[1] == [f"{victim} is not as it was kept"]
    place.remove(victim)
    with pytest.raises(ArchiveDamaged, match="missing"):
        restore(to, tmp_path / "third")
