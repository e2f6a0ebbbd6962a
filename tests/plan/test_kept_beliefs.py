"""What is kept part by part is what would be kept at once, whoever is killed or reads meanwhile."""

import contextlib
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs import censored
from strandline.core.beliefs.group_clock import FIRST_DAYS
from strandline.learn.experience import BELIEFS, History, learn
from strandline.learn.known_pages import Groups, Hours, Known
from strandline.plan import kept_beliefs, kept_pieces
from strandline.plan.claims import Claims
from strandline.plan.kept_beliefs import Beliefs, KeptBeliefs, Parts, packed, unpacked
from strandline.store.catalog import open_catalog

HOURS = Hours(0.0)
FEW = 4
"""Rows of a stretch."""
PIECES = 4
"""Of the days of directories."""


@pytest.fixture(autouse=True)
def _short_stretches(monkeypatch):
    monkeypatch.setattr(kept_beliefs, "STRETCH", FEW)
    monkeypatch.setattr(kept_pieces, "DAYS", FIRST_DAYS // PIECES)


class Notes:
    """A catalog of notes; `fails_after` so many of them a transaction is rolled back."""

    def __init__(self):
        self.notes, self.fails_after, self.written = {}, None, 0

    @property
    def reading(self):
        return Reading(self.notes)

    def note(self, kind, values):
        notes = dict(self.notes)
        for number, (key, value) in enumerate(values):
            if number == self.fails_after:
                raise OSError("no room left")
            if value is None:
                notes.pop((kind, key), None)
            else:
                notes[kind, key] = value
                self.written += 1
        self.notes = notes


class Reading:
    def __init__(self, notes):
        self.notes = notes

    def note(self, kind, key):
        return self.notes.get((kind, key))

    def note_keys(self, kind):
        return sorted(key for one, key in self.notes if one == kind)


def known(count):
    return [
        Known(7 * n + 1, f"http://a.example/{n % 3}/{n}", "a.example", "a.example", visited=1.0) for n in range(count)
    ]


class Plan:
    """Pages that are found and captured."""

    def __init__(self, count):
        self.pages = known(count)
        self.groups = Groups.of(self.pages)
        none = np.empty(0)
        nothing = History(none.astype(np.int64), none, none > 0, none, none)
        self.learned = learn(self.pages, nothing, HOURS)
        self.time = 1.0

    def find(self, count):
        more = known(len(self.pages) + count)[len(self.pages) :]
        self.pages += more
        self.groups.add(more)
        if more:
            self.learned.add(self.pages, self.groups)

    def capture(self, rows):
        for row in rows:
            self.time += 1.7
            flag = np.array([row % 2 == 0])
            past = History(np.array([row]), np.array([self.time]), flag, 0.3 * flag, np.array([np.nan]))
            self.learned.teach(past, None, np.zeros(len(self.pages)))

    def beliefs(self):
        claims = Claims()
        claims.tell(1, self.time)
        return Beliefs([page.page for page in self.pages], self.learned, int(self.time), claims, self.time, 5)


def same(found, expected):
    assert found is not None
    assert (list(found.pages), found.seq, found.said_until, found.zones) == (
        expected.pages, expected.seq, expected.said_until, expected.zones,
    )  # fmt: skip
    assert found.claims.as_data() == expected.claims.as_data()
    for some, others in zip(found.learned.state(), expected.learned.state(), strict=True):
        assert set(some) == set(others)
        for name, values in some.items():
            np.testing.assert_array_equal(values, others[name], err_msg=name)


steps = st.lists(st.tuples(st.integers(0, 6), st.lists(st.integers(0, 10**6), max_size=9), st.booleans()), max_size=12)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 11), steps)
def test_part_by_part_or_at_once_over_restarts(count, lived):
    plan, catalog, kept = Plan(count), Notes(), KeptBeliefs()
    kept.keep(catalog, plan.beliefs())
    for found, captured, restarted in lived:
        plan.find(found)
        plan.capture([number % len(plan.pages) for number in captured if plan.pages])
        kept.keep(catalog, plan.beliefs())
        again = KeptBeliefs()
        same(again.read(catalog.reading), plan.beliefs())
        if restarted:
            kept = again
    written = [unpacked(value)["row"] for (_, key), value in catalog.notes.items() if is_part(value)]
    rows = sum(map(len, written))
    assert rows <= 1.5 * len(plan.pages) + 4 * FEW, "rows by themselves do not pile up"


def is_part(value):
    try:
        return "row" in unpacked(value)
    except Exception:  # noqa: BLE001 - the head is no arrays
        return False


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(0, 10**6), max_size=10)), min_size=1, max_size=30))
def test_every_row_is_held_by_the_last_part_that_has_it(lived):
    parts, held, truth, count = Parts(), {}, {}, 0
    for moment, (found, taught) in enumerate(lived):
        new = list(range(count, count + found))
        count += found
        rows = sorted({number % count for number in taught} | set(new)) if count else []
        truth |= dict.fromkeys(rows, moment)
        written, removed = parts.write(count, np.array(rows, dtype=np.int64))
        held = {number: rows for number, rows in held.items() if number not in removed}
        held |= {one.number: {row: truth[row] for row in one.rows.tolist()} for one in written}
        assert set(held) == set(parts.numbers)
        shown = {}
        for number in parts.numbers:
            shown |= held[number]
        assert shown == truth


