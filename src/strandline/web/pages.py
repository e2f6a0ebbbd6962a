"""Pages of the interface, from templates that escape everything they are given; every text is in `texts`."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from strandline.access.timestamps import iso, timestamp
from strandline.core.urls import authority
from strandline.web.drawings import band, polyline
from strandline.web.figures import (
    brief,
    clock_text,
    date_text,
    day_text,
    marked,
    minute_text,
    moment_text,
    percent_text,
    readable,
    room_text,
)
from strandline.web.texts import say
from strandline.web.views.values import IMPORTANT, level

T = TypeVar("T")

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
            "score": lambda value: f"{value:.2f}".replace("-", "−"),
            "readable": readable,
            "brief": brief,
            "host": authority,
            "marked": marked,
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


def by_day(things: Iterable[T], time: Callable[[T], float]) -> list[tuple[float, list[T]]]:
    """What belongs to each day, in the order given; the day is told by the time of its first."""
    groups = groupby(things, key=lambda one: timestamp(time(one))[:8])
    return [(time(held[0]), held) for _, group in groups if (held := list(group))]
