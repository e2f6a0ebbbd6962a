"""A change in one sentence, as a person would write it, by rules from the delta.

Every operation on a text is a *candidate*: an edit of a sentence (`meaning`), a paragraph, section or list entry that
came or went, another headline. The one that weighs most, in the block that counts most, is told; others of its kind are
counted. What is quoted are the page's own words.

    The notice period rose from 30 to 90 days
    “may” replaced “must” in: “The tenant may give notice in writing.”
    3 new articles, the lead is now “The council votes for a bridge”
    Section “Complaints” was added (4 sentences)
    Only the order changed
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.delta import BlockChange, Delta, Operation
from strandline.core.changes.edits.edit_texts import SLIGHT_KINDS, edit_text, hours_text, quoted, restruck
from strandline.core.changes.edits.meaning import edit_weight, sentences, tells_end
from strandline.core.changes.edits.sentence_meaning import Edit
from strandline.core.changes.score.importance import Importance
from strandline.core.changes.words.bylines import is_count
from strandline.core.changes.words.labels import is_labelled
from strandline.core.changes.words.language_rules import ENOUGH, language_of
from strandline.core.changes.words.link_lists import LINKED, by_entries
from strandline.core.changes.words.same_text import is_same_text
from strandline.core.changes.words.ticking import tick_form
from strandline.core.changes.words.told_lists import entries_of, heads_of, is_list, long_texts
from strandline.core.kept_property import kept_property
from strandline.core.quick_dataclass import dataclass
from strandline.core.struck import without_strokes
from strandline.core.wording import counted

MOST_TEXTS: Final = 12
"""Operations that are looked at, in the blocks that count most first. Origin: a bound on time."""
HEADLINE: Final = 18
"""Words of a headline, at most. Origin: a guess."""
LABEL: Final = 6
"""Words of a label. Origin: a guess."""
BYLINE: Final = 4
"""Words of a line that only dates a text. Origin: a guess."""
BEGINNING: Final = 16
"""Letters that a text keeps to which a sentence was added. Origin: a bound on time."""
ALSO: Final = 0.5
"""Weight of an edit that is worth a mention beside another one. Origin: a guess."""
_SECTION, _PARAGRAPH, _ENTRY, _ARTICLE, _HEADLINE, _IDLE, _PICTURE, _LINK = 0.7, 0.5, 0.4, 0.6, 0.65, 0.2, 0.15, 0.06
"""What a section, paragraph, entry ... that came or went weighs against edits of sentences, and what an edit does of
which nothing counts. Origin: a guess."""
_FIGURES: Final = ("number", "money", "date", "time", "deadline")
_Change = tuple[float, BlockChange, Sequence[Operation]]  # what it counts, and what is told of it
_NO_CHANGE: Final = "Nothing a reader sees changed"
_ORDER: Final = "Only the order changed"
_COUNTERS: Final = "Only counters changed"


@dataclass(frozen=True, slots=True)
class Told:
    """A change in a sentence, with the sentences of the page that are other now."""

    sentence: str
    before: str = ""
    after: str = ""
    title: str = ""

    def as_data(self) -> dict[str, str]:
        """As it is kept with a change."""
        named = {"sentence": self.sentence, "before": self.before, "after": self.after, "title": self.title}
        return {name: text for name, text in named.items() if text}


class _Candidate(NamedTuple):
    """What could be told. It is put into words, with the texts before and after, only if it is."""

    rank: float
    weight: float
    kind: str
    words: Callable[[], tuple[str, str, str]]


def told(delta: Delta, scored: Importance) -> Told:
    """What a person would write about a change."""
    title = delta.new.title or delta.old.title
    if delta.empty:
        return Told(_NO_CHANGE, title=title)
    tellers = (_Teller(delta, scored, pick) for pick in (True, False))
    found = next(filter(None, (list(teller.candidates()) for teller in tellers)), [])
    candidates = sorted(found, key=lambda one: -one.rank)
    if not candidates:
        return Told(_ORDER, title=title)
    best = candidates[0]
    sentence, before, after = best.words()
    return Told(sentence + _and_more(best, candidates[1:]), before, after, title)


def _and_more(best: _Candidate, others: Sequence[_Candidate]) -> str:
    others = [one for one in others if one.weight >= ALSO]
    if not others:
        return ""
    if best.kind in _FIGURES and all(one.kind in _FIGURES for one in others):
        return f"; {counted(len(others), 'more figure')} changed"
    return f"; {counted(len(others), 'more change')}"


class _Teller:
    """Finds what could be told of a delta."""

    def __init__(self, delta: Delta, scored: Importance, pick: bool) -> None:
        self._delta = delta
        self._counts = pick
        counts = {id(reason.block): (0.1 + reason.factor) * (0.1 + reason.steadiness) for reason in scored.reasons}
        items = [item for reason in scored.reasons for item in reason.counted.items] if pick else []
        idle = [item for item in items if not item.counts and (item.after or item.kind != "moved")]
        self._idle = {item.before for item in idle}, {item.after for item in idle}
        told = ((change, self._picked(change)) for change in delta.changes)
        self._changes: list[_Change] = sorted(
            ((counts.get(id(change.block), 0.1), change, content) for change, content in told if content),
            key=lambda one: -one[0],
        )
        self._left = MOST_TEXTS
        self._whole: list[tuple[float, BlockChange, Operation]] = []  # texts and blocks that came or went

    @kept_property
    def _language(self) -> str:
        """As the page gives it, otherwise by the beginning of what changed."""
        if self._delta.language:
            return self._delta.language
        shown = ""
        for _, change, _ in self._changes[:MOST_TEXTS]:
            shown += f"{change.block.text} "
            if len(shown) > ENOUGH:
                break
        return language_of(shown)

    def candidates(self) -> Iterator[_Candidate]:
        """Everything that could be told, in the order of the blocks that count most."""
        yield from self._listed()
        for counts, change, content in self._changes:
            if self._left <= 0:
                break
            operations = content[: self._left]
            self._left -= len(operations)
            yield from self._block(counts, change, operations)
        yield from self._struck_whole()
        yield from self._lengthened()
        for kind in ("insert", "delete"):
            yield from self._came_or_went([one for one in self._whole if one[2].kind == kind])

    def _picked(self, change: BlockChange) -> Sequence[Operation]:
        """The operations on what counts: nobody tells of clocks and counters if there is anything else."""
        gone, come = self._idle
        if not gone and not come:
            return change.content
        old, new, linked = change.old, change.new, change.block.linked >= LINKED
        kept = []
        for one in change.content:
            _, element, _, _, before, after = one
            if element in ("text", "block"):
                texts = by_entries(old, new, before, after) if linked else [(before, after)]
                if all([_is_among(left, gone) and _is_among(came, come) for left, came in texts]):
                    continue
            kept.append(one)
        return kept

    # Lists of links, and of posts

    def _listed(self) -> Iterator[_Candidate]:
        """Entries that came to lists, or left them."""
        listed: dict[str, list[_Change]] = {"article": [], "link": [], "post": []}
        for told in self._changes:
            if noun := entries_of(told[1].block):
                listed[noun].append(told)
        for noun, changes in listed.items():
            come: list[tuple[PageBlock, str]] = []
            gone: list[str] = []
            most = 0.0
            for counts, change, content in changes:
                texts: dict[str, list[str]] = {"insert": [], "delete": []}
                for kind, element, _, _, before, after in content:
                    if kind != "update" and element in ("text", "block") and not tells_end(after):
                        texts[kind] += long_texts(after or before)
                        most = max(most, counts)
                come += [(change.block, text) for text in heads_of(texts["insert"])]
                gone += heads_of(texts["delete"])
            come = [one for one in come if one[1] not in self._delta.shown_before] or come
            gone = [text for text in gone if text not in self._delta.shown_after] or gone  # no button below others
            if come or gone:
                words = partial(self._news, noun, come, len(gone)) if come else partial(_gone, noun, gone)
                yield _Candidate(most * _ARTICLE, _ARTICLE, "list", words)

    def _news(self, noun: str, come: Sequence[tuple[PageBlock, str]], gone: int) -> tuple[str, str, str]:
        block, first = min(come, key=lambda one: self._place(*one))
        number = f"{len(come)} new {noun}{'s' * (len(come) > 1)}"
        leads = noun == "article" and self._leads(block, first)
        said = f"{number}, the lead is now {quoted(first)}" if leads else (
            f"{number}: {quoted(first)}" if len(come) == 1 else f"{number}, the first: {quoted(first)}")  # fmt: skip
        left = f"; {gone} {'are' if gone > 1 else 'is'} gone" if gone else ""
        return said + left, "", first

    def _place(self, block: PageBlock, text: str) -> tuple[int, int]:
        number = self._places.get(id(block), len(self._places))
        return number, next((place for place, one in enumerate(block.texts) if one.startswith(text)), 0)

    @kept_property
    def _places(self) -> dict[int, int]:
        return {id(block): place for place, block in enumerate(self._delta.new.blocks)}

    def _leads(self, block: PageBlock, text: str) -> bool:
        """Whether an entry is the first of its list."""
        firsts = (one.texts[0] for one in self._delta.new.blocks if one.path == block.path and one.texts)
        return next(firsts, "").startswith(text)

    # One block

    def _block(
        self, counts: float, change: BlockChange, operations: Sequence[Operation]
    ) -> Iterator[_Candidate]:  # fmt: skip
        listed = bool(entries_of(change.block))
        whole: list[Operation] = []
        for operation in operations:
            if operation.element in ("text", "block"):
                if operation.kind == "update":
                    yield from self._update(counts, change, operation)
                elif not listed or tells_end(operation.after) or not long_texts(operation.after or operation.before):
                    whole.append(operation)
            elif operation.element == "image":
                did = {"insert": "added", "delete": "removed"}.get(operation.kind, "replaced")
                yield _Candidate(counts * _PICTURE, _PICTURE, "picture", partial(_alone, f"A picture was {did}"))
            elif operation.element == "link" and operation.kind == "update":
                yield _Candidate(counts * _LINK, _LINK, "link", partial(_alone, "A link leads elsewhere now"))
        come = [one for one in whole if one.kind == "insert"]
        gone = [one for one in whole if one.kind == "delete"]
        if len(come) == len(gone) == 1 and come[0].element == "text":  # the same place in other words
            yield self._rewritten(counts, change, (gone[0].before, come[0].after))
            return
        self._whole += [(counts, change, operation) for operation in whole]

    def _rewritten(
        self, counts: float, change: BlockChange, texts: tuple[str, str]
    ) -> _Candidate:  # fmt: skip
        before, after = texts
        edit = edit_weight(before, after, self._language)

        def words() -> tuple[str, str, str]:
            if edit.kind not in ("added", "removed"):
                return edit_text(edit, self._language, _label(change.block, after)), before, after
            what = quoted(before) if _is_short(after) and _is_short(before) else "a paragraph"
            return f"{quoted(after)} replaced {what}", before, after

        weight = max(edit.weight, _ENTRY)
        return _Candidate(counts * weight, weight, edit.kind, words)

    def _update(
        self, counts: float, change: BlockChange, operation: Operation
    ) -> Iterator[_Candidate]:  # fmt: skip
        before, after = operation.before, operation.after
        if self._is_title(before, after):
            words = partial(_turned, "Title", before, after)
            yield _Candidate(counts * _HEADLINE * 1.5, _HEADLINE, "headline", words)
            return
        if not self._counts:  # clocks and counters: one of them is told, and only that one is read
            yield _Candidate(counts * _IDLE, _IDLE, "idle", partial(self._ticked, change.block, before, after))
            return
        edit = edit_weight(before, after, self._language)
        if edit.kind not in SLIGHT_KINDS and _is_headline(change.block, after, edit):
            words = partial(_turned, "A headline", before, after)
            yield _Candidate(counts * _HEADLINE, _HEADLINE, "headline", words)
        else:
            byline = edit.kind == "date" and len(after.split()) <= BYLINE
            rank = counts * edit.weight * (0.5 if byline else 1.0)  # what stands below a date says more than the date
            words = partial(self._edited, edit, change.block, before, after)
            yield _Candidate(rank, edit.weight, edit.kind, words)

    def _ticked(self, block: PageBlock, before: str, after: str) -> tuple[str, str, str]:
        edit = edit_weight(before, after, self._language)
        counted = edit.kind == "number" and not edit.unit and tick_form(before, after) == "counter"
        return self._edited(replace(edit, kind="counter") if counted else edit, block, before, after)

    def _edited(self, edit: Edit, block: PageBlock, before: str, after: str) -> tuple[str, str, str]:
        label = _label(block, after)
        if told := restruck(before, after) or hours_text(before, after, label):
            return told, before, after
        return edit_text(edit, self._language, label), edit.old, edit.new

    def _struck_whole(self) -> Iterator[_Candidate]:
        """Whole texts that were struck through: they neither came nor went."""
        left = {without_strokes(one[2].before): one for one in self._whole if one[2].kind == "delete"}
        for come in [one for one in self._whole if one[2].kind == "insert"]:
            gone = left.get(without_strokes(come[2].after))
            if gone and gone in self._whole and (told := restruck(gone[2].before, come[2].after)):
                self._whole = [one for one in self._whole if one not in (come, gone)]
                words = partial(_alone, told, gone[2].before, come[2].after)
                yield _Candidate(max(come[0], gone[0]) * _PARAGRAPH, _PARAGRAPH, "text", words)

    def _lengthened(self) -> Iterator[_Candidate]:
        """Texts that left where the same came, with a sentence more or less."""
        left = {one[2].before[:BEGINNING]: one for one in self._whole if one[2].kind == "delete"}
        for come in [one for one in self._whole if one[2].kind == "insert" and one[2].after[:BEGINNING] in left]:
            gone, after = left[come[2].after[:BEGINNING]], come[2].after
            before = gone[2].before
            if gone in self._whole and "\n" not in before + after and is_same_text(before, after):
                self._whole = [one for one in self._whole if one not in (come, gone)]
                edit = edit_weight(before, after, self._language)
                words = partial(self._edited, edit, come[1].block, before, after)
                yield _Candidate(max(come[0], gone[0]) * edit.weight, edit.weight, edit.kind, words)

    def _came_or_went(self, whole: Sequence[tuple[float, BlockChange, Operation]]) -> Iterator[_Candidate]:
        """Sections, paragraphs and entries that were added or removed."""
        if not whole:
            return
        added = whole[0][2].kind == "insert"
        did = "added" if added else "removed"
        places = {
            id(block): place for place, block in enumerate((self._delta.new if added else self._delta.old).blocks)
        }
        texts: list[str] = []
        for counts, change, operation in sorted(whole, key=lambda one: places.get(id(one[1].block), 0)):
            if any(item.kind == "text" for item in change.items or change.block.items):
                texts += filter(None, (operation.after or operation.before).split("\n"))
            else:
                yield _Candidate(counts * _PICTURE, _PICTURE, "picture", partial(_alone, f"A picture was {did}"))
        said_of = [text for text in texts if not is_count(text)]
        if texts and not said_of:
            yield _Candidate(_IDLE * max(one[0] for one in whole), _IDLE, "idle", partial(_alone, _COUNTERS))
        if texts := said_of:
            weight, said = _whole(texts, did)
            counts, kept = max(one[0] for one in whole), " ".join(texts)
            words = partial(_alone, said, "" if added else kept, kept if added else "")
            yield _Candidate(counts * weight, weight, "text", words)

    def _is_title(self, before: str, after: str) -> bool:
        old, new = self._delta.old.title, self._delta.new.title
        return old != new and bool(before) and before in old and after in new


def _is_among(text: str, idle: set[str]) -> bool:
    """Whether nothing of a text that came or left counts."""
    return not text or text in idle or ("\n" in text and idle.issuperset(text.split("\n")))


def _alone(sentence: str, before: str = "", after: str = "") -> tuple[str, str, str]:
    return sentence, before, after


def _gone(noun: str, texts: Sequence[str]) -> tuple[str, str, str]:
    number = f"{len(texts)} {noun}{'s are' if len(texts) > 1 else ' is'} gone"
    return f"{number}: {quoted(texts[0])}", texts[0], ""


def _turned(what: str, before: str, after: str) -> tuple[str, str, str]:
    return f"{what} changed from {quoted(before)} to {quoted(after)}", before, after


def _whole(texts: Sequence[str], did: str) -> tuple[float, str]:
    first = texts[0]
    paragraphs = [text for text in texts if not _is_short(text)]
    if len(texts) > 1 and _is_short(first) and len(paragraphs) == len(texts) - 1:
        number = sum(len(sentences(text)) for text in paragraphs)
        return _SECTION, f"Section {quoted(first)} was {did} ({counted(number, 'sentence')})"
    if len(paragraphs) > 1:
        return _SECTION, f"{len(paragraphs)} paragraphs were {did}, the first: {quoted(paragraphs[0])}"
    if paragraphs:
        return _PARAGRAPH, f"A paragraph was {did}: {quoted(paragraphs[0])}"
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return _ENTRY, f"{did.capitalize()}: {', '.join(map(quoted, texts[:3]))}{more}"


def _is_short(text: str) -> bool:
    """Whether a text is a heading or an entry of a list, no paragraph."""
    return len(text.split()) <= LABEL + 2 and not text.rstrip().endswith((".", "!", "?", "…", "。"))


def _is_headline(block: PageBlock, text: str, edit: Edit) -> bool:
    if not 2 <= sum(word.upper() != word.lower() for word in text.split()) <= HEADLINE or text.rstrip().endswith("."):
        return False
    if block.lead != text or len(block.items) == 1:
        return is_list(block)
    return is_list(block) or not (edit.kind in _FIGURES or (edit.kind in ("contrast", "contact") and is_labelled(text)))


def _label(block: PageBlock, text: str) -> str:
    """What stands before a figure in a table or list: a few words without a figure."""
    texts = block.texts
    place = texts.index(text) if text in texts else 0
    before = texts[place - 1] if place else ""
    plain = before and _is_short(before) and len(before.split()) <= LABEL and not any(map(str.isdigit, before))
    return before.rstrip(" :") if plain else ""


# Kept with a change


def with_sentence(delta: Delta, scored: Importance, blocks: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Changed blocks as data; the first, which counts most, carries what is told of the whole change."""
    if not blocks:
        return tuple(blocks)
    return ({**blocks[0], "told": told(delta, scored).as_data()}, *blocks[1:])


def told_of(blocks: Sequence[Mapping[str, Any]]) -> Told:
    """What is told of a change that was kept, also by versions that kept no sentence."""
    first: Mapping[str, Any] = blocks[0] if blocks else {}
    kept = first.get("told")
    if isinstance(kept, Mapping) and kept.get("sentence"):
        return Told(*(str(kept.get(name, "")) for name in ("sentence", "before", "after", "title")))
    why, topic = str(first.get("why") or ""), str(first.get("topic") or "")
    said = f"{topic}: {why}" if topic and why else why or topic
    return Told(said[:1].upper() + said[1:])
