"""Pages of the interface, from templates that escape everything they are given; every text is in `texts`."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from pathlib import Path
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from strandline.access.timestamps import iso, timestamp
from strandline.core.capture import Capture
from strandline.web.drawings import band, polyline
from strandline.web.texts import say
from strandline.web.views.values import IMPORTANT, level

_FOLDER = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        {
            "timestamp": timestamp,
            "iso": iso,
            "moment": moment_text,
            "minute": minute_text,
            "day": day_text,
            "clock": clock_text,
            "date": date_text,
            "number": lambda value: f"{value:,}",
            "percent": percent_text,
            "score": lambda value: f"{value:.2f}",
            "size": room_text,
            "query": lambda values: urlencode({key: value for key, value in values.items() if value not in ("", None)}),
            "polyline": polyline,
            "level": level,
        }
    )
    environment.globals.update({"say": say, "band": band, "important": IMPORTANT})
    return environment


def render(template: str, values: Mapping[str, object]) -> str:
    """A page from its template."""
    return _environment().get_template(template).render(values)


def notice(title: str, text: str) -> str:
    """A page that says one thing: not found, not readable, damaged."""
    return render("notice.html", {"title": title, "text": text})


def _at(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)


def moment_text(time: float) -> str:
    """A moment for people: 15 November 2026, 04:05:06 UTC."""
    at = _at(time)
    return f"{at.day} {at:%B %Y, %H:%M:%S} UTC"


def minute_text(time: float) -> str:
    """A moment in little room: 15 Nov 2026, 04:05."""
    at = _at(time)
    return f"{at.day} {at:%b %Y, %H:%M}"


def date_text(time: float) -> str:
    """A date for people, without the day of the week."""
    at = _at(time)
    return f"{at.day} {at:%B %Y}"


def day_text(time: float) -> str:
    """A day for people."""
    at = _at(time)
    return f"{at:%A}, {at.day} {at:%B %Y}"


def clock_text(time: float) -> str:
    """A time of day for people, in UTC."""
    return f"{_at(time):%H:%M:%S}"


def percent_text(share: float) -> str:
    """A share for people.

    >>> percent_text(0.234), percent_text(0.9999), percent_text(0.0004)
    ('23 %', '> 99 %', '< 1 %')
    """
    if 0.0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1.0:
        return "> 99 %"
    return f"{100.0 * share:.0f} %"


def duration_text(seconds: float) -> str:
    """A stretch of time for people, in its largest unit.

    >>> duration_text(1), duration_text(100), duration_text(7200), duration_text(400_000)
    ('1 s', '2 min', '2 h', '5 days')
    """
    for limit, unit, name in ((90, 1, "s"), (5400, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86_400:.0f} days"


def room_text(octets: float) -> str:
    """Bytes for people.

    >>> room_text(512), room_text(708_469), room_text(79_767_838_720)
    ('512 B', '692 KiB', '74.3 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if octets < 1024:
            return f"{octets:.0f} {unit}" if octets >= 100 or unit == "B" else f"{octets:.1f} {unit}"
        octets /= 1024
    return f"{octets:.1f} TiB"


def by_day(captures: Iterable[Capture]) -> list[tuple[float, list[Capture]]]:
    """Captures of each day, in the order given; the day is told by its first capture's time."""
    groups = groupby(captures, key=lambda capture: timestamp(capture.time)[:8])
    return [(held[0].time, held) for _, group in groups if (held := list(group))]
