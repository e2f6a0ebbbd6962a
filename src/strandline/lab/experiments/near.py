"""Experiment `near`: paper 000 on real site histories and on generated ones, and the policy that does better.

Every table and figure of the paper that can be re-run (Table 2, Figures 5 a-f and 6 a-c), then NEAR, dormant, page
rate and the recommended policy at the same bypass ratio, a closed loop, and the acceptance targets.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.site_versions import SiteHistory
from strandline.core.skip.quiet_directories import RuleWatch
from strandline.core.skip.site_level import BurstSettings
from strandline.lab.experiments import near_figures as figures
from strandline.lab.experiments.near_rivals import BUSY, SiteLoops, rivals_table, rivals_target, site_loops
from strandline.lab.experiments.near_study import (
    GRID,
    PLAIN,
    Means,
    Rivals,
    SiteStudy,
    at_bypass,
    bypass_keeping,
    mean_curve,
)
from strandline.lab.experiments.report import Cell, Figure, Report, Series, Table, Target, at_least
from strandline.lab.simulate.site_generator import GeneratorSettings, generate_history
from strandline.lab.simulate.site_history import read_site_history
from strandline.lab.simulate.site_loops import PAGE_RATE, ROUND_ROBIN, LoopResult, crawl_with_budget, crawl_with_rules

Progress = Callable[[str], None]
SHOWN = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
LEAST_BYPASS = 0.005
"""Rules that skip less than this share of the pages do nothing a policy could be held against."""
SUFFIXES = (".tsv", ".tsv.gz", ".tsv.xz", ".tsv.zst")


@dataclass(frozen=True, slots=True)
class Effort:
    """How much of the histories to use."""

    step: int
    """Every how many starting points, for windows of 20 versions; the targets are measured there."""
    side_step: int
    """The same for other windows and for the paper's figures."""
    windows: tuple[int, ...]
    choice_step: int
    saved: tuple[float, ...]
    rule_loops: bool


FULL = Effort(step=1, side_step=3, windows=(20, 10, 40), choice_step=10, saved=(0.3, 0.5, 0.7), rule_loops=True)
QUICK = Effort(step=12, side_step=12, windows=(20,), choice_step=40, saved=(0.5,), rule_loops=False)


def run(data: Path | None, progress: Progress = lambda _: None, quick: bool = False) -> Report:
    """Run the experiment on every site history of a folder (or one file); without data, on generated sites."""
    effort = QUICK if quick else FULL
    studies = [SiteStudy(name, history) for name, history in _histories(data, progress)]
    side = effort.side_step
    progress("paper: Table 2 and Figures 5 a-f")
    paper = (
        figures.distance(studies, side),
        figures.training_size(studies, side),
        figures.domains(studies, side),
        figures.best_alpha(studies, side),
        figures.subsumed(studies, side, "below-excluded"),
        figures.subsumed(studies, side, "single-directory"),
    )
    progress("paper: Figures 6 a-c")
    cost = figures.scale(quick)
    rivals = {
        length: _rivals(studies, length, effort.step if length == figures.LENGTH else side, progress)
        for length in effort.windows
    }
    progress("curves of NEAR and dormant")
    points = figures.rule_points(studies, side)
    progress("thresholds chosen per site")
    chosen = _chosen_table(studies, effort.choice_step)
    loops = {saved: _loops(studies, saved, effort, progress) for saved in effort.saved}
    beside = _beside_rivals(studies if effort.rule_loops and data is not None else [], progress)
    main = rivals[figures.LENGTH]
    return Report(
        "Directory rules and the site-level policy (paper 000)",
        tables=(
            figures.table_2(studies, 1),
            _same_bypass_table(rivals),
            _site_table(main),
            chosen,
            *(_loop_table(saved, loops[saved]) for saved in effort.saved),
            rivals_table(beside),
        ),
        figures=(*paper, *cost, _curves(main, points)),
        targets=(*(_targets(main, loops[0.5]) if data is not None else ()), rivals_target(beside)),
        notes=_notes(data, effort),
    )


def _histories(data: Path | None, progress: Progress) -> list[tuple[str, SiteHistory]]:
    if data is None:
        progress("generating three sites")
        return [
            (
                f"generated {change:.0%}",
                generate_history(GeneratorSettings(2000, 10, 5, 60, change), np.random.default_rng(3)),
            )
            for change in (0.03, 0.06, 0.12)
        ]
    folder = data / "trees" if (data / "trees").is_dir() else data
    files = [data] if data.is_file() else sorted(file for file in folder.iterdir() if file.name.endswith(SUFFIXES))
    if not files:
        raise ValueError(f"no site histories (*.tsv, *.tsv.gz, *.tsv.xz, *.tsv.zst) in {data} or its trees/")
    found = []
    for file in files:
        progress(f"reading {file.name}")
        found.append((file.name[: file.name.rindex(".tsv")], read_site_history(file)))
    return found


