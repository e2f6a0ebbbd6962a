import gzip
import lzma

import numpy as np
import pytest

from strandline.core.beliefs.first_sight import FirstSight
from strandline.core.history.rates import change_rate
from strandline.core.mining.classes import HistoricRules
from strandline.lab.simulate.daily_visits import (
    Clairvoyant,
    DirectoryAndPage,
    NoPrior,
    Nutch,
    PaperClasses,
    SiteMean,
    TrueRates,
    Uniform,
    run,
)
from strandline.lab.simulate.histories import Histories, read_histories, site_pages

HEADER = "site\tpath\text\ttext_bytes\tlinks\theadings\tlast_day\tchanges\tchange_days\n"
ROWS = (
    "a\tindex.html\thtml\t100\t3\t1\t10\t2\t2,7\n"
    "a\tnews/ü.html\thtml\t9\t0\t0\t6\t0\t\n"
    "b\tx.html\thtml\t5\t1\t0\t10\t1\t10\n"
)


def test_reading(tmp_path):
    for name, opener in (("h.tsv", open), ("h.tsv.gz", gzip.open), ("h.tsv.xz", lzma.open)):
        with opener(tmp_path / name, "wt", encoding="utf-8") as file:
            file.write(HEADER + ROWS)
        histories = read_histories(tmp_path / name)
        assert (histories.pages, histories.days, histories.sites) == (3, 10, ("a", "b"))
        assert histories.seen[0].tolist() == [0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2]
        assert histories.last_day.tolist() == [10, 6, 10]
        assert "ext" not in histories.columns
        assert histories.column("text_bytes").tolist() == [100.0, 9.0, 5.0]
        assert histories.column("unknown").tolist() == [0.0, 0.0, 0.0]
        assert histories.changes(2, 10).tolist() == [1, 0, 1]
        assert histories.of_site("b").paths == ("x.html",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("site\tpath\n", "lacks last_day, change_days"),
        (HEADER + "a\tp\thtml\t1\t1\t1\tten\t0\t\n", "line 2.*ten"),
        (HEADER + "a\tp\thtml\t1\t1\t1\t10\t1\t0\n", "line 2.*before day 1"),
        (HEADER + "a\tp\n", "line 2"),
        ("", "lacks site"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, text, problem):
    file = tmp_path / "bad.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"bad.tsv.*{problem}"):
        read_histories(file)


def test_an_empty_history_is_no_error(tmp_path):
    file = tmp_path / "empty.tsv"
    file.write_text(HEADER, encoding="utf-8")
    histories = read_histories(file)
    outcome = run(histories, Uniform(), 28.0, np.random.default_rng(0))
    assert histories.pages == 0
    assert outcome.per_thousand(0) == 0.0


def made(pages=120, days=100, seed=0, sites=1) -> Histories:
    rng = np.random.default_rng(seed)
    fast = rng.random(pages) < 0.2
    rate = np.where(fast, 0.08, 0.002)
    hit = rng.random((pages, days)) < rate[:, None]
    seen = np.concatenate([np.zeros((pages, 1)), np.cumsum(hit, axis=1)], axis=1).astype(np.int32)
    site = np.arange(pages) % sites
    paths = tuple(f"{'news' if quick else 'old'}/{i}.html" for i, quick in enumerate(fast))
    columns = {name: np.full(pages, 10.0) for name in ("text_bytes", "links", "headings")}
    last_day = np.full(pages, days)
    last_day[:3] = days // 2
    return Histories(tuple(f"s{i}" for i in range(sites)), site.astype(np.int64), paths, last_day, seen, columns)


def slow_uniform(histories, turn):
    """Oldest first, page by page; ties cannot matter when all pages of one age fit."""
    pages = histories.pages
    last, gone, caught, fetched = [0] * pages, [False] * pages, 0, 0
    for day in range(1, histories.days + 1):
        budget = int(pages * day / turn) - int(pages * (day - 1) / turn)
        for page in sorted((p for p in range(pages) if not gone[p]), key=lambda p: (last[p], p))[:budget]:
            fetched += 1
            if histories.last_day[page] < day:
                gone[page] = True
                continue
            caught += int(histories.seen[page, day] > histories.seen[page, last[page]])
            last[page] = day
    return fetched, caught


def test_uniform_visits_equal_a_slow_round():
    histories = made()
    outcome = run(histories, Uniform(), 1.0, np.random.default_rng(0))  # every page every day: no ties
    assert (outcome.fetched[-1], outcome.caught[-1]) == slow_uniform(histories, 1.0)
    assert outcome.caught[-1] == histories.seen[np.arange(120), histories.last_day].sum()
    assert outcome.stale_share(histories.days) == 0.0


def test_budgets_are_spent_exactly_and_policies_rank_as_they_should():
    histories, settings = made(sites=2), FirstSight()
    outcomes = {}
    for name, policy in {
        "uniform": Uniform(),
        "nutch": Nutch(),
        "none": NoPrior(settings),
        "site": SiteMean(settings),
        "default": DirectoryAndPage(settings),
        "fresh": DirectoryAndPage(settings, "freshness"),
        "own": DirectoryAndPage(settings, own_captures=True),
        "true": TrueRates(),
        "clairvoyant": Clairvoyant(),
        "paper": PaperClasses(np.zeros(120, np.int64), np.array([10.0, 90.0]), HistoricRules.alike((2, 1))),
    }.items():
        outcomes[name] = run(histories, policy, 14.0, np.random.default_rng(3))
        assert outcomes[name].fetched[-1] == 120 * 100 // 14
    caught = {name: int(outcome.caught[-1]) for name, outcome in outcomes.items()}
    assert caught["uniform"] < caught["default"] <= caught["clairvoyant"]
    assert caught["site"] < caught["default"]
    assert max(caught.values()) == caught["clairvoyant"]
    assert outcomes["fresh"].stale_share(100) < outcomes["uniform"].stale_share(100)


def test_no_page_waits_longer_than_the_guard_allows():
    class Watching(DirectoryAndPage):
        oldest = 0.0

        def index(self, held):
            self.oldest = max(self.oldest, float(held.age.max()))
            return super().index(held)

    histories = made(days=182)
    alive = np.flatnonzero(histories.last_day == 182)
    policy = Watching(FirstSight(guard=2.0))
    run(histories.take(alive), policy, 14.0, np.random.default_rng(0))
    assert policy.oldest <= 2.0 * 14.0 + 8.0  # the queue of overdue pages may take a few days


def test_first_sight_pages_are_described_site_by_site():
    sites = site_pages(made(sites=3))
    assert [site.name for site in sites] == ["s0", "s1", "s2"]
    assert sum(site.rows.size for site in sites) == 120
    assert sites[0].features.shape == (40, 9)


def test_rates_of_a_history_follow_the_estimator():
    histories = made()
    assert (change_rate(histories.last_day, histories.seen[:, -1]) >= 0).all()
