"""What the settings wish of a plan, in the words of planning: for a watch, a cluster's desks, and commands that ask."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from strandline.core.keeping.collections import Members
from strandline.core.plan.budget import Allowance
from strandline.core.plan.objective import OBJECTIVES, Objective
from strandline.errors import SettingError
from strandline.learn.known_pages import HOUR
from strandline.plan.budget_meter import Purse
from strandline.plan.wishes import Aim, Boost, Wishes
from strandline.settings import texts
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import PlanSettings
from strandline.settings.units import rate


class Pauses(NamedTuple):
    """Seconds hosts are owed between two requests: usually, and by host. `hour` are those a planned hour lasts."""

    usual: float
    of_hosts: Mapping[str, float]
    hour: float = HOUR


def wishes_of(plan: PlanSettings, pauses: Pauses, collections: Sequence[CollectionSettings] = ()) -> Wishes:
    """What the settings ask for; SettingError names the key that is wrong."""
    return Wishes(
        allowance=budget_of("plan.budget", plan.budget),
        strategy=plan.strategy,
        objective=_objective(plan.objective),
        coherence=plan.coherence,
        longest_gap=plan.longest_gap / HOUR,
        gap_share=plan.gap_share,
        boosts=tuple(campaign(text) for text in plan.campaigns),
        site_allowances=budgets_of("plan.site_budgets", plan.site_budgets),
        host_allowances=budgets_of("plan.host_budgets", plan.host_budgets),
        pause=pauses.usual,
        pauses=pauses.of_hosts,
        hour_seconds=pauses.hour,
        aims=aims_of(collections),
    )


def aims_of(collections: Iterable[CollectionSettings]) -> tuple[Aim, ...]:
    """Collections that are watched and have an objective of their own."""
    own = (one for one in collections if one.state == "active" and one.objective)
    return tuple(Aim(one.name, _objective(one.objective), Members(one.sites, one.pages)) for one in own)


def check_plan(plan: PlanSettings) -> None:
    """SettingError names what is wrong with the settings of a plan, before anything is planned."""
    from strandline.checks import registered_strategies  # noqa: PLC0415 - slow to load, and asked for rarely
    from strandline.core.rivals.catalogue import STRATEGIES  # noqa: PLC0415

    wishes_of(plan, Pauses(0.0, {}))
    known = {*STRATEGIES, *registered_strategies()}
    if plan.strategy.removesuffix("-learned") not in known:
        raise SettingError(f"plan.strategy: {plan.strategy!r} is not one of {', '.join(sorted(known))}")
    if plan.coherence < 0.0:
        raise SettingError(f"plan.coherence: at least 0, not {plan.coherence:g}")


def budget_of(key: str, text: str) -> Allowance:
    """A budget as a setting writes it; SettingError names the key."""
    try:
        found = rate(text)
        return Allowance(found.amount, found.hours, found.in_bytes)
    except ValueError as problem:
        raise SettingError(f"{key}: {problem}") from None


def budgets_of(key: str, entries: Sequence[str]) -> dict[str, Allowance]:
    """Budgets of single places, "example.org 100/day" each."""
    places: dict[str, Allowance] = {}
    for entry in entries:
        try:
            name, found = texts.place_budget(entry)
        except ValueError as problem:
            raise SettingError(f"{key}: {problem}") from None
        places[name] = Allowance(found.amount, found.hours, found.in_bytes)
    return places


Spent = Callable[[float], Iterable[tuple[float, float]]]
"""Requests since a time: when, and what each cost; below zero while they are under way."""


def purse_of(plan: PlanSettings, length: float, spent: Spent, now: tuple[float, float]) -> Purse:
    """The budget, less what was spent before; `length` are the seconds of an hour, `now` is the time in UTC and by the
    clock that the purse is asked by.
    """
    whole = budget_of("plan.budget", plan.budget)
    # What was on its way when the last run ended may have been seen by its server until just now.
    rows = spent(now[0] - whole.hours * length)
    past = [(now[0] - when, cost) if cost > 0 else (0.0, -cost) for when, cost in rows]
    return Purse(whole, length, now[1], past, "bytes" if plan.unchanged == "bytes" else "request")


def campaign(text: str) -> Boost:
    """A campaign as the settings write it; SettingError says what is wrong with it."""
    try:
        return Boost(*texts.campaign(text))
    except ValueError as problem:
        raise SettingError(f"plan.campaigns: {problem}") from None


def _objective(text: str) -> Objective:
    if text not in OBJECTIVES:
        raise SettingError(f"plan.objective: {text!r} is not one of {', '.join(OBJECTIVES)}")
    return text  # type: ignore[return-value]
