"""Which parts of a line never rest, so that only what the others say counts (`line_parts`).

A number that was another one at nearly every look is a counter or a reading, whatever it counts; a short text behind
a label that is another one at nearly every look turns. Neither a price nor a term of days or months, nor a date that
somebody appoints, a sentence, a link, a state ("cancelled"), nor a headline of a page that is a list: these are news
however often they come.
"""

import re
from typing import Final

from strandline.core.blocks.tree import PageBlock, hashed, plain_address
from strandline.core.blocks.word_numbers import without, word_numbers
from strandline.core.changes.delta.carried import noise_place
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.noise.line_parts import MovedPart, lines_apart, moved_parts, parts_added, set_back_parts
from strandline.core.changes.noise.parts_past import Past, past_of, position
from strandline.core.changes.noise.volatility import RESTLESS, STOOD, TICKS, NoiseState
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.page.returning import STATES, Returning
from strandline.core.changes.score.restless import SLOGAN, Restless
from strandline.core.changes.words.counters import is_limited, is_sentence
from strandline.core.changes.words.figures import holds_number, is_money
from strandline.core.changes.words.moving_parts import CLOCK, undated
from strandline.core.changes.words.ticking import NUMBER, holds_date, tick_form
from strandline.core.kept_property import kept_property

SOON: Final = 2
"""Looks at which a part was another one, each of them, from which it may be known not to rest. Origin: a guess."""
TURNING: Final = 0.6
"""Part of the looks at which a text that turns is another one: one of four by chance is at three of four looks.
Origin: a guess."""
FIRST: Final = SOON
"""Looks before which nothing can be known of what never rests. Origin: derived, from `SOON`."""
MANY: Final = 2
"""Numbers of a line that never rest, from which on others go with them. Origin: a guess."""
BESIDE: Final = 6
"""Letters beside a number that may make it part of a result. Origin: a guess."""
KNOWN: Final = 0.5
"""The same of a text all words of which were on the page before; and part of the words of a list in one line that
were. Origin: a guess."""
LISTED: Final = 160
"""Letters of a line of several names, without a sentence. Origin: a guess."""
_RESULT: Final = re.compile(r"\d\s?[:–-]\s?\d")  # 2:1
_UNIT: Final = re.compile(r"\A\s?(?:min\b|[^\W\d_]{1,3}/(?:h|s|min)\b)")  # no minimum, and not so many an hour
_PAUSE: Final = re.compile(r"[,;]\s")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_STOPS: Final = re.compile(r"[.;:!?](?:\s|$)")


