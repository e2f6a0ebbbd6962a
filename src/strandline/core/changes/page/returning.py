"""What comes back in the same words: a notice that is put up again, a state that turns back, or something that rotates.

A text that is back counts where hardly anything changes. Elsewhere it counts

    state     if it says that something can be had, is open or dangerous, or is not any more, and hardly anything else
              comes and goes with it: "Out of stock", "Closed today"
    notice    if it stood for several looks each time and was away for several (`stays`), nothing else of the
              page's own text left when it came, came when it left, or was new
    two       if it took the place of the only other text that stands there, each for several looks

What alternates among more, or is there or not at each look anew, rotates. So does a text of a list of links: stories
come back to front pages.
"""

from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.carried import noise_place
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.edits.meaning import tells_end
from strandline.core.changes.edits.said import is_label
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.notices import is_alarm, is_grave, may_alarm, tells_state
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.kept_property import kept_property

STATES: Final = 2
"""Texts that come to a place in turn, at most, and are notices or states, none that rotates. Origin: a guess."""


class Returning:
    """Judges texts of a page that were on it before."""

    def __init__(self, delta: Delta, noise: NoiseState, kind: PageKind) -> None:
        self._delta = delta
        self._noise = noise
        self._kind = kind

    def means_to_return(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether an edit that brings back an earlier text is one: of a state, or where hardly anything changes."""
        path, language = noise_place(block), self._delta.language
        if self._noise.rarely_returns(path):
            return True
        if self._kind.listing:
            return self._noise.mostly_still(path) and tells_end(before, language) != tells_end(after, language)
        if is_label(before) and is_label(after) and not self._noise.rotates(path):
            return True
        if self.is_of_states(before, after):
            return True
        return self.alternates(block, after)

    def alternates(self, block: PageBlock, text: str) -> bool:
        """Whether a text that took the place of another is one of two that each stand for a while."""
        noise = self._noise
        few = not self._kind.listing and noise.few_alternate(noise_place(block), STATES - 1)
        return few and noise.comes_and_goes_steadily(text)

    def is_put_up_again(self, block: PageBlock, text: str, comes: bool) -> bool:
        """Whether a text that comes back, or leaves again, was put up and taken down, and does not rotate."""
        if not self._kind.owns(block):
            return may_alarm(block) and is_alarm(text, self._delta.language)
        return self._noise.rarely_returns(noise_place(block)) or self.is_notice(block, text, comes)

    def is_notice(self, block: PageBlock, text: str, comes: bool) -> bool:
        """Whether it tells a state, and hardly anything comes and goes with it; or stands for a while each
        time, by itself.
        """
        if self._kind.listing:
            return False
        came, left = self._moving
        back, again = self._known
        if (back if comes else again) <= STATES and self.is_state(text):
            return True
        if (left if comes else came) or back < len(came):
            return False
        place = noise_place(block)
        return self._noise.few_alternate(place, STATES) and self._noise.comes_and_goes_steadily(text)

    def is_state(self, text: str) -> bool:
        """Whether a text says that something can be had, is open or dangerous: that counts however often it turns."""
        return is_grave(text, self._delta.language) or tells_state(text, self._delta.language)

    def is_of_states(self, before: str, after: str) -> bool:
        """Whether an edit is one of a state."""
        return self.is_state(before) or self.is_state(after)

    @kept_property
    def _moving(self) -> tuple[list[str], list[str]]:
        """Texts of the own part that came, and those that left, for no other."""
        own = [texts for change, texts, _ in touched_texts(self._delta) if self._kind.owns(change.block)]
        came = [after for texts in own for before, after in texts if not before]
        return came, [before for texts in own for before, after in texts if not after]

    @kept_property
    def _known(self) -> tuple[int, int]:
        """How many of these came back, and how many left again."""
        came, left = self._moving
        return sum(map(self._noise.seen_text, came)), sum(map(self._noise.seen_text, left))
