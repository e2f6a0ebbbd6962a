"""What changed between two versions of a page, as operations a person can read and a program can apply.

Vi-DIFF (paper 001, section 4): structural operations on blocks (insert, delete, move) and content operations (insert,
delete, update) on the texts, links, images and frames inside them. An element that left one block and appeared in
another is a *move*: a reader sees it in both versions.

A `Delta` knows both versions. Its *script* is the part that is enough to make the new version from the old one: for
each new block either the number of an equal old block, or the block with those of its items that the old one holds
given by number. `as_data` and `as_xml` write operations and script for other programs; `applied` runs the script.
"""

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any, Final, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from strandline.core.blocks.tree import BlockTree, Item, ItemKind, PageBlock
from strandline.core.blocks.word_numbers import WordNumbers
from strandline.core.changes.delta.carried import shown_by
from strandline.core.kept_property import kept_property
from strandline.core.quick_dataclass import dataclass

_NOT_IN_XML: Final = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

OperationKind = Literal["insert", "delete", "update", "move"]
ElementKind = Literal["block", "text", "link", "image", "frame"]


class Operation(NamedTuple):
    """One change: what was done to which element of which block. `weight` is the paper's Imp(op), in [0, 1]."""

    kind: OperationKind
    element: ElementKind
    block: str
    weight: float
    before: str = ""
    after: str = ""

    def as_data(self) -> dict[str, Any]:
        """As `compare --json` shows it."""
        return {
            "kind": self.kind,
            "element": self.element,
            "block": self.block,
            "weight": round(self.weight, 6),
            "before": self.before,
            "after": self.after,
        }


def now_or_before(new: PageBlock | None, old: PageBlock | None) -> PageBlock:
    """A block as it is now, or as it was when it is gone."""
    found = new or old
    if found is None:
        raise ValueError("a block is in one of the versions")
    return found


@dataclass(frozen=True)
class BlockChange:
    """All operations on one block; `old` or `new` is missing for a block that was inserted or deleted."""

    old: PageBlock | None
    new: PageBlock | None
    operations: tuple[Operation, ...]
    moved: bool = False
    items: tuple[Item, ...] = ()  # of a whole block inserted or deleted, those the page gained or lost with it
    weights: tuple[float, ...] = ()  # what each of them counts: little for advertising

    @kept_property
    def block(self) -> PageBlock:
        """The block as it is now, or as it was when it is gone."""
        return now_or_before(self.new, self.old)

    @kept_property
    def content(self) -> tuple[Operation, ...]:
        """Operations that add, remove or alter something: all but moves."""
        return tuple([operation for operation in self.operations if operation[0] != "move"])


