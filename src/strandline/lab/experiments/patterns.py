"""Experiment `patterns`: paper 001 on real pages: series, patterns, shared patterns, periods, index threshold.

Paper: Ben Saad & Gancarski, JCDL 2011: Figures 4 (series), 5 (patterns), 6 (index threshold), 7 (number of periods).
The paper's pages are not published; its figures have no numbers to copy, so what is compared is what it says of them.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from strandline.core.history.calendar import DAY_KINDS, Cycle, LocalCalendar
from strandline.core.history.series import PageSeries, day_series
from strandline.core.mining.patterns import (
    PatternGroup,
    group_numbers,
    indexed_versions,
    page_pattern,
    period_means,
    shared_patterns,
)
from strandline.lab.experiments import pattern_periods as periods
from strandline.lab.experiments.pattern_data import Progress, Trace, made_traces, read_traces
from strandline.lab.experiments.report import Cell, Figure, Report, Series, Table, Target

_HOURS = tuple(float(hour) for hour in range(24))
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def run(data: Path | None, progress: Progress = lambda _: None, quick: bool = False) -> Report:
    """The whole experiment; without data, on pages made with known patterns."""
    if data is None:
        regular: list[Trace] = made_traces(np.random.default_rng(1))
        others: list[Trace] = []
    else:
        regular, others = read_traces(data, 25 if quick else 10_000, progress)
    progress("patterns of all pages")
    series = {trace.url: trace.series() for trace in (*regular, *others)}
    groups = shared_patterns({trace.url: series[trace.url] for trace in regular})
    tables = [_page_table(series, groups), _threshold_table((*regular, *others), series)]
    figures: list[Figure] = []
    targets: list[Target] = _mean_targets(regular, series)
    if others:
        tables.append(_weekly_table(others))
    if regular:
        tables.insert(1, _group_table(groups, series))
        figures += [_figure_4(regular, series), _figure_5(series, groups), _figure_6(regular, series)]
        progress("number of periods")
        table, more = _period_table(regular, (2, 6, 24) if quick else (2, 3, 4, 6, 8, 12, 24))
        tables.append(table)
        targets += more
        figure, more = _figure_7(regular, quick)
        figures.append(figure)
        targets += more
    notes = (*_seen(series, groups), *_notes(data))
    return Report("Patterns of page changes (paper 001)", tuple(tables), tuple(figures), tuple(targets), notes)


def _seen(series: dict[str, PageSeries], groups: Sequence[PatternGroup]) -> tuple[str, ...]:
    """What the paper says of its pages, and how many of these do the same."""
    day = [_compared(one, (0, slice(8, 20)), (0, slice(0, 6))) for one in series.values()]
    week = [_compared(one, (0, slice(0, 24)), (slice(1, 3), slice(0, 24))) for one in series.values()]
    shared = sum(len(group.members) for group in groups if len(group.members) > 1)
    return (
        f"The paper sees more change by day than by night: {_share(day)} from 8 to 20 than from 0 to 6 o'clock.",
        f"The paper sees more change on workdays than on weekends: {_share(week)} on workdays.",
        f"The paper sees pages that keep the same hours: {shared} of {len(series)} pages here share the pattern of "
        "another, found without being told.",
    )


Cut = tuple[int | slice, slice]


def _compared(series: PageSeries, more: Cut, less: Cut) -> bool | None:
    """Whether a page changes more in one part of the week than in another; None where one of them was not seen."""
    rates = []
    for kinds, hours in (more, less):
        observed = series.observed[kinds, hours].sum()
        if observed <= 0 or series.periods.count != 24:
            return None
        rates.append(float(series.importance[kinds, hours].sum() / observed))
    return None if rates[0] == rates[1] else rates[0] > rates[1]


def _share(pages: Sequence[bool | None]) -> str:
    """How many of the pages do, of those that can be judged."""
    judged = [one for one in pages if one is not None]
    if not judged:
        return "none of these pages can be judged; they would have to change more"
    verdict = "so do" if 2 * sum(judged) > len(judged) else "here only"
    return f"{verdict} {sum(judged)} of {len(judged)} pages here: they change more"


def _notes(data: Path | None) -> tuple[str, ...]:
    said = (
        "Our series differ in one point: a capture that follows a gap is spread over the gap. With a capture in every "
        "period both are the same number for number.",
    )
    return said if data is not None else (*said, "No data given: pages made with three known patterns.")


def _page_table(series: dict[str, PageSeries], groups: Sequence[PatternGroup]) -> Table:
    number = group_numbers(list(groups))
    rows: list[tuple[Cell, ...]] = []
    for url, one in series.items():
        means = period_means(one)
        by_kind = [
            float(np.average(np.nan_to_num(row), weights=seen)) if seen.sum() > 0 else None
            for row, seen in zip(means, one.observed, strict=True)
        ]
        busiest = int(np.nanargmax(means[0])) if one.observed[0].sum() > 0 else None
        delta = page_pattern(one).threshold
        rows.append((url, one.captures, float(one.changes.sum()), delta, busiest, *by_kind, number.get(url)))
    columns = ("page", "captures", "changes", "delta", "busiest workday hour", *DAY_KINDS, "group")
    note = "delta and the four kinds: mean importance of change in an hour. Local time of the site."
    return Table("Figure 5: patterns of real pages", columns, tuple(rows), note)


def _group_table(groups: Sequence[PatternGroup], series: dict[str, PageSeries]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        night, day = group.shape[0, :6].mean(), group.shape[0, 8:20].mean()
        where = group.busiest(series[group.members[0]].periods.kinds)
        shown = ", ".join(group.members[:3]) + (", ..." if len(group.members) > 3 else "")
        rows.append((group.number, len(group.members), group.changes, where, float(day / max(night, 1e-9)), shown))
    columns = ("group", "pages", "changes", "busiest", "workday 8-20 h : 0-6 h", "members")
    return Table("Shared patterns, found automatically", columns, tuple(rows))


def _threshold_table(traces: Sequence[Trace], series: dict[str, PageSeries]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for trace in traces:
        amounts = trace.importances[trace.importances > 0]
        if amounts.size == 0:
            continue
        delta = page_pattern(series[trace.url]).threshold
        kept = indexed_versions(amounts, delta)
        twice = indexed_versions(amounts, 2 * delta)
        share = float(amounts[kept].sum() / amounts.sum())
        rows.append((trace.url, delta, amounts.size, float(kept.mean()), share, float(twice.mean())))
    columns = ("page", "delta", "versions", "indexed", "of the importance", "indexed at 2 delta")
    most = sum(1 for row in rows if isinstance(row[3], float) and row[3] >= 0.9)
    note = (
        f"delta is a mean over periods, quiet ones included. On {most} of {len(rows)} pages nine tenths of the "
        "versions or more are indexed: where most hours bring no change, delta lies below a typical version."
    )
    return Table("Figure 6: index threshold", columns, tuple(rows), note)


def _weekly_table(traces: Sequence[Trace]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for trace in traces:
        week = trace.series(7, Cycle.WEEK)
        month = trace.series(31, Cycle.MONTH)
        shares = week.changes[0] / max(float(week.changes.sum()), 1.0)
        third = [
            float(part.sum() / max(float(month.changes.sum()), 1.0)) for part in np.split(month.changes[0], [10, 20])
        ]
        rows.append((trace.url, float(week.changes.sum()), *(float(share) for share in shares), *third))
    columns = ("page", "changes", *_WEEKDAYS, "days 1-10", "11-20", "21-31")
    return Table("Weekly and monthly patterns: share of the changes", columns, tuple(rows))


def _figure_4(traces: Sequence[Trace], series: dict[str, PageSeries]) -> Figure:
    trace = max(traces, key=lambda one: float(series[one.url].importance.sum()))
    first = trace.times <= trace.times[0] + 14 * 86_400
    days = day_series(LocalCalendar(trace.periods()), trace.times[first], trace.importances[first])
    whole = [day for day in days if day.kind == "workday" and day.observed.min() > 0.99][:4]
    curves = tuple(Series(day.date.isoformat(), _HOURS, tuple(day.importance.tolist())) for day in whole)
    return Figure(f"Figure 4: time series of {trace.url}", curves, "hour", "importance of change")


def _figure_5(series: dict[str, PageSeries], groups: Sequence[PatternGroup]) -> Figure:
    curves = []
    for group in groups[:4]:
        url = max(group.members, key=lambda member: float(series[member].importance.sum()))
        for kind, values in page_pattern(series[url]).kinds.items():
            if kind in ("workday", "sunday"):
                curves.append(Series(f"{url} {kind}", _HOURS, tuple(value for value in values if value is not None)))
    return Figure("Figure 5: discovered patterns", tuple(curves), "hour", "mean importance of change")


def _figure_6(traces: Sequence[Trace], series: dict[str, PageSeries]) -> Figure:
    factors = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
    indexed, kept = [], []
    for factor in factors:
        versions = chosen = 0
        weight = total = 0.0
        for trace in traces:
            amounts = trace.importances[trace.importances > 0]
            picks = indexed_versions(amounts, factor * page_pattern(series[trace.url]).threshold)
            versions, chosen = versions + amounts.size, chosen + int(picks.sum())
            weight, total = weight + float(amounts[picks].sum()), total + float(amounts.sum())
        indexed.append(chosen / max(versions, 1))
        kept.append(weight / max(total, 1e-12))
    curves = (Series("versions indexed", factors, tuple(indexed)), Series("importance indexed", factors, tuple(kept)))
    return Figure("Figure 6: what a threshold saves", curves, "threshold / delta", "share")


def _period_table(traces: Sequence[Trace], counts: Sequence[int]) -> tuple[Table, list[Target]]:
    rows: list[tuple[Cell, ...]] = []
    local: dict[int, float] = {}
    for count in counts:
        halves = [periods.split(trace, trace.periods(count), merged=True) for trace in traces]
        four = [periods.split(trace, trace.periods(count), merged=False) for trace in traces]
        local[count] = periods.explained(halves, [periods.own_rates(half) for half in halves])
        kinds = periods.explained(four, [periods.own_rates(half) for half in four])
        rows.append((f"page alone, N_T = {count}", local[count], kinds))
    halves = [periods.split(trace, trace.periods(24), merged=True) for trace in traces]
    four = [periods.split(trace, trace.periods(24), merged=False) for trace in traces]
    abroad = [_elsewhere(trace) for trace in traces]
    moved = [[periods.split(trace, trace.periods(24), merged=merged) for trace in abroad] for merged in (True, False)]
    wrong = [periods.explained(half, [periods.own_rates(one) for one in half]) for half in moved]
    rows.append(("page alone, N_T = 24, zone taken for Asia/Tokyo", wrong[0], wrong[1]))
    shared: dict[str, float] = {}
    for name, one, correct in (
        ("one shape for all pages", True, False),
        ("shape of the page's group", False, False),
        ("one shape x page", True, True),
        ("shape of the group x page", False, True),
    ):
        shared[name] = periods.explained(halves, periods.shared_rates(halves, one_shape=one, correct=correct))
        kinds = periods.explained(four, periods.shared_rates(four, one_shape=one, correct=correct))
        rows.append((f"{name}, N_T = 24", shared[name], kinds))
    best = max(value for name, value in shared.items() if "x page" in name)
    targets = [
        Target("24 periods against 2", "explain more", f"{local[24]:.3f} > {local[2]:.3f}", local[24] > local[2]),
        Target("24 periods against 6", ">= .9 of it", f"{local[24]:.3f}, {local[6]:.3f}", local[24] >= 0.9 * local[6]),
        Target("sharing a shape", ">= page alone", f"{best:.3f} >= {local[24]:.3f}", best >= local[24]),
    ]
    note = "Learned on the first half of the captures, judged on the second, against a flat rate per page."
    columns = ("rates", "workday, other days", "four kinds of day")
    return Table("How many periods: share of the deviance explained", columns, tuple(rows), note), targets


def _elsewhere(trace: Trace) -> Trace:
    """The same page, believed to lie in Japan: its days begin and end at the wrong time."""
    return Trace(trace.url, "Asia/Tokyo", trace.country, trace.times, trace.importances, trace.exact)


def _figure_7(traces: Sequence[Trace], quick: bool) -> tuple[Figure, list[Target]]:
    """A world of four times these pages, in one zone, and as if they lay all over the world (the paper's do)."""
    rng = np.random.default_rng(7)
    rates = np.tile(periods.hourly_rates(traces), (4, 1))
    rates = rates * rng.uniform(0.5, 1.5, (rates.shape[0], 1))
    spread = np.array([np.roll(row, shift) for row, shift in zip(rates, rng.integers(0, 24, len(rates)), strict=True)])
    days, seeds = (7, 2) if quick else (28, 4)
    curves = []
    for share, world, where in (
        (0.1, spread, ""),
        (0.2, spread, ""),
        (0.3, spread, ""),
        (0.2, rates, ", one time zone"),
    ):
        values = [
            float(np.mean([_complete(world, count, share, days, seed) for seed in range(seeds)]))
            for count in periods.PAPER_PERIODS
        ]
        counts = tuple(float(count) for count in periods.PAPER_PERIODS)
        curves.append(Series(f"M = {share:.0%} of the pages an hour{where}", counts, tuple(values)))
    at_24 = periods.PAPER_PERIODS.index(24)
    rise = float(np.mean([curve.y[at_24] - curve.y[0] for curve in curves[:3]]))
    beyond = max(abs(value - curve.y[at_24]) for curve in curves for value in curve.y[at_24:])
    targets = [
        Target("completeness rises from 2 to 24 periods, mean over M", "> 0", f"{rise:.4f}", rise > 0),
        Target("and hardly beyond", "<= .03", f"{beyond:.4f}", beyond <= 0.03),
    ]
    alone = curves[3].y[at_24] - curves[3].y[0]
    note = (
        f"The paper: completeness rises with N_T up to 24. Here, from 2 to 24 periods: {rise:+.4f} where pages keep "
        f"different hours, {alone:+.4f} where all lie in one time zone."
    )
    figure = Figure("Figure 7: completeness against N_T", tuple(curves), "N_T", "completeness", log_x=True, note=note)
    return figure, targets


def _complete(rates: periods.Floats, count: int, share: float, days: int, seed: int) -> float:
    return periods.completeness(rates, count, share, days, np.random.default_rng(seed))


def _mean_targets(traces: Sequence[Trace], series: dict[str, PageSeries]) -> list[Target]:
    """Sums over single days equal the running sums, and nothing of any capture is lost."""
    worst = lost = 0.0
    for trace in traces[:3]:
        one, calendar = series[trace.url], LocalCalendar(trace.periods())
        days = day_series(calendar, trace.times, trace.importances)
        for row, kind in enumerate(one.periods.kinds):
            total = np.sum([day.importance for day in days if day.kind == kind] or [np.zeros(24)], axis=0)
            worst = max(worst, float(np.abs(total - one.importance[row]).max()))
        lost = max(lost, abs(float(one.importance.sum() - trace.importances[1:].sum())))
    return [
        Target("running sums equal the day series", "<= 1e-6", f"{worst:.1e}", worst <= 1e-6),
        Target("importance lost or invented by gaps and clock changes", "<= 1e-6", f"{lost:.1e}", lost <= 1e-6),
    ]
