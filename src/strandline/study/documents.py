"""Captured documents as study reads them."""

from dataclasses import dataclass
from typing import Protocol

from strandline.core.blocks.levels import PageLevel
from strandline.core.blocks.tree import BlockTree
from strandline.core.capture import Capture


class UnreadableError(Exception):
    """A capture is known and its content cannot be had; the text says why."""


@dataclass(frozen=True, slots=True)
class Document:
    """A captured page without codings."""

    data: bytes
    mime: str
    charset: str
    text: bool
    """Whether it can be cut into blocks."""
    picture: int = 0
    """What it looks like (`core.changes.delta.pictures`); 0 when that is not known, or it is no picture."""


class PageReader(Protocol):
    """Reads captures back and cuts them."""

    def read(self, capture: Capture) -> Document:
        """What was captured; UnreadableError when it cannot be had."""

    def visible_hash(self, document: Document) -> int:
        """64 bits over what a reader sees."""

    def told_beside(self, old: Document, new: Document) -> str:
        """What readers see beside the text that is another now, in words; empty when nothing is."""

    def blocks(self, document: Document, url: str, how: PageLevel) -> BlockTree:
        """The document cut into blocks; UnreadableError when that takes too long."""

    def metadata(self, document: Document, tree: BlockTree) -> dict[str, str | int]:
        """What the document says of itself: title, author, language, ..., and its size."""
