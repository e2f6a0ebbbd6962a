"""What happened to each text of a page: new, gone, edited; or only moved, ticking, rotating. And why it counts or not.

Noise is what differs between two fetches seconds apart, ticks, or returns. News is what was never said before. How
often a text changes decides nothing by itself:

    new        came, and was never on the page            rotating   came back, or goes where most others came back
    gone       left, and not at the end of a list         ticking    a clock, age, counter, identifier; or a part that
    edited     the same text says something else                     changes at most looks and is no price, term or date
    returned   came back where hardly anything changes    moved      was elsewhere on the page, left the end of a list,
                                                                     or came from the page of the list before

A new entry of a list is news, however few words it has (`own_order`). Boxes that are no part of what the page says do
not count, alarms always do (`notices`).
"""

from collections.abc import Sequence
from typing import Final

from strandline.core.blocks.tree import PageBlock, plain_address
from strandline.core.blocks.words import words
from strandline.core.changes.delta.carried import noise_place
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.edits.binding import (
    MADE_OF,
    is_choice,
    is_contract,
    is_ingredient,
    other_limit,
    other_sum,
    sentence_weight,
)
from strandline.core.changes.edits.meaning import edit_weight, tells_end
from strandline.core.changes.edits.said import (
    DECISIVE,
    HOURS,
    PRICE,
    RENUMBERED,
    SHORT,
    is_label,
    is_turned,
    said,
    says_another,
)
from strandline.core.changes.edits.sentence_meaning import SLIGHT
from strandline.core.changes.noise.creeping import set_back
from strandline.core.changes.noise.in_step import row_form
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.notices import TOPICS, box_of, is_alarm, is_grave, may_alarm, tells_state
from strandline.core.changes.page.own_order import OwnOrder, order_of
from strandline.core.changes.page.page_kind import LISTED, PageKind
from strandline.core.changes.page.returning import Returning
from strandline.core.changes.page.standing_times import StandingTimes
from strandline.core.changes.score.item_change import ItemChange, ItemKind
from strandline.core.changes.score.restless import Restless
from strandline.core.changes.words.bylines import without_byline
from strandline.core.changes.words.corrections import is_correction
from strandline.core.changes.words.counters import is_sentence
from strandline.core.changes.words.currencies import holds_price, other_currency
from strandline.core.changes.words.figures import is_bare, moves_as_a_whole
from strandline.core.changes.words.glued import unglued
from strandline.core.changes.words.labels import is_labelled
from strandline.core.changes.words.moving_parts import as_old_as
from strandline.core.changes.words.opening_hours import hours_of, other_hours
from strandline.core.changes.words.page_title import is_other_headline
from strandline.core.changes.words.price_columns import is_price_cell
from strandline.core.changes.words.same_text import is_same_text
from strandline.core.changes.words.ticking import FORMS, is_dated, tick_form
from strandline.core.changes.words.told_lists import names_document
from strandline.core.changes.words.voices import VOICE, is_taker, is_voice
from strandline.core.changes.words.weather_lines import is_weather_line, tells_weather
from strandline.core.kept_property import kept_property

LIMIT: Final = 0.4
"""Weight of another limit in small print, or of another choice of a form. Origin: a guess, less than in the text."""
CORRECTION: Final = 0.7
"""Weight of a notice that something said before was wrong. Origin: a guess, that of another date or name."""
ENDED: Final = 0.5
"""Weight of a text that says something cannot be had any more, or of one that said so. Origin: a guess."""
HEADLINE: Final = 0.5
"""Weight of another headline above a text. Origin: a guess."""
ENTRY: Final = 0.33
"""Weight of a new entry of a list: what people watch lists for. Origin: a guess."""
BESIDE: Final = "in a list beside what the page is about"
"""Why it counts nothing. Origin: a definition."""
IDLE: Final = {RENUMBERED: "says the same in other signs", "counter": FORMS["counter"]}
"""Kinds of edits that say nothing, and why. Origin: a definition."""
GONE: Final = 0.12
"""Weight of an entry that is gone from a list, none having come. Origin: a guess, less than that of a new one."""
WITHDRAWN: Final = 0.25
"""Weight of a document that is gone from a list, or of a row with a price from a table. Origin: a guess."""
MOST_ENTRIES: Final = 3
"""Entries of a page that weigh so much; more of them count by their words. Origin: a guess."""
BACK: Final = 0.15
"""Weight of a text that is back where hardly anything changes. Origin: a guess."""
AGAIN: Final = 0.1
"""Weight of one that leaves again, of which no word is a loss. Origin: a guess, that of a short sentence."""
STATE: Final = 0.15
"""Weight of a few words that took the place of others: a state, a name, an entry. Origin: a guess."""
HEADED: Final = 18
"""Words of a headline, at most. Origin: a guess."""
EDITED: Final = 0.04
"""What an edit of the page's own text weighs at least, if it is more than typography. Origin: a guess."""
TOLD: Final = 8
"""Texts of a block that are told one by one. Origin: a bound on memory."""