def test_keeping_takes_as_long_as_what_was_captured(monkeypatch):
    monkeypatch.setattr(kept_beliefs, "STRETCH", 16)
    plan, catalog, kept = Plan(400), Notes(), KeptBeliefs()
    kept.keep(catalog, plan.beliefs())
    assert catalog.written == 2 + PIECES + 25, "all stretches"
    for hour in range(30):
        before = catalog.notes
        plan.capture([(17 * hour + n) % 400 for n in range(8)])
        kept.keep(catalog, plan.beliefs())
        rows = [
            len(unpacked(value)["row"]) for key, value in catalog.notes.items() if key not in before and is_part(value)
        ]
        assert sum(rows) <= 8 + 16, "those captured, and one stretch"
        assert len(catalog.notes) - len(before.keys() & catalog.notes.keys()) <= 2 + 2 + 1, "days long past stay"


def test_who_is_killed_or_out_of_room_finds_what_was_kept_before():
    plan, catalog, kept = Plan(9), Notes(), KeptBeliefs()
    kept.keep(catalog, plan.beliefs())
    before = deepcopy(plan.beliefs())
    plan.capture([1, 5, 7])
    for place in range(4):
        catalog.fails_after = place
        with pytest.raises(OSError, match="no room"):
            kept.keep(catalog, plan.beliefs())
        same(KeptBeliefs().read(catalog.reading), before)
        assert not kept.there
    catalog.fails_after = None
    plan.capture([2])
    kept.keep(catalog, plan.beliefs())
    same(KeptBeliefs().read(catalog.reading), plan.beliefs())
    numbers = {key for _, key in catalog.notes}
    assert len(numbers) == 2 + PIECES + 3, "nothing of the time before is left"


def test_what_is_kept_while_somebody_reads_is_noticed():
    plan, catalog, kept = Plan(9), Notes(), KeptBeliefs()
    kept.keep(catalog, plan.beliefs())
    looks = []

    class Beside(Reading):
        def note(self, kind, key):
            looks.append(key)
            if len(looks) == 3:  # after the head, and what pages share
                plan.capture(range(9))
                kept.keep(catalog, plan.beliefs())
            return catalog.notes.get((kind, key))

    same(KeptBeliefs().read(Beside(None)), plan.beliefs())
    assert looks.count(BELIEFS[1]) == 2, "it began again"


def test_days_of_very_many_directories_are_kept_as_the_others_are(monkeypatch):
    monkeypatch.setattr(kept_pieces, "LARGE", 64)
    monkeypatch.setattr(kept_pieces, "LARGEST", 80)
    monkeypatch.setattr(censored, "MANY", 1)
    plan, catalog, kept = Plan(1), Notes(), KeptBeliefs()
    for step in range(6):
        plan.find(step)
        plan.time += 24.0 * step
        plan.capture([row for row in range(len(plan.pages)) if row % 2 == step % 2])
        kept.keep(catalog, plan.beliefs())
        assert (b'"form": 10' in catalog.notes[BELIEFS]) == (step > 0), "an older release must not read it"
        same(KeptBeliefs().read(catalog.reading), plan.beliefs())


def test_what_was_kept_in_one_table_gets_places_of_its_own(monkeypatch):
    plan, catalog, kept = Plan(9), Notes(), KeptBeliefs()
    plan.time += 400.0  # the clock is not asked before
    plan.capture([*range(9), *range(9)])
    kept.keep(catalog, plan.beliefs())
    monkeypatch.setattr(censored, "MANY", 1)
    again = KeptBeliefs()
    found = again.read(catalog.reading)
    plan.learned, old = found.learned, plan.learned
    assert "days.shelf" in plan.learned.state()[1]
    rows, now = np.arange(9), plan.time + 30.0
    expected = old.learner.stretch(rows, old.last, now)
    assert plan.learned.learner.stretch(rows, plan.learned.last, now) == pytest.approx(expected, rel=1e-12)
    assert len(set(expected.tolist())) > 1
    again.keep(catalog, plan.beliefs())
    same(KeptBeliefs().read(catalog.reading), plan.beliefs())


def test_nothing_and_what_another_release_kept():
    catalog = Notes()
    assert KeptBeliefs().read(catalog.reading) is None
    for data in (b"of another release", b"[]", b'{"form": 3}', packed({"form": np.int64(3)})):
        catalog.note(BELIEFS[0], [(BELIEFS[1], data)])
        assert KeptBeliefs().read(catalog.reading) is None
    kept = KeptBeliefs()
    kept.keep(catalog, Plan(9).beliefs())
    key = next(key for key, value in catalog.notes.items() if is_part(value))
    catalog.notes[key] = b"damaged"
    assert KeptBeliefs().read(catalog.reading) is None


def test_in_a_real_catalog(tmp_path):
    plan, kept = Plan(9), KeptBeliefs()
    with contextlib.closing(open_catalog(tmp_path)) as catalog:
        kept.keep(catalog, plan.beliefs())
        catalog.note(BELIEFS[0], [(BELIEFS[1], None)])  # as `learn` does
        assert KeptBeliefs().read(catalog.reading) is None
        plan.capture([3])
        again = KeptBeliefs()
        again.keep(catalog, plan.beliefs())
        same(KeptBeliefs().read(catalog.reading), plan.beliefs())
        assert len(catalog.reading.note_keys(BELIEFS[0])) == 2 + PIECES + 3
