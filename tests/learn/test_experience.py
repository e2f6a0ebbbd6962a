"""Whoever is taught the same captures believes the same: in whatever batches, asked in between or not, kept or not."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from strandline.learn import experience
from strandline.learn.experience import History, Learned, history, learn
from strandline.learn.known_pages import Hours, Known
from strandline.store.studies import Seen

HOURS = Hours(0.0)
PAGES = [Known(n, f"https://a.org/{n % 3}/{n}", "a.org", "a.org", shift=n % 2) for n in range(12)]
SHIFT = np.array([page.shift for page in PAGES], dtype=np.float64)
CAPTURES = 240


def story(seed):
    """Captures, some of them told of beforehand by a feed that had been silent at the times that come with them: after
    the capture of the page before, as silent_looks finds them."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.uniform(0.0, 72.0, CAPTURES))
    row = rng.integers(0, len(PAGES), CAPTURES)
    changed = rng.random(CAPTURES) < np.where(row % 3 == 0, 0.7, 0.1)
    before = np.array([max((time[n] for n in range(at) if row[n] == row[at]), default=-1.0) for at in range(CAPTURES)])
    told = np.where(changed & (rng.random(CAPTURES) < 0.3) & (before < time - 0.3), time - 0.2, np.nan)
    past = History(row, time, changed, np.where(changed, 0.4, 0.0), told)
    silent = np.flatnonzero(~np.isnan(told))
    return past, silent


def part(past, silent, begin, end):
    some = silent[(silent >= begin) & (silent < end)]
    columns = (past.row, past.time, past.changed, past.importance, past.last_change)
    return History(*(column[begin:end] for column in columns)), (past.row[some], past.time[some] - 0.3)


def believed(learned):
    found = learned.learner.estimate(np.arange(len(PAGES)))
    return np.column_stack([found.mean_rate, found.mean_importance, found.rate[:, :24]])


@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.integers(0, 99), st.sets(st.integers(1, CAPTURES - 1), max_size=30), st.booleans())
def test_batches_questions_and_restarts_change_nothing(seed, cuts, kept):
    past, silent = story(seed)
    whole, looks = part(past, silent, 0, CAPTURES)
    at_once = learn(PAGES, whole, HOURS, silent=looks)
    taught = learn(PAGES, part(past, silent, 0, 0)[0], HOURS)
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), CAPTURES], strict=True):
        taught.teach(*part(past, silent, begin, end), SHIFT)
        taught.turn(float(past.time[end - 1]))
        if end < CAPTURES and np.floor(past.time[end]) > np.floor(past.time[end - 1]):
            taught.turn(np.floor(past.time[end]))  # who plans asks when an hour begins, before its first capture
        if kept:
            taught = Learned.from_state(*deepcopy(taught.state()))
    for one in (at_once, taught):
        one.turn(73.0)
    assert believed(taught) == pytest.approx(believed(at_once), rel=1e-6, abs=1e-9)
    assert at_once.captures.sum() == CAPTURES


def test_what_pages_share_is_renewed_when_an_hour_begins_and_there_is_something_new():
    past, silent = story(1)
    learned = learn(PAGES, part(past, silent, 0, 0)[0], HOURS)
    before = learned.renewed
    learned.turn(5.0)
    assert learned.renewed == before, "nothing was captured"
    first = int(np.searchsorted(past.time, 1.0))
    learned.teach(*part(past, silent, 0, first), SHIFT)
    learned.turn(0.9)
    assert learned.renewed == before, "the hour of these captures is not over"
    quiet = believed(learned)
    learned.turn(1.0)
    assert learned.renewed == before + 1
    assert believed(learned) != pytest.approx(quiet), "negative control: it moves what is believed"
    learned.turn(2.0)
    assert learned.renewed == before + 1, "once"


def test_a_silent_look_is_taught_with_the_capture_that_follows():
    nothing = np.full(3, np.nan)
    past = History(np.array([0, 1, 0]), np.array([1.0, 2.0, 9.0]), np.array([False, True, True]), np.zeros(3), nothing)
    lesson = past.with_silent(np.array([0, 1]), np.array([8.0, 3.0]))
    assert lesson.time.tolist() == [1.0, 2.0, 3.0, 8.0, 9.0]
    assert past.turn_of(np.array([0, 1]), np.array([8.0, 3.0])).tolist() == [9.0, 3.0]
    assert lesson.row.tolist() == [0, 1, 1, 0, 0]
    assert lesson.changed.tolist() == [False, True, False, False, True]


seen = st.builds(
    lambda page, time, status, changed, held: Seen(
        page, "", "a.org", time, status, changed, 0.4 * changed, 0.1 * changed, held, False
    ),
    st.integers(0, 14), st.floats(0.0, 9e5), st.sampled_from((200, 304, 404)), st.booleans(), st.booleans(),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(seen, max_size=40), st.lists(st.tuples(st.integers(0, 14), st.floats(0.0, 9e5)), max_size=5))
def test_captures_are_held_in_batches_of_any_size(captures, told):
    claims = [(page, time, time) for page, time in told]
    captures.sort(key=lambda one: (one.page, one.time))
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for most in (1, 3, 10**6):
            patch.setattr(experience, "_AT_ONCE", most)
            found.append(history(PAGES, captures, HOURS, claims))
    taught = [one for one in captures if one.page < len(PAGES) and not one.held]
    assert len(found[0].row) <= len(taught) and (np.diff(found[0].time) >= 0).all()
    names = ("row", "time", "changed", "importance", "last_change", "shown")
    for one in found[1:]:
        for name in names:
            column, expected = getattr(one, name), getattr(found[0], name)
            assert column.dtype == expected.dtype
            np.testing.assert_array_equal(column, expected)
