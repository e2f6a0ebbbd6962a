import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from strandline.core.plan.budget import Budget
from strandline.lab.simulate.grid import Request, contender
from strandline.lab.simulate.run import measure, run
from strandline.lab.simulate.trace_sources import news_world, slow_world
from strandline.lab.simulate.traces import (
    Change,
    TraceOptions,
    fitted_patterns,
    groups_of,
    read_trace,
    trace_world,
)
from strandline.lab.simulate.world import Recipe, synthetic_world

DATA = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[3] / ".." / "shared" / "data"))


def write_trace(path, world):
    """Write the changes of a world as a trace; periods are counted from Monday 1970-01-05."""
    urls = world.urls or tuple(f"https://site{s}.example/page{i}" for i, s in enumerate(world.site))
    page = world.page_of_change
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(("url", "time", "importance", "weight"))
        for i, time, importance in zip(page, world.time, world.importance, strict=True):
            seconds = (time * world.period_hours + 96.0) * 3600.0
            writer.writerow((urls[i], f"{seconds:.0f}", f"{importance:.6f}", f"{world.weight[i]:.6g}"))


def test_a_world_survives_its_trace(tmp_path):
    world = synthetic_world(Recipe(pages=20, days=7))
    file = tmp_path / "trace.tsv"
    write_trace(file, world)
    copy = trace_world("copy", *read_trace(file))
    assert len(copy) == np.count_nonzero(np.diff(world.start))  # a trace does not know pages that never change
    row = {url: i for i, url in enumerate(copy.urls)}
    for i in np.flatnonzero(np.diff(world.start))[[0, 7, -1]]:
        j = row[f"https://site0.example/page{i}"]
        own = world.time[world.start[i] : world.start[i + 1]]
        assert copy.time[copy.start[j] : copy.start[j + 1]] == pytest.approx(own, abs=1 / 3600)
        assert copy.weight[j] == pytest.approx(world.weight[i], rel=1e-5)


def test_iso_times_and_compression(tmp_path):
    file = tmp_path / "trace.tsv.gz"
    text = "https://a.org/x\t2026-03-02T06:00:00Z\t0.5\nhttps://a.org/x\t1772524800\t0.25\t3\n"
    file.write_bytes(gzip.compress(text.encode()))
    world = trace_world("t", *read_trace(file))
    assert world.time == pytest.approx([6.0, 32.0])  # 2 March 2026 is a Monday
    assert world.weight.tolist() == [3.0]


@pytest.mark.parametrize(
    "line",
    [
        "https://a.org/\t12", "https://a.org/\tnever\t0.5", "https://a.org/\t12\t1.5", "https://a.org/\tnan\t0.5",
        "https://a.org/\t1700090000000\t0.5", "https://a.org/\t12\tnan", "https://a.org/\t12\t0.5\t-1",
        "https://a.org/\t12\t0.5\tinf", "\t12\t0.5", "https://a.org/\t20261341080000\t0.5",
    ],
)  # fmt: skip
def test_bad_lines_are_named(tmp_path, line):
    file = tmp_path / "trace.tsv"
    file.write_text("https://a.org/\t12\t0.5\n\n" + line + "\n")
    with pytest.raises(ValueError, match=r"trace.tsv, line 3"):
        read_trace(file)


def test_columns_may_be_named_in_any_order_among_others_and_times_told_in_many_ways(tmp_path):
    file = tmp_path / "trace.tsv"
    lines = (
        "Time\tcolour\tURL\timportance",
        "1772524800\tred\thttps://a.org/\t0.5",
        "2026-03-03T08:00:00Z\tred\thttps://a.org/\t0.25",
        "20260302080000\tblue\thttps://a.org/\t0.125",
    )
    file.write_text("\ufeff" + "\r\n".join(lines))
    world = trace_world("t", *read_trace(file))
    assert world.time == pytest.approx([8.0, 32.0]), "out of order; a change told twice is one"
    assert world.importance.tolist() == [0.125, 0.5]
    file.write_text("url\ttime\nhttps://a.org/\t12\n")
    with pytest.raises(ValueError, match="lack importance"):
        read_trace(file)


@pytest.mark.parametrize("ending", ["0\t1", "0.5\t0"])
def test_a_trace_worth_nothing_is_refused(tmp_path, ending):
    (tmp_path / "trace.tsv").write_text(f"https://a.org/\t12\t{ending}\nhttps://a.org/\t9999\t{ending}\n")
    with pytest.raises(ValueError, match="nothing to catch"):
        read_trace(tmp_path / "trace.tsv")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.tsv", "https://a.org/ä\t12\t0.5\n".encode("latin-1"), "not text in UTF-8"),
        ("t.tsv.gz", b"https://a.org/\t12\t0.5\n", "cannot be read"),
        ("t.tsv.xz", b"https://a.org/\t12\t0.5\n", "cannot be read"),
    ],
)
def test_files_that_are_no_trace_are_told(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=f"{name}.*{said}"):
        read_trace(tmp_path / name)


