"""A setting: a field of a section with its default, its sentence, its unit and what it may be."""

import math
from dataclasses import field
from typing import Any, Literal

Unit = Literal["", "duration", "size", "rate"]


def setting(
    default: Any,  # noqa: ANN401
    doc: str,
    unit: Unit = "",
    choices: tuple[str, ...] = (),
    bounds: tuple[float, float] = (0, math.inf),
    form: str = "",
) -> Any:  # noqa: ANN401
    """A field with its documentation; lists become fresh defaults, numbers (durations, sizes) have a least and a
    greatest value, texts and what is in lists of them a form (settings/texts.py).
    """
    metadata = {"doc": doc, "unit": unit, "choices": choices, "bounds": bounds, "form": form}
    if isinstance(default, tuple):
        return field(default_factory=lambda: default, metadata=metadata)
    return field(default=default, metadata=metadata)


SOME = (1, math.inf)
MOMENT = (0.001, math.inf)
SHARE = (0, 1)
PORT = (0, 65535)
PERIODS = 7 * 24 * 60
"""Parts of a cycle at most: a week's minutes."""
KIB, MIB, GIB = 2**10, 2**20, 2**30
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
