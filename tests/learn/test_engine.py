"""Learning over Parquet partitions, here and on Dask, gives what learning from the catalog gives, number for number."""

import json
import random
import shutil
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from made.deadly_mining import fatal_once, how_started
from made.studied import START, captures, made_up, study
from strandline.archive.folder import open_archive
from strandline.cli.main import app
from strandline.cli.quality import quality_data
from strandline.core.history.lived_time import LivedTime
from strandline.core.mining.learned import Visits
from strandline.engines.mining import LocalTasks, tasks_on
from strandline.engines.mining_dataset import Dataset
from strandline.engines.mining_reading import Looks, Room
from strandline.errors import ArchiveDamaged, SettingError, Unreachable, UsageError
from strandline.exchange.parquet import export_archive
from strandline.learn import engine as learning_engine
from strandline.learn.dataset_places import FindingsPlace
from strandline.learn.engine import Mining, mine
from strandline.learn.learning import PARTS, from_history
from strandline.learn.patterns import gathered
from strandline.learn.tasks import SitesWork, Wish, learn_sites
from strandline.learn.visit_columns import gathered_columns
from strandline.plan.planning import Planning
from strandline.report.measuring import measured
from strandline.settings.schema import LearnSettings
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.learned import LearnedReading
from strandline.store.sightings import Sighting

pytest.importorskip("duckdb")

