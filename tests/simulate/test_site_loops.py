import numpy as np
import pytest

from strandline.core.history.site_versions import SiteHistory
from strandline.core.learn.near import Thresholds
from strandline.core.plan.site_level import BurstSettings
from strandline.core.plan.skip import RuleWatch
from strandline.simulate.site_crawls import KnownSite
from strandline.simulate.site_loops import PAGE_RATE, ROUND_ROBIN, crawl_with_budget, crawl_with_rules


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
