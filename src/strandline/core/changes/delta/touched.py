"""The texts a change touched, block by block: what was before, what is after, and which of them belong together.

Inside a block `vidiff` has paired texts that share words. Over the whole page, texts that differ only in what ticks or
counts (`ticking`) belong together first: a line "12 points by ann" that moved to the next block of a list, and counts
13 there, is the same line. A text that took the place of another, between two that stayed, is an edit of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from operator import itemgetter
from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.words import word_set
from strandline.core.changes.delta.delta import BlockChange, Delta
from strandline.core.changes.words.link_lists import LINKED, Texts, by_entries
from strandline.core.changes.words.ticking import settled_text

FEW: Final = 6
"""Texts that others took the places of, one by one. Origin: a guess."""
FEWEST_OF_AN_EDIT: Final = 2
"""Texts of an edit that nothing tells by its words: one that left and one that came. Origin: a definition."""
SAYING: Final = 3
"""Words from which a text says something of its own. Origin: a guess."""
NUMBERS: Final = 2
"""Numbers of a row that tell it from others of the same form. Origin: a guess."""
BEGINNING: Final = 40
"""Letters of a text that mostly show it. Origin: a bound on time."""
Touched = tuple[BlockChange, Texts, list[str]]


def touched_texts(delta: Delta) -> list[Touched]:
    """Each block with other content: its touched texts, and the addresses of its touched links and pictures."""
    if not delta.touched and delta.changes:
        touched = [(change, *_touched(change)) for change in delta.changes if change.content]
        delta.touched.extend(_in_place(delta, _partnered(touched)))
    return delta.touched


def says_something(text: str) -> bool:
    """True for a text of several words; most show it in their first ones."""
    if len(text) > BEGINNING and len(word_set(text[:BEGINNING].rpartition(" ")[0])) >= SAYING:
        return True
    return len(word_set(text)) >= SAYING


def _touched(change: BlockChange) -> tuple[Texts, list[str]]:
    texts: Texts
    if change.old is None:
        texts, addresses = [("", item[1]) for item in change.items if item[0] == "text"], _addresses(change)
    elif change.new is None:
        texts, addresses = [(item[1], "") for item in change.items if item[0] == "text"], _addresses(change)
    else:
        texts, addresses = [], []
        for operation in change.content:
            _, element, _, _, before, after = operation
            if element == "text":
                texts.append((before, after))
            else:
                addresses.append(after or before)
    if change.old and change.new and len(texts) == FEWEST_OF_AN_EDIT:
        texts = _in_its_place(change.old.texts, change.new.texts, texts)
    if change.block.linked >= LINKED:
        texts = [part for pair in texts for part in by_entries(change.old, change.new, *pair)]
    return texts, addresses


def _in_its_place(old: Sequence[str], new: Sequence[str], texts: Texts) -> Texts:
    """A text that came and one that left, made an edit where the block is the same but for them: a cell of a table may
    say what others say, so that nothing tells it by its words.
    """
    (left, after), (before, came) = sorted(texts, key=itemgetter(1))
    if after or before or len(old) != len(new):
        return texts
    others = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
    return others if others == [(left, came)] else texts


def _addresses(change: BlockChange) -> list[str]:
    return [item[2] for item in change.items if item[0] != "text"]


def _in_place(delta: Delta, touched: list[Touched]) -> list[Touched]:
    """Texts that came where as few others left, between two texts that stayed, made edits of them."""
    gone = {before for _, texts, _ in touched for before, after in texts if not after}
    come = {after for _, texts, _ in touched for before, after in texts if not before}
    if not gone or not come:
        return touched
    old, new = delta.old, delta.new
    runs = _runs(new.blocks, (change.new for change in delta.changes), delta.shown_before)
    came = [(stay, others) for stay, others, _ in runs if 0 < len(others) <= FEW]
    if not came:
        return touched
    runs = _runs(old.blocks, (change.old for change in delta.changes), delta.shown_after)
    left = {stay: (others, place) for stay, others, place in runs}
    pairs: dict[str, str] = {}
    for stay, others in came:
        before, place = left.get(stay, ([], 0))
        if len(others) != len(before):
            continue
        found = [pair for pair in zip(others, before, strict=True) if pair[1] in gone and pair[0] in come]
        if found and not _stays_again(stay, delta, place):
            pairs.update(found)
    taken = set(pairs.values())
    return (
        [
            (
                change,
                [(before or pairs.get(after, ""), after) for before, after in texts if after or before not in taken],
                addresses,
            )
            for change, texts, addresses in touched
        ]
        if pairs
        else touched
    )


def _runs(
    blocks: Sequence[PageBlock], changed: Iterable[PageBlock | None], elsewhere: Set[str]
) -> Iterator[tuple[str, list[str], int]]:
    """As `followers` of all texts of a page, with the number of the block in which each text that stays stands.

    Blocks that nothing happened to are passed over: their texts stay, followed by others that stay.
    """
    differing = {id(block) for block in changed}
    stay, others, place, passed = "", list[str](), 0, 0
    for number in [number for number, block in enumerate(blocks) if id(block) in differing]:
        for earlier in range(number - 1, passed - 1, -1):
            last = next((item[1] for item in reversed(blocks[earlier].items) if item[0] == "text"), None)
            if last is not None:
                yield stay, others, place
                stay, others, place = last, [], earlier
                break
        passed = number + 1
        for text in blocks[number].texts:
            if text in elsewhere:
                yield stay, others, place
                stay, others, place = text, [], number
            else:
                others.append(text)
    yield stay, others, place


def _stays_again(text: str, delta: Delta, place: int) -> bool:
    """Whether a text stands once more in a block that stays whole, after the block of this number."""
    later = delta.old.blocks[place + 1 :]
    return any(text in block.identities and delta.shown_after.issuperset(block.identities) for block in later)


def followers(texts: Sequence[str], both: Set[str]) -> Iterator[tuple[str, list[str]]]:
    """Each text that stays, and those after it, up to the next one that stays, that do not."""
    stay, others = "", list[str]()
    for text in texts:
        if text in both:
            yield stay, others
            stay, others = text, []
        else:
            others.append(text)
    yield stay, others


def _partnered(touched: list[Touched]) -> list[Touched]:
    """Texts that differ in what ticks or counts only, made one change wherever on the page they are."""
    everywhere = [pair for _, texts, _ in touched for pair in texts]
    if all(map(itemgetter(0), everywhere)) or all(map(itemgetter(1), everywhere)):
        return touched  # nothing came, or nothing left
    if rows := _rows_apart(everywhere):
        touched = [(change, _all_parted(texts, rows), addresses) for change, texts, addresses in touched]
        everywhere = [pair for _, texts, _ in touched for pair in texts]
    loose = {pair for pair in everywhere if _is_loose(*pair)}
    left, came = ([pair[side] for pair in everywhere if pair[side] and pair in loose] for side in (0, 1))
    ticking = _forms(left)
    shared = Counter(ticking) & Counter(_forms(came)) if ticking else None
    if not shared:
        return touched
    waiting: dict[str, list[str]] = {}
    for before in left:
        if shared[form := settled_text(before)] > 0:
            shared[form] -= 1
            waiting.setdefault(form, []).append(before)
    taken = {form: Counter(befores) for form, befores in waiting.items()}
    return [
        (change, texts if loose.isdisjoint(texts) else _paired(texts, loose, waiting, taken), addresses)
        for change, texts, addresses in touched
    ]


def _is_loose(before: str, after: str) -> bool:
    return not before or not after or settled_text(before) != settled_text(after)


def _forms(texts: Iterable[str]) -> list[str]:
    return [form for text in texts if (form := settled_text(text)) != text]


def _rows_apart(pairs: Texts) -> set[str]:
    """Forms of rows, with several numbers each, of which some have a partner and others none: where the page is cut
    otherwise than before, those that have one may have the wrong one.
    """
    alone = {settled_text(before or after) for before, after in pairs if not before or not after}
    rows = {form for form in alone if form.count("#") >= NUMBERS}
    return rows & {settled_text(after) for before, after in pairs if before and after} if rows else rows


def _all_parted(texts: Texts, rows: Set[str]) -> Texts:
    """Texts of which the rows have no partner yet."""
    found: Texts = []
    for before, after in texts:
        form = settled_text(after) if before and after else ""
        apart = form in rows and settled_text(before) == form
        found += [("", after), (before, "")] if apart else [(before, after)]
    return found


def _nearest(waiting: list[str], text: str) -> str:
    """The one of some texts of the same form that has most in common with a text, taken out: rows of a table are told
    by those of their numbers that stay. Of many the last.
    """
    if not 1 < len(waiting) <= FEW:
        return waiting.pop()
    told = text.split()
    return waiting.pop(max(range(len(waiting)), key=lambda place: len(set(waiting[place].split()) & set(told))))


def _paired(
    texts: Texts, loose: Set[tuple[str, str]], waiting: dict[str, list[str]], taken: dict[str, Counter[str]]
) -> Texts:
    found: Texts = []
    for before, after in texts:
        if (before, after) not in loose:
            found.append((before, after))
            continue
        if after and waiting.get(form := settled_text(after)):
            found.append((_nearest(waiting[form], after), after))
            after = ""
        counts = taken.get(settled_text(before)) if before else None
        if counts and counts[before] > 0:
            counts[before] -= 1
            before = ""
        if before or after:
            found.append((before, after))
    return found


def mostly_changed(change: BlockChange) -> bool:
    """True when more than half of a block's elements differ."""
    if change.old is None or change.new is None:
        return True
    return 2 * len(change.content) > max(len(change.old.items), len(change.new.items))
