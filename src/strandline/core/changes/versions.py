"""Version comparison and block repository of paper 003: layouts and blocks are stored once, however often they recur.

    same layout, same blocks     no new version
    same layout                  only the blocks that differ are new
    other layout                 the layout is new, and those of its blocks that are not stored yet

The paper stores every block again when the layout differs; here blocks are addressed by their content, so a page that
was redesigned around the same text stores its text once. Keys are 128 bits: two contents under one key would lose one.

    paper 003                     here
    Layout                        `LayoutRecord`: the places of the blocks
    Block with Label              `BlockRecord`: content, topic, label
    Version, VersionMetaData      `VersionRecord`: page, time, layout, blocks, metadata
    relations                     the order of `VersionRecord.blocks`, and `VersionRecord.previous`

Links and images are kept without query and fragment, where tokens live that change at every fetch. What is new in
successive versions of a page is much alike, so it is packed together: a *segment* is one zstd frame with what 16
versions of a page added (`Stored.content`, `appended`); a layout, block or version is found in it by its span.

`BlockRepository` is the algorithm over plain dictionaries; a database keeps the same records in tables. It is an index
for reading and searching, never the only copy: what a page looks like byte for byte is in the WARC files.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import xxhash
import zstandard

from strandline.core.blocks.topic import topic
from strandline.core.blocks.tree import BlockTree, Item, PageBlock

SEGMENT_VERSIONS: Final = 16


@dataclass(frozen=True, slots=True)
class LayoutRecord:
    """Where the blocks of a version lie: path, number on the path, role and hint of each."""

    key: bytes
    places: tuple[tuple[str, int, str, str], ...]
    level: int
    scale: int

    def as_bytes(self) -> bytes:
        """The record for storing."""
        return _json([self.level, self.scale, self.places])


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """What a block shows, whatever page or place it is on."""

    key: bytes
    items: tuple[Item, ...]
    weight: int
    link_weight: int
    lead: str
    topic: str
    label: str = ""

    def as_bytes(self) -> bytes:
        """The content; topic and label are kept beside it, where they can be searched."""
        return _json([self.weight, self.link_weight, self.lead, self.items])

    @property
    def text(self) -> str:
        """What a search for words looks at."""
        return "\n".join(item.text for item in self.items if item.kind == "text")


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """One state of a page: when it was seen, its layout, and its blocks in page order."""

    url: str
    time: float
    layout: bytes
    blocks: tuple[bytes, ...]
    previous: float | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stored:
    """What one version added to the repository; `version` is None when nothing in it was new."""

    version: VersionRecord | None
    layout: LayoutRecord | None
    blocks: tuple[BlockRecord, ...]

    def content(self) -> tuple[bytes, dict[bytes, tuple[int, int]]]:
        """All that is new, for a segment, and the span (from, to) of each layout and block in it, by key.

        The keys of the version's blocks, 16 bytes each in page order, come last, under the empty key.
        """
        parts = [(self.layout.key, self.layout.as_bytes())] if self.layout else []
        parts += [(record.key, record.as_bytes()) for record in self.blocks]
        parts.append((b"", b"".join(self.version.blocks) if self.version else b""))
        spans: dict[bytes, tuple[int, int]] = {}
        place = 0
        for key, part in parts:
            spans[key] = (place, place + len(part))
            place += len(part)
        return b"".join(part for _, part in parts), spans


def layout_record(page: BlockTree) -> LayoutRecord:
    """The layout of a page, under the key of its places."""
    places = tuple((block.path, block.nth, block.role, block.hint) for block in page.blocks)
    key = xxhash.xxh3_128_digest(_json([page.level, page.scale, places]))
    return LayoutRecord(key, places, page.level, page.scale)


def block_record(block: PageBlock, label: str = "") -> BlockRecord:
    """The content of a block, under the key of that content. The label is the block's role unless one is given."""
    items = tuple(item if item.kind == "text" else item._replace(address=item.identity) for item in block.items)
    key = xxhash.xxh3_128_digest(_json([block.weight, block.link_weight, block.lead, items]))
    return BlockRecord(key, items, block.weight, block.link_weight, block.lead, topic(block), label or block.role)


