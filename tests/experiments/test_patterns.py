import numpy as np
import pytest

from strandline.experiments import pattern_periods, patterns
from strandline.experiments.pattern_data import made_traces


def test_the_whole_experiment_on_made_pages():
    report = patterns.run(None, quick=True)
    failed = [target for target in report.targets if not target.ok]
    assert [target.name for target in failed if "sums" in target.name or "lost" in target.name] == []
    groups = next(table for table in report.tables if table.title.startswith("Shared patterns"))
    assert sorted(groups.column("pages")) == [4, 4, 4]
    assert '"figures"' in report.to_json()


def test_more_captures_catch_more_and_all_captures_catch_nearly_all():
    rates = np.full((20, 24), 0.05)
    caught = [pattern_periods.completeness(rates, 24, share, 10, np.random.default_rng(0)) for share in (0.1, 0.5, 1.0)]
    assert caught == sorted(caught)
    assert caught[-1] > 0.95


def test_explained_deviance_is_zero_for_a_flat_rate_and_high_for_the_truth():
    trace = made_traces(np.random.default_rng(2), days=42)[0]
    half = pattern_periods.split(trace, trace.periods(24), merged=True)
    flat = np.full(half.series.changes.shape, half.flat)
    assert pattern_periods.explained([half], [flat]) == pytest.approx(0.0, abs=1e-9)
    assert pattern_periods.explained([half], [pattern_periods.own_rates(half)]) > 0.1


def test_a_folder_without_pages(tmp_path):
    with pytest.raises(ValueError, match="no page versions"):
        patterns.run(tmp_path)
