"""An earlier, independent simulation of the same kind of world (1,000 pages, one site, 21 days), cell by cell.

It was another program with other draws, so that two points of difference are agreement. Values are for budgets of 5,
10, 20 and 40 %. The bounds are compared too: a world that is easier or harder than the reference shows there first.
The coherence of the priced plan is left out: there it fetched fast pages in the middle of the hour, here each page has
a minute of its own (in that order it is the same here: .950 known and .952 learned at 40 %, reference .950 and .952).
"""

from collections.abc import Callable, Iterator

from strandline.experiments.report import Target

BUDGETS = (5.0, 10.0, 20.0, 40.0)
TOLERANCE = 0.02
Cells = tuple[float, float, float, float]
Measured = Callable[[str, float, str], float]
"""Strategy or bound, budget, measure -> value found here."""

PASSES: dict[str, Cells] = {"pool": (0.077, 0.126, 0.194, 0.29), "page": (0.24, 0.31, 0.395, 0.49)}

REFERENCE: dict[str, dict[str, Cells]] = {
    "round-robin": PASSES | {"count": (0.164, 0.241, 0.335, 0.444)},
    "relevance": PASSES | {"coherence": (0.731, 0.830, 0.882, 0.939)},
    "sharc": PASSES | {"coherence": (0.724, 0.837, 0.914, 0.944)},
    "coherence": PASSES | {"coherence": (0.678, 0.791, 0.869, 0.937)},
    "relevance-top": {"pool": (0.266, 0.322, 0.367, 0.413)},
    "nutch": {"pool": (0.098, 0.180, 0.360, 0.409)},
    "frequency": {
        "pool": (0.039, 0.090, 0.214, 0.420), "page": (0.224, 0.312, 0.428, 0.572),
        "count": (0.138, 0.239, 0.379, 0.547), "coherence": (0.566, 0.543, 0.762, 0.920),
    },
    "freshness": {"pool": (0.25, 0.32, 0.39, 0.44), "page": (0.349, 0.437, 0.523, 0.591)},
    "lambda-crawl": {"pool": (0.25, 0.32, 0.39, 0.44)},
    "importance": {"pool": (0.297, 0.360, 0.407, 0.436), "page": (0.245, 0.359, 0.482, 0.582)},
    "pattern": {
        "pool": (0.147, 0.274, 0.414, 0.440), "page": (0.260, 0.405, 0.555, 0.614),
        "count": (0.222, 0.374, 0.528, 0.587),
    },
    "importance-pattern": {
        "pool": (0.302, 0.375, 0.424, 0.437), "page": (0.314, 0.445, 0.554, 0.611),
        "coherence": (0.594, 0.761, 0.879, 0.947),
    },
    "importance-pattern-online": {
        "pool": (0.251, 0.320, 0.385, 0.428), "page": (0.338, 0.439, 0.526, 0.595),
        "coherence": (0.695, 0.813, 0.900, 0.950),
    },
    "priced-plan-known": {
        "pool": (0.349, 0.402, 0.443, 0.456), "page": (0.411, 0.514, 0.593, 0.631),
        "count": (0.243, 0.415, 0.550, 0.601),
    },
    "priced-plan": {"pool": (0.317, 0.377, 0.425, 0.447), "page": (0.351, 0.463, 0.557, 0.614)},
    "bound_known": {"pool": (0.359, 0.416, 0.454, 0.465), "page": (0.421, 0.522, 0.601, 0.638)},
    "bound_clairvoyant": {"pool": (0.528, 0.600, 0.611, 0.611), "page": (0.646, 0.762, 0.778, 0.778)},
}  # fmt: skip


def compared(world: str, measured: Measured, names: tuple[str, ...] = tuple(REFERENCE)) -> Iterator[Target]:
    """One target per strategy and measure: all its budgets within the tolerance of the reference."""
    for name in names:
        for what, wanted in REFERENCE[name].items():
            found = [measured(name, budget, what) for budget in BUDGETS]
            near = all(abs(one - other) <= TOLERANCE for one, other in zip(found, wanted, strict=True))
            expected = " ".join(f"{value:.3f}" for value in wanted)
            text = " ".join(f"{value:.3f}" for value in found)
            yield Target(f"{world}: {name}, {what}", f"{expected} within {TOLERANCE:g}", text, near)