def packed(content: bytes) -> bytes:
    """A segment's content as a zstd frame."""
    return zstandard.ZstdCompressor(level=9).compress(content)


def unpacked(frame: bytes) -> bytes:
    """The content of a segment; of none, nothing."""
    return zstandard.ZstdDecompressor().decompress(frame) if frame else b""


def appended(frame: bytes, content: bytes) -> tuple[bytes, int]:
    """A segment with more content, and where in it the new content begins. Begin a new one after SEGMENT_VERSIONS."""
    before = unpacked(frame)
    return packed(before + content), len(before)


def stored_block(key: bytes, content: bytes, topic: str, label: str = "") -> BlockRecord:
    """The record whose `as_bytes` is `content`."""
    weight, link_weight, lead, items = json.loads(content)
    return BlockRecord(key, tuple(Item(*item) for item in items), weight, link_weight, lead, topic, label)


def stored_layout(key: bytes, content: bytes) -> LayoutRecord:
    """The record `LayoutRecord.as_bytes` wrote."""
    level, scale, places = json.loads(content)
    return LayoutRecord(key, tuple((path, nth, role, hint) for path, nth, role, hint in places), level, scale)


def rebuilt(url: str, layout: LayoutRecord, blocks: Mapping[bytes, BlockRecord], keys: tuple[bytes, ...]) -> BlockTree:
    """A version put together again from its layout and blocks, for reading."""
    pages = []
    for (path, nth, role, hint), key in zip(layout.places, keys, strict=True):
        record = blocks[key]
        pages.append(PageBlock(path, nth, role, hint, record.items, record.weight, record.link_weight, record.lead))
    return BlockTree(tuple(pages), layout.level, layout.scale, url)


@dataclass(slots=True)
class BlockRepository:
    """Layouts, blocks and versions of any number of pages, in memory."""

    layouts: dict[bytes, LayoutRecord] = field(default_factory=dict)
    blocks: dict[bytes, BlockRecord] = field(default_factory=dict)
    versions: dict[str, list[VersionRecord]] = field(default_factory=dict)

    def store(self, page: BlockTree, time: float, metadata: Mapping[str, str] | None = None) -> Stored:
        """Add a version of `page.url`; says what was new. A state equal to the latest one adds nothing."""
        layout = layout_record(page)
        records = [block_record(block) for block in page.blocks]
        keys = tuple(record.key for record in records)
        known = self.versions.setdefault(page.url, [])
        latest = known[-1] if known else None
        if latest and (latest.layout, latest.blocks) == (layout.key, keys):
            return Stored(None, None, ())
        fresh = tuple({record.key: record for record in records if record.key not in self.blocks}.values())
        new_layout = layout if layout.key not in self.layouts else None
        self.layouts.setdefault(layout.key, layout)
        self.blocks.update({record.key: record for record in fresh})
        version = VersionRecord(page.url, time, layout.key, keys, latest.time if latest else None, metadata or {})
        known.append(version)
        return Stored(version, new_layout, fresh)

    def read(self, url: str, number: int) -> BlockTree:
        """A stored version of a page, by its number (-1: the latest)."""
        version = self.versions[url][number]
        return rebuilt(url, self.layouts[version.layout], self.blocks, version.blocks)

    def lifetimes(self, url: str, key: bytes) -> Iterator[tuple[float, float | None]]:
        """When a block appeared on a page and when it had vanished (None: it is still there), each time it came."""
        appeared: float | None = None
        for version in self.versions.get(url, ()):
            here = key in version.blocks
            if here and appeared is None:
                appeared = version.time
            elif not here and appeared is not None:
                yield appeared, version.time
                appeared = None
        if appeared is not None:
            yield appeared, None


def _json(content: list[Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
