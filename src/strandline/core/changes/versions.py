"""Version comparison and block repository of paper 003: layouts and blocks are stored once, however often they recur.

    same layout, same blocks     no new version
    same layout                  only the blocks that differ are new
    other layout                 the layout is new, and those of its blocks that are not stored yet

The paper stores every block again when the layout differs; here blocks are addressed by their content, so a page that
was redesigned around the same text stores its text once.

    paper 003                     here
    Layout                        `LayoutRecord`: the places of the blocks
    Block with Label              `BlockRecord`: content and topic; its labels are those of its place (`labels`)
    Version, VersionMetaData      `VersionRecord`: times, layout, blocks, metadata
    relations                     the order of `VersionRecord.blocks`, and of the versions

A `PageHistory` holds all versions of one page. A layout or block has a number, given in the order they came. What a
version adds is one line of JSON: its times, the numbers of its layout and blocks, and those that are new in full. Lines
of successive versions are much alike, so they are packed together: a `Segment` is a zstd frame with the lines of up to
64 versions or 128 KiB. The first of every 16 segments is whole; the others are differences from it, so reading
a version unpacks its own segment, that one, and those its older blocks lie in.

Links and images are kept without query and fragment, where tokens live that change at every fetch. It is an index
for reading and searching, never the only copy: what a page looks like byte for byte is in the WARC files. A history
depends on no other page's, so a page can be forgotten by itself.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import xxhash
import zstandard

from strandline.core.blocks.topic import topic_of
from strandline.core.blocks.tree import BlockTree, Item, PageBlock
from strandline.core.quick_dataclass import dataclass

SEGMENT_VERSIONS: Final = 64
"""Versions of a page that are packed together.
Origin: a guess; what it comes to is measured by `strandline experiment blocks --data`."""
SEGMENT_BYTES: Final = 128 * 1024
"""Bytes that are packed together.
Origin: a guess; what it comes to is measured by `strandline experiment blocks --data`."""
WHOLE_EVERY: Final = 16
"""Segments of which one is stored whole.
Origin: a guess; what it comes to is measured by `strandline experiment blocks --data`."""
_PACKING: Final = 9
"""Level of zstd. Origin: a guess."""

Places = tuple[tuple[str, int, str, str], ...]


@dataclass(frozen=True, slots=True)
class LayoutRecord:
    """Where the blocks of a version lie: path, number on the path, role and hint of each."""

    places: Places
    level: int
    scale: int

    def as_data(self) -> list[Any]:
        """The record for storing."""
        return [self.level, self.scale, self.places]


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """What a block shows, whatever place it is at."""

    items: tuple[Item, ...]
    weight: int
    link_weight: int
    lead: str

    def as_data(self) -> list[Any]:
        """The record for storing."""
        return [self.weight, self.link_weight, self.lead, self.items]

    @property
    def text(self) -> str:
        """What a search for words looks at."""
        return "\n".join(item.text for item in self.items if item.kind == "text")

    @property
    def topic(self) -> str:
        """What the block is about, in a few words."""
        return topic_of(self.lead or next((item.text for item in self.items if item.text), ""))


@dataclass(frozen=True, slots=True)
class Sight:
    """A version of a page, cut into blocks, as study hands it over."""

    seq: int
    after: float
    """When the version before it was last seen; its own time for the first."""
    time: float
    layout: LayoutRecord
    blocks: tuple[BlockRecord, ...]
    indexed: bool
    """Whether its words enter the search index."""
    metadata: Mapping[str, str | int] = field(default_factory=dict)
    """What the page says of itself: title, author, date, language, size, ..."""


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """One state of a page: when it was seen, and the numbers of its layout and of its blocks in page order."""

    seq: int
    after: float
    time: float
    layout: int
    blocks: tuple[int, ...]
    indexed: bool
    metadata: Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Segment:
    """Successive versions of a page, packed."""

    number: int
    start: float
    """Time of its first version."""
    versions: int
    indexed: int
    layouts: bytes
    """Keys of the layouts that are new in it, 8 bytes each, in the order of their numbers."""
    blocks: bytes
    frame: bytes

    @property
    def base(self) -> int:
        """The segment it is a difference from; its own number when it is whole."""
        return self.number - self.number % WHOLE_EVERY


@dataclass(frozen=True, slots=True)
class Added:
    """What one version added to a history: its record, and the numbers of blocks that are new."""

    version: VersionRecord
    layout: bool
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Life:
    """When a page showed a block: from its first version on; gone by the first one without it, last seen before."""

    block: int
    first: float
    last: float | None
    gone: float | None
    place: int
    """Where it stood in the first of these versions."""
    layout: int


def layout_record(page: BlockTree) -> LayoutRecord:
    """The layout of a page."""
    return LayoutRecord(
        tuple((block.path, block.nth, block.role, block.hint) for block in page.blocks), page.level, page.scale
    )


def block_record(block: PageBlock) -> BlockRecord:
    """The content of a block."""
    return BlockRecord(block.stored_items, block.weight, block.link_weight, block.lead)


def labels(role: str, hint: str, given: str = "") -> tuple[str, ...]:
    """What a block is called at its place: what a person called it, its role, and what its names say it is."""
    return tuple(dict.fromkeys(label for label in (given, role, hint) if label))


def rebuilt(url: str, layout: LayoutRecord, records: Sequence[BlockRecord]) -> BlockTree:
    """A version put together again from its layout and blocks, for reading."""
    blocks = tuple(
        PageBlock(path, nth, role, hint, record.items, record.weight, record.link_weight, record.lead)
        for (path, nth, role, hint), record in zip(layout.places, records, strict=True)
    )
    return BlockTree(blocks, layout.level, layout.scale, url)


class PageHistory:
    """The versions of one page, over its segments. `add` changes the last segment, or begins one."""

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        self.segments = list(segments)
        self._raw: dict[int, bytes] = {}
        self._lines: dict[int, list[dict[str, Any]]] = {}

    # Reading

    def versions(self) -> Iterator[VersionRecord]:
        """All versions, in the order they came."""
        for place in range(len(self.segments)):
            for line in self._unpacked(place):
                yield _version(line)

    def at(self, moment: float) -> VersionRecord | None:
        """The version shown at a time; None before the first."""
        for place in reversed(range(len(self.segments))):
            if self.segments[place].start <= moment or place == 0:
                earlier = [line for line in self._unpacked(place) if line["t"][1] <= moment]
                if earlier:
                    return _version(earlier[-1])
        return None

    def tree(self, version: VersionRecord, url: str = "") -> BlockTree:
        """A version put together for reading."""
        return rebuilt(url, self.layout(version.layout), [self.block(number) for number in version.blocks])

    def block(self, number: int) -> BlockRecord:
        """A block by its number."""
        place = bisect_right(self._blocks_before, number) - 1
        nth = number - self._blocks_before[place]
        for line in self._unpacked(place):
            new = line.get("n", ())
            if nth < len(new):
                weight, link_weight, lead, items = new[nth]
                return BlockRecord(tuple(Item(*item) for item in items), weight, link_weight, lead)
            nth -= len(new)
        raise ValueError(f"a history without its block {number}")

    def layout(self, number: int) -> LayoutRecord:
        """A layout by its number."""
        place = bisect_right(self._layouts_before, number) - 1
        nth = number - self._layouts_before[place]
        new = [line["L"] for line in self._unpacked(place) if "L" in line]
        level, scale, places = new[nth]
        return LayoutRecord(tuple((path, nth, role, hint) for path, nth, role, hint in places), level, scale)

    def lives(self) -> list[Life]:
        """When each block appeared and vanished, each time it came, in the order of appearance."""
        found: list[Life] = []
        shown: dict[int, int] = {}
        for version in self.versions():
            now = set(version.blocks)
            for block in [block for block in shown if block not in now]:
                place = shown.pop(block)
                found[place] = replace(found[place], last=version.after, gone=version.time)
            for place, block in enumerate(version.blocks):
                if block not in shown:
                    shown[block] = len(found)
                    found.append(Life(block, version.time, None, None, place, version.layout))
        return found

    @property
    def block_count(self) -> int:
        """How many different blocks there are."""
        return self._blocks_before[-1] + len(self.segments[-1].blocks) // 8 if self.segments else 0

    # Writing

    def add(self, new: Sight) -> Added:
        """Add a version. Its layout and blocks are new only where the page never had them."""
        layout = self._known_layouts.setdefault(_key(new.layout.as_data()), len(self._known_layouts))
        fresh_layout = layout == self._layouts_so_far
        before = len(self._known_blocks)
        keys = [_key(record.as_data()) for record in new.blocks]
        numbers = tuple(self._known_blocks.setdefault(key, len(self._known_blocks)) for key in keys)
        fresh = {number: record for number, record in zip(numbers, new.blocks, strict=True) if number >= before}
        line: dict[str, Any] = {"t": [new.seq, new.time, new.after, int(new.indexed)], "l": layout, "b": numbers}
        if fresh_layout:
            line["L"] = new.layout.as_data()
        if fresh:
            line["n"] = [record.as_data() for record in fresh.values()]
        if new.metadata:
            line["m"] = dict(new.metadata)
        ids = dict(zip(numbers, keys, strict=True))
        self._append(
            line, _keys([_key(new.layout.as_data())] if fresh_layout else []), _keys([ids[number] for number in fresh])
        )
        return Added(_version(line), fresh_layout, tuple(fresh))

    def _append(self, line: dict[str, Any], layouts: bytes, blocks: bytes) -> None:
        text = _json(line)
        last = self.segments[-1] if self.segments else None
        if last is None or last.versions >= SEGMENT_VERSIONS or len(self._content(-1)) + len(text) > SEGMENT_BYTES:
            number = 0 if last is None else last.number + 1
            last = Segment(number, line["t"][1], 0, 0, b"", b"", b"")
            self.segments.append(last)
            content = text
            self.__dict__.pop("_blocks_before", None)
            self.__dict__.pop("_layouts_before", None)
        else:
            content = self._content(-1) + b"\n" + text
        place = len(self.segments) - 1
        base = b"" if last.base == last.number else self._content(self._place(last.base))
        self.segments[-1] = replace(
            last,
            start=min(last.start, line["t"][1]),
            versions=last.versions + 1,
            indexed=last.indexed + line["t"][3],
            layouts=last.layouts + layouts,
            blocks=last.blocks + blocks,
            frame=packed(content, base),
        )
        self._raw[place] = content
        self._lines.pop(place, None)

    # Segments

    @cached_property
    def _known_blocks(self) -> dict[int, int]:
        return _numbered(segment.blocks for segment in self.segments)

    @cached_property
    def _known_layouts(self) -> dict[int, int]:
        return _numbered(segment.layouts for segment in self.segments)

    @property
    def _layouts_so_far(self) -> int:
        return sum(len(segment.layouts) for segment in self.segments) // 8

    @cached_property
    def _blocks_before(self) -> list[int]:
        """How many blocks the segments before each one have."""
        return _before(segment.blocks for segment in self.segments)

    @cached_property
    def _layouts_before(self) -> list[int]:
        return _before(segment.layouts for segment in self.segments)

    def _place(self, number: int) -> int:
        return number - self.segments[0].number

    def _content(self, place: int) -> bytes:
        place %= len(self.segments)
        if place not in self._raw:
            segment = self.segments[place]
            base = b"" if segment.base == segment.number else self._content(self._place(segment.base))
            self._raw[place] = unpacked(segment.frame, base)
        return self._raw[place]

    def _unpacked(self, place: int) -> list[dict[str, Any]]:
        if place not in self._lines:
            self._lines[place] = [json.loads(line) for line in self._content(place).split(b"\n")]
        return self._lines[place]


def packed(content: bytes, base: bytes = b"") -> bytes:
    """A content as a zstd frame, as a difference from a base content when there is one."""
    known = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if base else None
    return zstandard.ZstdCompressor(level=_PACKING, dict_data=known).compress(content)


def unpacked(frame: bytes, base: bytes = b"") -> bytes:
    """What `packed` was given, with the same base."""
    known = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if base else None
    return zstandard.ZstdDecompressor(dict_data=known).decompress(frame)


def _version(line: Mapping[str, Any]) -> VersionRecord:
    seq, time, after, indexed = line["t"]
    return VersionRecord(seq, after, time, line["l"], tuple(line["b"]), bool(indexed), line.get("m", {}))


def _key(content: list[Any]) -> int:
    """64 bits over a content: enough among the blocks of one page."""
    return xxhash.xxh3_64_intdigest(_json(content))


def _keys(keys: Sequence[int]) -> bytes:
    return np.array(keys, "<u8").tobytes()


def _numbered(parts: Iterator[bytes]) -> dict[int, int]:
    keys: list[int] = np.frombuffer(b"".join(parts), "<u8").tolist()
    return {key: number for number, key in enumerate(keys)}


def _before(parts: Iterator[bytes]) -> list[int]:
    found, total = [], 0
    for part in parts:
        found.append(total)
        total += len(part) // 8
    return found


def _json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
