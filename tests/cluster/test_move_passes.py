"""Passes of a move: cut short anywhere they go on, what is left out is noticed, what changes in between arrives."""

import contextlib
import io
import json
import shutil
from dataclasses import replace

import psycopg
import pytest

from faults import keeper
from made.moved import differ, held_by, place, strandline
from servers import postgres
from strandline.archive.folder import create, open_archive
from strandline.cluster import migrating
from strandline.cluster.migrating import give_up, to_cluster, to_folder
from strandline.cluster.shared import init_cluster, open_cluster
from strandline.errors import ArchiveBusy, ArchiveDamaged, SettingError, UsageError
from strandline.settings.file import NAME, settings_text
from strandline.store import sqlite
from strandline.store.catalog import DATABASE
from strandline.store.postgres import moving
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.session import Session
from strandline.store.postgres.takedowns import SharedJournal
from strandline.store.postgres.touched import PostgresTouched, SqliteTouched
from strandline.warc.objects import Objects

pytestmark = postgres.GROUP
__all__ = ["place"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(moving, "PIECE", 5)
    create(tmp_path / "a", contact="https://a.example/bot")
    keeper.run(tmp_path / "a", groups=12, out=io.StringIO(), seed=1)
    return tmp_path / "a"


def write(folder):
    """Some more captures, as a watch would make them; what it promised."""
    out = io.StringIO()
    keeper.run(folder, groups=2, out=out)
    found = map(json.loads, out.getvalue().splitlines())
    return {(line["url"], line["file"], line["offset"]) for line in found}


def quiet(_line):
    """Nobody listens."""


class Cut(Exception):  # noqa: N818
    """As a kill would."""


def cutting(after):
    left = [after]

    def say(_line):
        left[0] -= 1
        if not left[0]:
            raise Cut

    return say


def test_passes_that_are_cut_short_anywhere_go_on_and_lose_nothing(folder, place, tmp_path):
    database, store = place
    promised = set(held_by(folder))
    for after in (1, 3, 6, 9, 14, 20):
        with pytest.raises(Cut):
            to_cluster(folder, database, store, cutting(after), while_running=True)
        promised |= write(folder)
    done = to_cluster(folder, database, store, quiet, while_running=True)
    assert not done.finished and done.rows_left == 0
    for after in (1, 2, 3):  # the last pass, too
        promised |= write(folder)
        with pytest.raises(Cut):
            to_cluster(folder, database, store, cutting(after))
        with pytest.raises(SettingError, match="not finished"):
            open_cluster(database)
    promised |= write(folder)
    done = to_cluster(folder, database, store, quiet)
    assert done.finished and differ(folder, database) == [] and promised <= held_by(folder).keys()
    assert done.captures == len(held_by(folder))
    # And back.
    for after in (1, 4, 12):
        with pytest.raises(Cut):
            to_folder(database, tmp_path / "back", cutting(after), while_running=True)
    done = to_folder(database, tmp_path / "back", quiet)
    assert done.finished and differ(tmp_path / "back", database) == []
    assert held_by(tmp_path / "back").keys() == held_by(folder).keys()


def test_the_last_pass_has_what_came_since_and_no_more(folder, place):
    database, store = place
    first = to_cluster(folder, database, store, quiet, while_running=True).passes[0]
    new = write(folder)
    said = []
    last = to_cluster(folder, database, store, said.append).passes[0]
    files = {file for _, file, _ in new}
    assert (
        last.octets == sum((folder / "archive" / file).stat().st_size for file in files) and 0 < last.rows < first.rows
    )
    assert f"captures: {len(new)} rows" in said, said
    with contextlib.closing(sqlite3_of(folder)) as connection:
        assert SqliteTouched(connection).token() == "", "nothing is noted any more"


def sqlite3_of(folder):
    return sqlite.open_writing(folder / DATABASE)


def test_a_capture_that_is_left_out_is_noticed_and_then_found(folder, place):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    write(folder)
    with contextlib.closing(sqlite3_of(folder)) as connection:
        connection.execute("DELETE FROM moving_captures WHERE n = (SELECT max(n) FROM moving_captures)")
    with pytest.raises(ArchiveDamaged, match="captures behind number"):
        to_cluster(folder, database, store, quiet)
    with pytest.raises(SettingError, match="not finished"):
        open_cluster(database)
    assert to_cluster(folder, database, store, quiet).finished and differ(folder, database) == []


def test_bytes_that_are_left_out_are_noticed(folder, place, monkeypatch):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    write(folder)
    real = migrating.Sending.run
    monkeypatch.setattr(
        migrating.Sending, "run", lambda self, say, last: real(self, say, last) if not last else migrating.Moved()
    )
    with pytest.raises(ArchiveDamaged, match="bytes are at the target"):
        to_cluster(folder, database, store, quiet)


def beside(folder, key):
    """A note, written as the interface does it while another process holds the archive."""
    with contextlib.closing(sqlite3_of(folder)) as connection:
        connection.execute("REPLACE INTO notes VALUES ('beside', ?, x'00')", (key,))


def test_what_somebody_writes_during_the_last_pass_is_brought_too(folder, place):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    write(folder)
    wrote = []

    def say(line):
        if line.startswith("captures") and not wrote:
            wrote.append(line)
            beside(folder, "once")

    assert to_cluster(folder, database, store, say).finished and wrote
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT key FROM notes WHERE kind = 'beside'").fetchall() == [("once",)]


def test_somebody_who_does_not_stop_writing_is_told_of(folder, place):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    write(folder)

    def say(line):
        if line.startswith(("captures", "notes")):
            beside(folder, "again")

    with pytest.raises(ArchiveBusy, match="somebody writes"):
        to_cluster(folder, database, store, say)
    with pytest.raises(SettingError, match="not finished"):
        open_cluster(database)
    assert to_cluster(folder, database, store, quiet).finished and differ(folder, database) == []


def test_one_moves_at_a_time_and_only_the_archive_that_began(folder, place, tmp_path):
    database, store = place
    said = []

    def say(line):
        if not said:
            said.append(line)
            with pytest.raises(ArchiveBusy, match="another process is moving"):
                to_cluster(folder, database, store, quiet, while_running=True)

    to_cluster(folder, database, store, say, while_running=True)
    assert said
    other = create(tmp_path / "other", contact="https://a.example/bot")
    with pytest.raises(UsageError, match="not empty"):
        to_cluster(other.folder, database, store, quiet, while_running=True)


def test_a_source_that_is_an_older_state_of_itself_is_compared_as_a_whole(folder, place, tmp_path):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    shutil.copytree(folder, tmp_path / "kept")
    write(folder)
    to_cluster(folder, database, store, quiet, while_running=True)
    newer = len(held_by(folder))
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "kept", folder)
    assert to_cluster(folder, database, store, quiet).finished
    assert differ(folder, database) == [] and len(held_by(folder)) < newer