@dataclass(frozen=True)
class Delta:
    """The difference between two versions of a page."""

    old: BlockTree
    new: BlockTree
    pairs: tuple[tuple[int, int], ...]  # blocks that are the same block in both versions, by number
    changes: tuple[BlockChange, ...]
    language: str = ""  # as the page gives it
    unlike: tuple[tuple[int, int], ...] | None = None  # those of the pairs that may differ; all unless it is known
    touched: list[Any] = field(default_factory=list, compare=False, repr=False)  # see `touched`; none until asked for
    moments: tuple[float, float] | None = None  # when both versions were captured, if it is known

    @kept_property
    def operations(self) -> tuple[Operation, ...]:
        """All operations, block by block."""
        return tuple(operation for change in self.changes for operation in change.operations)

    @property
    def differing(self) -> tuple[tuple[int, int], ...]:
        """The pairs of blocks of which the content, the names or the place may differ."""
        return self.pairs if self.unlike is None else self.unlike

    @kept_property
    def page_words(self) -> tuple[WordNumbers, WordNumbers]:
        """The words of the old and of the new version; of the new one, only blocks that differ are looked at."""
        old, new = self.old.blocks, self.new.blocks
        # A block that only lost a text to another one has no operation, so pairs are looked at, not changes.
        differing = [(old[i], new[j]) for i, j in self.differing if old[i].digest != new[j].digest]
        come = [block.words for _, block in differing]  # words that both have cancel out
        gone = [block.words for block, _ in differing]
        come += [change.block.words for change in self.changes if change.old is None]
        gone += [change.block.words for change in self.changes if change.new is None]
        self.new.count_words_on(self.old, come, gone)
        return self.old.word_counts.words, self.new.word_counts.words

    @property
    def shown_before(self) -> frozenset[str]:
        """All texts of the old version, and the identities of its links, images and frames."""
        return shown_by(self.old)

    @property
    def shown_after(self) -> frozenset[str]:
        """The same of the new version."""
        return shown_by(self.new)

    @property
    def empty(self) -> bool:
        """True when a reader sees no difference."""
        return not self.changes

    def script(self) -> dict[str, Any]:
        """What is enough to make the new version from the old one."""
        partner = {new: old for old, new in self.pairs}
        blocks = [
            _block_script(self.old.blocks[partner[place]] if place in partner else None, partner.get(place), block)
            for place, block in enumerate(self.new.blocks)
        ]
        new = self.new
        return {
            "level": new.level,
            "scale": new.scale,
            "url": new.url,
            "title": new.title,
            "rendered": new.rendered,
            "blocks": blocks,
        }

    def as_data(self) -> dict[str, Any]:
        """Operations and script as plain lists and dictionaries."""
        return {"operations": [operation.as_data() for operation in self.operations], "script": self.script()}

    def as_xml(self) -> str:
        """Operations as XML, a block an element, as Vi-DIFF writes its delta files."""
        lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<delta url={quoteattr(_xml_text(self.new.url))}>"]
        for change in self.changes:
            lines.append(
                f"  <block path={quoteattr(_xml_text(change.block.path))} nth={quoteattr(str(change.block.nth))}>"
            )
            for operation in change.operations:
                weight = quoteattr(f"{operation.weight:.4f}")
                head = f"{operation.kind} element={quoteattr(operation.element)} weight={weight}"
                inner = "".join(
                    f"<{name}>{escape(_xml_text(text))}</{name}>"
                    for name, text in (("before", operation.before), ("after", operation.after))
                    if text
                )
                lines.append(f"    <{head}>{inner}</{operation.kind}>" if inner else f"    <{head}/>")
            lines.append("  </block>")
        return "\n".join([*lines, "</delta>\n"])


def _xml_text(text: str) -> str:
    """Text as XML allows it: control characters and halves of characters have no place there."""
    return _NOT_IN_XML.sub("", text)


def _block_script(old: PageBlock | None, number: int | None, new: PageBlock) -> int | dict[str, Any]:
    if old == new and number is not None:
        return number
    known = {item: place for place, item in enumerate(old.items)} if old else {}
    entry: dict[str, Any] = {
        "path": new.path,
        "nth": new.nth,
        "role": new.role,
        "hint": new.hint,
        "weight": new.weight,
        "link_weight": new.link_weight,
        "lead": new.lead,
        "items": [known.get(item, list(item)) for item in new.items],
    }
    return {"from": number, **entry} if number is not None else entry


def applied(old: BlockTree, script: dict[str, Any]) -> BlockTree:
    """The new version, made from the old one and a script."""
    blocks = tuple(_scripted(old, entry) for entry in script["blocks"])
    return BlockTree(blocks, script["level"], script["scale"], script["url"], script["title"], bool(script["rendered"]))


def _scripted(old: BlockTree, entry: int | dict[str, Any]) -> PageBlock:
    if isinstance(entry, int):
        return old.blocks[entry]
    source = old.blocks[entry["from"]].items if "from" in entry else ()
    items = tuple(source[item] if isinstance(item, int) else _item(item) for item in entry["items"])
    return PageBlock(
        entry["path"],
        entry["nth"],
        entry["role"],
        entry["hint"],
        items,
        entry["weight"],
        entry["link_weight"],
        entry["lead"],
    )


def _item(parts: Sequence[str]) -> Item:
    kind: ItemKind = parts[0]  # type: ignore[assignment]
    return Item(kind, parts[1], parts[2])
