"""Both versions of a page for reading: every block once, in page order, what happened to it and how much it counts.

`shown_blocks` is what an interface needs; `side_by_side` and `one_page` are two HTML pages made of it. Blocks that
were deleted are shown below the block that preceded them. Inside a block, words that left are marked `<del>` and words
that came `<ins>`: first whole runs of text are compared, then the words of those that differ. That takes more than
linear time, so a page has a share of it to spend (`Effort`); texts beyond it are shown as gone and come.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from html import escape
from itertools import takewhile
from typing import Any, Final, Literal

from strandline.core.blocks.topic import topic
from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.words import marked_pieces
from strandline.core.changes.delta.delta import BlockChange, Delta, Operation, now_or_before
from strandline.core.changes.score.importance import BlockReason, Importance
from strandline.core.changes.score.item_change import items_told
from strandline.core.changes.score.novelty import NOVELTY_SCALE

ShownKind = Literal["unchanged", "updated", "inserted", "deleted", "moved"]
Marked = Iterator[tuple[str, str]]  # (" " in both, "-" gone, "+" new; the text)

RATED: Final = ("inserted", "deleted", "updated")  # kinds of blocks that people can rate
MOST_ALIKE: Final = 200_000
"""Pairs of equal words, one of each text, that are all looked at. Origin: a bound on time."""
MOST_OF_A_PAGE: Final = 1_000_000
"""Such pairs of all texts of a page: some seconds. Origin: a bound on time."""
MOST_PIECES: Final = 3_000
"""Words compared one by one; what is longer is shown as gone and come. Origin: a bound on time."""
_TAGS: Final = {" ": ("", ""), "-": ("<del>", "</del>"), "+": ("<ins>", "</ins>")}
_STYLE: Final = (
    "body{font:14px/1.45 sans-serif;margin:16px}table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "td,th{border:1px solid #ccc;padding:6px 8px;vertical-align:top;text-align:left}"
    "td:first-child,th:first-child{width:92px;color:#555;font-size:12px}"
    "p{margin:0 0 4px}section{padding:4px 10px;margin:4px 0;border-left:4px solid transparent}"
    "small{color:#555}del{background:#f6b9c0}ins{background:#b4ecb4;text-decoration:none}"
    ".inserted{background:#d8f5d8}.deleted{background:#fadadd}.updated{background:#fff3c4}.moved{background:#dbe9ff}"
    ".noise{background:#eee;color:#666}"
)


@dataclass(slots=True)
class Effort:
    """What may still be spent on comparing the words of a page."""

    left: int = MOST_OF_A_PAGE

    def spend(self, pairs: int) -> bool:
        """Whether so many pairs of equal words may be looked at; if so, they are paid for."""
        if pairs > self.left:
            return False
        self.left -= pairs
        return True


@dataclass(frozen=True)
class ShownBlock:
    """One block of either version: what happened to it, in texts a reader compares."""

    kind: ShownKind
    old: PageBlock | None
    new: PageBlock | None
    operations: tuple[Operation, ...] = ()
    reason: BlockReason | None = None  # why its change counts what it counts; only changed content has one
    effort: Effort = field(default_factory=Effort, compare=False, repr=False)  # shared by the blocks of a page

    @property
    def block(self) -> PageBlock:
        """The block as it is now, or as it was when it is gone."""
        return now_or_before(self.new, self.old)

    @property
    def importance(self) -> float:
        """In [0, 1]: what the change would score if this block alone had changed."""
        return 1.0 - math.exp(-self.reason.contribution / NOVELTY_SCALE) if self.reason else 0.0

    @property
    def noise(self) -> str:
        """Why its change counts less than it looks; empty when it counts in full."""
        return self.reason.noise if self.reason else ""

    def items(self, most: int | None = None) -> list[dict[str, Any]]:
        """What happened to its texts, the first of them."""
        if (reason := self.reason) is None:
            return []
        return items_told([one.as_data() for one in reason.counted.items[:most]], reason.noise, reason.contribution)

    @property
    def before(self) -> str:
        """Its text in the old version, a run a line."""
        return self.old.text if self.old else ""

    @property
    def after(self) -> str:
        """Its text in the new version, a run a line."""
        return self.new.text if self.new else ""

    @cached_property
    def before_html(self) -> str:
        """The old text as paragraphs, words that left marked `<del>`."""
        return as_paragraphs((mark, text) for mark, text in self._marks if mark != "+")

    @cached_property
    def after_html(self) -> str:
        """The new text as paragraphs, words that came marked `<ins>`."""
        return as_paragraphs((mark, text) for mark, text in self._marks if mark != "-")

    @cached_property
    def html(self) -> str:
        """Both texts in one, for a single highlighted page."""
        return as_paragraphs(self._marks)

    @cached_property
    def _marks(self) -> tuple[tuple[str, str], ...]:
        return tuple(marked(self.before, self.after, self.effort))

    def as_data(self) -> dict[str, Any]:
        """For programs and templates; the texts are safe HTML."""
        return {
            "kind": self.kind,
            "path": self.block.path,
            "nth": self.block.nth,
            "role": self.block.role,
            "topic": topic(self.block),
            "importance": round(self.importance, 6),
            "noise": self.noise,
            "why": self.reason.why if self.reason else "",
            "before": self.before_html,
            "after": self.after_html,
            "both": self.html,
            "items": self.items(),
            "linked": [one.as_data() for one in self.operations if one.element in ("link", "image", "frame")],
        }


def shown_blocks(delta: Delta, scored: Importance) -> tuple[ShownBlock, ...]:
    """Every block of both versions in page order, unchanged ones too."""
    partner = {new: old for old, new in delta.pairs}
    new_of = dict(delta.pairs)
    changes = {(change.block.key, change.new is None): change for change in delta.changes}
    reasons = {((reason.path, reason.nth), reason.kind == "deleted"): reason for reason in scored.reasons}
    old_blocks, new_blocks = delta.old.blocks, delta.new.blocks
    below: dict[int, list[int]] = {}  # new block -> deleted ones shown under it; -1: above the first
    above = -1
    for number in range(len(old_blocks)):
        above = new_of.get(number, above)
        if number not in new_of:
            below.setdefault(above, []).append(number)
    shown: list[ShownBlock] = []
    effort = Effort()
    for place in range(-1, len(new_blocks)):
        if place >= 0:
            new = new_blocks[place]
            old = old_blocks[partner[place]] if place in partner else None
            change = changes.get((new.key, False))
            operations = change.operations if change else ()
            reason = reasons.get((new.key, False))
            shown.append(ShownBlock(_kind(change, old), old, new, operations, reason, effort))
        for number in below.get(place, ()):
            gone = old_blocks[number]
            change = changes.get((gone.key, True))
            shown.append(
                ShownBlock("deleted", gone, None, change.operations if change else (), reasons.get((gone.key, True)))
            )
    return tuple(shown)


def _kind(change: BlockChange | None, old: PageBlock | None) -> ShownKind:
    if old is None:
        return "inserted"
    if change is None:
        return "unchanged"
    return "updated" if change.content else "moved"


def marked(before: str, after: str, effort: Effort | None = None) -> Marked:
    r"""Pieces of two texts in reading order: in both (` `), only in the old one (`-`), only in the new one (`+`).

    >>> list(marked("The fee is four euro.\nNo dogs.", "The fee is five euro.\nNo dogs."))
    [(' ', 'The fee is '), ('-', 'four '), ('+', 'five '), (' ', 'euro.'), (' ', '\nNo dogs.')]
    """
    old, new, effort = _lines(before), _lines(after), effort or Effort()
    for tag, i, i_end, j, j_end in _opcodes(old, new, effort):
        gone, come = "".join(old[i:i_end]), "".join(new[j:j_end])
        if tag == "equal":
            yield " ", gone
        elif tag == "replace":
            yield from _marked_words(gone, come, effort)
        elif gone:
            yield "-", gone
        else:
            yield "+", come


def _lines(text: str) -> list[str]:
    """Lines, each but the first with the line break before it."""
    first, *others = text.split("\n")
    return [line for line in (first, *(f"\n{other}" for other in others)) if line]


def _marked_words(before: str, after: str, effort: Effort) -> Marked:
    old, new = marked_pieces(before), marked_pieces(after)
    for tag, i, i_end, j, j_end in _opcodes(old, new, effort):
        if tag == "equal":
            yield " ", "".join(old[i:i_end])
            continue
        if i < i_end:
            yield "-", "".join(old[i:i_end])
        if j < j_end:
            yield "+", "".join(new[j:j_end])


def _opcodes(old: Sequence[str], new: Sequence[str], effort: Effort) -> Iterable[tuple[str, int, int, int, int]]:
    """As `SequenceMatcher.get_opcodes`. Most texts begin and end alike: only what lies between is compared."""
    start = _same(old, new)
    most = min(len(old), len(new)) - start
    end = min(most, _same(reversed(old), reversed(new)))
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if start:
        yield "equal", 0, start, 0, start
    for tag, i, i_end, j, j_end in _between(before, after, effort):
        yield tag, i + start, i_end + start, j + start, j_end + start
    if end:
        yield "equal", len(old) - end, len(old), len(new) - end, len(new)


def _between(old: Sequence[str], new: Sequence[str], effort: Effort) -> Iterable[tuple[str, int, int, int, int]]:
    if not old or not new:
        return [("delete" if old else "insert", 0, len(old), 0, len(new))] if old or new else []
    if max(len(old), len(new)) > MOST_PIECES:
        return [("replace", 0, len(old), 0, len(new))]
    counts = Counter(old)
    # Pieces that recur often are left out where comparing them all takes long; Chinese, and tables, have few others.
    alike = sum(map(counts.__getitem__, new))
    often = alike > MOST_ALIKE
    if not effort.spend(min(alike, MOST_ALIKE)):
        return [("replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(None, old, new, autojunk=often).get_opcodes()


def _same(old: Iterable[str], new: Iterable[str]) -> int:
    """How many pieces both begin with."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))))


