"""What differs between two fetches of a page seconds apart, as narrowly as it can be told.

Where the page stands in one part (`<main>` and nothing else), all of its blocks have the same place. A counter among
them must not make noise of the price beside it, so a place differs only when most of its blocks do; of a single block
what differs is known by the text it stands behind.
"""

from collections import Counter
from collections.abc import Iterator

from strandline.core.changes.delta.carried import noise_place
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import mostly_changed, touched_texts
from strandline.core.changes.noise.spots import spots_of
from strandline.core.changes.words.same_text import is_same_text


def differing_places(delta: Delta) -> set[str]:
    """The places most blocks of which are others, mostly, at the second fetch."""
    others = Counter(noise_place(change.block) for change in delta.changes if change.content and mostly_changed(change))
    if not others:
        return set()
    gone = [change.block for change in delta.changes if change.new is None]
    there = Counter(noise_place(block) for block in (*delta.new.blocks, *gone))
    return {place for place, count in others.items() if 2 * count > there[place]}


def turning_spots(delta: Delta) -> Iterator[tuple[str, str]]:
    """Where a wholly different text took the place of another: the path of its block, and the text before it. What
    only came is no such text: somebody may have published it just then.
    """
    spots = spots_of(delta)
    for change, texts, _ in touched_texts(delta):
        for before, after in texts if change.new else ():
            if before and after and not is_same_text(before, after):
                yield change.block.path, spots.before(change.block, after)
