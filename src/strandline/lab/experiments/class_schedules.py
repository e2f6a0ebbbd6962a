"""What first-sight knowledge is worth in a schedule: daily fetches under a budget on recorded histories.

Every site alone (nothing from it known before day 0) and all sites under one budget. No site is judged by a table it
helped to write: those the shipped table was fitted on get one fitted on the others, all other sites the shipped one.
The row "shipped table" is therefore flattered on the former and the same as the default on the latter.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.first_sight import (
    COEFFICIENTS,
    FirstSight,
    SiteRecord,
    fit_table,
    refit,
    site_level,
    site_prior,
    static_factors,
)
from strandline.core.mining.classes import TABLE_4_WINDOWS, HistoricRules, change_groups
from strandline.core.mining.static_classifiers import balanced, pruned_tree
from strandline.lab.experiments.class_errors import GROUPS, PAPER_COLUMNS, rate_of
from strandline.lab.simulate.daily_visits import (
    Clairvoyant,
    DirectoryAndPage,
    NoPrior,
    Nutch,
    Outcome,
    PaperClasses,
    Policy,
    SiteMean,
    TrueRates,
    Uniform,
    run,
)
from strandline.lab.simulate.histories import Histories, SitePages, site_pages

Floats = NDArray[np.float64]

CHECK_DAYS = (14, 28, 56, 182)
ARCHIVE_PAGES = 1200
SETTINGS = FirstSight()
FITTED_ON = frozenset(("freebsd", "openbsd", "kubernetes", "mdn", "digitalgov", "flink", "rubylang", "apache"))
"""Sites whose histories wrote the shipped table."""

UNIFORM = "uniform"
SITE_MEAN = "site mean"
DEFAULT = "default: site x directory x page"
DEFAULT_FRESH = "default, freshness index"
OWN = "default + own captures"
OWN_FRESH = "default + own captures, freshness index"
QUICK = (UNIFORM, SITE_MEAN, DEFAULT)
QUICK_ARCHIVE = (*QUICK, OWN_FRESH)


def fair_tables(histories: Histories) -> dict[str, Floats]:
    """Coefficients for each site: fitted on all others where it helped to write the shipped ones."""
    records = {site.name: _record(histories, site) for site in site_pages(histories)}
    tables = {}
    for name in records:
        others = [record for other, record in records.items() if other != name]
        tables[name] = fit_table(others) if others and name in FITTED_ON else COEFFICIENTS
    return tables


def is_held_out(histories: Histories) -> bool:
    """Whether none of these sites was there when the model was made."""
    return FITTED_ON.isdisjoint(histories.sites)


def shared_table(histories: Histories) -> Floats:
    """The coefficients that all sites together give: how the shipped table was made."""
    return fit_table([_record(histories, site) for site in site_pages(histories)])


def _record(histories: Histories, site: SitePages) -> SiteRecord:
    found = histories.seen[site.rows, -1].astype(np.float64)
    return SiteRecord(site.features, found, histories.last_day[site.rows].astype(np.float64))


@dataclass(frozen=True)
class Rows:
    """Outcomes by policy: one list entry per site or draw."""

    outcomes: dict[str, list[Outcome]]

    def mean(self, name: str, day: int) -> float:
        """Catches per 1000 fetches, averaged over the entries."""
        return float(np.mean([one.per_thousand(day) for one in self.outcomes[name]]))

    def stale(self, name: str, day: int) -> float:
        """Stale share, averaged."""
        return float(np.mean([one.stale_share(day) for one in self.outcomes[name]]))

    def against(self, name: str, other: str, day: int) -> float:
        """Ratio of the averages of catches."""
        return self.mean(name, day) / max(self.mean(other, day), 1e-12)

    def ratios(self, name: str, day: int) -> list[float]:
        """Catches against uniform, per entry."""
        pairs = zip(self.outcomes[name], self.outcomes[UNIFORM], strict=True)
        return [mine.catches(day) / max(base.catches(day), 1) for mine, base in pairs]

    def geometric(self, name: str, day: int) -> float:
        """Geometric mean of catches against uniform over entries where uniform caught 20 or more."""
        enough = [base.catches(day) >= 20 for base in self.outcomes[UNIFORM]]
        kept = [ratio for ratio, ok in zip(self.ratios(name, day), enough, strict=True) if ok and ratio > 0]
        return float(np.exp(np.mean(np.log(kept)))) if kept else float("nan")


def single_sites(histories: Histories, turn: float, names: tuple[str, ...] | None, ties: int = 1) -> Rows:
    """Every site by itself with N / turn fetches a day; ties are broken `ties` times and averaged."""
    tables = fair_tables(histories)
    outcomes: dict[str, list[Outcome]] = {}
    for number, site in enumerate(histories.sites):
        alone = histories.of_site(site)
        start = _paper_start(histories, number) if names is None else None
        for name, make in _policies(tables, start).items():
            if names is None or name in names:
                runs = [run(alone, make(), turn, np.random.default_rng(seed)) for seed in range(ties)]
                outcomes.setdefault(name, []).append(_average(runs))
    return Rows(outcomes)


def one_archive(histories: Histories, turn: float, names: tuple[str, ...] | None, draws: int = 1) -> Rows:
    """All sites under one budget, at most 1,200 pages of each, drawn `draws` times."""
    tables = fair_tables(histories)
    outcomes: dict[str, list[Outcome]] = {}
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        rows = [
            np.sort(rng.permutation(np.flatnonzero(histories.site == i))[:ARCHIVE_PAGES])
            for i in range(len(histories.sites))
        ]
        archive = histories.take(np.concatenate(rows))
        for name, make in _policies(tables, None).items():
            if names is None or name in names:
                outcomes.setdefault(name, []).append(run(archive, make(), turn, np.random.default_rng(draw)))
    return Rows(outcomes)


def _policies(tables: dict[str, Floats], paper: PaperClasses | None) -> dict[str, Callable[[], Policy]]:
    plain = FirstSight(guard=np.inf)
    made: dict[str, Callable[[], Policy]] = {
        UNIFORM: Uniform,
        "Nutch": Nutch,
        "no prior": lambda: NoPrior(plain),
        SITE_MEAN: lambda: SiteMean(plain),
        DEFAULT: lambda: DirectoryAndPage(SETTINGS, tables=tables),
        DEFAULT_FRESH: lambda: DirectoryAndPage(SETTINGS, "freshness", tables),
        OWN: lambda: DirectoryAndPage(SETTINGS, tables=tables, own_captures=True),
        OWN_FRESH: lambda: DirectoryAndPage(SETTINGS, "freshness", tables, own_captures=True),
        "default, shipped table": lambda: DirectoryAndPage(SETTINGS),
        "true rates known": TrueRates,
        "clairvoyant": Clairvoyant,
    }
    if paper is not None:
        made["paper: tree + historic"] = lambda: paper
    return made


def _paper_start(histories: Histories, site: int) -> PaperClasses | None:
    """Paper 002's method with a tree from the other sites; None when there are no others."""
    others, mine = np.flatnonzero(histories.site != site), np.flatnonzero(histories.site == site)
    if others.size == 0:
        return None
    rates = rate_of(histories)
    groups = change_groups(rates[others], GROUPS)
    features = np.column_stack([histories.column(name) for name in PAPER_COLUMNS])
    true = groups.assign(rates)
    even = others[balanced(true[others], np.random.default_rng(0))]
    tree = pruned_tree(features[even], true[even])
    tree.fit(features[even], true[even])
    start = tree.predict(features[mine]).astype(np.int64)
    return PaperClasses(start, groups.intervals(), HistoricRules.alike(TABLE_4_WINDOWS[: groups.count]))


