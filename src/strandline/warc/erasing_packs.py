"""Erasing records from compacted files: their pack is written anew without them.

In a pack records are kept as differences from one another, so that one cannot simply be taken out. All records that
stay are unpacked and packed again; the guides of all files of the pack follow, each with the offsets its records
have had all along. As with compaction, everything is compared before anything is removed, and while old and new are
both there, either is whole: a guide names the pack that it needs.

The text of a tombstone takes the place of each erased record, as in any other file.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import xxhash

from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged
from strandline.warc.compacted import DELTA, PACK, CompactedWindow, name_of, sum_of, tidy, write_guide
from strandline.warc.deltas import CompactedWarc, OldRecord, compact
from strandline.warc.erasing import Erased, tombstone
from strandline.warc.fixity import write_sums
from strandline.warc.records import parse_header_block

_SHORTEST: Final = 400
"""A tombstone in a pack need not fill its place: this much holds its header."""
Rows = list[tuple[int, int, int]]


def erase_in_packs(folder: Path, erased: Mapping[str, Sequence[Erased]], time: float) -> int:
    """Erase records (by the name of their file) from all packs of a folder; returns how many packs were written anew.

    Done again, it finds nothing left to do, and removes what a crash left.
    """
    packs: dict[str, list[Path]] = {}
    unnamed: Counter[str] = Counter()
    for guide in sorted(folder.glob(f"*{DELTA}")):
        with closing(CompactedWindow(guide)) as window:
            packs.setdefault(window.pack, []).append(guide)
            unnamed.setdefault(window.pack, window.pack_records)
            unnamed[window.pack] -= len(window.places)
    done = 0
    for pack, guides in packs.items():
        # A crash may have left records in a pack whose guides name another one by now: they would be overlooked.
        if unnamed[pack] or any(_has_left(guide, erased.get(name_of(guide), ()), time) for guide in guides):
            _rewrite(folder, pack, guides, erased, time)
            done += 1
    tidy(folder)
    return done


def _stone(record: Erased, time: float) -> bytes:
    return tombstone(_SHORTEST, record.record_id, time, packed=False)


def _has_left(guide: Path, records: Sequence[Erased], time: float) -> bool:
    """Whether any of the records of a file is still there."""
    if not records:
        return False
    with closing(CompactedWindow(guide)) as window:
        return any(record.offset in window.places and window.record(record.offset) != _stone(record, time)
                   for record in records)  # fmt: skip


def _rewrite(folder: Path, pack: str, guides: list[Path], erased: Mapping[str, Sequence[Erased]], time: float) -> None:
    with ExitStack() as stack:
        windows = [stack.enter_context(closing(CompactedWindow(guide))) for guide in guides]
        stones = [{one.offset: _stone(one, time) for one in erased.get(name_of(guide), ())} for guide in guides]
        sums = [_sha256(window, gone) for window, gone in zip(windows, stones, strict=True)]
        name = f"cold-{xxhash.xxh3_64_hexdigest(''.join([pack, *sums]).encode())}{PACK}"
        rows: list[Rows] = [[] for _ in guides]
        unfinished = folder / f"{name}.new"
        with unfinished.open("w+b") as out:
            unfinished.chmod(0o600)
            compact(_kept(windows, stones, rows), out)
            out.flush()
            os.fsync(out.fileno())
            _compare(CompactedWarc(out), sums, rows)
            whole = sum_of(out)
        unfinished.replace(folder / name)
        sync_path(folder)
        write_sums(folder, name, [whole])
    for guide, sha256, placed in zip(guides, sums, rows, strict=True):
        write_guide(guide, name, sha256, sorted(placed))


def _record(window: CompactedWindow, gone: Mapping[int, bytes], offset: int) -> bytes:
    return gone[offset] if offset in gone else window.record(offset)


def _sha256(window: CompactedWindow, gone: Mapping[int, bytes]) -> str:
    whole = hashlib.sha256()
    for offset in sorted(window.places):
        whole.update(_record(window, gone, offset))
    return whole.hexdigest()


def _kept(
    windows: list[CompactedWindow], stones: Sequence[Mapping[int, bytes]], rows: list[Rows]
) -> Iterator[OldRecord]:
    """Records of all files by address, type and time of writing; notes where each comes to lie."""
    order = []
    for number, (window, gone) in enumerate(zip(windows, stones, strict=True)):
        for offset, length in window.places.items():
            fields = parse_header_block(_record(window, gone, offset))[1]
            order.append((fields.get("warc-target-uri", ""), fields.get("warc-type", ""), number, offset, length))
    place = 0
    for _, _, number, offset, length in sorted(order):
        data = _record(windows[number], stones[number], offset)
        rows[number].append((offset, length, place))
        yield OldRecord(place, length, data)
        place += max(1, len(data))


def _compare(records: CompactedWarc, sums: Sequence[str], rows: Sequence[Rows]) -> None:
    for expected, placed in zip(sums, rows, strict=True):
        whole = hashlib.sha256()
        for _, _, place in sorted(placed):
            whole.update(records.at(place))
        if whole.hexdigest() != expected:
            raise ArchiveDamaged("a pack is not the same when it is read back; nothing was removed")
