"""The priced plan on real traces: news (hours), slow pages (days), and a mix of both, where changes come in batches.

Targets are in points over a rival, or a share of the same plan that is told the true patterns. The news is also weighed
unevenly (Zipf, three draws of which page is heavy): a plan that is only good with equal weights would show. The slow
pages come in three drawn orders. And sitemaps or feeds tell of the changes of the news: half of them and half of what
they say is wrong, nine of ten, or perfectly; beside others that hear the same.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from strandline.core.plan.objective import Objective
from strandline.lab.experiments.report import Target, at_least
from strandline.lab.simulate.given_worlds import given_worlds
from strandline.lab.simulate.grid import CLOCKLESS, SIGNALLED, Request, Row, simulate
from strandline.lab.simulate.signals import SignalQuality
from strandline.lab.simulate.trace_sources import has_news, mix_world, news_world, slow_world
from strandline.lab.simulate.world import World

ONLINE, KNOWN_IP, COLD, KNOWN = "importance-pattern-online", "importance-pattern", "priced-plan", "priced-plan-known"
ROBIN, FRESH = "round-robin", "freshness-learned"
DRAWS, ZIPF = 3, 0.8
PAPERS = ("relevance", "sharc", "coherence", "frequency", "importance", "pattern", KNOWN_IP, ONLINE)

Value = Callable[[str, tuple[str, float, str], str], float]
"""World, (strategy, budget, objective), measure -> value."""


@dataclass(frozen=True)
class Study:
    """A world and what is run in it."""

    world: World
    strategies: tuple[str, ...]
    visits: tuple[int, ...]
    """Captures a period."""
    objectives: tuple[Objective, ...]
    signals: SignalQuality | None = None

    @property
    def budgets(self) -> tuple[float, ...]:
        """In percent of the pages."""
        return tuple(100.0 * visits / len(self.world) for visits in self.visits)

    def rows(self) -> list[Row]:
        """Everything, simulated."""
        told_truth = self.signals is None  # those that hear signals learn, all alike
        what = (self.strategies, self.budgets, self.objectives)
        return simulate(self.world, Request(*what, known=told_truth, bounds=False, signals=self.signals, seed=1))


def studies(data: Path, quick: bool = False) -> Iterable[Study]:
    """The traces, one by one; the short form has only what shows that they run. Other data: its change traces."""
    if not has_news(data):
        for world in given_worlds(data):
            visits = tuple(
                max(1, round(len(world) * percent / 100.0)) for percent in ((5.0,) if quick else (5.0, 20.0))
            )
            strategies = (ROBIN, ONLINE, COLD) if quick else (ROBIN, *PAPERS, COLD, KNOWN)
            yield Study(world, strategies, tuple(dict.fromkeys(visits)), ("pool", "page"))
        return
    news, slow = news_world(data), slow_world(data)
    percents = tuple(round(len(slow) * percent / 100.0) for percent in (1.0, 5.0))
    if quick:
        yield Study(news, (ROBIN, ONLINE, COLD), (1, 5), ("pool", "page", "content"))
        yield Study(slow, (ROBIN, ONLINE, COLD), percents, ("pool", "page"))
        yield Study(mix_world(data), (ROBIN, ONLINE, COLD), (5,), ("pool", "page"))
        yield told(news, SignalQuality(0.9, 0.9), (5,))
        return
    yield Study(news, (ROBIN, *PAPERS, COLD, KNOWN), (1, 2, 5, 10), ("pool", "page", "content"))
    for parts in ((0.5, 0.5), (0.9, 0.9), (1.0, 1.0)):
        yield told(news, SignalQuality(*parts), (1, 2, 5, 10))
    for draw in range(DRAWS):
        weight = (np.random.default_rng(draw).permutation(len(news)) + 1).astype(np.float64) ** -ZIPF
        uneven = replace(news.with_weights(weight), name=f"news, uneven weights {draw}")
        yield Study(uneven, (KNOWN_IP, COLD, KNOWN), (1, 2, 5, 10), ("pool",))
    yield Study(slow, (ROBIN, ONLINE, CLOCKLESS, COLD), percents, ("pool", "page"))
    for draw in range(1, DRAWS):
        other = replace(slow_world(data, draw), name=f"slow, drawn order {draw}")
        yield Study(other, (CLOCKLESS, COLD), percents, ("pool", "page"))
    yield Study(mix_world(data), (ROBIN, FRESH, ONLINE, COLD), (2, 5, 10, 20, 51), ("pool", "page"))


def told(world: World, quality: SignalQuality, visits: tuple[int, ...]) -> Study:
    """A world that tells of its changes, and who hears it."""
    name = f"signals, {100 * quality.recall:g} % of the changes, {100 * quality.precision:g} % right: {world.name}"
    return Study(replace(world, name=name), (COLD, *SIGNALLED), visits, ("pool",), quality)


def targets(done: Iterable[Study], value: Value) -> Iterable[Target]:
    """What a trace must show, of those that were run in full."""
    done = tuple(done)
    yield from _clock([study for study in done if CLOCKLESS in study.strategies], value)
    for study in done:
        yield from _of(study, value) if study.signals is None else _told(study, value)


def _of(study: Study, value: Value) -> Iterable[Target]:
    """What one that says nothing must show."""
    name = study.world.name
    if name.startswith("news"):
        yield from _news(study, value)
    elif name == "slow":
        for budget, pool, page in zip(study.budgets, (0.04, 0.04), (0.05, 0.025), strict=True):
            yield _over(study, value, (budget, "pool", ROBIN), pool)
            yield _over(study, value, (budget, "page", ROBIN), page)
    elif name == "mix":
        for budget in study.budgets:
            if budget < 4.0:
                yield _over(study, value, (budget, "pool", ONLINE), 0.20)
            yield _over(study, value, (budget, "page", ROBIN), 0.0)
            if FRESH in study.strategies:
                yield _over(study, value, (budget, "page", FRESH), -0.005)
    elif not name.startswith("slow"):
        for budget in study.budgets:
            for objective in ("pool", "page"):
                yield _over(study, value, (budget, objective, ROBIN), 0.0)
                yield _over(study, value, (budget, objective, ONLINE), 0.0)


def _clock(drawn: Sequence[Study], value: Value) -> Iterable[Target]:
    """What the clock of directories brings. In which order pages are first visited moves a plan without it by up to two
    points, so that it takes several draws to see.
    """
    for budget in drawn[0].budgets if drawn else ():
        for objective, wanted in (("pool", 0.04), ("page", 0.03)):
            on, off = (
                float(np.mean([value(study.world.name, (plan, budget, objective), objective) for study in drawn]))
                for plan in (COLD, CLOCKLESS)
            )
            visits = round(budget * len(drawn[0].world) / 100.0)
            yield at_least(f"slow, {visits} a period: {objective} over {CLOCKLESS}, mean", on, off + wanted)


def _news(study: Study, value: Value) -> Iterable[Target]:
    name = study.world.name
    for visits, budget in zip(study.visits, study.budgets, strict=True):
        if KNOWN in study.strategies:
            own, known = (value(name, (plan, budget, "pool"), "pool") for plan in (COLD, KNOWN))
            yield at_least(f"{name}, {visits} an hour: pool / known patterns", own / known, 0.93)
        if KNOWN_IP in study.strategies and visits <= 5:
            yield _over(study, value, (budget, "pool", KNOWN_IP), 0.04)
        if "content" in study.objectives and visits <= 5:
            items = value(name, (COLD, budget, "content"), "items")
            robin = value(name, (ROBIN, budget, "pool"), "items")
            yield at_least(f"{name}, {visits} an hour: items over {ROBIN}", items, robin + 0.15)
            for rival in set(PAPERS) & set(study.strategies):
                best = value(name, (rival, budget, "pool"), "items")
                yield at_least(f"{name}, {visits} an hour: items over {rival}", items, best)


def _told(study: Study, value: Value) -> Iterable[Target]:
    """Signals cost nothing, and nobody makes more of them."""
    for visits, budget in zip(study.visits, study.budgets, strict=True):
        plan, own, *others = (value(study.world.name, (who, budget, "pool"), "pool") for who in study.strategies)
        yield at_least(f"{study.world.name}, {visits} an hour: pool over the deaf plan", own, plan - 0.01)
        yield at_least(f"{study.world.name}, {visits} an hour: pool over all that hear the same", own, max(others))


def _over(study: Study, value: Value, what: tuple[float, str, str], gain: float) -> Target:
    """The plan that learns over a rival: what = budget, objective, rival."""
    budget, objective, rival = what
    name = study.world.name
    own, other = (value(name, (strategy, budget, objective), objective) for strategy in (COLD, rival))
    visits = round(budget * len(study.world) / 100.0)
    return at_least(f"{name}, {visits} a period: {objective} over {rival}", own, other + gain)
