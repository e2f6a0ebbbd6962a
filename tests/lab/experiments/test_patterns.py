import datetime as dt
import gzip
import json

import numpy as np
import pytest

from strandline.lab.experiments import pattern_periods, patterns
from strandline.lab.experiments.pattern_data import made_traces


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


def lists(folder, name, hours):
    """A page that changes at some hours of every day, as lists of items in a file of any name."""
    start = dt.datetime(2025, 1, 6, tzinfo=dt.UTC)
    rows, item = [], 0
    for hour in range(24 * 28):
        if hour % 24 in hours or not rows:
            item += 1
            when = (start + dt.timedelta(hours=hour, minutes=30)).isoformat()
            rows.append({"url": "https://www.paper.example/", "time": when, "items": [item, 0]})
    with gzip.open(folder / name, "wt") as file:
        file.write("\n".join(map(json.dumps, rows)))
    times = "\n".join((start + dt.timedelta(hours=hour, minutes=30)).isoformat() for hour in range(24 * 28))
    (folder / name.replace("items", "captures").replace(".jsonl.gz", ".tsv")).write_text(times)


@pytest.mark.parametrize(("hours", "said"), [((0, 1, 2, 3, 4), "here only 0 of 1"), ((9, 11, 15), "so do 1 of 1")])
def test_what_is_said_of_day_and_night_follows_from_the_pages(tmp_path, hours, said):
    lists(tmp_path, "anything_items_here.jsonl.gz", hours)
    notes = patterns.run(tmp_path, quick=True).notes
    assert said in next(note for note in notes if "by day than by night" in note)


def test_page_versions_are_read_whatever_their_file_is_called(tmp_path):
    html = "<main><p>The harbour opens at {n}, and the {n}th boat leaves.</p></main>"
    start = 1_760_000_000
    rows = [{"url": "http://a.example/", "time": start + 7200 * n, "html": html.format(n=n)} for n in range(5)]
    (tmp_path / "my own pages.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert patterns.run(tmp_path, quick=True).tables


def test_a_folder_without_pages(tmp_path):
    with pytest.raises(ValueError, match="no page versions"):
        patterns.run(tmp_path)
