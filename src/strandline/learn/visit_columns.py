"""The captures of a site as columns, many at a time: what `learn.gathered` does capture by capture, for large sites.

Batches come by page and time; a page may go on in the next batch. What is kept of a capture are 18 bytes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.capture import GONE
from strandline.core.mining.learned import Visits
from strandline.learn.patterns import EARLIEST, LATEST, SEEN


class LookColumns(Protocol):
    """A batch of captures; see `learn.Seen` for what each column says."""

    @property
    def page(self) -> NDArray[np.int64]:
        """Numbers of the pages, in runs."""

    @property
    def time(self) -> NDArray[np.float64]:
        """UTC epoch seconds, ascending within a page."""

    @property
    def status(self) -> NDArray[np.int64]:
        """HTTP status."""

    @property
    def changed(self) -> NDArray[np.bool_]:
        """Whether a reader sees a difference to the capture before."""

    @property
    def importance(self) -> NDArray[np.float64]:
        """How much the difference matters."""

    @property
    def held(self) -> NDArray[np.bool_]:
        """Whether the difference is not believed yet."""

    @property
    def studied(self) -> NDArray[np.bool_]:
        """Whether the difference was told by more than the digests."""

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Whether the bytes differ from those of the capture before."""


Columns = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], NDArray[np.uint8]]
"""Page, time, changed, importance, and gone, unstudied and restless as three bits."""
_NOTHING: Columns = (np.empty(0, np.int64), np.empty(0), np.empty(0, np.bool_), np.empty(0), np.empty(0, np.uint8))


def gathered_columns(batches: Iterable[LookColumns], urls: Mapping[int, str]) -> Iterator[Visits]:
    """Columns per page. Left out: what is held in doubt, answers that show no page, impossible dates."""
    waiting = [_NOTHING]
    for batch in batches:
        kept = _kept(batch)
        if not kept[0].size:
            continue
        if waiting[0][0].size and kept[0][0] != waiting[0][0][0]:
            yield from _pages(_joined(waiting), urls)
            waiting = [_NOTHING]
        last = int(np.searchsorted(kept[0], kept[0][-1]))  # pages ascend
        if last:
            yield from _pages(_joined([*waiting, _cut(kept, 0, last)]), urls)
            waiting = [_cut(kept, last, kept[0].size)]
        else:
            waiting = [*waiting, kept] if waiting[0][0].size else [kept]
    yield from _pages(_joined(waiting), urls)


def _kept(batch: LookColumns) -> Columns:
    gone = np.isin(batch.status, list(GONE))
    showing = gone | np.isin(batch.status, list(SEEN))
    kept = showing & ~batch.held & (batch.time >= EARLIEST) & (batch.time < LATEST)
    bits = gone + 2 * ~batch.studied + 4 * (batch.differs & ~batch.changed)
    columns = (batch.page, batch.time, batch.changed, np.maximum(batch.importance, 0.0), bits.astype(np.uint8))
    return columns if kept.all() else tuple(column[kept] for column in columns)  # type: ignore[return-value]


def _cut(columns: Columns, start: int, end: int) -> Columns:
    # Copies: a view would keep the whole batch in memory.
    return tuple(column[start:end].copy() for column in columns)  # type: ignore[return-value]


def _joined(some: list[Columns]) -> Columns:
    return some[0] if len(some) == 1 else tuple(map(np.concatenate, zip(*some, strict=True)))  # type: ignore[return-value]


def _pages(columns: Columns, urls: Mapping[int, str]) -> Iterator[Visits]:
    page, time, changed, importance, bits = columns
    if not page.size:
        return
    starts = np.concatenate([[0], np.flatnonzero(page[1:] != page[:-1]) + 1])
    changed = changed.copy()
    changed[starts] = False
    importance = np.where(changed, importance, 0.0)
    gone = (bits & 1).astype(np.bool_)
    unstudied = np.add.reduceat((bits >> 1) & 1, starts, dtype=np.int64).tolist()
    restless = np.add.reduceat(bits >> 2, starts, dtype=np.int64).tolist()
    ends = [*starts[1:].tolist(), page.size]
    for number, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        part = slice(start, end)
        own = int(page[start])
        yield Visits(
            own, urls[own], time[part], changed[part], importance[part], gone[part], unstudied[number], restless[number]
        )
