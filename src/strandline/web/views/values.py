"""Values that several views share: moments, colour levels, pages of a list."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from strandline.access.timestamps import iso
from strandline.archive.folder import web_address
from strandline.errors import UsageError
from strandline.web.texts import say

Moment = Annotated[
    float,
    PlainSerializer(lambda time: iso(time), return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization"),
]
"""UTC epoch seconds; the API writes them as ISO 8601."""


class Sent(BaseModel):
    """What a program sends: nothing but what is named."""

    model_config = ConfigDict(extra="forbid")


IMPORTANT: Final = 0.1
"""Importance from which on a change is called important."""
LEVELS: Final = (0.005, 0.05, 0.1, 0.25)
"""Importances at which the colour changes; below the first there is change that hardly anyone sees."""
DAY: Final = 86_400.0

Data = dict[str, Any]


def level(importance: float) -> int:
    """Colour of an importance, from 1 (a change that does not matter) to 5.

    >>> [level(x) for x in (0.0, 0.01, 0.07, 0.2, 0.9)]
    [1, 2, 3, 4, 5]
    """
    return 1 + sum(importance >= least for least in LEVELS)


def address(typed: str) -> str:
    """An address as people type it, in full; UsageError when it is none."""
    text = typed.strip()
    return web_address(text if "://" in text else f"http://{text}")


def time_of(text: str, *, end: bool = False) -> float | None:
    """A date or time typed by a person or program; None for nothing, UsageError for nonsense. With `end`, of its end.

    >>> time_of("2026-01-05"), time_of("2026-01-05", end=True), time_of("2026-01-05T12:00Z"), time_of("")
    (1767571200.0, 1767657599.999, 1767614400.0, None)
    """
    text = text.strip()
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
        time = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(say("no_time", text=text[:40])) from None
    return time + DAY - 0.001 if end and len(text) == 10 else time
