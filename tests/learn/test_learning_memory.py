"""Learning over a dataset holds some pages at a time: neither captures nor pages pile up, here or in tasks.

What is counted are the bytes Python and numpy hold (tracemalloc). Each check is shown to fail on a way that holds
everything.
"""

import tracemalloc
from functools import partial

import numpy as np
import pytest

from strandline.core.history.calendar import Periods
from strandline.core.history.pieces import evenly
from strandline.core.mining import shared_shapes
from strandline.engines import mining_reading
from strandline.engines.mining import LocalTasks
from strandline.engines.mining_dataset import Dataset, Writing
from strandline.engines.mining_reading import Reading, Room
from strandline.engines.mining_scratch import FINDINGS, Scratch, TableWriter, pieces
from strandline.exchange.parquet import SCHEMAS
from strandline.learn.engine import Mining, mine
from strandline.learn.known_pages import Hours
from strandline.learn.learning import PARTS
from strandline.learn.results import FoundPatterns, FoundRates
from strandline.learn.tasks import Wish
from strandline.settings.schema import LearnSettings

pa = pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

START = 1_790_812_800.0
PAGES = 60


def one_site(folder, visits):
    """Pages of one site, all captured so often; every third capture of every other page had changed."""
    rng = np.random.default_rng(visits)
    page = np.repeat(np.arange(1, PAGES + 1), visits)
    capture = np.arange(1, page.size + 1)
    time = (START + np.sort(rng.random((PAGES, visits)), axis=1) * 30 * 86_400.0).ravel()
    changed = np.flatnonzero((page % 2 == 0) & (capture % 3 == 0))
    count = page.size
    with Writing(folder, SCHEMAS) as writing:
        urls = [f"http://a.example/d{n % 7}/p{n}.html" for n in range(1, PAGES + 1)]
        about = {"page": np.arange(1, PAGES + 1), "url": urls, "kind": ["page"] * PAGES, "captures": [visits] * PAGES}
        writing.add_tables(("pages", "a.example", ""), [pa.table(about)])
        columns = {"capture": capture, "page": page, "fetch_seconds": time, "fetch_status": np.full(count, 200)}
        columns["payload_digest"] = pa.array(np.arange(count)).cast(pa.string())
        writing.add_tables(("captures", "a.example", "2026-10"), [pa.table(columns)])
        flags = {"visible": np.ones(changed.size, np.bool_), "held": np.zeros(changed.size, np.bool_)}
        found = {"capture": capture[changed], "importance": rng.random(changed.size), **flags}
        writing.add_tables(("changes", "a.example", "2026-10"), [pa.table(found)])
        writing.contents.captures = writing.contents.studied = count
        writing.commit()
    return Dataset(folder)


def peak(action):
    """The most bytes held while something was done."""
    action()  # what is loaded once is not counted
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def small(monkeypatch):
    """Everything that is done some rows at a time, with fewer rows at a time."""
    monkeypatch.setattr(mining_reading, "_BATCH", 2048)
    batches = mining_reading._batches
    # Copies: numpy does not count what it was lent by DuckDB.
    copied = lambda *asked: ([column.copy() for column in batch] for batch in batches(*asked))  # noqa: E731
    monkeypatch.setattr(mining_reading, "_batches", copied)
    monkeypatch.setattr("strandline.learn.tasks._CAPTURES", 2_000)
    monkeypatch.setattr("strandline.core.history.series._AT_ONCE", 32)
    for module in ("strandline.core.history.many_series", "strandline.learn.patterns"):
        monkeypatch.setattr(f"{module}.AT_ONCE", 64)
    monkeypatch.setattr("strandline.engines.mining_scratch._GROUP", 20_000)
    monkeypatch.setattr("strandline.engines.mining_scratch._ROWS", 64)
    monkeypatch.setattr(shared_shapes, "evenly", partial(evenly, size=64))
    monkeypatch.setattr(shared_shapes, "_MOST_MAKERS", 50)


FEW, MANY = 100, 700
MORE = PAGES * (MANY - FEW)


