"""What every strategy is given, and what it must answer: which pages to fetch now, in which order, and why.

Papers 001 (section 8) and 004 (section 6): time is cut into periods, M pages may be fetched in each of them.
    paper: omega(P)        here: PageTable.weight           importance of the page
    paper: t_lastRefresh   here: PageTable.last_visit       NaN for a page that was never fetched
    paper: omega_k         here: PageTable.expected_change  importance expected in the current period
Times are counted in periods (hours, unless the archive says otherwise) since a Monday midnight.

A strategy answers `plan`. The ones of this package also answer `choose`, the same decision as arrays, which is
what a simulation of millions of visits needs; strategies that learn also take `observe`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.core.plan.budget import Budget

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

FLOAT_COLUMNS = ("weight", "last_visit", "rate", "chance", "expected_change", "mean_change", "size", "items")
INT_COLUMNS = ("page", "site", "directory", "host", "shift", "aim")
DEFAULTS = {
    "weight": 1.0, "last_visit": np.nan, "rate": 0.1 / 24, "shift": 0.0, "aim": -1.0, "size": 0.0, "items": 1.0,
}  # fmt: skip
"""What is expected of a page of which nothing is known: one change in ten days. Origin: a guess."""


@dataclass(frozen=True)
class Visit:
    """One decided fetch. `due` is the moment (in periods) at which it should happen."""

    page: int
    urgency: float
    reason: str
    due: float


@dataclass(frozen=True)
class PageTable:
    """The pages as columns. Rows keep their place: new pages are appended, so a row number is a lasting name.

    `size` is the expected bytes of a fetch, `items` how many items (articles, products) the page lists, `shift` the
    periods to add for the time of the page's own place, `aim` the number of the group with an objective of its own that
    the page belongs to (aims.py), -1 for none.
    """

    page: Rows
    site: Rows
    directory: Rows
    host: Rows
    shift: Rows
    aim: Rows
    weight: Floats
    last_visit: Floats
    rate: Floats
    chance: Floats
    expected_change: Floats
    mean_change: Floats
    size: Floats
    items: Floats

    def __post_init__(self) -> None:
        lengths = {len(getattr(self, name)) for name in FLOAT_COLUMNS + INT_COLUMNS}
        if len(lengths) != 1:
            raise ValueError(f"columns of a page table must have one length, not {sorted(lengths)}")
        if np.any(~np.isfinite(self.weight)) or np.any(self.weight < 0):
            raise ValueError("page weights must be finite and not negative")

    def __len__(self) -> int:
        return len(self.page)

    @staticmethod
    def of(count: int, **columns: ArrayLike) -> "PageTable":
        """A table of `count` pages; what is not given is filled with a neutral value.

        >>> table = PageTable.of(2, weight=[1.0, 3.0], rate=[0.5, 0.1])
        >>> len(table), table.page.tolist(), round(float(table.chance[0]), 3)
        (2, [0, 1], 0.393)
        """
        unknown = set(columns) - set(FLOAT_COLUMNS + INT_COLUMNS)
        if unknown:
            raise ValueError(f"unknown page columns: {', '.join(sorted(unknown))}")
        filled: dict[str, NDArray[np.float64]] = {}
        for name in (*INT_COLUMNS, *FLOAT_COLUMNS):
            if name in columns:
                filled[name] = np.broadcast_to(np.asarray(columns[name], dtype=np.float64), (count,)).copy()
        filled.setdefault("page", np.arange(count, dtype=np.float64))
        filled.setdefault("site", np.zeros(count))
        filled.setdefault("directory", filled["site"])
        filled.setdefault("host", filled["site"])
        for name, value in DEFAULTS.items():
            filled.setdefault(name, np.full(count, value))
        filled.setdefault("chance", -np.expm1(-filled["rate"]))
        filled.setdefault("expected_change", filled["chance"])
        filled.setdefault("mean_change", filled["expected_change"])
        ready = {name: filled[name].astype(np.int64) for name in INT_COLUMNS}
        return PageTable(**ready, **{name: filled[name] for name in FLOAT_COLUMNS})  # type: ignore[arg-type]

    @staticmethod
    def unchecked(columns: Mapping[str, NDArray[Any]]) -> "PageTable":
        """A table of columns that are known to fit: making it costs the same whatever its length."""
        table = object.__new__(PageTable)
        for name, column in columns.items():
            object.__setattr__(table, name, column)
        return table

    def with_columns(self, **columns: Floats) -> "PageTable":
        """The same pages with some columns replaced."""
        return replace(self, **columns)  # type: ignore[arg-type]

    def age(self, now: float) -> Floats:
        """Periods since the last fetch; a page never fetched is infinitely old; a clock set back gives 0."""
        age = np.maximum(now - self.last_visit, 0.0)
        return np.where(np.isnan(self.last_visit), np.inf, age)


@dataclass(frozen=True)
class Choice:
    """The decision of one period as arrays, in fetching order.

    `moment` is the place in the period (0..1) of each fetch; None means evenly spread in the order given.
    """

    rows: Rows
    urgency: Floats
    moment: Floats | None = None

    @staticmethod
    def nothing() -> "Choice":
        """No fetch in this period."""
        return Choice(np.empty(0, dtype=np.int64), np.empty(0))


@dataclass(frozen=True)
class Outcomes:
    """What captures found: one element per capture, in time order.

    `importance` is the difference to the version archived before (0 when unchanged); `last_change` the trusted
    moment of the last change (a validator, a feed, a sitemap), NaN when unknown.
    """

    row: Rows
    time: Floats
    changed: NDArray[np.bool_]
    importance: Floats
    last_change: Floats | None = None

    @staticmethod
    def of(row: ArrayLike, time: ArrayLike, changed: ArrayLike, importance: ArrayLike = 0.0) -> "Outcomes":
        """Outcomes from plain values, for instance of one capture.

        >>> Outcomes.of(3, 12.5, True, 0.4).row.tolist()
        [3]
        """
        rows = np.atleast_1d(np.asarray(row, dtype=np.int64))
        times, flags, found = np.empty(rows.shape), np.empty(rows.shape, dtype=np.bool_), np.empty(rows.shape)
        times[:], flags[:], found[:] = time, changed, importance
        return Outcomes(rows, times, flags, found)


@runtime_checkable
class Strategy(Protocol):
    """All that a strategy must offer."""

    @property
    def name(self) -> str:
        """The name users select it by."""
        ...

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The visits of the period that begins at `now`, in fetching order."""
        ...


