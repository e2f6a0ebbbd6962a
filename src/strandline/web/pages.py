"""Pages of the interface, from templates that escape everything they are given."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from strandline.access.timestamps import iso, timestamp
from strandline.core.capture import Capture

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
        {"timestamp": timestamp, "iso": iso, "moment": moment_text, "day": day_text, "clock": clock_text}
    )
    environment.filters["date"] = date_text
    environment.filters["number"] = lambda value: f"{value:,}"
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


def by_day(captures: Iterable[Capture]) -> list[tuple[float, list[Capture]]]:
    """Captures of each day, in the order given; the day is told by its first capture's time."""
    groups = groupby(captures, key=lambda capture: timestamp(capture.time)[:8])
    return [(held[0].time, held) for _, group in groups if (held := list(group))]