def test_a_task_holds_pages_and_not_captures(tmp_path, small):
    few, many = (one_site(tmp_path / str(visits), visits) for visits in (FEW, MANY))

    def learned(dataset):
        with mine(dataset, Wish(LearnSettings(), PARTS), Mining(LocalTasks(), Room("50MB"))) as found:
            assert found.learned.captures == dataset.about.captures

    def held(dataset):
        with Reading(Room("50MB")) as reading:
            list(reading.site(dataset.site("a.example")).looks())

    def grown(action):
        return (peak(lambda: action(many)) - peak(lambda: action(few))) / MORE

    assert grown(learned) < 10.0  # those of a page
    assert grown(held) > 25.0  # the check can fail


def test_joining_holds_a_byte_for_a_page_that_changed(tmp_path, small):
    def patterns(pages):
        rng = np.random.default_rng(pages)
        with Scratch(tmp_path, FINDINGS) as scratch:
            table = TableWriter(scratch.path, "changed")
            for start in range(0, pages, 50):
                numbers = np.arange(start, start + 50)
                sums = {name: rng.poisson(0.07, (50, 96)).astype(np.float64) for name in ("importance", "changes")}
                sums["changes"][:, 3] += 1.0
                sums["observed"] = rng.uniform(1.0, 2.0, (50, 96))
                about = {"site": np.zeros(50, np.int32), "page": numbers, "last": numbers * 1.0, "captures": numbers}
                table.add(about | sums)
            table.close()
            yield table.file

    def joined(file):
        found = FoundPatterns(changed=(file,), periods={0: Periods()})
        found.share()
        assert sum(1 for _ in found.to_keep()) == sum(group.pages for group in found.groups)

    def held(file):
        return np.concatenate([one["changes"] for one in pieces((file,))])

    def grown(action):
        return (measured(action, 1500) - measured(action, 300)) / 1200

    def measured(action, pages):
        return next(peak(partial(action, file)) for file in patterns(pages))

    assert grown(held) > 500.0  # the check can fail
    assert grown(joined) < 150.0  # 1,536 bytes of each page were read


def test_rates_are_read_some_at_a_time(tmp_path, small):
    def rates(pages):
        with Scratch(tmp_path, FINDINGS) as scratch:
            table = TableWriter(scratch.path, "rates")
            numbers = np.arange(pages)
            whole = {name: numbers for name in ("page", "visits", "changes")}
            real = {name: numbers * 1.0 for name in ("found", "watched", "prior", "last")}
            for start in range(0, pages, 100):
                part = {name: column[start : start + 100] for name, column in (whole | real).items()}
                table.add({"site": np.zeros(100, np.int32), **part})
            table.close()
            yield FoundRates({}, {}, np.zeros(1), None, (table.file,))

    def grown(action):
        few, many = (next(peak(partial(action, one)) for one in rates(count)) for count in (500, 5000))
        return (many - few) / 4500

    assert grown(lambda found: list(found.to_keep({}))) > 100.0  # the check can fail
    assert grown(lambda found: sum(1 for _ in found.to_keep({}))) < 5.0


def times(past):
    return past.history(np.arange(1, PAGES + 1)).time.tolist()


def test_what_was_learned_in_bits_is_what_was_learned_at_once(tmp_path, monkeypatch, request):
    dataset = one_site(tmp_path / "site", 40)
    wish = Wish(LearnSettings(version=5 * 86_400.0), PARTS, hours=Hours.since(START))

    def learned():
        with mine(dataset, wish, Mining(LocalTasks(), Room("50MB"))) as found:
            series = [(page, one.changes.tolist(), group) for page, one, group in found.learned.patterns.to_keep()]
            rates = [(page, repr(rate), last) for page, rate, last in found.learned.rates.to_keep({})]
            return series, rates, [one.as_data() for one in found.learned.rules], times(found.past)

    wanted = learned()
    request.getfixturevalue("small")
    assert learned() == wanted
    assert len(wanted[0]) == len(wanted[1]) == PAGES and len(wanted[3]) == PAGES * 40
