"""What a page does by itself: which of its blocks always change, what was shown before, what two fetches disagree on.

Noise is learned for each page. How often a block changes tells noise from news only beside the page's own text:

    volatility        p = (c + a) / (n + 1.5) after n comparisons with c changes of a path; beyond 40 comparisons the
                      past fades by .975 each time. Steadiness v = (1 - p)^3 discounts the block's changes. Before much
                      is known, a = .5 stands for text and up to 1 for lists of links: headlines beside a text rotate.
    seen before       words and items that left the page; when they return (rotating quotes, carousels, two layouts
                      served in turn) they are no news
    rotation          of the texts that came to a path, those that were on the page earlier: where most are, the next
                      one that is new is hardly news, it is only met for the first time
    stays             how long a text stood each time it came, and how long it was away (`stays`): a notice that is put
                      up again is no rotation
    spots             where texts come back, or are replaced by wholly different ones, told by what stands before them
                      (`spots`): a box that rotates beside a list in one block
    rows              lists most rows of which are others in their numbers at every look (`in_step`)
    slots             the part of a text that changes while the rest of it stays; one that changed at least three times,
                      and at most looks, ticks; and parts of lines, each by itself (`parts_past`)
    double fetch      two fetches seconds apart; blocks that differ mostly are masked, and so are texts that keep the
                      same words around a changing part; what they showed on other pages of the site (`site_noise`)
                      holds here, too
    unstable names    ids or classes that differ on a block with the same content: they are dropped from its path, or
                      its history would be lost at every fetch
    ratings           what users called noise, or called important

A `NoiseState` belongs to one page and is changed in place; `as_bytes` keeps it in a few hundred bytes to a few
kilobytes. Paths, items and words are kept as hashes only.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from strandline.core.blocks.tree import PageBlock, hashed, plain_address
from strandline.core.blocks.word_numbers import WordNumbers, without, word_numbers
from strandline.core.changes.delta.carried import LINKS, noise_place
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import says_something, touched_texts
from strandline.core.changes.delta.unstable_names import StablePaths, changing_names
from strandline.core.changes.noise.double_fetch import differing_places, turning_spots
from strandline.core.changes.noise.in_step import ROW, row_form, rows_in_step
from strandline.core.changes.noise.noise_storing import FIELDS, RATINGS, forget_oldest, noise_fields, stored_noise
from strandline.core.changes.noise.parts_past import parts_moved
from strandline.core.changes.noise.spots import Spots, spots_of
from strandline.core.changes.noise.stays import Stay, is_steady
from strandline.core.changes.words.figures import is_bare, is_money
from strandline.core.changes.words.link_lists import Texts
from strandline.core.changes.words.same_text import is_same_text, is_slot, kept_words
from strandline.core.changes.words.ticking import settled_text, tick_form

Rating = Literal["noise", "matters"]

MEMORY: Final = 40.0
"""Comparisons after which the past fades. Origin: a guess; tried as a whole on policy pages, docs/changes.md."""
FADING: Final = 0.975
"""What is kept of it each time after that. Origin: a guess; tried as a whole on policy pages, docs/changes.md."""
MOST_ITEMS: Final = 50_000
"""Texts, links and pictures of a page that are remembered. Origin: a bound on memory."""
MOST_WORDS: Final = 50_000
"""Words of a page that are remembered. Origin: a bound on memory."""
MOST_PATHS: Final = 4_000
"""Places of a page that are remembered; beyond it, the half met most often stays. Origin: a bound on memory."""
MOST_SLOTS: Final = 1_000
"""Changing parts of texts that are remembered. Origin: a bound on memory."""
MOST_STAYS: Final = 400
"""Texts whose coming and leaving is remembered. Origin: a bound on memory."""
TICKS: Final = 3
"""Changes from which a slot may tick. Origin: a guess."""
TICKING: Final = 0.6
"""Part of the looks since its first change at which a slot that ticks had changed. Origin: a guess."""
SURELY: Final = 4
"""Changes from which one may tick that is a number with a unit, or a date. Origin: a guess."""
RESTLESS: Final = 0.85
"""Part of the looks since its first change at which such a one, or a spot that shows another text at every look, had
changed. Origin: a guess."""
ONCE: Final = 0.5
"""Changes that may be missing besides: by chance a number is the same at two looks. Origin: a guess."""
STOOD: Final = 3.0
"""Looks at which nothing changed after which a block is known to stand still. Origin: a guess."""
STILL: Final = 0.25
"""Part of the looks at which a block may have changed and still is one that stands still. Origin: a guess."""
ROTATES: Final = 0.5
"""Part of what comes to a place that was there before, from which on it rotates. Origin: a guess."""
_HALF: Final = np.uint64(32)
"""Bits of a word's number that are dropped. Origin: a definition."""


