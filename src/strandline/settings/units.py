"""Durations, sizes and rates as people write them: "10 s", "1 GiB", "500/day"."""

import math
import re

from strandline.core.quick_dataclass import dataclass

_DURATIONS = {
    "ms": 0.001,
    "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0,
    "min": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "day": 86400.0, "days": 86400.0, "d": 86400.0,
    "week": 604800.0, "weeks": 604800.0, "w": 604800.0,
}  # fmt: skip
_SIZES = {
    "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
_SPANS = {"hour": 3600.0, "h": 3600.0, "day": 86400.0, "d": 86400.0, "week": 604800.0, "w": 604800.0}
_LONGEST = 50 * 365.25 * 86400.0
_LARGEST = 2**60
"""Beyond these, sums of times are no dates, and sizes no numbers of a catalog."""
_RATE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*(?:/|\bper\b)\s*([a-z]+)\s*")
_NUMBER_AND_UNIT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def seconds(text: str | int | float) -> float:
    """A duration in seconds; a bare number is taken as seconds.

    >>> seconds("1.5 min"), seconds(3), seconds("48h"), seconds("2 weeks")
    (90.0, 3.0, 172800.0, 1209600.0)
    >>> seconds("10 parsecs")
    Traceback (most recent call last):
    ValueError: 'parsecs' is no unit of time; use ms, s, min, h, day, week
    """
    number, unit = _split(text, 'a duration such as "10 s"')
    if unit and unit not in _DURATIONS:
        raise ValueError(f"{unit!r} is no unit of time; use ms, s, min, h, day, week")
    found = number * _DURATIONS.get(unit, 1.0)
    if found > _LONGEST:
        raise ValueError("longer than fifty years")
    return found


def octets(text: str | int | float) -> int:
    """A size in bytes; a bare number is taken as bytes.

    >>> octets("1 GiB"), octets("20 kB"), octets(7)
    (1073741824, 20000, 7)
    """
    number, unit = _split(text, 'a size such as "64 MiB"')
    if unit and unit not in _SIZES:
        raise ValueError(f"{unit!r} is no unit of size; use B, kB, MB, GB, TB or KiB, MiB, GiB, TiB")
    found = number * _SIZES.get(unit, 1)
    if found > _LARGEST:
        raise ValueError("more than any disk holds")
    return int(found)


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests, or so many bytes, in so many seconds."""

    amount: float
    span: float
    in_bytes: bool = False

    @property
    def hours(self) -> float:
        """Length of the span."""
        return self.span / 3600.0


def rate(text: str | int | float) -> Rate:
    """A budget: requests or bytes per hour, day or week.

    >>> rate("500/day"), rate("20 MB/hour").amount
    (Rate(amount=500.0, span=86400.0, in_bytes=False), 20000000.0)
    >>> rate("0/day")
    Traceback (most recent call last):
    ValueError: a budget must be above zero, not '0/day'
    """
    match = _RATE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'{text!r} is no budget; write it like "500/day", "20/hour" or "200 MB/day"')
    amount, unit, span = float(match[1]), match[2], match[3]
    if span not in _SPANS:
        raise ValueError(f"{span!r} is no span of a budget; use hour, day, week")
    in_bytes = unit in _SIZES
    if unit and not in_bytes and unit not in ("requests", "visits"):
        raise ValueError(f"{unit!r} is no unit of a budget; use requests, or B, kB, MB, GB, KiB, MiB, GiB")
    if not amount < math.inf:
        raise ValueError("a budget must be a finite number")
    if not amount > 0:
        raise ValueError(f"a budget must be above zero, not {text!r}")
    return Rate(amount * _SIZES.get(unit, 1), _SPANS[span], in_bytes)


def _split(text: str | int | float, wanted: str) -> tuple[float, str]:
    if isinstance(text, bool):
        raise ValueError(f"expected {wanted}")
    if isinstance(text, int | float):
        if not 0 <= text < _LARGEST:
            raise ValueError("must not be negative or infinite")
        return float(text), ""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not {wanted}")
    return float(match[1]), match[2]


def duration_text(value: float) -> str:
    """A duration as a setting file shows it; read again, it is the same.

    >>> duration_text(300.0), duration_text(0.25), duration_text(86400.0), duration_text(1234567.891)
    ('5 min', '250 ms', '1 day', '1234567.891 s')
    """
    for unit in ("day", "h", "min", "s"):
        if value >= _DURATIONS[unit] and value % _DURATIONS[unit] == 0:
            return f"{value / _DURATIONS[unit]:.0f} {unit}"
    small = 0 < value < 1
    shown = f"{1000 * value:.6f}" if small else f"{value:.6f}"
    shown = f"{shown.rstrip('0').rstrip('.')} {'ms' if small else 's'}"
    if seconds(shown) == value:
        return shown
    from decimal import Decimal  # noqa: PLC0415 - slow to load, and needed for odd values only

    return f"{Decimal(repr(value)):f} s"


def size_text(value: int) -> str:
    """A size as a setting file shows it.

    >>> size_text(2**30), size_text(10**9), size_text(500)
    ('1 GiB', '1 GB', '500 B')
    """
    for unit in ("TiB", "TB", "GiB", "GB", "MiB", "MB", "KiB", "kB"):
        if value >= _SIZES[unit] and value % _SIZES[unit] == 0:
            return f"{value // _SIZES[unit]} {unit}"
    return f"{value} B"
