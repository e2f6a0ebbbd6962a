"""Backups: complete, compared, only what is new; taken while somebody writes; a cut one is noticed."""

import os
import random
import shutil
import threading

import pytest

from made.secrets import growing, secretive, shown, stored
from strandline.archive.folder import open_archive
from strandline.core.keeping.takedowns import Act
from strandline.errors import ArchiveDamaged, UsageError
from strandline.keeping.backup import BEGUN, LIST, BackupList, Listed, back_up, check_backup, restore
from strandline.keeping.backup_place import FolderPlace
from strandline.keeping.people import (
    TOKEN_PREFIX,
    add_person,
    journal,
    new_token,
    people,
    person_tokens,
    token_digest,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept") / "archive"
    secretive(folder)
    return folder


def test_what_is_restored_is_what_was_kept(made, tmp_path):
    archive, to = open_archive(made), str(tmp_path / "backup")
    first = back_up(archive, to)
    assert first.sent == first.files
    assert check_backup(FolderPlace(tmp_path / "backup"))[1] == []
    restore(to, tmp_path / "again")
    assert shown(tmp_path / "again") == shown(made)
    assert stored(tmp_path / "again") == stored(made)
    assert open_archive(tmp_path / "again").verify().ok
    assert (tmp_path / "again" / "strandline.toml").read_text() == (made / "strandline.toml").read_text()
    assert [one.url for one in open_archive(tmp_path / "again").studies.changes()] == [
        one.url for one in open_archive(made).studies.changes()
    ]
    second = back_up(archive, to)
    assert second.sent <= 1  # the catalog's pages may lie otherwise
    assert not (tmp_path / "backup" / BEGUN).exists()


def test_people_come_along_and_no_token_or_password_can_be_read(made, tmp_path):
    shutil.copytree(made, tmp_path / "archive")
    archive, to = open_archive(tmp_path / "archive"), tmp_path / "backup"
    add_person(archive, "ada", "keeper", "a long enough password")
    add_person(archive, "bob", "rater")
    _, token = new_token(archive, "bob", "laptop")
    back_up(archive, str(to))
    kept = [path.read_bytes() for path in to.rglob("*") if path.is_file()]
    for secret in (token, token.removeprefix(TOKEN_PREFIX), "a long enough password"):
        assert not any(secret.encode() in data for data in kept)
    restore(str(to), tmp_path / "again")
    again = open_archive(tmp_path / "again")
    assert people(again) == people(archive)
    assert [one.digest for one in person_tokens(again)] == [token_digest(token)]
    assert [(one.person, one.act) for one in journal(again)] == [(one.person, one.act) for one in journal(archive)]


def test_what_was_erased_leaves_the_next_backup(made, tmp_path):
    shutil.copytree(made, tmp_path / "archive")
    archive, to = open_archive(tmp_path / "archive"), tmp_path / "backup"
    back_up(archive, str(to))
    url = next(iter(archive.everything.all_captures())).url
    archive.journal.add(Act(0, 0.0, "erase", url, "because"))
    with archive.writing("test"):
        pass
    done = back_up(archive, str(to))
    assert done.sent > 2
    restore(str(to), tmp_path / "again")
    assert shown(tmp_path / "again") == shown(tmp_path / "archive")
    assert open_archive(tmp_path / "again").verify().ok
    assert [act.act for act in open_archive(tmp_path / "again").journal.acts()] == ["erase", "erased"]


@pytest.mark.parametrize("harm", ["cut", "flipped", "gone", "list cut", "no list", "list changed"])
def test_a_cut_or_changed_backup_is_noticed_and_nothing_is_restored(made, tmp_path, harm):
    to = tmp_path / "backup"
    back_up(open_archive(made), str(to))
    rng = random.Random(harm)
    victim = rng.choice(sorted(path for path in (to / "archive").iterdir() if path.stat().st_size > 2000))
    listing = to / LIST
    if harm == "cut":
        os.truncate(victim, victim.stat().st_size - 1)
    elif harm == "flipped":
        data = bytearray(victim.read_bytes())
        data[rng.randrange(len(data))] ^= 1
        victim.write_bytes(data)
    elif harm == "gone":
        victim.unlink()
    elif harm == "list cut":
        listing.write_bytes(listing.read_bytes()[:-20])
    elif harm == "no list":
        listing.unlink()
    else:
        listing.write_text(listing.read_text().replace('"captures": 120', '"captures": 119'))
    with pytest.raises(ArchiveDamaged):
        restore(str(to), tmp_path / "again")
    assert not list(tmp_path.glob("again*"))
    if harm in ("cut", "flipped", "gone"):
        assert victim.name in check_backup(FolderPlace(to))[1][0]


def test_a_backup_that_is_cut_short_leaves_the_one_before(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "archive")
    archive, to = open_archive(tmp_path / "archive"), tmp_path / "backup"
    back_up(archive, str(to))
    before = shown(tmp_path / "archive")
    put = FolderPlace.put

    def dying(self, name, source, length):
        if name.startswith("archive/whole-"):
            raise KeyboardInterrupt
        put(self, name, source, length)

    with archive.writing("test") as catalog:
        catalog.note("test", [("x", b"something new")])
    (tmp_path / "archive" / "archive" / "whole-x.warc.gz").write_bytes(b"not sent")
    monkeypatch.setattr(FolderPlace, "put", dying)
    with pytest.raises(KeyboardInterrupt):
        back_up(archive, str(to))
    assert (to / BEGUN).exists()
    told = []
    try:
        restore(str(to), tmp_path / "again", told.append)
    except ArchiveDamaged:
        return  # the catalog was replaced already: noticed
    assert "cut short" in told[0]
    assert shown(tmp_path / "again") == before


def test_taken_while_somebody_writes_it_holds_what_was_promised_then(tmp_path):
    """A writer goes on capturing; every backup taken meanwhile restores to an archive that verifies and goes on."""
    folder = tmp_path / "archive"
    stop, began = threading.Event(), threading.Event()
    promised: list[tuple[str, float]] = []
    writer = threading.Thread(target=growing, args=(folder, promised, began, stop))
    writer.start()
    try:
        assert began.wait(120)
        for number in range(3):
            known = list(promised)
            back_up(open_archive(folder), str(tmp_path / "backup"))
            again = tmp_path / f"again{number}"
            restore(str(tmp_path / "backup"), again)
            archive = open_archive(again)
            held = {(one.url, round(one.time, 3)) for one in archive.everything.all_captures()}
            assert {(url, round(at, 3)) for url, at in known} <= held
            audit = archive.verify()
            assert audit.ok, audit.problems[:3]
            with archive.writing("test") as catalog:
                catalog.note("test", [("x", b"goes on")])
    finally:
        stop.set()
        writer.join()


def test_a_list_that_leads_out_of_the_folder_is_refused(tmp_path):
    place = FolderPlace(tmp_path / "backup")
    place.put_bytes("x", b"y")
    place.put_bytes(LIST, BackupList(1.0, 0, (Listed("../../x", 1, "0"),)).text())
    with pytest.raises(ArchiveDamaged):
        restore(str(tmp_path / "backup"), tmp_path / "again")


def test_wrong_use_is_told(made, tmp_path):
    with pytest.raises(UsageError, match="outside"):
        back_up(open_archive(made), str(made / "backup"))
    with pytest.raises(UsageError, match="not an empty"):
        restore(str(tmp_path), made)