class ItemJudge:
    """Judges the touched texts of a page, block by block."""

    def __init__(self, delta: Delta, noise: NoiseState, kind: PageKind) -> None:
        self._delta = delta
        self._noise = noise
        self._kind = kind
        self._returning = Returning(delta, noise, kind)
        self._times = StandingTimes(delta, noise, kind)
        self._restless = Restless(delta, noise, kind, self._returning)
        self._entries_left = MOST_ENTRIES

    def judge(self, block: PageBlock, before: str, after: str, figures: bool, weigh: bool = True) -> ItemChange:
        """What happened to one text of a block; `figures` says whether numbers are what the block is about. What an
        edit says has not to be weighed in a block of which others say enough.
        """
        if block.link_weight and self._kind.lists_beside(block.path, after or before):
            kind: ItemKind = "edited" if before and after else "new" if after else "gone"
            return ItemChange(kind, before, after, False, BESIDE)
        if self._restless.is_lone_voice(before, after):
            return ItemChange("ticking", before, after, False, "what somebody said, in the place of somebody else")
        if is_taker(after or before) and (not before or is_taker(before)):
            return ItemChange("ticking", before, after, False, "somebody who took part")
        if before and after:
            return self._altered(block, before, after, figures, weigh)
        return self._came(block, after, weigh) if after else self._left(block, before, weigh)

    def _altered(self, block: PageBlock, before: str, after: str, figures: bool, weigh: bool) -> ItemChange:
        """What happened to a text that is another now, without what was written together and what the clock moved."""
        if self._restless.is_daily(block, after):
            return ItemChange("ticking", before, after, False, "another one every day")
        old, new = (before, after) if unglued(after) == after else (unglued(before), unglued(after))
        if not tick_form(old, new) and (aged := as_old_as(old, new)) != new and is_same_text(old, new):
            new = aged
        if moments := self._delta.moments:
            aged, new = new, set_back(old, new, moments)
            if new == old and new != aged:
                return ItemChange("ticking", before, after, False, "moves with the clock")
            if new != aged:
                if self._noise.seen_text(after):
                    return ItemChange("rotating", before, after, False, "was shown before")
                if not is_same_text(old, new):  # what stands beside a clock is another text
                    return ItemChange("edited", before, after, True, "", EDITED)
        found = self._edited(block, old, new, figures, weigh)
        return found if old is before and new is after else found._replace(before=before, after=after)

    def _ticking(self, block: PageBlock, before: str, after: str, figures: bool) -> tuple[str, bool]:
        """Why a text ticks, by its form, if it does; and whether it is a time that stands."""
        form = "" if figures and is_bare(after) else tick_form(before, after)
        stands = bool(form) and self._times.stand(form, block, before, after, figures)
        if form and not stands:
            return FORMS[form], False
        own = self._kind.owns(block)
        if own and self._restless.is_measured(block, before, after):
            return FORMS["reading"], False
        if self._restless.counts_up(block, before, after):
            return FORMS["counter"], False
        if is_weather_line(before, after) or (tells_weather(after) and self._restless.is_turning(block, after)):
            return FORMS["reading"], False
        listed = block.linked >= LISTED or self._kind.listing or not own
        if listed and not figures and is_bare(after) and not self._is_choice(block, before, after):
            return "a number in a list", False
        return "", stands

    def _edited(self, block: PageBlock, before: str, after: str, figures: bool, weigh: bool) -> ItemChange:
        noise, own = self._noise, self._kind.owns(block)
        # A cell of a table; what has a label says what it is, and so does a sentence.
        figures = figures and not (is_labelled(after) or is_sentence(after))
        why, stands = self._ticking(block, before, after, figures)
        if why:
            return ItemChange("ticking", before, after, False, why)
        back = noise.seen_item(after)
        alike = is_same_text(before, after) or other_currency(before, after)
        counts = alike and (not figures or block.path in self._leading)
        counts = counts or (not figures and row_form(before) == row_form(after))  # a rise that is a fall now
        if found := self._moves_with_others(block, before, after, counts):
            return found
        ticks = (not figures or moves_as_a_whole(before, after)) and noise.ticks(block.path, before, after)
        kind, weight, lasting = "", 0.0, False
        headed = self._is_headline(block, before, after)
        says = own or headed or (alike and self._kind.may_own(block))
        if says and (weigh or ticks or back) and (alike or (not self._kind.listing and is_turned(before, after))):
            kind, weight, lasting = self._said(block, before, after, figures)
        if kind in IDLE:
            return ItemChange("ticking", before, after, False, IDLE[kind])
        why = self._restless.why(block, (before, after), kind, sure=lasting) if ticks else ""
        if why or (own and alike and not lasting and (why := self._restless.of_its_label(block, before, after))):
            return ItemChange("ticking", before, after, False, why)
        if not alike and own and not self._kind.listing and self._restless.is_turning(block, after):
            return ItemChange("rotating", before, after, False, "another one at every look")
        if (
            back
            and (weight < DECISIVE or not alike)
            and not (own and self._returning.means_to_return(block, before, after))
        ):
            return ItemChange("rotating", before, after, False, "was shown before")
        if not weigh:
            return ItemChange("edited", before, after, True, kind, weight)
        if headed and kind not in SLIGHT:
            return ItemChange("edited", before, after, True, kind, max(HEADLINE, weight), "title")
        if not own and not back and self._binds_beside(block, before, after):
            return ItemChange("edited", before, after, True, "a limit or a choice", LIMIT, "alarm")
        least = self._least(before, after) if own and kind not in SLIGHT else 0.0
        least = max(least, BACK * (own and back and not alike and self._returning.alternates(block, after)))
        comes = own and not back and not alike
        least = max(least, self._told_whole(block, after) if comes else 0.0)
        if comes and max(least, weight) < ENTRY and self._is_entry(block, before, after):
            return ItemChange("edited", before, after, True, "a new entry", ENTRY, "entry")
        certain = stands or lasting or not figures or noise.mostly_still(noise_place(block))
        counted = not certain and not other_hours(before, after)
        return ItemChange("edited", before, after, True, kind, least if counted else max(least, weight))

    @kept_property
    def _leading(self) -> frozenset[str]:
        """Places with links: rows of numbers there belong to what they lead to."""
        return frozenset(block.path for block in self._delta.new.blocks if block.linked)

    def _moves_with_others(self, block: PageBlock, before: str, after: str, counts: bool) -> ItemChange | None:
        """What happened to a text that is one of many which move together, or of voices in turn, if so."""
        own = self._kind.owns(block)
        if not own and is_voice(after) and not is_same_text(before, after):
            return ItemChange("rotating", before, after, False, VOICE)
        if own and self._kind.later and self._order.came_with_others(after):
            return ItemChange("moved", before, after, False, "came from the page of the list before")
        if counts and self._noise.moves_in_step(block.path, before, after):
            return ItemChange("ticking", before, after, False, "one of many that are others at every look")
        return None

    def _is_headline(self, block: PageBlock, before: str, after: str) -> bool:
        return is_other_headline(block, (before, after), (self._delta.old, self._delta.new))

    def _said(self, block: PageBlock, before: str, after: str, figures: bool) -> tuple[str, float, bool]:
        """What an edit of the page's own text changes in what is said, as `_said`; of a cell of a table and of a list
        of ingredients by what stands above it.
        """
        if figures and is_price_cell(*self._times.states_of(block), before, after):
            return "money", PRICE, True
        kind, weight, lasting = said(before, after, self._delta.language)
        if weight >= DECISIVE or self._kind.listing or kind in SLIGHT:
            return kind, weight, lasting
        if kind in ("added", "removed"):
            edit = edit_weight(before, after, self._delta.language)
            return kind, sentence_weight(edit.after or edit.before, self._delta.language, self._contract), False
        if max(len(before), len(after)) <= SHORT and is_ingredient(block.texts, after):
            return "ingredient", MADE_OF, False
        return kind, weight, lasting

    @kept_property
    def _contract(self) -> bool:
        """Whether the page binds somebody, as its title or heading says."""
        return is_contract([self._delta.new.title, self._headline])

    def _binds_beside(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a text of small print tells another limit, or one of a form offers something else."""
        if block.role == "footer":
            return other_limit(before, after, self._delta.language)
        if self._is_choice(block, before, after):
            return True
        if block.role != "form" or not (is_same_text(before, after) or is_turned(before, after)):
            return False
        return other_sum(before, after) or said(before, after, self._delta.language)[2]

    def _is_choice(self, block: PageBlock, before: str, after: str) -> bool:
        return block.role == "form" and is_choice(*self._times.states_of(block), before, after)

    def _least(self, before: str, after: str) -> float:
        """What an edit of the page's own text weighs at least."""
        if self._kind.listing:
            return EDITED
        language = self._delta.language
        if _are_closed(before, after, language) or _are_closed(after, before, language):
            return HOURS
        if tells_end(before, language) != tells_end(after, language):
            return ENDED
        if is_label(before) and is_label(after) and says_another(words(before), words(after)):
            return STATE
        if words(before) != words(after) and tells_state(before, language) and tells_state(after, language):
            return STATE
        heads = after == self._headline and HEADED >= len(after.split()) > 1
        return HEADLINE if heads and not after.endswith(".") else EDITED

    @kept_property
    def _headline(self) -> str:
        """What the page's own part begins with, if more follows."""
        first = next((block for block in self._delta.new.blocks if block.texts and self._kind.owns(block)), None)
        return first.texts[0] if first and len(first.texts) > 1 and first.lead == first.texts[0] else ""

    def _is_entry(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a text is an entry that came to a list of the page's own, or took the place of another one."""
        if after not in self._order.entries or not self._entries_left:
            return False
        if self._is_beside(block, self._order.texts_of(after)):
            return False
        if before and not self._kind.listing and is_turned(before, after):
            return False  # a state, not an entry
        if before and before.startswith(without_byline(after)):
            return False  # only what stands behind its headline is another
        self._entries_left -= 1
        return True

    def _came(self, block: PageBlock, text: str, weigh: bool) -> ItemChange:
        noise, own, language = self._noise, self._kind.owns(block), self._delta.language
        if noise.seen_text(text) and (noise.seen_item(text) or not (own and self._is_another(block, text))):
            if not self._returning.is_put_up_again(block, text, True):
                return ItemChange("rotating", "", text, False, "was shown before")
            if not own:
                return ItemChange("returned", "", text, True, "an alarm", ENDED, "alarm")
            weight = max(BACK, self._told_whole(block, text))
            return ItemChange("returned", "", text, True, "is back after it had left", weight)
        if text in self._delta.shown_before:
            return self._came_again(text, own and weigh)
        if self._is_headline(block, "", text):
            return ItemChange("new", "", text, True, "the title of the page", HEADLINE, "title")
        if not own:
            return self._came_beside(block, text)
        if self._kind.later and self._order.came_with_others(text):
            return ItemChange("moved", "", text, False, "came from the page of the list before")
        if box := self._order.boxes_that_came.get(text, ""):
            return ItemChange("new", "", text, False, box)
        if not weigh:
            return ItemChange("new", "", text, True, "was never on the page")
        if is_correction(text, language):
            return ItemChange("new", "", text, True, "a correction", CORRECTION)
        weight = self._told_whole(block, text)
        if weight < ENTRY and self._is_entry(block, "", text):
            return ItemChange("new", "", text, True, "a new entry", ENTRY, "entry")
        return ItemChange("new", "", text, True, "was never on the page", weight)

    def _came_beside(self, block: PageBlock, text: str) -> ItemChange:
        if box := self._box_beside(block, text):
            return ItemChange("new", "", text, False, box)
        if may_alarm(block) and is_alarm(text, self._delta.language):
            return ItemChange("new", "", text, True, "an alarm", ENDED, "alarm")
        return ItemChange("new", "", text, True, "was never on the page")

    def _came_again(self, text: str, may_be_entry: bool) -> ItemChange:
        """What happened to a text that stands elsewhere, too: it is a cell of a new row, or says nothing new."""
        if may_be_entry and self._entries_left and self._order.starts_known_row(text):
            self._entries_left -= 1
            return ItemChange("new", "", text, True, "a new entry", ENTRY, "entry")
        return ItemChange("moved", "", text, False, "is elsewhere on the page, too")

    def _is_another(self, block: PageBlock, text: str) -> bool:
        """Whether a text that differs from an earlier one in a date or number only is another entry all the same."""
        if is_dated(text):
            return True
        links = (item[2] for item in block.items if item[0] == "link" and item[1] == text)
        places = {plain_address(address) for address in links}
        return any(
            f"\x1elink {place}" not in self._delta.shown_before and not self._noise.seen_item(place) for place in places
        )

    def _box_beside(self, block: PageBlock, text: str) -> str:
        """What a text is that belongs to a box beside the page's own part which has no name to tell it by."""
        if is_voice(text):
            return VOICE
        return "" if block.hint or not may_alarm(block) else TOPICS.get(box_of(text, self._delta.language), "")

    def _left(self, block: PageBlock, text: str, weigh: bool) -> ItemChange:
        noise, own = self._noise, self._kind.owns(block)
        known = noise.left_before(text)
        if known and not self._returning.is_put_up_again(block, text, False):
            return ItemChange("rotating", text, "", False, "comes and goes")
        if box := self._order.boxes_that_left.get(text) if own else not block.hint and self._box_beside(block, text):
            return ItemChange("gone", text, "", False, box)
        if not own and may_alarm(block) and is_alarm(text, self._delta.language):
            return ItemChange("gone", text, "", True, "an alarm that is over", ENDED, "alarm")
        listed = own and (self._kind.listing > 0 or self._kind.later)
        # Where others came, it was pushed off; else it was taken out.
        if listed and (self._kind.later or self._order.grew) and not self._order.left_the_top(text):
            return ItemChange("moved", text, "", False, "left the list, not at its top")
        weight = self._told_whole(block, text) if weigh else 0.0
        if known and own and self._returning.is_notice(block, text, False):
            weight = max(weight, AGAIN)
        elif own and weigh and weight < DECISIVE and (gone := self._gone_entry(block, text)):
            return ItemChange("gone", text, "", True, "an entry is gone", max(weight, gone), "entry")
        return ItemChange("gone", text, "", True, "left the page", weight)

    def _gone_entry(self, block: PageBlock, text: str) -> float:
        """What a text weighs that named an entry of a list: a document or a row of a table of prices most."""
        entry = self._order.gone.get(text)
        if entry is None or not self._entries_left or self._is_beside(block, entry):
            return 0.0
        self._entries_left -= 1
        change = self._times.changes.get(id(block))
        earlier = change.old if change and change.old else block
        priced = block.linked < LISTED and any(map(holds_price, entry))
        return WITHDRAWN if priced or names_document(earlier, text) else GONE

    def _is_beside(self, block: PageBlock, entry: Sequence[str]) -> bool:
        """Whether an entry is one of a list of links on a page of long texts: no goods, and not what it is about."""
        return self._kind.prose and block.linked >= LISTED and not any(map(holds_price, entry))

    def _told_whole(self, block: PageBlock, text: str) -> float:
        """The weight of a whole text of a page's own that says something ended, is dangerous, or binds somebody."""
        if self._kind.listing or not self._kind.owns(block):
            return 0.0
        if is_grave(text, self._delta.language):
            return ENDED
        if tells_state(text, self._delta.language):
            return STATE
        weight = sentence_weight(text, self._delta.language, self._contract)
        return weight if weight >= DECISIVE else 0.0

    @kept_property
    def _order(self) -> OwnOrder:
        return order_of(self._delta, self._noise, self._kind, self._times.own_texts)


def _are_closed(hours: str, state: str, language: str) -> bool:
    """Whether one text tells hours and the other none, but that it is closed, or open."""
    return bool(hours_of(hours)) and not hours_of(state) and tells_state(state, language)
