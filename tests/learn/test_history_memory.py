"""Learning from the catalog holds some pages at a time: what it holds of the others are a few columns.

What is counted are the bytes Python and numpy hold (tracemalloc), of one large site. Each check is shown to fail on a
way that holds the captures of the site.
"""

import importlib.util
import tracemalloc
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from strandline.core.history.pieces import evenly
from strandline.core.mining import shared_shapes
from strandline.learn.learning import PARTS, from_history, site_visits
from strandline.settings.schema import LearnSettings
from strandline.store.catalog import DATABASE
from strandline.store.learned import LearnedReading

PAGES, CAPTURES = 200, 10
BOUNDS = {
    "strandline.store.sightings.ASKED_AT_ONCE": 10,
    "strandline.learn.packed_looks._AT_ONCE": 64,
    "strandline.learn.series_shelf._AT_ONCE": 16,
    "strandline.learn.series_book._AT_ONCE": 16,
    "strandline.learn.patterns.AT_ONCE": 64,
    "strandline.core.history.many_series.AT_ONCE": 64,
    "strandline.core.history.series._AT_ONCE": 16,
    "strandline.core.mining.classes._MOST_VALUES": 64,
    "strandline.core.mining.shared_shapes._MOST_MAKERS": 20,
}
"""Everything that is done some rows at a time, with fewer rows at a time."""


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """One site with few pages, with four times as many, and with four times as many captures of each."""
    file = Path(__file__).parents[2] / "benchmarks" / "large_archive.py"
    spec = importlib.util.spec_from_file_location("large_archive", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sizes = ((PAGES, CAPTURES), (4 * PAGES, CAPTURES), (PAGES, 4 * CAPTURES))
    folder = tmp_path_factory.mktemp("large")
    return [module.make(folder / f"{n}x{c}", module.Size(n, n * c, 10, 10, sites=1)) for n, c in sizes]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for name, bound in BOUNDS.items():
        monkeypatch.setattr(name, bound)
    monkeypatch.setattr(shared_shapes, "evenly", partial(evenly, size=16))


def peak(archive, action):
    """The most bytes held while something was done with an archive."""
    with closing(LearnedReading.open(archive / DATABASE)) as reading:
        action(reading)  # what is loaded once is not counted
        tracemalloc.start()
        try:
            action(reading)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def learned(parts, reading):
    assert from_history(reading, LearnSettings(), parts, lambda _: None).pages >= PAGES - 1


def held(reading):
    return list(site_visits(reading, "site0.test"))


def grown(archive, other, action):
    return peak(other, action) / peak(archive, action)


def test_with_four_times_the_pages_patterns_take_hardly_more_memory(archives):
    few, many, _ = archives
    assert grown(few, many, held) > 3.0  # the check can fail
    assert grown(few, many, partial(learned, ("patterns",))) < 1.3
    assert grown(few, many, partial(learned, PARTS)) < 2.0


def test_rules_take_less_memory_than_the_captures_they_are_made_of(archives):
    few, many, _ = archives

    def bytes_a_page(action):
        return (peak(many, action) - peak(few, action)) / (3 * PAGES)

    assert bytes_a_page(held) > 650.0  # the check can fail
    assert bytes_a_page(partial(learned, ("rules",))) < 650.0


def test_with_four_times_the_captures_patterns_and_classes_take_hardly_more_memory(archives):
    few, _, many = archives

    def bytes_a_capture(action):
        return (peak(many, action) - peak(few, action)) / (3 * PAGES * CAPTURES)

    assert bytes_a_capture(held) > 15.0  # the check can fail
    assert bytes_a_capture(partial(learned, ("patterns", "classes"))) < 5.0
