"""Tables that are cut into pieces are the same when they are joined, and only what has changed is written."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.plan import kept_pieces
from strandline.plan.kept_pieces import BY_DAYS, joined, rewritten, shapes, small_ones


class Notes:
    """Pieces as notes, and how many were written."""

    def __init__(self):
        self.notes, self.kept, self.written, self.number = {}, {}, 0, itertools.count()

    def keep(self, shared):
        made = rewritten(self.kept, shared, lambda: next(self.number))
        for number in made.gone:
            del self.notes[number]
        self.notes |= {number: piece.copy() for number, piece in made.anew}
        self.kept, self.written = made.kept, len(made.anew)
        self.shared, self.shapes = shared, shapes(shared)

    def are_whole(self):
        """Whether what is kept is what was to be kept, and no more notes than it takes."""
        found = joined(self.shapes, ((name, self.notes[piece.number]) for name, piece in self.kept.items()))
        found |= small_ones(self.shared)
        same = all(np.array_equal(found[name][: len(table)], table) for name, table in self.shared.items())
        spare = found[BY_DAYS][len(self.shared[BY_DAYS]) :]
        return same and not spare.any() and set(self.notes) == {piece.number for piece in self.kept.values()}


steps = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 10**6)), max_size=20)


@given(steps, st.integers(1, 4000))
def test_joined_they_are_the_same(lived, large):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_pieces, "DAYS", 8)
        patch.setattr(kept_pieces, "LARGE", large)
        patch.setattr(kept_pieces, "LARGEST", 24)
        notes, table, prior = Notes(), np.zeros((0, 20, 2)), np.zeros(0, np.int64)
        for found, day, where in lived:
            days = max(table.shape[1], day)
            table = np.pad(table, ((0, found), (0, days - table.shape[1]), (0, 0)))
            prior = np.pad(prior, (0, found))
            if len(table):
                table[where % len(table), min(day, days - 1)] += 1.0
                prior[where % len(prior)] += 1
            notes.keep({BY_DAYS: table, "prior": prior, "origin": np.zeros(1)})
            assert notes.are_whole()


def test_days_long_past_are_written_once():
    notes, table = Notes(), np.random.default_rng(1).random((50, 4 * kept_pieces.DAYS, 2))
    notes.keep({BY_DAYS: table})
    assert notes.written == 4
    notes.keep({BY_DAYS: table})
    assert notes.written == 0
    table[7, -1] += 1.0
    notes.keep({BY_DAYS: table})
    assert notes.written == 1
    table = np.pad(table, ((0, 3), (0, 0), (0, 0)))  # directories that nobody had seen before
    table[51, -1] = 1.0
    notes.keep({BY_DAYS: table})
    assert notes.written == 1
    assert notes.are_whole()
