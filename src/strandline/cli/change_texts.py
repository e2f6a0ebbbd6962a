"""Blocks and changes in words, and as the JSON that programs read."""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from strandline.cli.output import iso, moment
from strandline.core.changes.delta.delta import Operation
from strandline.core.changes.score.item_change import items_told
from strandline.core.wording import counted
from strandline.settings.units import seconds
from strandline.study.comparing import Comparison
from strandline.study.searching import BlockLife, Change

_DID: Final = {"insert": "inserted", "delete": "deleted", "update": "updated", "move": "moved"}
_LONG: Final = 160
_SENTENCE: Final = 400
_MOST: Final = 60
"""Operations told one by one on a terminal."""


def short(text: str, longest: int = _LONG) -> str:
    r"""A text on one line, cut when long.

    >>> short("a  word\nand more", 10)
    'a word...'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 3].rstrip() + "..."


def _place(path: str) -> str:
    """A path, its end when it is long: a hostile page may nest thousands deep."""
    return path if len(path) <= _LONG else f".../{path[-_LONG:].partition('/')[2]}"


def span_start(text: str) -> float:
    """A point in time: a date, or a span before now such as 7d or 12h."""
    try:
        if text[-1:].isalpha() and text[:1].isdigit() and "T" not in text:
            return time.time() - seconds(text)
    except ValueError:
        pass
    return moment(text)


def block_lines(found: dict[str, Any]) -> Iterator[str]:
    """The blocks of a page, one after the other."""
    yield f"{counted(len(found['blocks']), 'block')} at level {found['level']}" + (
        f": {found['title']}" if found["title"] else ""
    )
    for block in found["blocks"]:
        kind = ", ".join(filter(None, (block["role"], block["hint"])))
        yield f"{block['importance']:6.3f}  {_place(block['path'])}[{block['nth']}]" + (f"  ({kind})" if kind else "")
        if block["topic"]:
            yield f"        {short(block['topic'], 90)}"
        if block["text"] and block["text"] != block["topic"]:
            yield f"          {short(block['text'], 100)}"


def comparison_lines(found: Comparison) -> Iterator[str]:
    """What a person would say about two versions."""
    if found.delta.empty:
        yield "No visible change."
        return
    yield short(found.told.sentence, _SENTENCE)
    operations = found.delta.operations
    counts = {kind: sum(one.kind == kind for one in operations) for kind in _DID}
    told = ", ".join(f"{count} {_DID[kind]}" for kind, count in counts.items() if count)
    yield f"importance {found.importance:.2f}   impch {found.impch:.2f}   {told}"
    if found.between and found.recorded is None:
        yield f"Worked out now: {counted(found.between, 'capture lies', 'captures lie')} between these two."
    if found.held:
        yield "The number of blocks halved or doubled: on a live page this is held until a second fetch shows the same."
    for operation in operations[:_MOST]:
        yield from _operation(operation)
    if len(operations) > _MOST:
        yield f"... and {len(operations) - _MOST} more (see --json)"
    yield ""
    yield "Why it matters, block by block:"
    for reason in found.reasons[:_MOST]:
        yield f"  {reason.contribution:6.2f}  {short(reason.topic, 50) or _place(reason.path)}: {reason.why}"
        items = [item.as_data() for item in reason.counted.items[:_MOST]]
        for item in items_told(items, reason.noise, reason.contribution):
            because = f" ({item['why']})" if item["why"] else ""
            yield f"          {item['kind']}: {short(item['after'] or item['before'])}{because}"


def _operation(operation: Operation) -> Iterator[str]:
    yield f"  {_DID[operation.kind]} {operation.element} in {_place(operation.block)}"
    if operation.kind == "move":
        yield f"      > {short(operation.after)}"
        return
    if operation.before:
        yield f"      - {short(operation.before)}"
    if operation.after:
        yield f"      + {short(operation.after)}"


def change_data(change: Change, returns_to: float | None = None) -> dict[str, Any]:
    """As `changes --json` prints it."""
    return {
        "url": change.url,
        "after": iso(change.after),
        "by": iso(change.by),
        "importance": round(change.importance, 6),
        "impch": round(change.impch, 6),
        "visible": change.visible,
        "held": change.held,
        "operations": change.operations,
        "sentence": change.told.sentence,
        "title": change.told.title,
        "old_text": change.told.before,
        "new_text": change.told.after,
        "returns_to": None if returns_to is None else iso(returns_to),
        "blocks": list(change.reasons),
    }


def change_lines(change: Change, returns_to: float | None = None) -> Iterator[str]:
    """A change in two or three lines."""
    held = "  held: not believed yet" if change.held else ""
    yield f"{change.importance:.3f}  {iso(change.after)} .. {iso(change.by)}  {change.url}{held}"
    if returns_to is not None:
        yield f"         back to what it showed at {iso(returns_to)}"
    if change.told.sentence:
        yield f"         {short(change.told.sentence, _SENTENCE)}"
    for block in [block for block in change.blocks if block.get("contribution", 1.0) > 0.0][:2]:
        named = block.get("topic") or block.get("path") or "the page"
        yield f"         {short(named, 50)}: {block.get('why', '')}"


def found_data(found: BlockLife) -> dict[str, Any]:
    """As `search --json` prints it."""
    return {
        "url": found.url,
        "topic": found.topic,
        "labels": list(found.labels),
        "path": found.path,
        "text": found.text,
        "first": iso(found.first),
        "last": iso(found.last),
        "gone": None if found.gone is None else iso(found.gone),
    }


def found_lines(found: BlockLife) -> Iterator[str]:
    """A block that was found, and when it was shown."""
    until = "still there" if found.gone is None else f"gone by {iso(found.gone)}"
    yield f"{found.url}   since {iso(found.first)}, {until}"
    called = f"   [{', '.join(found.labels)}]" if found.labels else ""
    yield f"    {short(found.topic, 90)}{called}"
    yield f"      {short(found.text, 200)}"


def metadata_line(told: Mapping[str, str | int]) -> str:
    """What a version says of itself, in one line; empty when it says nothing."""
    if not told:
        return ""
    dates = [f"{name} {told[name]}" for name in ("published", "modified") if name in told]
    people = [str(told[name]) for name in ("author", "language") if name in told]
    blocks = [counted(int(told["blocks"]), "block")] if "blocks" in told else []
    return " · ".join([short(str(told.get("title", "")) or "no title", 70), *people, *dates, *blocks])
