"""Dates and times of a page that stand still, and are no clock and no date of the page itself: those of a timetable, of
a table of dates, of an event, of a deadline.
"""

from collections.abc import Sequence
from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.carried import noise_place
from strandline.core.changes.delta.delta import BlockChange, Delta
from strandline.core.changes.noise.creeping import is_to_come
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.appointed import (
    is_appointment,
    is_of_timetable,
    is_round_moment,
    is_round_time,
    is_tabled,
)
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.words.ticking import TickForm, is_moment, is_unnamed
from strandline.core.kept_property import kept_property

TIMELY: Final = frozenset({"time", "stamp", "clock"})
"""Forms that a time or date may tick in. Origin: a definition."""
SEEN: Final = 1.0
"""Looks at which a time without a word stood still before it is one of an event. Origin: a guess."""


class StandingTimes:
    """Tells them, for one change of a page."""

    def __init__(self, delta: Delta, noise: NoiseState, kind: PageKind) -> None:
        self._delta, self._noise, self._kind = delta, noise, kind

    def stand(self, form: TickForm, block: PageBlock, before: str, after: str, figures: bool) -> bool:
        """Whether a time or date is one that stands still: that of a timetable or of a table of dates, no clock."""
        if form not in TIMELY:
            return False
        if form == "time" and self._noise.stood_still(block, before, after):
            return True
        if form == "stamp" and self._is_ahead(block, before, after):
            return True
        if form in ("stamp", "clock") and self._is_of_event(block, before, after):
            return True
        if form in ("time", "clock") and self._is_appointed(form, block, before, after):
            return True
        own = form != "time" and self._kind.owns(block) and self._noise.mostly_still(noise_place(block))
        if form == "stamp" and own and not figures and not self._kind.listing:
            return is_moment(after) and is_tabled(block.texts, after)
        return own and (form == "clock" or (form == "stamp" and figures)) and is_unnamed(after)

    def _is_ahead(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a date without a word beside it is one to come: no page was made then."""
        moments = self._delta.moments
        if moments is None or self._kind.listing or not self._kind.owns(block):
            return False
        return is_moment(before) and is_moment(after) and is_to_come(after, moments[1])

    def _is_of_event(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a date with its time, which never moved before, is when something takes place."""
        if self._kind.listing or not self._kind.owns(block) or not is_round_moment(before, after):
            return False
        return self._noise.stood_still(block, before, after, 0.0)

    def _is_appointed(self, form: TickForm, block: PageBlock, before: str, after: str) -> bool:
        """Whether a time that never moved before is one of a timetable or an appointment."""
        if not self._kind.owns(block) or not self._noise.stood_still(block, before, after, 0.0):
            return False
        if form == "clock" and not is_unnamed(after):
            return False
        listing = self._kind.listing > 0
        if not listing and is_round_time(before, after) and self._noise.stood_still(block, before, after, SEEN):
            return True
        if form == "time" and not listing and is_appointment(before, after, self._delta.language):
            return True
        states = (self.states_of(block), self.own_texts)
        return any(is_of_timetable(old, new, before, after, listing) for old, new in states)

    def states_of(self, block: PageBlock) -> tuple[Sequence[str], Sequence[str]]:
        """The texts of a block before and after."""
        change = self.changes.get(id(block))
        return (change.old.texts, change.new.texts) if change and change.old and change.new else ((), ())

    @kept_property
    def changes(self) -> dict[int, BlockChange]:
        """The changes of blocks, by the `id` of the block."""
        return {id(change.block): change for change in self._delta.changes}

    @kept_property
    def own_texts(self) -> tuple[list[str], list[str]]:
        """The page's own texts, before and after."""
        old, new = (
            [text for block in page if self._kind.owns(block) for text in block.texts]
            for page in (self._delta.old.blocks, self._delta.new.blocks)
        )
        return old, new
