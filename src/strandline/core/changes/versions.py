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

`BlockRepository` is the algorithm over plain dictionaries; a database keeps the same records in tables. It is an index
for reading and searching, never the only copy: what a page looks like byte for byte is in the WARC files.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import xxhash

from strandline.core.blocks.topic import topic
from strandline.core.blocks.tree import BlockTree, Item, PageBlock


@dataclass(frozen=True, slots=True)
class LayoutRecord:
    """Where the blocks of a version lie: path, number on the path, role and hint of each."""

    key: bytes
    places: tuple[tuple[str, int, str, str], ...]
    level: int
    scale: int

    def as_bytes(self) -> bytes:
        """The record for storing."""
        return _packed([self.level, self.scale, self.places])


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
        """The record for storing; topic and label are kept beside it, where they can be searched."""
        return _packed([self.weight, self.link_weight, self.lead, self.items])

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


def layout_record(page: BlockTree) -> LayoutRecord:
    """The layout of a page, under the key of its places."""
    places = tuple((block.path, block.nth, block.role, block.hint) for block in page.blocks)
    key = xxhash.xxh3_128_digest(_packed([page.level, page.scale, places]))
    return LayoutRecord(key, places, page.level, page.scale)


def block_record(block: PageBlock, label: str = "") -> BlockRecord:
    """The content of a block, under the key of that content. The label is the block's role unless one is given."""
    content = _packed([block.weight, block.link_weight, block.lead, block.items])
    key = xxhash.xxh3_128_digest(content)
    return BlockRecord(key, block.items, block.weight, block.link_weight, block.lead, topic(block), label or block.role)


def stored_block(key: bytes, content: bytes, topic: str, label: str = "") -> BlockRecord:
    """The record `BlockRecord.as_bytes` wrote."""
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


def _packed(content: list[Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
