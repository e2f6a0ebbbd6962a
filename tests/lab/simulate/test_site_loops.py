import numpy as np
import pytest

from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds
from strandline.core.mining.site_rates import RateSettings
from strandline.core.skip.quiet_directories import RuleWatch
from strandline.core.skip.site_level import BurstSettings
from strandline.lab.simulate.site_crawls import KnownSite
from strandline.lab.simulate.site_loops import PAGE_RATE, ROUND_ROBIN, crawl_with_budget, crawl_with_rules


@pytest.fixture(scope="module")
def site():
    """60 weeks: `news` changes every week and grows, `old` rests for 30 weeks and then changes each week."""
    versions = []
    for week in range(60):
        version = {"index.html": str(week), "news/index.html": str(week)}
        version |= {f"news/{n}": "1" for n in range(week)}
        version |= {f"old/{n}": str(max(0, week - 30)) for n in range(30)}
        version |= {f"still/{n}": "1" for n in range(60)}
        versions.append((str(week), version))
    return KnownSite(SiteHistory.from_versions(versions))


def test_saving_nothing_catches_everything(site):
    result = crawl_with_budget(site, 0.0, BurstSettings())
    assert result.on_time == pytest.approx(1.0, abs=0.02)
    assert result.captured == pytest.approx(1.0, abs=0.02)
    assert result.current == pytest.approx(1.0, abs=0.01)
    assert result.saved == pytest.approx(0.0, abs=0.02)


def test_half_the_requests(site):
    robin, rate, recommended = (crawl_with_budget(site, 0.5, b) for b in (ROUND_ROBIN, PAGE_RATE, BurstSettings()))
    for result in (robin, rate, recommended):
        assert result.saved == pytest.approx(0.5, abs=0.02)
    assert recommended.on_time > robin.on_time + 0.2
    assert recommended.on_time > 0.9


def test_skipped_directories_lock_themselves_in_unless_they_are_tested(site):
    rng = np.random.default_rng(1)
    for thresholds in (None, Thresholds()):
        blind = crawl_with_rules(site, thresholds, None, rng)
        tested = crawl_with_rules(site, thresholds, RuleWatch(), rng)
        assert blind.current < 0.9  # `old` wakes up in week 31 and is never looked at again
        assert tested.current > blind.current + 0.05
        assert tested.captured > blind.captured


def test_a_short_history_has_nothing_to_lose(site):
    result = crawl_with_budget(site, 0.5, BurstSettings(), warm_up=60)
    assert (result.on_time, result.captured, result.current) == (1.0, 1.0, 1.0)


PAGES, DIRECTORIES, SEEDS = 300, 25, range(6)
BEFORE = RateSettings(forecasters=())
"""The policy when nothing but its own forecaster is asked."""
BURSTS_ONLY = BurstSettings(oldest_from=0.0)


def changing_pages(kind, rng):
    """Week by week, which pages of a site of this kind change."""
    inside = np.arange(PAGES) % DIRECTORIES
    hot = rng.random(PAGES) < 0.4
    warm_directories = np.isin(inside, rng.permutation(DIRECTORIES)[:10])
    own = np.minimum(0.9, rng.lognormal(-4.0, 1.5, PAGES))
    for week in range(1, 40):
        bursts = (rng.random(DIRECTORIES) < 0.1)[inside]
        if kind == "moving" and week % 12 == 0:
            hot = rng.random(PAGES) < 0.3
        chances = {
            "hot pages scattered": np.where(hot, 0.95, 0.01),
            "hot directories": np.where(warm_directories, 0.95, 0.01),
            "warm pages scattered": np.where(hot, 0.4, 0.02),
            "quiet": np.where(own > 0.1, 0.1, 0.004),
            "bursts": np.where(bursts, 0.5, 0.003),
            "moving": np.where(hot, 0.9, 0.01),
            "mixed, with mass updates": np.where(week % 13 == 5, 0.7, own * np.where(bursts, 8.0, 0.7)),
        }[kind]
        yield np.flatnonzero(rng.random(PAGES) < chances)


def world(kind, seed):
    paths = [f"s{n % DIRECTORIES % 5}/d{n % DIRECTORIES}/p{n}.html" for n in range(PAGES)]
    history = SiteHistory()
    history.add("0", paths, [], [])
    for week, changed in enumerate(changing_pages(kind, np.random.default_rng(seed)), start=1):
        history.add(str(week), [], [], [paths[page] for page in changed])
    return KnownSite(history)


def counting_crawler(site, saved, warm_up=20):
    """Ten lines: count each page's changes and weeks, ask for the likeliest."""
    changes, weeks, last, archived, content = np.zeros((5, PAGES))
    on_time, current = [], []
    for version in range(1, site.history.versions):
        updated = site.history.changes[version].updated
        content[updated] += 1
        chance = 1 - (1 - (changes + 0.1) / (weeks + 1)) ** (version - last)
        budget = PAGES if version < warm_up else round((1 - saved) * PAGES)
        asked = np.argsort(-chance, kind="stable")[:budget]
        changes[asked] += archived[asked] != content[asked]
        weeks[asked] += version - last[asked]
        last[asked], archived[asked] = version, content[asked]
        if version >= warm_up:
            on_time += [np.isin(updated, asked).mean()] if len(updated) else []
            current.append((archived == content).mean())
    return np.mean(on_time), np.mean(current)


def achieved(result):
    return result.on_time, result.current


@pytest.mark.parametrize(
    "kind",
    [
        "hot pages scattered",
        "hot directories",
        "warm pages scattered",
        "quiet",
        "bursts",
        "moving",
        "mixed, with mass updates",
    ],
)
def test_never_far_behind_the_best_of_its_rivals(kind):
    """On time and current, mean over sites of a kind: within .01 of the policy before, page rates, counter, dormant."""
    rows = []
    for seed in SEEDS:
        site = world(kind, seed)
        dormant = crawl_with_rules(site, None, None, np.random.default_rng(seed))
        rows.append(
            (
                achieved(crawl_with_budget(site, 0.5, BurstSettings())),
                achieved(crawl_with_budget(site, 0.5, BURSTS_ONLY, settings=BEFORE)),
                achieved(crawl_with_budget(site, 0.5, PAGE_RATE, settings=BEFORE)),
                counting_crawler(site, 0.5),
                achieved(crawl_with_budget(site, dormant.saved, BurstSettings())),
                achieved(dormant),
            )
        )
    policy, before, rates, counter, at_dormant, dormant = np.mean(rows, axis=0)
    assert (policy >= np.max([before, rates, counter], axis=0) - 0.01).all(), (policy, before, rates, counter)
    assert (at_dormant >= dormant - 0.01).all(), (at_dormant, dormant)


def test_the_figures_that_a_counter_reached_where_the_policy_did_not():
    """Half of the requests; before, about .6 on time where hot pages are scattered and .8 with hot directories."""
    for kind in ("hot pages scattered", "hot directories"):
        found = np.mean(
            [achieved(crawl_with_budget(world(kind, seed), 0.5, BurstSettings())) for seed in SEEDS], axis=0
        )
        assert (found > 0.96).all()