def _rivals(studies: Sequence[SiteStudy], length: int, step: int, progress: Progress) -> dict[str, Rivals]:
    found = {}
    for study in studies:
        progress(f"policies with windows of {length} versions: {study.name}")
        found[study.name] = study.rivals(length, step)
    return {name: one for name, one in found.items() if one.weeks}


def _same_bypass_table(rivals: dict[int, dict[str, Rivals]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for length, sites in sorted(rivals.items()):
        for rule in ("near", "dormant"):
            means = np.array([getattr(one, rule).mean(axis=0) for one in sites.values()]).reshape(-1, 4)
            if not len(means):
                continue
            bypass, strict, recommended, page_rate = means.mean(axis=0).tolist()
            missed = 1.0 - strict
            better, worse = _better_worse(means[:, 2] - means[:, 1])
            ratio = (1.0 - recommended) / missed if missed else None
            rows.append((rule, length, bypass, strict, page_rate, recommended, ratio, f"{better}/{worse}"))
    return Table(
        "At the bypass ratio of the rules, week by week (strict change recall, mean of sites)",
        ("rule", "window", "BR", "rule", "page rate", "recommended", "missed, ratio", "sites better/worse"),
        tuple(rows),
        f"NEAR with alpha {PLAIN.alpha}, beta {PLAIN.beta}, theta {PLAIN.theta}; dormant over the whole window.",
    )


def _site_table(rivals: dict[str, Rivals]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, one in rivals.items():
        curve, rate = one.recommended.mean(axis=0), one.page_rate.mean(axis=0)
        shown = [at_bypass(curve, bypass) for bypass in SHOWN]
        rows.append(
            (name, one.weeks, *shown, bypass_keeping(curve, 0.95), at_bypass(curve, 0.5) - at_bypass(rate, 0.5))
        )
    for label, kind in (("mean, recommended", "recommended"), ("mean, page rate", "page_rate")):
        curve = mean_curve(getattr(one, kind) for one in rivals.values())
        rows.append((label, None, *(at_bypass(curve, b) for b in SHOWN), bypass_keeping(curve, 0.95), None))
    return Table(
        "Recommended policy: strict change recall at bypass ratios, windows of 20 versions, next version",
        ("site", "weeks", *(f"{bypass:.1f}" for bypass in SHOWN), "BR at .95", "gain over page rate at .5"),
        tuple(rows),
    )


def _curves(rivals: dict[str, Rivals], points: tuple[Series, Series]) -> Figure:
    xs = tuple(GRID[5:96:5].tolist())
    curves = tuple(
        Series(label, xs, tuple(at_bypass(mean_curve(getattr(one, kind) for one in rivals.values()), x) for x in xs))
        for label, kind in (("recommended", "recommended"), ("page rate", "page_rate"))
    )
    return Figure(
        "Skipped pages against caught changes",
        (*curves, *points),
        "bypass ratio BR",
        "strict change recall",
        note="Higher is better at the same BR. The paper has no such figure; it reports single points.",
    )


def _chosen_table(studies: Sequence[SiteStudy], step: int) -> Table:
    floors = (0.95, 0.9, 0.8)
    weeks = [study.chosen_weeks(study.tests(figures.LENGTH, step), floors) for study in studies]
    rows: list[tuple[Cell, ...]] = []
    for floor in floors:
        means = Means.of_sites([Means.of_weeks(one[floor]) for one in weeks])
        rows.append((floor, means.bypass, means.change_recall, means.strict))
    return Table(
        "NEAR with thresholds chosen per site inside its window (mean of sites)",
        ("wanted CR-strict", "BR", "CR", "CR-strict"),
        tuple(rows),
        f"Rules of the first half of the window are tried on the second; every {step}th starting point.",
    )


def _loops(
    studies: Sequence[SiteStudy], saved: float, effort: Effort, progress: Progress
) -> dict[str, list[LoopResult]]:
    found: dict[str, list[LoopResult]] = {}
    policies = {"round robin": ROUND_ROBIN, "page rate": PAGE_RATE, "recommended": BurstSettings()}
    long_enough = [study for study in studies if study.site.history.versions > 20]
    for study in long_enough:
        progress(f"closed loop, {saved:.0%} saved: {study.name}")
        for name, burst in policies.items():
            if effort.rule_loops or name == "recommended":
                found.setdefault(name, []).append(crawl_with_budget(study.site, saved, burst))
        if effort.rule_loops and saved == 0.5:
            for name, thresholds in (("dormant", None), ("NEAR", PLAIN)):
                for label, watch in ((name, None), (f"{name}, re-tested", RuleWatch())):
                    rng = np.random.default_rng(7)
                    found.setdefault(label, []).append(crawl_with_rules(study.site, thresholds, watch, rng))
    return found


def _beside_rivals(studies: Sequence[SiteStudy], progress: Progress) -> list[SiteLoops]:
    """Real sites that are long enough, and the two made ones on which each page's own past says everything."""
    found = []
    for study in studies:
        if study.site.history.versions > 20:
            progress(f"site by site: {study.name}")
            found.append(site_loops(study.name, study.site, still=False))
    for made in BUSY:
        progress(f"site by site: {made.name}")
        found.append(site_loops(made.name, made.made(), still=True))
    return found


def _loop_table(saved: float, loops: dict[str, list[LoopResult]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, results in loops.items():
        means = np.mean([(one.saved, one.on_time, one.captured, one.current) for one in results], axis=0)
        rows.append((name, *means.tolist()))
    return Table(
        f"Closed loop, {saved:.0%} of the requests saved (20 full crawls, then only what was fetched is known)",
        ("policy", "saved", "on time", "versions captured", "pages current"),
        tuple(rows),
        "Rules choose their own share. Without re-tests a skipped directory looks unchanged and stays skipped.",
    )


def _better_worse(gains: NDArray[np.float64]) -> tuple[int, int]:
    return int((gains > 1e-9).sum()), int((gains < -1e-9).sum())


def _targets(rivals: dict[str, Rivals], loops: dict[str, list[LoopResult]]) -> tuple[Target, ...]:
    curve = mean_curve(one.recommended for one in rivals.values())
    rate = mean_curve(one.page_rate for one in rivals.values())
    targets = [
        at_least(f"strict change recall at BR {bypass}", at_bypass(curve, bypass), least)
        for bypass, least in ((0.3, 0.975), (0.5, 0.945), (0.7, 0.88))
    ]
    targets.append(at_least("BR at strict change recall .95", bypass_keeping(curve, 0.95), 0.45))
    targets.append(at_least("gain over page rate at BR .5", at_bypass(curve, 0.5) - at_bypass(rate, 0.5), 0.02))
    for rule, label in (("near", "NEAR .01/.1/.95"), ("dormant", "dormant(19)")):
        means = np.array([getattr(one, rule).mean(axis=0) for one in rivals.values()]).reshape(-1, 4)
        bypass, strict, recommended, _ = means.mean(axis=0).tolist() if len(means) else [float("nan")] * 4
        name = f"missed changes at the BR of {label}, ratio"
        if not bypass >= LEAST_BYPASS or strict >= 1.0:  # nothing skipped, or nothing missed: there is no ratio
            got = f"BR {bypass:.3f}, {1.0 - strict:.3f} missed: cannot be told"
            targets.append(Target(name, "<= 0.5", got, ok=False))
        else:
            ratio = (1.0 - recommended) / (1.0 - strict)
            targets.append(Target(name, "<= 0.5", f"{ratio:.3f}", ratio <= 0.5))
        judged = means[means[:, 0] >= LEAST_BYPASS] if len(means) else means
        worse = _better_worse(judged[:, 2] - judged[:, 1])[1]
        got = f"{worse} of {len(judged)} that skip anything"
        targets.append(Target(f"sites worse than {label} at its BR", "0 of 1 or more", got, worse == 0 < len(judged)))
    best = loops.get("recommended", [])
    on_time = float(np.mean([one.on_time for one in best])) if best else float("nan")
    current = float(np.mean([one.current for one in best])) if best else float("nan")
    targets.append(at_least("closed loop, half saved: on time", on_time, 0.92))
    targets.append(at_least("closed loop, half saved: pages current", current, 0.98))
    return tuple(targets)


def _notes(data: Path | None, effort: Effort) -> tuple[str, ...]:
    source = "Generated sites with uniform random change: which pages change next cannot be told from the past."
    notes = [source if data is None else f"Sites: every history in {data.name}."]
    if effort.step > 1:
        notes.append(f"Quick form: every {effort.step}th starting point; the targets hold for all of them (full form).")
    else:
        notes.append(f"All starting points for windows of 20 versions, every {effort.side_step}rd elsewhere.")
    return tuple(notes)
