"""Measuring page versions: what changed, how much it mattered, what it cost, what it takes to store."""

import gzip
import io
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from strandline.core.blocks.tree import BlockTree
from strandline.core.blocks.word_numbers import ready as ready_to_compare
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.index_threshold import indexed
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.core.changes.versions import PageHistory, Sight, block_record, layout_record
from strandline.dom.html import blocks, visible_hash
from strandline.dom.scan import ready as ready_to_cut
from strandline.exchange.page_versions import PageVersion
from strandline.lab.experiments.lasting_changes import Judged
from strandline.warc.deltas import OldRecord, check, compact

ROW = 48  # bytes of a segment's row beside its contents, with its entry in the index
BATCH = 64  # versions of a page compacted together: four keyframes


@dataclass(slots=True)
class Study:
    """Sums over all versions of a collection."""

    pages: int = 0
    versions: int = 0
    pairs: int = 0
    same_hash: int = 0
    no_block_change: int = 0
    held: int = 0
    empty: int = 0
    importances: list[float] = field(default_factory=list)  # of visible changes
    impchs: list[float] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)  # step -> seconds of CPU
    raw_bytes: int = 0
    gzip_bytes: int = 0
    index_bytes: int = 0
    compact_bytes: int = 0
    rebuilt: int = 0
    state_bytes: int = 0
    indexed: int = 0
    block_counts: list[int] = field(default_factory=list)
    judged: Judged = field(default_factory=Judged)
    samples: list[tuple[bytes, BlockTree]] = field(default_factory=list)  # the first version of each page

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the CPU time of a step."""
        start = time.thread_time()
        yield
        self.spent[step] = self.spent.get(step, 0.0) + time.thread_time() - start


def study_versions(versions: Iterable[PageVersion], progress: Callable[[str], None]) -> Study:
    """Take in all versions, page by page."""
    ready_to_cut()
    ready_to_compare()
    result = Study()
    page: list[PageVersion] = []
    for version in versions:
        if page and version.url != page[0].url:
            _study_page(page, result, progress)
            page = []
        page.append(version)
    if page:
        _study_page(page, result, progress)
    return result


def _study_page(versions: list[PageVersion], result: Study, progress: Callable[[str], None]) -> None:
    progress(f"{versions[0].url}: {len(versions)} versions")
    result.pages += 1
    noise, scale = NoiseState(), 0
    base: BlockTree | None = None
    base_hash = 0
    trees: list[tuple[BlockTree, float]] = []
    importances: list[float] = []
    visible: list[bool] = []
    for version in versions:
        result.versions += 1
        with result.timed("parse"):
            LexborHTMLParser(version.body)
        with result.timed("visible hash"):
            shown = visible_hash(version.body, charset="utf-8")
        with result.timed("blocks"):
            tree = blocks(version.body, charset="utf-8", url=version.url, scale=scale)
            _ = [block.digest for block in tree.blocks]
        scale = scale or tree.scale
        result.block_counts.append(len(tree.blocks))
        result.empty += not tree.blocks
        trees.append((tree, version.time))
        if base is None:
            base, base_hash = tree, shown
            result.samples.append((version.body, tree))
            continue
        with result.timed("diff and importance"):
            delta = compare(base, tree)
            scored = study(delta, noise)
        result.pairs += 1
        result.same_hash += shown == base_hash
        result.no_block_change += delta.empty
        result.held += scored.held
        importances.append(scored.value)
        visible.append(not delta.empty)
        if not delta.empty:
            result.importances.append(scored.value)
            result.impchs.append(scored.impch)
        if not scored.held:
            base, base_hash = tree, shown
    result.judged.take([tree for tree, _ in trees], importances, visible)
    result.state_bytes += len(noise.as_bytes())
    result.indexed += sum(indexed(importances, float(np.mean(importances)))) if importances else 0
    result.index_bytes += index_size(trees)
    for start in range(0, len(versions), BATCH):
        _store(versions[start : start + BATCH], result)


def index_size(trees: Iterable[tuple[BlockTree, float]]) -> int:
    """Bytes of the block index of one page's versions, as an archive keeps it: the rows of its segments.

    The words for searching are not counted.
    """
    history = PageHistory()
    before = None
    for number, (tree, moment) in enumerate(trees):
        layout, records = layout_record(tree), tuple(map(block_record, tree.blocks))
        if (layout, records) != before:
            history.add(Sight(number, moment, moment, layout, records, indexed=False))
        before = (layout, records)
    return sum(ROW + len(one.frame) + len(one.layouts) + len(one.blocks) for one in history.segments)


def _store(versions: list[PageVersion], result: Study) -> None:
    """Store versions as WARC records: gzip each, and compacted; rebuild and compare."""
    records, place = [], 0
    for version in versions:
        record = _record(version)
        with result.timed("gzip"):
            gzipped = len(gzip.compress(record, 6, mtime=0))
        result.raw_bytes += len(record)
        result.gzip_bytes += gzipped
        records.append(OldRecord(place, gzipped, record))
        place += gzipped
    target = io.BytesIO()
    with result.timed("compaction"):
        done = compact(records, target)
    result.compact_bytes += done.stored_bytes
    check(target, done.sha256)
    result.rebuilt += done.records


def _record(version: PageVersion) -> bytes:
    """A version as the response record a crawl would have written."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(version.time))
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + version.body
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {version.url}\r\nWARC-Date: {moment}\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{int(version.time):012x}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"