NOW = START + 70 * 86_400.0
SETTINGS = LearnSettings(version=3 * 86_400.0)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Exported in two steps, with more captures and a month in between."""
    folder = tmp_path_factory.mktemp("mined")
    made_up(folder / "archive", pages=9, count=600)
    export_archive(open_archive(folder / "archive"), folder / "parquet")
    rng = random.Random(9)
    with closing(open_catalog(folder / "archive")) as catalog:
        catalog.bring(captures(rng, 9, 100, START + 20 * 86_400.0, "later.warc.gz"))
        study(rng, catalog, 690)
    export_archive(open_archive(folder / "archive"), folder / "parquet")
    return folder / "archive"


@pytest.fixture(scope="module")
def embedded(archive):
    return learned_here(archive)


def learned_here(archive, settings=SETTINGS):
    with closing(LearnedReading.open(archive / DATABASE)) as reading:
        return from_history(reading, settings, PARTS, lambda _: None)


def parquet(archive):
    return Dataset(archive.parent / "parquet")


def mined(archive, how, **wishes):
    """What was mined, as plain values."""
    with mine(parquet(archive), Wish(SETTINGS, PARTS, **wishes), how) as found:
        return comparable(found.learned)


def comparable(learned):
    """Everything that is kept or shown, as plain values."""
    series, group = {}, {}
    for page, one, number in learned.patterns.to_keep():
        sums = (one.importance.tolist(), one.changes.tolist(), one.observed.tolist())
        series[page], group[page] = (one.periods, one.last, one.captures, *sums), number
    groups = [(one.number, one.pages, one.changes, one.shape.tolist()) for one in learned.patterns.groups]
    rates = learned.rates
    return {
        "counts": (learned.seq, learned.studied, learned.pages, learned.captures, learned.unstudied),
        "span": (learned.first, learned.last),
        "clocks": learned.clocks,
        "lasts": {page: last for page, _, last in rates.to_keep(learned.lasts)},
        "series": series,
        "members": group,
        "groups": groups,
        "trust": learned.patterns.trust.as_data(),
        "rules": [one.as_data() for one in learned.rules],
        "states": {site: state.to_bytes() for site, state in learned.states.items()},
        "rates": {page: asdict(rate) for page, rate, _ in rates.to_keep(learned.lasts)},
        "levels": rates.levels,
        "table": rates.coefficients.tolist(),
        "classes": rates.groups.as_data(),
    }


def plain(value):
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def test_there_is_something_to_compare(embedded):
    found = comparable(embedded)
    assert len(found["clocks"]) == 3 and found["counts"][2] == 27 and found["counts"][4] > 10
    assert found["groups"] and found["trust"] and len(found["classes"]) > 1
    assert sum(one["versions"] for one in found["rules"]) > 50
    assert any(one["dormant"] or one["rules"] for one in found["rules"])


def test_one_page_at_a_time_teaches_what_all_at_once_do(archive, embedded, monkeypatch):
    parts = []
    monkeypatch.setattr("strandline.store.sightings.ASKED_AT_ONCE", 1)
    monkeypatch.setattr("strandline.learn.packed_looks._AT_ONCE", 1)
    monkeypatch.setattr("strandline.learn.rates._TOGETHER", 1)
    asked = LearnedReading.visits_of_pages
    monkeypatch.setattr(
        LearnedReading, "visits_of_pages", lambda self, pages: parts.append(len(pages)) or asked(self, pages)
    )
    assert comparable(learned_here(archive)) == comparable(embedded)
    assert len(parts) > 27 and set(parts) == {1}  # all pages, and those of which somebody said when they changed, twice


def test_local_tasks_learn_what_the_catalog_teaches(archive, embedded):
    found = mined(archive, Mining(LocalTasks()))
    for part, value in comparable(embedded).items():
        assert found[part] == value, part


def test_one_site_a_task_and_hardly_any_memory_change_nothing(archive, embedded, monkeypatch):
    monkeypatch.setattr(learning_engine, "_TOGETHER", 1)
    monkeypatch.setattr("strandline.learn.tasks._PAGES", 2)
    monkeypatch.setattr("strandline.engines.mining_scratch._GROUP", 100)
    monkeypatch.setattr("strandline.engines.mining_scratch._ROWS", 3)
    monkeypatch.setattr("strandline.engines.mining_reading._BATCH", 50)
    small = Mining(LocalTasks(), Room(memory="20MB", spill=str(archive.parent)))
    assert mined(archive, small) == comparable(embedded)


def test_dask_workers_learn_the_same_though_one_is_killed(archive, embedded, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(learning_engine, "_TOGETHER", 1)
    monkeypatch.setattr(learning_engine, "learn_sites", fatal_once)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with closing(tasks_on("dask", workers=2)) as tasks:
        found = mined(archive, Mining(tasks, Room(spill=str(tmp_path))))
        deaf, folder = next(tasks.run(how_started, [0]))
        assert deaf and Path(folder).parent == tmp_path  # an interrupt is for us, who then remove that folder
    assert {path.name for path in tmp_path.iterdir()} == {"killed"}
    assert (tmp_path / "killed").exists()
    assert found == comparable(embedded)


def test_quality_is_what_the_catalog_says(archive, tmp_path):
    opened = open_archive(archive)
    wanted = quality_data(measured(Planning(opened, NOW)))
    planning = Planning(opened, NOW)
    numbers = np.array([page.page for page in planning.pages])
    with mine(parquet(archive), Wish(SETTINGS, (), hours=planning.hours), Mining(LocalTasks())) as found:
        past, some = found.past.history(numbers), found.past.history(numbers[1::2])
        assert len(found.past) == len(planning.past.row)
        assert found.past.history(numbers[:0]).row.size == 0, "no page is planned any more"
    for name in ("row", "time", "changed", "importance", "last_change"):
        assert np.array_equal(getattr(past, name), getattr(planning.past, name), equal_nan=name == "last_change"), name
    assert np.array_equal(some.time, past.time[past.row % 2 == 1])  # pages that planning does not know teach nothing
    planning.past = past
    assert "learned" not in vars(planning)
    assert quality_data(measured(planning)) == wanted
    assert {"alpha.example", "archive"} <= set(wanted)


def test_hours_of_a_watch_are_lived_by(archive):
    pieces = ((START + 86_400.0, 0.0, 60.0), (START + 20 * 86_400.0, 27_360.0, 1800.0))
    with closing(open_catalog(archive)) as catalog:
        catalog._connection.executemany("INSERT INTO watch_time VALUES (?, ?, ?)", pieces)
    try:
        wanted = comparable(learned_here(archive))
        found = mined(archive, Mining(LocalTasks()), time=LivedTime(pieces))
        for part, value in wanted.items():
            assert found[part] == value, part
    finally:
        with closing(open_catalog(archive)) as catalog:
            catalog._connection.execute("DELETE FROM watch_time")


def test_the_command(archive):
    def run(*words):
        return CliRunner().invoke(app, ["learn", str(archive), *words])

    with closing(open_catalog(archive)) as catalog:
        study(random.Random(2), catalog, 10**6)
    here, there = run("rules", "--json"), run("rules", "--engine", "local", "--json")
    assert (here.exit_code, there.exit_code) == (0, 0)
    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert "rules: " in run("rules", "quality", "--engine", "local", "-q", "--memory", "100MB").stdout
    for words, problem in (
        (("--scheduler", "tcp://a:1"), "go with --engine"),
        (("--new", "--engine", "local"), "leave out --engine"),
        (("--engine", "spark"), "no engine"),
    ):
        refused = run(*words)
        assert isinstance(refused.exception, UsageError) and problem in str(refused.exception)


def test_what_is_wrong_is_told_in_one_line(archive, monkeypatch):
    with pytest.raises(UsageError, match="no engine 'spark'; there are local, dask"):
        tasks_on("spark")
    with pytest.raises(UsageError, match="--scheduler goes with --engine dask"):
        tasks_on("local", "tcp://127.0.0.1:1")
    with pytest.raises(UsageError, match="--memory lots"):
        mined(archive, Mining(LocalTasks(), Room(memory="lots")))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SettingError, match=r"pip install 'strandline\[cluster\]'"):
        tasks_on("dask")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(SettingError, match=r"pip install 'strandline\[cluster\]'"):
        mined(archive, Mining(LocalTasks()))


def test_changes_that_do_not_matter_are_in_no_group_and_no_rate(archive, tmp_path):
    made_up(tmp_path / "archive", pages=4, count=200)
    with closing(open_catalog(tmp_path / "archive")) as catalog:
        catalog._connection.execute("UPDATE changes SET importance = 0.01 WHERE page % 2 = 0")
    export_archive(open_archive(tmp_path / "archive"), tmp_path / "parquet")
    found, wanted = mined(tmp_path / "archive", Mining(LocalTasks())), comparable(learned_here(tmp_path / "archive"))
    assert found == wanted
    changed = {page for page, one in wanted["series"].items() if sum(map(sum, one[4])) > 0}
    assert {page for page, group in found["members"].items() if group is not None} == changed
    assert {page for page, rate in found["rates"].items() if rate["changes"]} == changed
    assert any(page % 2 for page in changed) and any(page not in changed for page in found["rates"])


def test_pages_seen_once_have_no_rate_and_are_in_no_class(tmp_path):
    made_up(tmp_path / "archive", pages=40, count=150)
    export_archive(open_archive(tmp_path / "archive"), tmp_path / "parquet")
    found, wanted = mined(tmp_path / "archive", Mining(LocalTasks())), comparable(learned_here(tmp_path / "archive"))
    assert found["rates"] == wanted["rates"] and found["classes"] == wanted["classes"]
    once = sum(rate["visits"] == 0 for rate in wanted["rates"].values())
    assert once > 10 and sum(one["pages"] for one in found["classes"]) == len(wanted["rates"]) - once


def test_a_scheduler_that_does_not_answer(monkeypatch):
    pytest.importorskip("distributed")
    with pytest.raises(Unreachable, match=r"the Dask scheduler tcp://127.0.0.1:9 cannot be reached") as problem:
        tasks_on("dask", "tcp://127.0.0.1:9", patience=0.5)
    assert "\n" not in str(problem.value)
    with pytest.raises(Unreachable, match="nonsense"):
        tasks_on("dask", "nonsense://x", patience=0.5)


def test_a_scheduler_without_workers(monkeypatch):
    distributed = pytest.importorskip("distributed")
    for name, seconds in (("_LOOK", 0.1), ("_DESERTED", 0.5)):
        monkeypatch.setattr(f"strandline.engines.mining.{name}", seconds)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster,
        closing(tasks_on("dask", cluster.scheduler_address)) as tasks,
        pytest.raises(Unreachable, match="has had no workers for"),
    ):
        list(tasks.run(str, [1]))


def test_a_file_that_is_damaged_is_told(archive, tmp_path):
    copy = shutil.copytree(parquet(archive).place.folder, tmp_path / "copy")
    file = sorted(copy.glob("captures/site=alpha.example/*/*.parquet"))[0]
    whole = file.read_bytes()
    for damaged in (whole[:-50], b"", whole[:4] + bytes(len(whole) // 2) + whole[4 + len(whole) // 2 :]):
        file.write_bytes(damaged)
        with pytest.raises(ArchiveDamaged, match="a file is damaged"):
            mine(Dataset(copy), Wish(SETTINGS, PARTS), Mining(LocalTasks()))


def test_a_file_the_workers_do_not_see(archive, tmp_path):
    files = parquet(archive).site("alpha.example")
    lost = replace(files, files={**files.files, "captures": (str(tmp_path / "lost.parquet"),)})
    work = SitesWork(0, ((0, lost),), Wish(SETTINGS, PARTS), Room(), FindingsPlace(str(tmp_path)))
    with pytest.raises(ArchiveDamaged, match="every worker must see this folder"):
        learn_sites(work)


LOOK = st.tuples(
    st.integers(1, 4),
    st.sampled_from((-1.0, 0.0, 5.0, 7.0, 7.2e9)),
    st.sampled_from((200, 203, 304, 404, 410, 301, 500)),
    st.booleans(),
    st.sampled_from((-0.5, 0.0, 0.25)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=60)
@given(st.lists(LOOK, max_size=30), st.integers(1, 7))
def test_columns_are_gathered_as_single_captures_are(looks, size):
    looks.sort(key=lambda look: look[:2])
    urls = {page: f"http://a.example/{page}" for page in range(1, 5)}
    rows = [Sighting(p, urls[p], "a", t, s, c, i, h, studied, d) for p, t, s, c, i, h, studied, d in looks]
    wanted = list(gathered(rows, lambda one: not one.studied, lambda one: one.differs and not one.changed))
    kinds = (np.int64, np.float64, np.int64, np.bool_, np.float64, np.bool_, np.bool_, np.bool_)
    batches = []
    for at in range(0, len(looks), size):
        columns = zip(zip(*looks[at : at + size], strict=True), kinds, strict=True)
        batches.append(Looks(*(np.array(column, kind) for column, kind in columns)))
    found = list(gathered_columns(batches, urls))
    assert [shown(one) for one in found] == [shown(one) for one in wanted]


def shown(visits: Visits):
    return plain({name: getattr(visits, name) for name in Visits.__slots__})
