"""An earlier, independent simulation of the same kind of world (1,000 pages, one site, 21 days), cell by cell.

It was another program with other draws, so that two points of difference are agreement. The first world was measured
at 5, 10, 20 and 40 %, the second at 5 and 20 % and not with all strategies. The bounds are compared too: a world that
is easier or harder than the reference shows there first. The priced plan may also be better than it was there.
"""

from collections.abc import Callable, Iterator

from strandline.lab.experiments.report import Target

BUDGETS = (5.0, 10.0, 20.0, 40.0)
TOLERANCE = 0.02
Cells = tuple[float, ...]
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
        "count": (0.243, 0.415, 0.550, 0.601), "coherence": (0.571, 0.731, 0.869, 0.950),
    },
    "priced-plan": {
        "pool": (0.317, 0.377, 0.425, 0.447), "page": (0.351, 0.463, 0.557, 0.614),
        "coherence": (0.684, 0.812, 0.906, 0.952),
    },
    "bound_known": {"pool": (0.359, 0.416, 0.454, 0.465), "page": (0.421, 0.522, 0.601, 0.638)},
    "bound_clairvoyant": {"pool": (0.528, 0.600, 0.611, 0.611), "page": (0.646, 0.762, 0.778, 0.778)},
}  # fmt: skip


SECOND: dict[str, dict[str, Cells]] = {
    "importance": {"pool": (0.292, 0.421)},
    "freshness": {"page": (0.315, 0.489)},
    "importance-pattern": {"pool": (0.300, 0.439), "page": (0.285, 0.524)},
    "importance-pattern-online": {"pool": (0.246, 0.397), "page": (0.313, 0.498)},
    "priced-plan-known": {"pool": (0.348, 0.454), "page": (0.379, 0.561)},
    "priced-plan": {"pool": (0.315, 0.437), "page": (0.318, 0.524)},
    "bound_known": {"pool": (0.352, 0.459), "page": (0.387, 0.567)},
}


def compared(world: str, measured: Measured, seed: int = 0) -> Iterator[Target]:
    """One target per strategy and measure: all its budgets within the tolerance of the reference."""
    table, budgets = (REFERENCE, BUDGETS) if seed == 0 else (SECOND, (5.0, 20.0))
    for name, measures in table.items():
        for what, wanted in measures.items():
            found = [measured(name, budget, what) for budget in budgets]
            ours = name.startswith("priced-plan")
            near = all(
                abs(one - other) <= TOLERANCE or (ours and one > other)
                for one, other in zip(found, wanted, strict=True)
            )
            expected = " ".join(f"{value:.3f}" for value in wanted)
            text = " ".join(f"{value:.3f}" for value in found)
            within = f"within {TOLERANCE:g}" + (" or better" if ours else "")
            yield Target(f"{world}: {name}, {what}", f"{expected} {within}", text, near)
