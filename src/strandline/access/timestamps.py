"""Times as archives write them: 14 digits in addresses and indexes, RFC 1123 dates in HTTP.

A shorter timestamp means the whole of what it names: `2026` is a year. As a moment it stands for its beginning.
Seventeen digits carry milliseconds.
"""

import calendar
import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_DIGITS = re.compile(r"[0-9]{4,17}\Z")
_HTTP_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{1,2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT\Z"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_FIRST = "00000101000000000"


@lru_cache(maxsize=4096)
def timestamp(time: float) -> str:
    """14 digits of a moment, truncated to the second.

    >>> timestamp(1767225600.9), timestamp(-59011459200.0)
    ('20260101000000', '01000101000000')
    """
    at = datetime.fromtimestamp(int(time // 1), UTC)
    return f"{at.year:04}{at:%m%d%H%M%S}"  # %Y does not fill up years of three digits


@lru_cache(maxsize=4096)
def moment(digits: str) -> float:
    """Beginning of what 4 to 17 digits name; ValueError when they name nothing.

    >>> moment("2026") == moment("20260101000000")
    True
    """
    if not _DIGITS.match(digits) or (len(digits) % 2 and len(digits) < 15):
        raise ValueError(f"not a timestamp: {digits[:30]!r}")
    whole = digits + _FIRST[len(digits) :]
    try:
        at = datetime.strptime(whole[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"not a timestamp: {digits[:30]!r}") from None
    return at.timestamp() + int(whole[14:17]) / 1000


def last_moment(digits: str) -> float:
    """End of what the digits name, for the upper bound of a span.

    >>> timestamp(last_moment("202602")), timestamp(last_moment("9999"))
    ('20260228235959', '99991231235959')
    """
    start = datetime.fromtimestamp(moment(digits), UTC)
    if len(digits) == 4:
        length = timedelta(days=366 if calendar.isleap(start.year) else 365)
    elif len(digits) == 6:
        length = timedelta(days=calendar.monthrange(start.year, start.month)[1])
    else:
        length = {
            8: timedelta(days=1),
            10: timedelta(hours=1),
            12: timedelta(minutes=1),
            14: timedelta(seconds=1),
        }.get(len(digits), timedelta(milliseconds=1))
    # In seconds, because the end of the year 9999 is no date.
    return start.timestamp() + length.total_seconds() - 0.0005


@lru_cache(maxsize=4096)
def http_date(time: float) -> str:
    """A moment as HTTP and Memento write it.

    >>> http_date(1767225600.0)
    'Thu, 01 Jan 2026 00:00:00 GMT'
    """
    at = datetime.fromtimestamp(int(time // 1), UTC)
    return f"{_DAYS[at.weekday()]}, {at:%d} {_MONTHS[at.month - 1]} {at.year:04} {at:%H:%M:%S} GMT"


def parse_http_date(text: str) -> float:
    """The moment an Accept-Datetime names; ValueError when it is not an RFC 1123 date in GMT.

    >>> parse_http_date("Thu, 01 Jan 2026 00:00:00 GMT")
    1767225600.0
    """
    match = _HTTP_DATE.match(text.strip())
    if match is None or match[2] not in _MONTHS:
        raise ValueError(f"not an HTTP date: {text[:60]!r}")
    day, year, hour, minute, second = (int(match[part]) for part in (1, 3, 4, 5, 6))
    try:
        return datetime(year, _MONTHS.index(match[2]) + 1, day, hour, minute, min(second, 59), tzinfo=UTC).timestamp()
    except ValueError:
        raise ValueError(f"not an HTTP date: {text[:60]!r}") from None


def iso(time: float) -> str:
    """A moment for people and JSON.

    >>> iso(1767225600.25)
    '2026-01-01T00:00:00.250Z'
    """
    text = datetime.fromtimestamp(round(time, 3), UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z").replace(".000Z", "Z")
