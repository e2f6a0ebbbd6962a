"""What tasks need of a machine: room on disk and in memory, a scheduler; each is told in one line when it is gone."""

import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from strandline.engines.mining import tasks_on
from strandline.engines.mining_dataset import Writing
from strandline.engines.mining_reading import Reading, Room
from strandline.engines.mining_scratch import FINDINGS, SPILL, Scratch, TableWriter, pieces
from strandline.errors import OutOfSpace, SettingError, Unreachable, UsageError
from strandline.exchange.parquet import SCHEMAS

pytest.importorskip("duckdb")


def test_folders_of_the_dead_are_removed_and_those_of_the_living_are_not(tmp_path):
    dead = tmp_path / f"{FINDINGS}dead"
    dead.mkdir()
    (dead / "still-1.parquet").touch()
    (tmp_path / f"{FINDINGS}note").touch()  # a file is no folder of ours
    with Scratch(tmp_path, FINDINGS) as first, Scratch(tmp_path, FINDINGS) as second:
        names = {path.name for path in tmp_path.iterdir()}
        assert names == {first.path.rpartition("/")[2], second.path.rpartition("/")[2], f"{FINDINGS}note"}
    assert [path.name for path in tmp_path.iterdir()] == [f"{FINDINGS}note"]


def test_a_folder_that_is_swept_before_it_is_held_is_made_again(tmp_path, monkeypatch):
    made, make = [], tempfile.mkdtemp

    def swept_once(**asked):
        made.append(make(**asked))
        if len(made) == 1:
            Path(made[0]).rmdir()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", swept_once)
    with Scratch(tmp_path) as scratch:
        assert [scratch.path] == made[1:] and Path(scratch.path).is_dir()


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SettingError, match="nowhere must be writable"), Reading(Room(spill=str(tmp_path / "nowhere"))):
        pass


def test_a_full_disk_is_named_where_findings_are_written():
    table = TableWriter("/dev", "full")
    table.file = "/dev/full"  # every write to it fails as on a full disk
    with pytest.raises(OutOfSpace, match="/dev: no space left"), closing(table):
        table.add({"site": np.arange(9), "page": np.arange(9)})


def test_a_full_disk_is_named_where_a_dataset_is_written(tmp_path, monkeypatch):
    with Writing(tmp_path / "out", SCHEMAS) as writing:
        monkeypatch.setattr(writing._place, "begin", lambda _: Path("/dev/full"))
        with pytest.raises(OutOfSpace, match="/dev: no space left"):
            writing.add(("problems", "a.example", "2026-10"), [(1, 2, "http://a.example/", "none")])


@pytest.fixture
def numbers(tmp_path):
    """A file of four million numbers in no order."""
    table = TableWriter(str(tmp_path), "numbers")
    rng = np.random.default_rng(1)
    for _ in range(8):
        table.add({"number": rng.random(500_000)})
    table.close()
    return table.file


def ordered(file, reading):
    return np.concatenate([column for (column,) in reading.ordered([file], ["number"], "number")])


def test_what_does_not_fit_into_memory_goes_to_disk_until_that_is_full(numbers, tmp_path):
    with Reading(Room("32MB", str(tmp_path))) as reading:
        assert np.array_equal(ordered(numbers, reading), np.sort(np.concatenate(list(column(numbers)))))
        reading._connection.execute("SET max_temp_directory_size = '1MB'")  # by default all there is on the disk
        with pytest.raises(OutOfSpace, match=f"{tmp_path}: no space left for what does not fit into --memory 32MB"):
            ordered(numbers, reading)
    assert not list(tmp_path.glob(f"{SPILL}*"))


def column(file):
    return (one["number"] for one in pieces([file]))


def test_too_little_memory_is_told(numbers, tmp_path):
    with Reading(Room("1MB")) as reading, pytest.raises(UsageError, match="--memory 1MB is too little for"):
        ordered(numbers, reading)


def test_a_scheduler_that_goes_away():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0")
    with closing(tasks_on("dask", cluster.scheduler_address)) as tasks:
        answers = tasks.run(str, range(20))
        assert next(answers) in map(str, range(20))
        cluster.close()
        with pytest.raises(Unreachable, match=r"the Dask scheduler has gone: .*; run the same command again"):
            list(answers)
