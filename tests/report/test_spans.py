"""Reports: each kind of event lands in its span, once, with what came before beside it."""

import json
import time
from dataclasses import replace

import pytest
from lxml import html
from typer.testing import CliRunner

from made.news import TOLD, News
from strandline.archive.folder import create, open_archive
from strandline.cli.main import app
from strandline.core.capture import Capture, Evidence, Outcome, Place
from strandline.core.changes.observation import PageState, PageStudy
from strandline.core.mining.learned import LearnedFrom
from strandline.core.mining.near import NearRule
from strandline.errors import UsageError
from strandline.learn.rules import RuleWish, learn_rules
from strandline.ports import Batch, Visited
from strandline.report.html_page import report_html
from strandline.report.spans import ReportRequest, report
from strandline.store.alarming import AlarmWriter
from strandline.store.learned import LearnedWriter
from strandline.store.watching import HourRow

DAY = 86400.0
NOW = 1_800_000_000.0


class Past(News):
    """Visits at chosen times."""

    def visit(self, url, days_ago, status=200, redirect="", digest=""):
        """A capture as a crawl records it."""
        self.number += 1
        when = NOW - days_ago * DAY
        place = Place("a.warc.gz", 1000 * self.number, 900)
        digest = digest or f"sha1:{self.number}"
        taken = Capture(url, when, status, "text/html", digest, place, redirect=redirect)
        evidence = Evidence.ABSENT if status == 404 else Evidence.PRESENT
        self.catalog.rebuild([taken])
        self.catalog.studies.record([], max(one.seq for one in self.catalog.studies.reading.pending()))
        page = self.catalog.page(url).page
        self.catalog.commit(Batch([Visited(page, Outcome.ANSWERED, "", None, evidence, when, when, 0.0, 0)]))


@pytest.fixture
def folder(tmp_path):
    create(tmp_path / "a")
    past = Past(tmp_path / "a")
    old, new, lost, moved, late = (f"http://news.example/{name}" for name in ("old", "new", "lost", "moved", "late"))
    for url in (old, lost, moved):
        past.visit(url, 10)
    past.visit(old, 9)
    past.change(0.4, url=old, when=NOW - 8 * DAY)
    past.visit(new, 5)
    for days in (6, 5, 4):
        past.visit(old, days)
    past.change(0.9, url=old, when=NOW - 3 * DAY)
    past.change(0.5, url=old, when=NOW - 2 * DAY)
    past.change(0.9, url=old, when=NOW - 1.9 * DAY, held=True)
    past.visit(lost, 4, 404)
    past.visit(lost, 3, 404)
    past.catalog.studies.record([PageStudy(past.catalog.page(lost).page, PageState(absent=2))], 0)
    past.visit(moved, 2, 301, "http://news.example/elsewhere")
    past.visit("http://other.example/", 1)
    past.visit(late, -1)  # after the span
    row = HourRow(1, NOW - 2 * DAY, 20.0, 10, 12, 6, 2, 4, 3, 3, 1, 5000)
    past.catalog.watch.hour(row)
    past.close()
    writer = AlarmWriter.open(tmp_path / "a" / "strandline.db")
    writer.raise_alarm("gone", "news.example", NOW - 3 * DAY, "many are gone")
    writer.close()
    learned, about = LearnedWriter.open(tmp_path / "a" / "strandline.db"), LearnedFrom("rules", 1, 1, 1, 1, 0, 0, 0, {})
    none = learn_rules("news.example", [], RuleWish()).learned
    learned.replace_rules(about, [replace(none, rules=(NearRule(("a",), "b", 0.5, -1.0, 1.0),))], {}, NOW - 4 * DAY)
    learned.replace_rules(about, [none], {}, NOW - 2 * DAY)
    learned.close()
    return tmp_path / "a"


def week(folder, **more):
    return report(open_archive(folder), ReportRequest(start=NOW - 7 * DAY, end=NOW, **more))


def test_what_happened_in_a_week(folder):
    found = week(folder)
    urls = {kind: [event.url.rsplit("/", 1)[1] for event in events] for kind, events in found.events.items()}
    assert urls == {"new": ["new", ""], "changed": ["old"], "gone": ["lost"], "moved": ["moved"], "dead": []}
    (changed,) = found.events["changed"]
    assert changed.detail == "2 changes" and changed.weight == pytest.approx(1.4)
    assert found.events["gone"][0].detail == "confirmed"
    assert found.events["moved"][0].detail == "http://news.example/elsewhere"
    news, other = found.sites
    assert (news.site, news.new, news.changed, news.gone, news.moved) == ("news.example", 1, 1, 1, 1)
    assert (news.changes, news.visits_before) == (2, 5) and other.new == 1
    assert news.changes_a_day == pytest.approx(2 / (4.1 + 1.0), rel=1e-3)
    assert news.changes_a_day_before == pytest.approx(1 / 2.0, rel=1e-3)


def test_the_weightiest_change_of_a_page_is_told(folder):
    past = Past(folder)
    past.change(0.95, url="http://news.example/old", when=NOW - 1.5 * DAY, told=TOLD)
    past.close()
    found = week(folder)
    assert found.events["changed"][0].sentence == TOLD["sentence"]
    assert found.as_data()["changed"][0]["sentence"] == TOLD["sentence"]
    assert TOLD["sentence"] in report_html(found)


def test_intended_and_learning(folder):
    found = week(folder)
    assert (found.intended.total.planned, found.intended.share) == (10, 0.8)
    assert [rule.rule for rule in found.made] == [rule.rule for rule in found.retired] == ["when a change, skip b"]
    moved = next(one for one in found.shifted if one.url.endswith("/old"))
    assert (moved.before, moved.after, moved.changes_before, moved.changes_after) == (3, 6, 1, 2)
    assert [alarm.kind for alarm in found.alarms] == ["gone"]
    earlier = report(open_archive(folder), ReportRequest(start=NOW - 20 * DAY, end=NOW - 7 * DAY))
    assert earlier.intended is None and earlier.rules == [] and earlier.alarms == []
    assert len(earlier.events["new"]) == 3 and not earlier.events["gone"]


def test_one_site_and_a_bad_span(folder):
    assert [one.site for one in week(folder, site="other.example").sites] == ["other.example"]
    with pytest.raises(UsageError, match="span of time"):
        report(open_archive(folder), ReportRequest(start=5.0, end=5.0))


def test_formats(folder):
    span = ("--from", "2027-01-08T08:00Z", "--to", "2027-01-15T08:00Z")
    text = CliRunner().invoke(app, ["report", str(folder), *span]).stdout
    assert "10 visits planned, 8 made (80 %)" in text and "gone:" in text and "rule retired" in text
    data = json.loads(CliRunner().invoke(app, ["report", str(folder), *span, "--json", "--limit", "1"]).stdout)
    assert data["intended"]["share"] == 0.8 and len(data["new"]) == 1 and data["sites"][0]["new"] == 1
    page = CliRunner().invoke(app, ["report", str(folder), *span, "--format", "html"]).stdout
    assert html.fromstring(page).xpath("count(//table)") >= 5


def test_html_is_inert(folder):
    found = week(folder)
    evil = found.events["new"][0]._replace(url="http://a.example/<script>alert(1)</script>")
    found.events["new"].append(evil)
    page = report_html(found)
    assert "<script" not in page and "&lt;script&gt;" in page


def test_by_default_the_last_seven_days(folder):
    found = report(open_archive(folder), ReportRequest())
    assert found.end == pytest.approx(time.time(), abs=60) and found.end - found.start == 7 * DAY