def steadiness(history: tuple[float, float], linked: float = 0.0) -> float:
    """In [0, 1], of a block compared and changed so often: 1 if it never changes by itself, near 0 if it always does.

    >>> round(steadiness((0.0, 0.0)), 3), round(steadiness((20.0, 0.0)), 3), round(steadiness((20.0, 20.0)), 4)
    (0.296, 0.932, 0.0001)
    """
    known, changed = history
    return (1.0 - (changed + 0.5 + 0.5 * linked) / (known + 1.5)) ** 3


@dataclass(slots=True)
class NoiseState:
    """What was learned about one page's own noise."""

    comparisons: int = 0
    paths: dict[int, tuple[float, float]] = field(default_factory=dict)  # path -> comparisons, changes
    items: dict[int, None] = field(default_factory=dict)  # texts and addresses that left the page
    words: dict[int, None] = field(default_factory=dict)  # words that left the page
    masked_paths: set[int] = field(default_factory=set)
    masked_texts: set[int] = field(default_factory=set)
    unstable: set[int] = field(default_factory=set)
    ratings: dict[int, Rating] = field(default_factory=dict)
    double_fetches: int = 0
    held: int = 0  # blocks, and one, of a version whose collapse is not yet believed; 0: none
    arrivals: dict[int, tuple[float, float]] = field(default_factory=dict)  # path -> texts that came: new, seen before
    slots: dict[int, tuple[int, int]] = field(default_factory=dict)  # slot -> comparison of its first change, changes
    stays: dict[int, Stay] = field(default_factory=dict)  # texts that came or left last

    noisy_elsewhere: Set[int] = field(default=frozenset(), compare=False)  # paths, as the site's other pages showed
    steady_elsewhere: Set[int] = field(default=frozenset(), compare=False)

    _settled: dict[str, int] = field(default_factory=dict, compare=False, repr=False)  # paths worked out before
    _stable: StablePaths = field(default_factory=StablePaths, compare=False, repr=False)

    # Paths

    def settled(self, path: str) -> int:
        """Hash of a path without the names that were seen to change between fetches."""
        known = self._settled.get(path)
        if known is None:
            if len(self._settled) >= MOST_PATHS:
                self._settled.clear()
            bare = path.removesuffix(LINKS)
            known = self._settled[path] = hashed(f"{self._stable.of(bare, self.unstable)}{path[len(bare) :]}")
        return known

    def history(self, path: str) -> tuple[float, float]:
        """How often a path was compared, and how often it had changed."""
        known = self.paths.get(self.settled(path))
        return (self._never_changed, 0.0) if known is None else known

    @property
    def _never_changed(self) -> float:
        """How often a page was compared that never changed: then all of it stood still as often."""
        return 0.0 if self.paths else min(float(self.comparisons), MEMORY)

    # What was seen before

    def unseen_words(self, words: WordNumbers) -> WordNumbers:
        """Those of the words that were not on the page earlier."""
        if not self.words or not words.size:
            return words
        seen = list(map(self.words.__contains__, _short(words)))
        return words[~np.array(seen)] if any(seen) else words

    def seen_item(self, text: str) -> bool:
        """True for a text or address that was on the page earlier and left it."""
        return bool(self.items) and hashed(text) in self.items

    def seen_text(self, text: str) -> bool:
        """The same for a text that came to the page, whatever it counts or says of its age."""
        form = settled_text(text) if self.items else text
        return self.seen_item(text) or (form != text and self.seen_item(form))

    def left_before(self, text: str) -> bool:
        """The same for one that leaves the page: what only said another age of it before never left."""
        return bool(self.items) and self.seen_item(settled_text(text))

    def rotation(self, path: str) -> float:
        """In [0, 1]: of the texts that come to a path, how many were there before."""
        new, back = self.arrivals.get(self.settled(path), (0.0, 0.0))
        return back / (new + back + 1.0)

    def ticks(self, path: str, before: str, after: str, least: int = TICKS, share: float = TICKING) -> bool:
        """True for a part of a text that changed at most looks while the rest of it stayed."""
        if not self.slots or not is_slot(before, after):
            return False
        since, changes = self.slots.get(self._frame(path, before, after), (0, 0))
        return changes >= least and changes + ONCE >= share * (self.comparisons - since)

    def never_rests(self, path: str, before: str, after: str) -> bool:
        """The same of one that changed at every look but few: no term, and no date that anybody appoints."""
        return self.ticks(path, before, after, SURELY, RESTLESS)

    def moves_in_step(self, path: str, before: str, after: str) -> bool:
        """True for a row of a list most rows of which were others, in their numbers, at every look but few."""
        if not self.slots or len(after) > ROW or (form := row_form(after)) == after or row_form(before) != form:
            return False
        since, changes = self.slots.get(self._row(path, form, all_move=is_money(after)), (0, 0))
        return changes >= SURELY and changes + ONCE >= RESTLESS * (self.comparisons - since)

    def _row(self, path: str, form: str, all_move: bool) -> int:
        return hashed(f"{self._stable.of(path, self.unstable)}\x1d{form}\x1d{all_move}")

    def stood_still(self, block: PageBlock, before: str, after: str, looks: float = STOOD) -> bool:
        """True for a part of a text that was looked at several times and is another now for the first time."""
        return self.history(noise_place(block))[0] >= looks and self._frame(block.path, before, after) not in self.slots

    def mostly_still(self, path: str) -> bool:
        """True for a block that was looked at several times and hardly ever changed."""
        known, changed = self.history(path)
        return known >= STOOD and changed <= STILL * known

    def rotates(self, path: str) -> bool:
        """True for a place to which at least every other text that comes was there before."""
        return self.rotation(path) >= ROTATES

    def rarely_returns(self, path: str) -> bool:
        """True for a place that hardly ever changes and does not rotate: what comes back to it was brought back."""
        return self.mostly_still(path) and not self.rotates(path)

    def comes_and_goes_steadily(self, text: str) -> bool:
        """True for a text that comes back, or leaves again, and stood and was away for several looks each time."""
        stay = self.stays.get(hashed(text))
        return stay is not None and is_steady(stay.turn(self.comparisons + 1))

    def rotates_at(self, path: str, before: str) -> bool:
        """True for a spot at which texts came back; and for any of a place that rotates, unless what stands before it
        never came or left: then the place rotates elsewhere.
        """
        spot = self._spot(path, before)
        if spot in self.arrivals:
            return True
        return not before or hashed(before) in self.stays

    def is_restless_at(self, path: str, before: str) -> bool:
        """True for a spot at which a wholly different text stands at most looks."""
        since, changes = self.slots.get(self._spot(path, before), (0, 0))
        return changes >= TICKS and changes >= RESTLESS * (self.comparisons - since)

    def _spot(self, path: str, before: str) -> int:
        return hashed(f"{self._stable.of(path, self.unstable)}\x1e{before}")

    def few_alternate(self, path: str, most: int) -> bool:
        """True for a place that does not rotate, or to which at most so many texts ever came."""
        return not self.rotates(path) or self.arrivals.get(self.settled(path), (0.0, 0.0))[0] <= most

    # Masks and ratings

    def is_masked(self, block: PageBlock) -> bool:
        """True for a block that differs, mostly, between two fetches seconds apart."""
        if not self.masked_paths and not self.noisy_elsewhere:
            return False
        path = self.settled(noise_place(block))
        return path in self.masked_paths or (not self.double_fetches and path in self.noisy_elsewhere)

    def is_checked(self, block: PageBlock) -> bool:
        """True for a block of which two fetches seconds apart would have shown that it is noise."""
        return self.double_fetches > 0 or self.settled(noise_place(block)) in self.steady_elsewhere

    def is_masked_text(self, path: str, before: str, after: str, stands: str) -> bool:
        """True where two fetches seconds apart differ in this part of a text, or in all of it behind what `stands`."""
        same, masked = is_same_text(before, after), self.masked_texts
        return self._frame(path, before, after) in masked or (not same and self._spot(path, stands) in masked)

    def _frame(self, path: str, before: str, after: str) -> int:
        """What stays in a text while a part of it changes, together with its place."""
        return hashed(f"{self._stable.of(path, self.unstable)}\x1f{kept_words(before, after)}")

    def rating(self, path: str) -> Rating | None:
        """What a user said about changes of a block."""
        return self.ratings.get(self.settled(path))

    def rate_block(self, path: str, rating: Rating) -> None:
        """Note that changes of a block are noise, or matter."""
        if rating not in RATINGS:
            raise ValueError(f"a rating is 'noise' or 'matters', not {rating!r}")
        self.ratings[self.settled(path)] = rating

    # Learning

    def learn(self, delta: Delta) -> None:
        """Take in one comparison of successive versions, after its importance was computed."""
        stood = self._never_changed
        self.comparisons += 1
        if renamed := changing_names(delta, self.unstable):
            self.unstable |= renamed
            self._settled.clear()
        changes = [change for change in delta.changes if change.content]
        changed = {self.settled(noise_place(change.block)) for change in changes}
        present = set(map(self.settled, {noise_place(block) for block in delta.new.blocks})) | changed
        self._count(present, changed, stood)
        if len(self.paths) > MOST_PATHS:
            self.paths = dict(sorted(self.paths.items(), key=lambda entry: -entry[1][0])[: MOST_PATHS // 2])
        spots = spots_of(delta)
        for slot in (*parts_moved(self, delta), *[self._row(*row) for row in rows_in_step(delta)]):
            self._count_slot(slot)
        for change, texts, _ in touched_texts(delta):
            self._learn_items(change.block, texts)
            if change.new:
                self._learn_spots(change.new, texts, spots)
        forget_oldest(self.slots, MOST_SLOTS)
        forget_oldest(self.arrivals, MOST_PATHS)
        forget_oldest(self.stays, MOST_STAYS)
        self._remember_departed(delta)

    def _learn_items(self, block: PageBlock, texts: Texts) -> None:
        """Note which texts came, or came back, and which parts of texts changed."""
        come = [
            after
            for before, after in texts
            if not (before and (not after or is_same_text(before, after))) and says_something(after)
        ]
        for before, after in texts:
            if before and after and tick_form(before, after) in ("", "time") and is_slot(before, after):
                self._count_slot(self._frame(block.path, before, after))
            if before != after and not (before and after and is_same_text(before, after)):
                self._turn(before, after)
        if come:
            back = sum(map(self.seen_text, come))
            key = self.settled(noise_place(block))
            known, returned = self.arrivals.get(key, (0.0, 0.0))
            if known + returned > MEMORY:
                known, returned = known * FADING, returned * FADING
            self.arrivals[key] = known + len(come) - back, returned + back

    def _learn_spots(self, block: PageBlock, texts: Texts, spots: Spots) -> None:
        """Note where texts came back, and where others were replaced by wholly different ones."""
        for before, after in texts:
            if not after or before == after:
                continue
            if before and is_same_text(before, after):
                if is_bare(before) and is_bare(after) and any(map(str.isalpha, stands := spots.before(block, after))):
                    self._count_slot(self._spot(block.path, stands))  # a number below its label: nothing else stays
                continue
            returned = self.seen_text(after)
            if before or returned:
                spot = self._spot(block.path, spots.before(block, after))
                if before:
                    self._count_slot(spot)
                if returned:
                    new, back = self.arrivals.pop(spot, (0.0, 0.0))
                    self.arrivals[spot] = new, min(back + 1.0, MEMORY)

    def _turn(self, left: str, came: str) -> None:
        """Note that a text left the page and another came; either may be empty."""
        for text, there in ((left, True), (came, False)):
            if text:
                key = hashed(text)
                stay = self.stays.pop(key, None)  # to the end: it is the latest now
                if stay is None or stay.there is not there:  # one that is unknown stood there from the beginning
                    stay = Stay(0) if there else None
                self.stays[key] = stay.turn(self.comparisons) if stay else Stay(self.comparisons)

    def _count_slot(self, slot: int) -> None:
        since, changes = self.slots.pop(slot, (self.comparisons - 1, 0))  # to the end: it is the latest now
        self.slots[slot] = since, changes + 1

    def learn_unchanged(self) -> None:
        """Take in a fetch that showed the same as the one before (same digest or visible hash): no block changed."""
        self.comparisons += 1
        self.held = 0
        self._count(self.paths, frozenset())

    def _count(self, present: Iterable[int], changed: Set[int], stood: float = 0.0) -> None:
        paths = self.paths
        for path in present:
            known, times = paths.get(path, (stood, 0.0))
            if known >= MEMORY:
                known, times = known * FADING, times * FADING
            paths[path] = (known + 1.0, times + (path in changed))

    def learn_same_twice(self) -> None:
        """Take in two fetches seconds apart that showed the same."""
        self.double_fetches += 1

    def learn_double_fetch(self, delta: Delta) -> None:
        """Take in two fetches seconds apart: what differs between them is noise."""
        self.double_fetches += 1
        if renamed := changing_names(delta, self.unstable):
            self.unstable |= renamed
            self._settled.clear()
        self.masked_paths.update(map(self.settled, differing_places(delta)))
        self.masked_texts.update([self._spot(path, stands) for path, stands in turning_spots(delta)])
        for change in delta.changes:
            for operation in change.content:
                if operation.element == "text" and operation.kind == "update":
                    self.masked_texts.add(self._frame(operation.block, operation.before, operation.after))
        self._remember_departed(delta)

    def _remember_departed(self, delta: Delta) -> None:
        touched = touched_texts(delta)
        left = [(before, after) for _, texts, _ in touched for before, after in texts if before]
        texts = [before for before, _ in left]
        self.items.update(dict.fromkeys(map(hashed, texts)))
        forms = [
            form
            for before, after in left
            if (form := settled_text(before)) != before and not (after and form == settled_text(after))
        ]
        self.items.update(dict.fromkeys(map(hashed, forms)))
        addresses = [
            operation.before
            for change in delta.changes
            for operation in change.content
            if operation.before and operation.element not in ("text", "block")
        ]
        self.items.update(dict.fromkeys(hashed(plain_address(address)) for address in addresses))
        if not texts:
            return
        departed = without(word_numbers("\n".join(texts)), delta.page_words[1])
        self.words.update(dict.fromkeys(_short(departed)))
        forget_oldest(self.items, MOST_ITEMS)
        forget_oldest(self.words, MOST_WORDS)

    # Storing

    def as_bytes(self) -> bytes:
        """The state in a compact form; `from_bytes` reads it."""
        return stored_noise({name: getattr(self, name) for name in FIELDS})

    @classmethod
    def from_bytes(cls, stored: bytes) -> "NoiseState":
        """The state that `as_bytes` wrote."""
        return cls(**noise_fields(stored))


def _short(words: WordNumbers) -> list[int]:
    """Words in half the room, for remembering."""
    found: list[int] = (words >> _HALF).tolist()
    return found