class RestlessParts:
    """Tells them, for one change of a page."""

    def __init__(
        self, delta: Delta, noise: NoiseState, kind: PageKind, returning: Returning, restless: Restless
    ) -> None:
        self._delta, self._noise, self._kind = delta, noise, kind
        self._returning, self._restless = returning, restless

    def set_back(self, block: PageBlock, before: str, after: str) -> str:
        """The later state of a line with its restless parts as they were before."""
        parts = moved_parts(before, after)
        if not parts:
            return after
        restless = [part for part in parts if self._never_rests(block, part, before, after)]
        numbers = [part for part in parts if part.is_number]
        if MANY <= sum(part.is_number for part in restless) < len(numbers):
            others = [part for part in numbers if part not in restless]
            restless += [part for part in others if self._goes_with_them(block, part, before, after)]
        return set_back_parts(after, restless) if restless else after

    def are_read(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether all numbers of a line, two at least, are others at one of the first looks, and none of its words:
        what counts or is measured does that, while people change one number at a time. Later on its past tells.
        """
        parts = moved_parts(before, after) if self._noise.comparisons <= FIRST else ()
        if len(parts) < MANY or not all(part.is_number for part in parts):
            return False
        if (
            is_sentence(after)
            or len(NUMBER.findall(CLOCK.sub("", undated(after)))) != len(parts)
            or any(map(_YEAR.search, (before, after)))
        ):
            return False
        return not any(self._is_appointed(block, part, before, after) for part in parts)

    def adds(self, before: str, after: str) -> bool:
        """Whether a line says more than before, at its end: a state or a sum."""
        return any(is_money(part) or self._returning.is_state(part) for part in parts_added(before, after))

    def stood(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a text was the same at all looks, several, until now."""
        noise = self._noise
        if noise.comparisons < STOOD or not noise.stood_still(block, before, after) or hashed(before) in noise.stays:
            return False
        return not any(past_of(noise, block.path, part.key).changes for part in moved_parts(before, after))

    def comes_or_goes(self, block: PageBlock, text: str, *, came: bool) -> bool:
        """Whether a line that came, or one that left, took the place of one that begins alike, as others did."""
        if not self._noise.slots:
            return False
        lines = lines_apart(self._delta)
        if came:
            before, after = lines.get((block.path, text), ""), text
        else:
            before, after = text, self._came_for.get((block.path, text), "")
        return bool(before and after) and self.set_back(block, before, after) == before

    @kept_property
    def _came_for(self) -> dict[tuple[str, str], str]:
        return {(path, before): after for (path, after), before in lines_apart(self._delta).items()}

    def is_in_turn(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a short text stands in a place of its block where others did before, again and again, and is back."""
        noise = self._noise
        if not noise.slots or _is_linked(block, after) or self._returning.is_of_states(before, after):
            return False
        place = position(noise, self._delta, block, after)
        changes, share = past_of(noise, block.path, place) if place else Past()
        if changes < SOON or share < KNOWN or is_money(after) or holds_number(after):
            return False
        return not noise.few_alternate(noise_place(block), STATES) and not noise.mostly_still(noise_place(block))

    def turns_in_place(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a short text took the place of another one where another one stood at every look but few, told by
        the text before it that always stood: those between the two turn with it.
        """
        if not self._noise.slots or len(after) > SLOGAN or self._noise.is_checked(block) or _is_linked(block, after):
            return False
        if is_money(after) or holds_date(after) or holds_number(after) or self._returning.is_of_states(before, after):
            return False
        place = position(self._noise, self._delta, block, after)
        changes, share = past_of(self._noise, block.path, place) if place else Past()
        return changes >= TICKS and share >= TURNING

    def _never_rests(self, block: PageBlock, part: MovedPart, before: str, after: str) -> bool:
        if part.is_number and part.within != (before, after) and tick_form(*part.within) not in ("", "time"):
            return True
        changes, share = past_of(self._noise, block.path, part.key)
        if changes < SOON:
            return False
        if part.is_number:
            return share >= RESTLESS and not self._is_appointed(block, part, before, after)
        return self._turns(block, part, changes, share)

    def _goes_with_them(self, block: PageBlock, part: MovedPart, before: str, after: str) -> bool:
        """Whether a number is one of several that are others at nearly every look, and was another one at many."""
        changes, share = past_of(self._noise, block.path, part.key)
        return changes > 0 and share >= KNOWN and not self._is_appointed(block, part, before, after)

    def _is_appointed(self, block: PageBlock, part: MovedPart, before: str, after: str) -> bool:
        """Whether a number is a sum, a term, a limit, part of a result, of a state or of an entry of a list that is a
        link to something else than before: lists pass on ("Release 8.3", "Release 8.4").
        """
        start, end = part.span
        if block.link_weight and self._kind.owns(block) and self._in_new_link(block, part.after, after):
            return True
        if _RESULT.search(after, max(0, start - BESIDE), end + BESIDE):
            return True
        if self._kind.owns(block) and self._returning.is_of_states(before, after):
            return True
        said, _, behind = part.within[1].partition(part.after)
        beside = _PAUSE.split(said)[-1], _UNIT.sub("", _PAUSE.split(behind)[0])
        return is_limited(*beside) or self._restless.is_term(before, after)

    def _in_new_link(self, block: PageBlock, number: str, line: str) -> bool:
        """Whether a number stands in a link of a line that led nowhere from the page before."""
        before = self._delta.shown_before
        return any(
            kind == "link" and number in text and text in line and f"\x1elink {plain_address(address)}" not in before
            for kind, text, address in block.items
        )

    def _turns(self, block: PageBlock, part: MovedPart, changes: int, share: float) -> bool:
        """Whether a text that is another one at every look says nothing by that."""
        said, noise = part.after, self._noise
        if noise.is_checked(block) or (self._kind.listing and self._kind.owns(block)):
            return False
        if is_money(said) or holds_date(said) or _is_linked(block, said):
            return False
        if self._returning.is_of_states(part.before, said):
            return False
        known = self._known(said)
        if part.is_list:
            if len(said) > LISTED or _STOPS.search(said):
                return False
            return share >= KNOWN and (known == 1.0 or (changes >= TICKS and known >= KNOWN))
        if len(said) > SLOGAN or (known < 1.0 and is_sentence(said)):
            return False
        return share >= KNOWN and (known == 1.0 or (changes >= TICKS and share >= TURNING))

    def _known(self, said: str) -> float:
        """Which part of the words of a text was on the page before."""
        words = word_numbers(said)
        return 1.0 - self._noise.unseen_words(without(words, self._delta.page_words[0])).size / max(1, words.size)


def _is_linked(block: PageBlock, said: str) -> bool:
    return bool(block.link_weight) and any(kind == "link" and text and text in said for kind, text, _ in block.items)
