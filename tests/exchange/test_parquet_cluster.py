"""The Parquet dataset of a cluster: what the folder it came from gives, number for number."""

import sqlite3
from contextlib import closing

import psycopg
import pytest

from exchange.test_parquet import ask
from learn.test_engine import SETTINGS, comparable, learned_here
from made.studied import made_up
from servers import postgres
from strandline.engines.mining import LocalTasks
from strandline.engines.mining_dataset import Dataset
from strandline.exchange.parquet import export_dataset
from strandline.learn.engine import Mining, mine
from strandline.learn.learning import PARTS
from strandline.learn.tasks import Wish
from strandline.store.catalog import DATABASE
from strandline.store.postgres.exporting import SharedExport
from strandline.store.postgres.levelling import PostgresTarget, SqliteSide, level_all
from strandline.store.postgres.session import Session

pytestmark = postgres.GROUP
pytest.importorskip("duckdb")

STUDIES = {
    "changes": "page, after_seq, by_seq, after, by, importance, impch, visible, held, operations, blocks",
    "study_problems": "seq, page, problem",
    "first_sights": "page, text_bytes, links, headings, images, emails, last_modified, language",
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return made_up(tmp_path_factory.mktemp("moved") / "archive", unstudied=-5)


@pytest.fixture
def database(archive):
    """The archive moved, with what study found (which moving leaves to the workers)."""
    url = postgres.running().database()
    with closing(sqlite3.connect(archive / DATABASE)) as source, closing(Session(url)) as session:
        level_all(SqliteSide(source), PostgresTarget(session), lambda *_: None)
        with psycopg.connect(url) as target, target.cursor() as cursor:
            for table, names in STUDIES.items():
                marks = ", ".join(["%s"] * len(names.split(",")))
                rows = source.execute(f"SELECT {names} FROM {table}").fetchall()
                cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)
            cursor.execute("DELETE FROM unstudied")
            cursor.execute("DELETE FROM restudied")
    return url


def exported(database, folder):
    with closing(SharedExport(Session(database, upgrade=False))) as reading:
        reading.window = 170
        return export_dataset(reading, folder, "cluster")


def test_a_cluster_is_exported_and_mined_like_the_folder_it_came_from(archive, database, tmp_path):
    done = exported(database, tmp_path / "out")
    assert done.captures == 405 and done.changes > 100
    assert ask(tmp_path / "out", "SELECT count(*), count(DISTINCT capture) FROM {captures}") == [(405, 405)]
    found = mine(Dataset(tmp_path / "out"), Wish(SETTINGS, PARTS), Mining(LocalTasks())).learned
    wanted = comparable(learned_here(archive))
    for part, value in comparable(found).items():
        assert value == wanted[part], part


def test_what_is_new_and_what_was_studied_anew_is_added(database, tmp_path):
    exported(database, tmp_path / "out")
    again = exported(database, tmp_path / "out")
    assert (again.captures, again.changes, again.rewritten) == (0, 0, 0)
    with psycopg.connect(database) as connection:
        seq, page, time = connection.execute(
            "SELECT seq, page, time FROM captures WHERE seq NOT IN (SELECT by_seq FROM changes) AND time > 0 LIMIT 1"
        ).fetchone()
        connection.execute(
            f"INSERT INTO changes ({STUDIES['changes']}) VALUES (%s, 1, %s, 0, %s, 0.5, 0, 1, 0, 1, "
            "(SELECT blocks FROM changes LIMIT 1))",
            (page, seq, time),
        )
    again = exported(database, tmp_path / "out")
    assert again.rewritten > 0 and (again.captures, again.changes) == (0, 0)
    assert ask(tmp_path / "out", f"SELECT importance FROM {{changes}} WHERE capture = {seq}") == [(0.5,)]
    assert ask(tmp_path / "out", "SELECT count(*) = count(DISTINCT capture) FROM {changes}") == [(True,)]
