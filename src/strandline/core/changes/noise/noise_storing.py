"""How what was learned of a page's noise is kept: its tables one after the other, in bytes."""

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import numpy as np

from strandline.core.changes.noise.noise_bytes import numbers, packed, rows, table, unpacked
from strandline.core.changes.noise.stays import Stay

FIELDS: Final = (
    "comparisons", "paths", "items", "words", "masked_paths", "masked_texts", "unstable", "ratings", "double_fetches",
    "held", "arrivals", "slots", "stays",
)  # fmt: skip
"""Names of the fields that are kept."""
RATINGS: Final = ("noise", "matters")
"""What users say of a block, by the number it is kept as."""


def stored_noise(fields: Mapping[str, Any]) -> bytes:
    """The fields of a `NoiseState`, by their names, in a compact form; `noise_fields` reads it."""
    sections = (
        *table(fields["paths"], np.float32),
        np.array(list(fields["items"]), np.uint64).tobytes(),
        np.array(list(fields["words"]), np.uint32).tobytes(),
        np.array(sorted(fields["masked_paths"]), np.uint64).tobytes(),
        np.array(sorted(fields["masked_texts"]), np.uint64).tobytes(),
        np.array(sorted(fields["unstable"]), np.uint64).tobytes(),
        np.array(list(fields["ratings"]), np.uint64).tobytes(),
        bytes(map(RATINGS.index, fields["ratings"].values())),
        *table(fields["arrivals"], np.float32),
        *table(fields["slots"], np.uint32),
        *table(fields["stays"], np.uint32),
    )
    return packed((fields["comparisons"], fields["double_fetches"], fields["held"]), sections)


def noise_fields(stored: bytes) -> dict[str, Any]:
    """What `stored_noise` wrote, by the names of a state's fields."""
    (comparisons, double_fetches, held), sections = unpacked(stored)
    items, words, paths, texts, unstable, rated, ratings = sections[2:9]
    return {
        "comparisons": comparisons,
        "paths": {path: (known, times) for path, (known, times) in rows(sections[:2], np.float32)},
        "items": dict.fromkeys(numbers(items)),
        "words": dict.fromkeys(numbers(words, np.uint32)),
        "masked_paths": set(numbers(paths)),
        "masked_texts": set(numbers(texts)),
        "unstable": set(numbers(unstable)),
        "ratings": {path: RATINGS[number] for path, number in zip(numbers(rated), ratings, strict=True)},
        "double_fetches": double_fetches,
        "held": held,
        "arrivals": {path: (new, back) for path, (new, back) in rows(sections[9:11], np.float32)},
        "slots": {slot: (since, times) for slot, (since, times) in rows(sections[11:13], np.uint32)},
        "stays": {text: Stay(*stay) for text, stay in rows(sections[13:15], np.uint32, 4)},
    }


def forget_oldest(remembered: dict[int, Any], most: int) -> None:
    """Leave as many of what is remembered, those that came last.

    >>> seen = {1: "a", 2: "b", 3: "c"}
    >>> forget_oldest(seen, 2); seen
    {2: 'b', 3: 'c'}
    """
    for oldest in list(islice(remembered, max(0, len(remembered) - most))):
        del remembered[oldest]