def test_an_address_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"http://\[x.*is no address"):
        trace_world("t", [Change("http://[x", 0.0, 0.5)], {})


def test_traces_that_know_only_days_or_are_long_are_simulated_in_days():
    days = [Change(f"https://a.org/{k % 2}", 86_400.0 * k, 0.5) for k in range(4, 12)]
    world = trace_world("days", days, {})
    assert (world.period_hours, world.periods, len(world.patterns.cycle)) == (24.0, 8, 1)
    found = measure(world, run(world, contender("round-robin", world, "pool", Request()), Budget(2)), 0)
    assert found.count == 1.0, "a change of the last day can still be caught"
    assert trace_world("hours", [*days, Change("https://a.org/", 90_000.0, 0.5)], {}).period_hours == 1.0
    late = Change("https://a.org/", 4 * 365 * 86_400.0 + 1.0, 0.5)
    assert trace_world("long", [*days, late], {}).period_hours == 24.0


def test_one_page_with_one_change_is_a_trace():
    world = trace_world("one", [Change("https://a.org/", 1.7e9, 0.5)], {})
    for name in ("round-robin", "priced-plan", "priced-plan-known"):
        found = measure(world, run(world, contender(name, world, "pool", Request()), Budget(1)), 0)
        assert found.pool == 1.0


def test_an_empty_trace_is_refused():
    with pytest.raises(ValueError, match="at least one change"):
        trace_world("empty", [], {})


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"url": ["https://a.org/"], "time": [3600.0], "importance": [0.5]})
    parquet.write_table(table, tmp_path / "trace.parquet")
    changes, weights = read_trace(tmp_path / "trace.parquet")
    assert [(c.url, c.time, c.importance) for c in changes] == [("https://a.org/", 3600.0, 0.5)]
    assert weights == {}


def test_directories_strip_index_names():
    site, directory = groups_of(
        ["https://a.org/x/index.html", "https://a.org/y/", "https://a.org/z.html", "https://a.org/x/b.html"]
    )
    assert len(set(site.tolist())) == 1
    assert directory[0] == directory[1] == directory[2] != directory[3]


def test_fitted_patterns_are_shares_of_changed_periods():
    time = np.arange(0, 24 * 28, 24) + 9.5  # one change a day, between nine and ten
    patterns = fitted_patterns(np.array([0, 28]), time, np.full(28, 0.3), 24 * 28, 1.0)
    assert -np.expm1(-patterns.rate[0, 9]) > 0.8
    assert patterns.rate[0, 3] < 0.02
    assert patterns.importance[0, 9] == pytest.approx(0.3, abs=0.02)


def test_a_trace_with_a_learning_phase_scores_the_rest_only():
    world = synthetic_world(Recipe(pages=20, days=21))
    changes = [
        (f"https://a.org/{page}", 3600 * time, importance)
        for page, time, importance in zip(world.page_of_change, world.time, world.importance, strict=True)
    ]
    trace = trace_world("late", [Change(*c) for c in changes], {}, TraceOptions(learning_weeks=1.0))
    assert 0 < trace.scored.mean() < 1
    found = measure(trace, run(trace, contender("priced-plan", trace, "page", Request()), Budget(4), False), 2)
    assert 0 < found.page < 1


@pytest.mark.shared_data
@pytest.mark.skipif(
    not (DATA / "pages" / "news_items_dev.jsonl.xz").exists(), reason="no news data beside the checkout"
)
def test_news_has_the_changes_and_items_of_its_source():
    world = news_world(DATA)
    assert (len(world), len(np.unique(world.site)), len(world.time)) == (25, 5, 55796)
    found = measure(world, run(world, contender("round-robin", world, "pool", Request()), Budget(5)), 0)
    assert found.pool == pytest.approx(0.262, abs=0.01)
    assert 0.6 < found.items < 0.7


@pytest.mark.shared_data
@pytest.mark.skipif(not (DATA / "histories").exists(), reason="no histories beside the checkout")
def test_slow_pages_change_in_batches():
    world = slow_world(DATA)
    assert (len(world), world.periods, len(world.time)) == (20820, 182, 43801)
    day = world.time.astype(np.int64)
    key = world.directory[world.page_of_change] * 200 + day
    _, counts = np.unique(key, return_counts=True)
    assert counts[counts > 1].sum() / len(day) > 0.6