@runtime_checkable
class ArrayStrategy(Strategy, Protocol):
    """A strategy that also answers in arrays."""

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The same decision as `plan`, without a sentence for each page."""
        ...


@runtime_checkable
class Learner(Protocol):
    """A strategy that learns from captures."""

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Take notice of what captures found; called in time order."""
        ...


@runtime_checkable
class Listener(Protocol):
    """A strategy that hears signals: pages that are said to have changed (a sitemap, a feed, a ping)."""

    def hear(self, pages: PageTable, rows: Rows, times: Floats) -> None:
        """Take notice of signals in the order of time, some of them wrong; called before a period is planned."""
        ...


def moments(choice: Choice, places: int) -> Floats:
    """Where in the period each fetch falls: the fixed places of the choice, or the j-th of `places` slots."""
    if choice.moment is not None:
        return choice.moment
    return (np.arange(len(choice.rows)) + 0.5) / max(places, len(choice.rows), 1)


def visits(choice: Choice, pages: PageTable, now: float, reasons: Sequence[str]) -> list[Visit]:
    """Turn a choice into visits; `reasons` in the order of the choice."""
    due = now + moments(choice, len(choice.rows))
    return [
        Visit(int(pages.page[row]), float(urgency), reason, float(when))
        for row, urgency, reason, when in zip(choice.rows, choice.urgency, reasons, due, strict=True)
    ]


def choose(strategy: Strategy, pages: PageTable, budget: Budget, now: float) -> Choice:
    """Ask any strategy for arrays; one that only knows `plan` is asked for visits."""
    if isinstance(strategy, ArrayStrategy):
        return strategy.choose(pages, budget, now)
    planned = strategy.plan(pages, budget, now)
    row_of = {int(page): row for row, page in enumerate(pages.page)}
    return Choice(
        np.array([row_of[visit.page] for visit in planned], dtype=np.int64),
        np.array([visit.urgency for visit in planned], dtype=np.float64),
    )
