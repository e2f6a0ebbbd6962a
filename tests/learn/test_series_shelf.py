"""Series in a file, against series in memory."""

import numpy as np
import pytest

from strandline.core.history.calendar import Periods
from strandline.core.history.series import PageSeries
from strandline.core.mining.patterns import shared_patterns
from strandline.learn import series_shelf
from strandline.learn.patterns import Patterns
from strandline.learn.series_shelf import SeriesShelf

CUTS = (Periods("UTC"), Periods("Europe/Berlin"))


def series(rng, cut):
    one = PageSeries.empty(cut)
    hours = rng.integers(0, 24) + np.arange(3)
    one.changes[:, hours % 24] += rng.integers(0, 9)
    one.importance += 0.3 * one.changes
    one.observed += 5.0
    one.last, one.captures = (None, 0) if rng.random() < 0.1 else (float(rng.uniform(0, 1e9)), int(rng.integers(1, 9)))
    return one


def equal(one, other):
    assert (one.periods, one.last, one.captures) == (other.periods, other.last, other.captures)
    for name in ("importance", "changes", "observed"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("together", [3, 2048])
def test_series_come_back_as_they_were_and_share_the_same_hours(together, monkeypatch):
    monkeypatch.setattr(series_shelf, "_AT_ONCE", together)
    rng, known, patterns = np.random.default_rng(5), {}, Patterns()
    shelf = patterns.series.changed
    for site in range(4):
        some = {100 * site + int(page): series(rng, CUTS[site % 2]) for page in rng.permutation(17)}
        shelf.add(some)
        known |= some
    shelf.add({})
    assert list(shelf) == list(known) and len(shelf) == len(known)
    for (page, one), (number, other) in zip(shelf.items(), known.items(), strict=True):
        assert page == number
        equal(one, other)
        equal(shelf[page], other)
    patterns.share()
    expected = shared_patterns({str(page): one for page, one in known.items()})
    assert len(expected) >= 1
    assert [(one.number, one.pages) for one in patterns.groups] == [(one.number, one.pages) for one in expected]
    assert dict(patterns.numbers()) == {int(page): one.number for one in expected for page in one.members}
    for one, other in zip(patterns.groups, expected, strict=True):
        np.testing.assert_array_equal(one.shape, other.shape)
    with pytest.raises(KeyError):
        shelf[7777]
    with pytest.raises(ValueError, match="same cycle"):
        shelf.add({1: PageSeries.empty(Periods("UTC", count=12))})


def test_an_empty_shelf():
    patterns = Patterns()
    patterns.share()
    assert (patterns.groups, list(SeriesShelf().items()), list(SeriesShelf().counted())) == ([], [], [])
