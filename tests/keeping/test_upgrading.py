"""From every format that was ever released to the one of now: nothing is lost, and it is tried on a copy first."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from journeys.command import here
from made.secrets import secretive, shown
from strandline.archive.folder import open_archive
from strandline.keeping.upgrading import upgrade
from strandline.store import sqlite
from strandline.store.catalog import DATABASE
from strandline.store.sqlite import APPLICATION, format_of, newest_format, steps

FORMATS = [number for number, _ in steps()]


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    folder = tmp_path_factory.mktemp("now") / "archive"
    secretive(folder, studied=False, browsed=False)  # before format 11 nothing was shown in a browser
    return folder


def older(now, folder, number):
    """The same archive with a catalog of an older format: its steps, and the rows it could have had."""
    shutil.copytree(now, folder)
    old, new = folder / DATABASE, folder / "new.db"
    for side in ("-wal", "-shm"):
        (folder / f"{DATABASE}{side}").unlink(missing_ok=True)
    old.rename(new)
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        for step, script in steps():
            if step <= number:
                connection.executescript(f"BEGIN; {script}")
                if step in sqlite._BESIDE:
                    sqlite._BESIDE[step](connection)
                connection.execute("COMMIT")
        connection.execute("ATTACH DATABASE ? AS new", (str(new),))
        for table in ("hosts", "pages", "files", "captures", "links", "refusals"):
            mine = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
            theirs = [row[1] for row in connection.execute(f"PRAGMA new.table_info({table})")]
            names = ", ".join(name for name in mine if name in theirs)
            connection.execute(f"INSERT OR REPLACE INTO main.{table} ({names}) SELECT {names} FROM new.{table}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {number}")
    new.unlink()
    assert format_of(old) == number


@pytest.mark.parametrize("number", FORMATS)
def test_every_format_becomes_the_newest(now, tmp_path, number):
    folder = tmp_path / "archive"
    older(now, folder, number)
    tried = upgrade(open_archive(folder), dry_run=True)
    assert (tried.found, tried.newest, tried.done) == (number, newest_format(), False)
    assert len(tried.steps) == newest_format() - number
    assert format_of(folder / DATABASE) == number
    assert not list(folder.glob("unpacked-*"))
    done = upgrade(open_archive(folder))
    assert done.done == (number < newest_format())
    assert format_of(folder / DATABASE) == newest_format()
    assert done.captures == 120
    if done.done:
        assert format_of(folder / done.copy) == number
    archive = open_archive(folder)
    audit = archive.verify()
    assert audit.ok, audit.problems[:3]
    assert shown(folder) == shown(now)
    assert upgrade(archive).steps == ()


def test_from_the_command_line(now, tmp_path):
    folder = tmp_path / "archive"
    older(now, folder, FORMATS[0])
    assert "nothing was changed" in here("upgrade", folder, "--dry-run").stdout
    assert "the catalog of before is strandline.db.format-1" in here("upgrade", folder).stdout
    assert "nothing to do" in here("upgrade", folder).stdout
    assert json.loads(here("upgrade", folder, "--json").stdout)["newest"] == newest_format()