def test_settings_and_takedowns_that_changed_in_between_arrive(folder, place, tmp_path):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    known = open_archive(folder).settings
    (folder / NAME).write_text(settings_text(replace(known, plan=replace(known.plan, budget="7/hour"))))
    (url, *_), *_ = held_by(folder)
    hidden = strandline("takedown", folder, url, "--reason", "asked for")
    assert hidden.code == 0, hidden.err
    to_cluster(folder, database, store, quiet)
    assert open_cluster(database).settings.plan.budget == "7/hour"
    with contextlib.closing(Session(database)) as session:
        assert [act.reason for act in SharedJournal(session).acts()] == ["asked for"]
    to_folder(database, tmp_path / "back", quiet, while_running=True)
    lifted = strandline("takedown", database, "--lift", "1", "--reason", "settled")
    assert lifted.code == 0, lifted.err
    init_cluster(database, "", lambda known: replace(known, plan=replace(known.plan, budget="8/hour")))
    to_folder(database, tmp_path / "back", quiet)
    assert open_archive(tmp_path / "back").settings.plan.budget == "8/hour"
    assert [act.reason for act in open_archive(tmp_path / "back").journal.acts()] == ["asked for", "settled"]
    assert open_archive(tmp_path / "back").captures(url)


def test_what_is_erased_in_between_is_gone_at_the_target(folder, place, tmp_path):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    objects = Objects(store)
    *_, ((url, file, offset), erased) = held_by(folder).items()
    record = (folder / "archive" / file).read_bytes()[offset : offset + erased.place.length]
    assert record in objects.get(f"archive/{file}")
    done = strandline("takedown", folder, url, "--reason", "a court", "--erase")
    assert done.code == 0, done.err
    assert to_cluster(folder, database, store, quiet).finished and differ(folder, database) == []
    for name in (path.name for path in (folder / "archive").iterdir()):
        assert objects.get(f"archive/{name}") == (folder / "archive" / name).read_bytes()
    assert not any(record in objects.get(name) for name, _ in objects.names("archive/"))
    # And back.
    to_folder(database, tmp_path / "back", quiet, while_running=True)
    *_, ((url, file, offset), erased) = held_by(folder).items()
    done = strandline("takedown", database, url, "--reason", "a court", "--erase")
    assert done.code == 0, done.err
    assert to_folder(database, tmp_path / "back", quiet).finished and differ(tmp_path / "back", database) == []
    held = held_by(tmp_path / "back")
    assert url not in {one for one, *_ in held} and len(held) < len(held_by(folder))
    names = {name.removeprefix("archive/"): name for name, _ in objects.names("archive/")}
    assert {path.name for path in (tmp_path / "back" / "archive").iterdir()} == names.keys()
    for name, there in names.items():
        assert (tmp_path / "back" / "archive" / name).read_bytes() == objects.get(there)
    assert strandline("verify", tmp_path / "back").code == 0


def test_a_worker_that_was_killed_long_ago_is_not_waited_for(folder, place, tmp_path):
    database, store = place
    to_cluster(folder, database, store, quiet)
    with contextlib.closing(PostgresCatalog(database)) as worker:
        with pytest.raises(ArchiveBusy, match="at work"):
            to_folder(database, tmp_path / "back", quiet)
        to_folder(database, tmp_path / "back", quiet, while_running=True)
        worker._heartbeat.stop()
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("UPDATE workers SET seen = seen - interval '1 hour'")
        assert to_folder(database, tmp_path / "back", quiet).finished


def test_a_move_that_is_given_up_leaves_nothing_behind_at_the_source(folder, place, tmp_path):
    database, store = place
    to_cluster(folder, database, store, quiet, while_running=True)
    given = strandline("migrate", folder, "--database", database, "--give-up")
    assert given.code == 0, given.err
    with contextlib.closing(sqlite3_of(folder)) as connection:
        assert not connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'moving%'").fetchall()
    write(folder)
    assert to_cluster(folder, database, store, quiet).finished, "it may be begun again"
    assert differ(folder, database) == []
    to_folder(database, tmp_path / "back", quiet, while_running=True)
    give_up(tmp_path / "back", database, back=True)
    with contextlib.closing(Session(database)) as session:
        assert PostgresTouched(session).token() == ""
    with pytest.raises(SettingError, match="not finished"), open_archive(tmp_path / "back").writing("test"):
        pass
