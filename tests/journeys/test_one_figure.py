"""One figure for one thing: a change, and the visits of a watch, wherever they are told."""

import json
import time
from contextlib import closing

import pytest

from journeys.command import here
from strandline.alerts.alert import change_alert
from strandline.alerts.feeds import FeedRequest, change_feed
from strandline.archive.folder import open_archive
from strandline.store.alarming import AlarmReading
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.watching import HourRow
from strandline.study.comparing import compare_versions

URL = "https://pier.example/fares"
TEXT = "The pier is open from dawn to dusk, in winter, too. Dogs are welcome on a lead, bicycles are not."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("pier")
    now, rows = time.time(), []
    for number, fare in enumerate((3, 3, 4, 5)):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - (4 - number) * 3600))
        html = f"<title>Fares</title><main><h1>Fares</h1><p>{TEXT}</p><p>A ticket costs {fare} euros.</p></main>"
        rows.append(json.dumps({"url": URL, "time": at, "html": html}))
    (place / "looks.jsonl").write_text("\n".join(rows))
    here("import", place / "archive", place / "looks.jsonl")
    return place / "archive"


def test_a_change_counts_the_same_in_list_alert_feed_report_and_comparison(folder):
    listed = [json.loads(line) for line in here("changes", folder, "--json").stdout.splitlines()]
    assert len(listed) == 2
    archive = open_archive(folder)
    with closing(AlarmReading.open(folder / DATABASE)) as reading:
        newest = sorted(reading.newest_changes("", "", 0.0, 9), key=lambda change: change.by)
    told = [change_alert(change, time.time(), archive.settings.alerts, "pier") for change in newest]
    compared = [compare_versions(archive, URL, change.after, change.by)[0] for change in newest]
    figures = [one["importance"] for one in listed]
    assert min(figures) > 0.5
    assert [one.document["importance"] for one in told] == figures
    assert [one.as_data()["importance"] for one in compared] == figures
    (reported,) = json.loads(here("report", folder, "--json").stdout)["sites"]
    assert (reported["changes"], reported["importance"]) == (2, pytest.approx(sum(figures), abs=1e-5))
    entries = change_feed(archive, FeedRequest(min_importance=0.0)).entries
    assert [entry.title for entry in entries] == [f"Fares: {one['sentence']}" for one in reversed(listed)]


def test_visits_planned_and_made_are_those_the_watch_noted_everywhere(folder):
    with closing(open_catalog(folder, "test")) as catalog:
        for hour in range(3):
            started = time.time() - (3 - hour) * 3600
            catalog.watch.hour(HourRow(hour, started, 20.0, 10 + hour, 12, 6, 2, 4, 3, 3, 1, 5000))
    quality = json.loads(here("quality", folder, "--json").stdout)["archive"]["visits"]
    assert (quality["intended"], quality["achieved"], quality["failed"]) == (33, 24, 3)
    assert "33 visits planned, 24 made, 3 pages failed" in here("quality", folder).stdout
    report = json.loads(here("report", folder, "--json").stdout)["intended"]
    assert (report["planned"], report["revisits"] + report["firsts"], report["failed"]) == (33, 24, 3)
    assert "33 visits planned, 24 made" in here("report", folder).stdout
