"""Local time cut into periods: which kind of day, which period, and how much of each a stretch of time holds.

Paper: Ben Saad & Gancarski, JCDL 2011, definitions 3.2.1 and 3.3.1: a day (or week, or month) is cut into N_T periods;
workdays, weekends and holidays have patterns of their own, in the site's time zone.
    paper: l (length of a pattern)  here: Cycle
    paper: N_T, T_k                 here: Periods.count, a period number

Periods are read off the wall clock. When summer time begins the site has no 02:30: that period has no time in it on
that day. When summer time ends it has two: that period lasts twice as long. So every amount is kept beside the
*observed* time it belongs to, counted in whole periods, and nothing is lost or invented on days of 23 or 25 hours.

The one question asked of a calendar is how much of each period lies between two instants. The answer is the
difference of two rows of a running sum, so it costs the same for an hour and for a year.
"""

import datetime as dt
import enum
import functools
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DAY = 86_400
"""Seconds. Origin: a unit."""
_FIRST_YEAR, _LAST_YEAR = 1970, 2199
"""Years the calendar covers. Origin: a bound on memory."""
_ROUNDING = 1e-9
"""Of a period; what two running sums may differ by without meaning anything. Origin: a bound on rounding."""


class Cycle(enum.StrEnum):
    """What a pattern repeats after."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    @property
    def days(self) -> int:
        """Days of a cycle; months are cut as if they had 31."""
        return {"day": 1, "week": 7, "month": 31}[self.value]


DAY_KINDS = ("workday", "saturday", "sunday", "holiday")
_KINDS = {Cycle.DAY: DAY_KINDS, Cycle.WEEK: ("week",), Cycle.MONTH: ("month",)}


@dataclass(frozen=True, slots=True)
class Periods:
    """How the time of a site is cut: zone, country of its holidays, cycle, periods in a cycle (the paper's N_T).

    A month is cut as if it had 31 days; the 31st is observed in seven months of the year only.
    """

    zone: str = "UTC"
    country: str | None = None
    cycle: Cycle = Cycle.DAY
    count: int = 24

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"a cycle needs at least one period, not {self.count}")

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the patterns: four kinds of day, or the one week or month."""
        return _KINDS[self.cycle]

    @property
    def seconds(self) -> float:
        """Length of one period on the wall clock."""
        return self.cycle.days * DAY / self.count


@dataclass(frozen=True, slots=True)
class LocalDay:
    """A local day as it was lived: its date, its kind, and its two ends in epoch seconds."""

    date: dt.date
    kind: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Time from `starts[0]` to `end`, cut where a day or a clock change begins; all seconds.

    `wall[i]` is the wall-clock place in the cycle at which stretch i starts; `before[i]` is the time of each kind
    and period that lies before it, in periods.
    """

    starts: Ints
    end: int
    wall: Ints
    kind: Ints
    before: Floats


class LocalCalendar:
    """Periods of one zone and country; tables are built for the years asked about and grow by themselves."""

    def __init__(self, periods: Periods) -> None:
        try:
            self._zone = ZoneInfo(periods.zone)
        except (ZoneInfoNotFoundError, ValueError) as problem:
            raise ValueError(f"unknown time zone {periods.zone!r}") from problem
        self.periods = periods
        self._years: tuple[int, int] | None = None
        self._table: _Stretches | None = None

    def observed(self, since: ArrayLike, until: ArrayLike) -> Floats:
        """Time of each kind and period in (since, until], in periods; shape (..., kinds, count).

        >>> paris = LocalCalendar(Periods("Europe/Paris", "FR", count=2))
        >>> noon = 1_735_902_000.0  # Friday 3 January 2025, 12:00 in Paris
        >>> paris.observed(noon, noon + 24 * 3600).tolist()
        [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
        """
        first, last = np.broadcast_arrays(np.asarray(since, dtype=np.float64), np.asarray(until, dtype=np.float64))
        if (last < first).any():
            raise ValueError("a stretch of time ends before it begins")
        shape = (*first.shape, len(self.periods.kinds), self.periods.count)
        if first.size == 0:
            return np.zeros(shape)
        table = self._covering(float(first.min()), float(last.max()))
        since_table, since_stretch, kinds = self._running_sum(table, np.concatenate([first.ravel(), last.ravel()]))
        # Whole periods first: their difference is exact, so the result does not depend on the years in the table.
        inside = since_table[first.size :] - since_table[: first.size]
        every = np.arange(first.size)
        inside[every, kinds[first.size :]] += since_stretch[first.size :]
        inside[every, kinds[: first.size]] -= since_stretch[: first.size]
        inside[np.abs(inside) < _ROUNDING] = 0.0
        return inside.reshape(shape)

    def place(self, time: ArrayLike) -> tuple[Ints, Ints]:
        """Kind number and period number of instants."""
        at = np.asarray(time, dtype=np.float64)
        if at.size == 0:
            return np.zeros(at.shape, np.int64), np.zeros(at.shape, np.int64)
        table = self._covering(float(at.min()), float(at.max()))
        stretch = np.searchsorted(table.starts, at, side="right") - 1
        period = (table.wall[stretch] + (at - table.starts[stretch])) / self.periods.seconds
        return table.kind[stretch], np.minimum(period.astype(np.int64), self.periods.count - 1)

    def days(self, since: float, until: float) -> list[LocalDay]:
        """The local days that (since, until] touches."""
        found = []
        date = dt.datetime.fromtimestamp(since, self._zone).date()
        while (start := self._midnight(date)) < until:
            end = self._midnight(date + dt.timedelta(days=1))
            if end > since and end > start:  # Samoa had no 30 December 2011
                found.append(LocalDay(date, self.day_kind(date), float(start), float(end)))
            date += dt.timedelta(days=1)
        return found

    def day_kind(self, date: dt.date) -> str:
        """A holiday is a holiday whatever its weekday."""
        if date in public_holidays(self.periods.country, date.year):
            return "holiday"
        return {5: "saturday", 6: "sunday"}.get(date.weekday(), "workday")

    def _midnight(self, date: dt.date) -> int:
        return int(dt.datetime(date.year, date.month, date.day, tzinfo=self._zone).timestamp())

    def _covering(self, first: float, last: float) -> _Stretches:
        years = (_year(first), _year(last))
        if self._years is not None and self._table is not None:
            if self._years[0] <= years[0] and years[1] <= self._years[1]:
                return self._table
            years = (min(years[0], self._years[0]), max(years[1], self._years[1]))
        table = self._build(*years)
        self._years, self._table = years, table
        return table

    def _build(self, first_year: int, last_year: int) -> _Stretches:
        # A day more at each end: local years begin before or after those of UTC.
        date, stop = dt.date(first_year, 1, 1) - dt.timedelta(days=1), dt.date(last_year + 1, 1, 2)
        starts: list[int] = []
        wall: list[int] = []
        kind: list[int] = []
        start = self._midnight(date)
        while date < stop:
            tomorrow = date + dt.timedelta(days=1)
            end = self._midnight(tomorrow)
            if end > start:
                place, number = self._place_of_day(date)
                for cut in (start, *self._clock_changes(start, end)):
                    local = dt.datetime.fromtimestamp(cut, self._zone)
                    starts.append(cut)
                    wall.append(place + local.hour * 3600 + local.minute * 60 + local.second)
                    kind.append(number)
            date, start = tomorrow, end
        numbers = np.array(kind, dtype=np.int64)
        places = np.array(wall, dtype=np.int64)
        lengths = np.diff(np.array([*starts, start], dtype=np.int64))
        filled = np.zeros((len(starts) + 1, len(self.periods.kinds), self.periods.count))
        filled[np.arange(1, len(starts) + 1), numbers] = self._overlap(places, lengths.astype(np.float64))
        return _Stretches(np.array(starts, np.int64), start, places, numbers, np.cumsum(filled, axis=0))

    def _place_of_day(self, date: dt.date) -> tuple[int, int]:
        """Seconds of the cycle before this date, and the number of its kind."""
        if self.periods.cycle is Cycle.WEEK:
            return date.weekday() * DAY, 0
        if self.periods.cycle is Cycle.MONTH:
            return (date.day - 1) * DAY, 0
        return 0, DAY_KINDS.index(self.day_kind(date))

    def _clock_changes(self, start: int, end: int) -> list[int]:
        """The instant inside (start, end) at which the distance to UTC changes, if there is one."""
        before = self._offset(start)
        if self._offset(end - 1) == before:
            return []
        low, high = start, end - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._offset(middle) == before else (low, middle)
        return [high]

    def _offset(self, time: int) -> dt.timedelta | None:
        return dt.datetime.fromtimestamp(time, self._zone).utcoffset()

    def _overlap(self, wall: Ints, length: Floats) -> Floats:
        """Time of each period in stretches of the wall clock, in periods; shape (..., count)."""
        edges = np.arange(self.periods.count) * self.periods.seconds
        first = np.maximum(wall[..., None], edges)
        last = np.minimum((wall + length)[..., None], edges + self.periods.seconds)
        share: Floats = np.maximum(last - first, 0.0) / self.periods.seconds
        return share

    def _running_sum(self, table: _Stretches, time: Floats) -> tuple[Floats, Floats, Ints]:
        """Time before each instant of a list: up to its stretch, per kind and period; since then, per period, and
        the kind of that.
        """
        stretch = np.searchsorted(table.starts, time, side="right") - 1
        inside = self._overlap(table.wall[stretch], time - table.starts[stretch])
        return table.before[stretch], inside, table.kind[stretch]


@functools.cache
def public_holidays(country: str | None, year: int) -> frozenset[dt.date]:
    """Nation-wide public holidays; empty without a country or for a country nobody has listed."""
    if country is None:
        return frozenset()
    import holidays  # noqa: PLC0415 - a tenth of a second that only archives with a country spend

    if country.upper() not in holidays.list_supported_countries():
        return frozenset()
    return frozenset(holidays.country_holidays(country.upper(), years=year))


def _year(time: float) -> int:
    # The ends of the range in epoch seconds: datetime itself raises three kinds of error beyond its own.
    if not 0 <= time < (_LAST_YEAR + 1 - _FIRST_YEAR) * 365.2425 * DAY:
        raise ValueError(f"{time} lies outside the years {_FIRST_YEAR} to {_LAST_YEAR} (epoch seconds are expected)")
    return dt.datetime.fromtimestamp(time, dt.UTC).year
