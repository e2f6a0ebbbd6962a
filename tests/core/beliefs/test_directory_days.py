"""Days of very many directories in places of their own are those of the table, but for what nobody asks."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.beliefs import censored, directory_days, group_clock
from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.beliefs.directory_days import DirectoryDays, DirectoryPages


@pytest.fixture(autouse=True)
def _no_room(monkeypatch):
    """As where there are millions of pages."""
    monkeypatch.setattr(directory_days, "ROOM", 0)


NOBODY = np.iinfo(np.int64).min


def all_of(names):
    return np.full(len(names), NOBODY // 2), np.full(len(names), 10**6)


table = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 63), st.floats(0.1, 9.0)),  # directory, day, changes
    max_size=12,
)


@given(st.lists(table, max_size=6))
def test_what_was_put_is_taken(lived):
    days, true = DirectoryDays(), np.zeros((6, 64, 2))
    days.grow(6)
    for found in lived:
        names = np.array(sorted({name for name, _, _ in found}), dtype=np.int64)
        own = days.take(names, 0, 64)
        assert np.array_equal(own, true[names])
        for name, day, changes in found:
            own[np.searchsorted(names, name), day, 0] += changes
            true[name, day, 0] += changes
        days.put(names, own, 0, all_of)
        days = DirectoryDays.from_state(deepcopy(days.state()))
    assert np.array_equal(days.take(np.arange(6), 0, 64), true)
    assert np.array_equal(days.take(np.arange(6), 10, 40), true[:, 10:50])  # the tables have turned meanwhile


def test_days_nobody_asks_for_are_forgotten_where_room_is_needed():
    days = DirectoryDays()
    days.grow(1)
    for day in range(300):
        own = days.take(np.zeros(1, int), 0, 512)
        own[0, day] += 1.0
        days.put(np.zeros(1, int), own, 0, lambda _: (np.array([day - 1]), np.array([512])))  # noqa: B023
    assert days.take(np.zeros(1, int), 0, 512)[0, :, 0].nonzero()[0].tolist() == [298, 299]
    assert days.nbytes < 2_000


def test_a_directory_of_few_pages_holds_as_many_days_as_it_may():
    days = DirectoryDays()
    days.grow(1)
    days.put(np.zeros(1, int), np.ones((1, 512, 2)), 0, lambda _: (np.array([0]), np.array([24])))
    assert days.take(np.zeros(1, int), 0, 512)[0, :, 0].nonzero()[0].tolist() == list(range(488, 512))


def test_places_that_were_left_are_used_again():
    days = DirectoryDays()
    days.grow(2)
    for day in range(1, 200):
        for name in (0, 1):
            own = np.zeros((1, 512, 2))
            own[0, day : day + 1 + (day * 7) % 50] = day + name
            days.put(np.array([name]), own, 0, all_of)
    assert days.take(np.arange(2), 0, 512)[:, 199].tolist() == [[199.0, 199.0], [200.0, 200.0]]
    assert all(len(shelf) <= 16 for name, shelf in days.state().items() if name.removeprefix("days.").isdigit())


def test_what_is_asked_is_since_the_page_that_was_captured_longest_ago():
    directory, last = np.array([1, 0, 1, 2, 3]), np.array([480.0, 24.0, 240.0, np.nan, 48.0])
    first, most = DirectoryPages(directory).asked(np.array([1, 3]), last, 24)
    assert (first.tolist(), most.tolist()) == ([9, 1], [2 * directory_days.DAYS_A_PAGE, directory_days.DAYS_A_PAGE])


def test_where_there_are_fewer_pages_each_has_more_room(monkeypatch):
    monkeypatch.setattr(directory_days, "ROOM", 16 * 5 * 100)
    _, most = DirectoryPages(np.array([1, 0, 1, 2, 3])).asked(np.array([1, 3]), np.full(5, 24.0), 24)
    assert most.tolist() == [200, 100]


def lived(pages, directories, rooms=None, together=None, hours=900 * 24.0):
    """A learner that has seen pages of directories for some years."""
    rng = np.random.default_rng(3)
    learner = CensoredLearner(rooms=rooms)
    directory = rng.integers(0, directories, pages) if together is None else np.arange(pages) // together
    directory[:directories] = np.arange(directories)  # each has one
    site = directory % 3
    learner.grow(site[: pages // 2], directory[: pages // 2])
    for day in np.arange(1.0, hours / 24.0, 3.0):
        if day > hours / 48.0:
            learner.grow(site, directory)
        busy = rng.random(directories) < 0.1
        rows = np.sort(rng.choice(len(learner), min(5, len(learner)), replace=False))
        time = 24.0 * day + np.sort(rng.random(len(rows)) * 70.0)
        changed = rng.random(len(rows)) < np.where(busy[directory[rows]], 0.7, 0.1)
        learner.observe(rows, (time, changed, 0.3 * changed, np.full(len(rows), np.nan)))
        learner.refresh(24.0 * day)
    return learner, np.arange(pages), 24.0 * (day + 3.0)


def same(one, other):
    columns, more = one.state()
    found, rest = other.state()
    assert all(
        np.array_equal(np.asarray(value), np.asarray(found[name]), equal_nan=True) for name, value in columns.items()
    )
    tables = [name for name in more if name != "clock.directory" and not name.startswith("days.")]
    assert all(np.array_equal(more[name], rest[name], equal_nan=True) for name in tables)


@pytest.mark.parametrize(("pages", "directories", "allowed"), [(12, 12, 8), (40, 12, 512), (60, 40, 512)])
def test_what_is_learned_is_the_same_to_the_last_bit(monkeypatch, pages, directories, allowed):
    wide, rows, now = lived(pages, directories)
    assert wide._days is None
    monkeypatch.setattr(directory_days, "DAYS_A_PAGE", allowed)
    monkeypatch.setattr(group_clock, "DIRECTORIES", 3)
    monkeypatch.setattr(censored, "DIRECTORIES", 3)
    for many in (0, directories - 2):  # from the beginning, and once there are more than so many
        monkeypatch.setattr(censored, "MANY", many)
        narrow, _, _ = lived(pages, directories)
        assert len(narrow._clock.directory) == 0
        same(wide, narrow)
        last = wide._beliefs.last
        found = narrow.stretch(rows, last, now)
        assert found == pytest.approx(wide.stretch(rows, last, now), rel=1e-12)  # sums of other days are rounded
        again = CensoredLearner.from_state(*deepcopy(narrow.state()))
        assert np.array_equal(found, again.stretch(rows, last, now))


def test_the_clocks_of_directories_do_run(monkeypatch):
    """The control of the test above: without what directories hold, something else comes out."""
    wide, rows, _ = lived(40, 12)
    monkeypatch.setattr(censored, "MANY", 0)
    monkeypatch.setattr(directory_days, "DAYS_A_PAGE", 0)
    narrow, _, _ = lived(40, 12)
    assert not np.array_equal(wide.estimate(rows).rate, narrow.estimate(rows).rate)