def _average(runs: list[Outcome]) -> Outcome:
    """Mean of runs that differ in ties only."""
    parts = [np.mean([getattr(one, name) for one in runs], axis=0) for name in Outcome.__slots__]
    return Outcome(*(np.rint(part).astype(np.int64) for part in parts))


def ranking(histories: Histories, *, own: bool) -> dict[str, float]:
    """How well first sight ranks pages that were held out, by what changes in the second half of the window (AUC).

    `own`: level, directories and table have learned from the first half on two thirds of the site's pages, and
    rank the other third. Otherwise only the table of the other sites is used. Never the same weeks for both:
    bulk edits would leak.
    """
    half, tables = histories.days // 2, fair_tables(histories)
    found = {}
    for site in site_pages(histories):
        rows = site.rows
        alive = histories.last_day[rows] > half
        later = histories.changes(half, histories.days)[rows] > 0
        if own:
            score = _held_out_scores(histories, site, tables[site.name], half)
        else:
            score = static_factors(site.features, tables[site.name])
        found[site.name] = area_under_curve(score[alive], later[alive])
    return found


def _held_out_scores(histories: Histories, site: SitePages, table: Floats, half: int, folds: int = 3) -> Floats:
    changes = histories.changes(0, half)[site.rows].astype(np.float64)
    days = np.minimum(histories.last_day[site.rows], half).astype(np.float64)
    fold = np.random.default_rng(0).integers(0, folds, changes.size)
    score = np.zeros(changes.size)
    for one in range(folds):
        history = np.where(fold != one, changes, 0.0), np.where(fold != one, days, 0.0)
        static = static_factors(site.features, table)
        base = site_level(*history, static, SETTINGS.first_base)
        prior = site_prior(site.directories, static, history, base)
        moved = refit(site.features, history, prior.level * prior.directory, table)
        mean = site_prior(site.directories, static_factors(site.features, moved), history, base).mean
        score[fold == one] = (mean / mean.mean())[fold == one]
    return score


def area_under_curve(score: Floats, positive: NDArray[np.bool_]) -> float:
    """Chance that a page that changed ranks above one that did not; ties count half.

    >>> area_under_curve(np.array([0.1, 0.9, 0.5]), np.array([False, True, False]))
    1.0
    """
    hits, misses = int(positive.sum()), int((~positive).sum())
    if hits == 0 or misses == 0:
        return float("nan")
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2.0
    ranks = middle[place]
    return float((ranks[positive].sum() - hits * (hits + 1) / 2.0) / (hits * misses))