def as_paragraphs(marks: Iterable[tuple[str, str]]) -> str:
    r"""Marked text as HTML, a line a paragraph.

    >>> as_paragraphs([(" ", "a < b\nThe fee is "), ("+", "five")])
    '<p>a &lt; b</p><p>The fee is <ins>five</ins></p>'
    """
    lines = [""]
    for mark, text in marks:
        start, end = _TAGS[mark]
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append("")
            if part:
                lines[-1] += f"{start}{escape(part)}{end}"
    return "".join(f"<p>{line}</p>" for line in lines if line)


def side_by_side(delta: Delta, scored: Importance) -> str:
    """An HTML page with the old version on the left and the new one on the right."""
    rows = "".join(
        f"<tr class='{_class(block)}'><td>{_label(block)}</td>"
        f"<td>{block.before_html}</td><td>{block.after_html}</td></tr>"
        for block in shown_blocks(delta, scored)
    )
    return _page(scored, f"<table><tr><th></th><th>before</th><th>after</th></tr>{rows}</table>")


def one_page(delta: Delta, scored: Importance) -> str:
    """An HTML page with the new version, what came and what left marked in it."""
    parts = (
        f"<section class='{_class(block)}'><small>{_label(block)}</small>{block.html}</section>"
        for block in shown_blocks(delta, scored)
    )
    return _page(scored, "".join(parts))


def _class(block: ShownBlock) -> str:
    return f"{block.kind} noise" if block.noise else block.kind


def _label(block: ShownBlock) -> str:
    if block.kind == "unchanged":
        return ""
    counts = f" {block.importance:.2f}" if block.reason else ""
    return f"<b>{block.kind}</b>{counts}" + (f"<br>{escape(block.noise)}" if block.noise else "")


def _page(scored: Importance, body: str) -> str:
    held = " &nbsp; held: not believed until it is seen again" if scored.held else ""
    return (
        f"<!doctype html><meta charset=utf-8><title>What changed</title><style>{_STYLE}</style>"
        f"<p><b>importance {scored.believed:.2f}</b> &nbsp; impch {scored.impch:.3f}{held}</p>{body}"
    )
