"""An archive in a folder and the same one as a cluster: whatever is asked, both answer the same."""

import json
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from journeys.command import here
from made.two_sites import DAY, SITES, VISITS, cluster, folder
from servers import object_stores, postgres
from strandline.alerts.feeds import FeedRequest, change_feed
from strandline.app.alerts_listing import alarms, told
from strandline.app.opening import open_archive
from strandline.archive.database_names import database_at
from strandline.cluster.migrating import to_cluster
from strandline.cluster.shared import init_cluster, open_cluster
from strandline.cluster.studying import SharedStudying, StudyPlace, study_rest
from strandline.crawl.preparing import CrawlRequest
from strandline.engines.mining import LocalTasks
from strandline.errors import LeaseLost, Unreachable, UsageError
from strandline.lab.laboratory import RulesWanted, found_rules
from strandline.learn.engine import Mining
from strandline.learn.learning import Lore, learn
from strandline.learn.rules import GivenThresholds
from strandline.plan.explaining import why
from strandline.plan.planning import Planning
from strandline.report.engine_learning import learn_on_engine
from strandline.report.measuring import measured
from strandline.report.spans import ReportRequest, report
from strandline.store.catalog import DATABASE
from strandline.store.postgres.desks import PlanReading
from strandline.store.postgres.session import Session, shown
from strandline.store.postgres.studying import DeskStudies
from strandline.store.skipping import SkipReading
from strandline.store.studies import Wanted
from strandline.study.comparing import compare_versions
from strandline.watch.single_pass import crawl

pytestmark = postgres.GROUP


__all__ = ["cluster", "folder"]


def test_study_finds_the_same(folder, cluster):
    ours, theirs = ([*one.studies.changes()] for one in (folder, cluster))
    assert len(ours) > VISITS and ours == theirs
    assert folder.studies.counts() == cluster.studies.counts()
    assert [*folder.studies.sightings()] == [*cluster.studies.sightings()]
    url = f"{SITES[0]}/0"
    assert [*folder.studies.block_history(url)] == [*cluster.studies.block_history(url)]
    when = ours[0].by + 1.0
    assert folder.studies.version(url, when) == cluster.studies.version(url, when)
    for words in (
        Wanted("edition paper"),
        Wanted("edition", site="news.example"),
        Wanted("word7", topic="tide"),
        Wanted("edition -tide"),
        Wanted('"edition paper" OR word7'),
    ):
        one, other = (sorted(archive.studies.search(words), key=str) for archive in (folder, cluster))
        assert one and one == other
    assert cluster.studies.ratings(f"{SITES[0]}/1") == {"html/body/p": "matters"}
    ours, theirs = (change_feed(one, FeedRequest(min_importance=0.0)).entries for one in (folder, cluster))
    assert ours and ours == theirs


def test_what_was_learned_is_kept_with_what_it_was_learned_from(folder, cluster):
    for part in ("patterns", "rules", "classes"):
        ours, theirs = (Lore(one).kept(part) for one in (folder, cluster))
        assert ours is not None and ours == theirs
    ours, theirs = (Lore(one).reading for one in (folder, cluster))
    assert [(url, rate) for _, url, rate in ours.all_rates()] == [(url, rate) for _, url, rate in theirs.all_rates()]
    assert [repr(row[1:]) for row in ours.all_series()] == [repr(row[1:]) for row in theirs.all_series()]
    assert ours.site_clocks() == theirs.site_clocks()
    wanted = RulesWanted(Path(cluster.cluster.database), GivenThresholds())
    assert [*ours.site_rules()] == [*theirs.site_rules()] == found_rules(wanted)[0]
    reading = SkipReading.open(cluster.folder / DATABASE)
    assert reading.rated_sites() == SkipReading.open(folder.folder / DATABASE).rated_sites()


def test_plans_reasons_and_quality_are_the_same(folder, cluster):
    now = time.time()
    plans = [Planning(one, now) for one in (folder, cluster)]
    ours, theirs = ({due.url for due in plan.next(8)} for plan in plans)
    assert theirs and theirs <= ours, "desks share a budget by their pages while nobody knows what a visit is worth"
    ours, theirs = (why(plan, f"{SITES[0]}/0") for plan in plans)
    told = [name for name in ours.answers if name not in ("now", "due")]  # by the price, which desks agree on later
    assert [ours.answers[name] for name in told] == [theirs.answers[name] for name in told]
    assert ours.verdict == theirs.verdict
    ours, theirs = (measured(plan) for plan in plans)
    assert ours.whole == theirs.whole and [*ours.sites] == [*theirs.sites]


def test_versions_are_compared_from_the_object_store(folder, cluster):
    url, now = f"{SITES[0]}/0", time.time()
    ours, theirs = (compare_versions(one, url, now - 4 * DAY, now) for one in (folder, cluster))
    assert ours[0].as_data() == theirs[0].as_data() and ours[1:] == theirs[1:]
    assert ours[0].importance > 0


def test_reports_tell_the_same(folder, cluster):
    now = time.time()
    ours, theirs = (report(one, ReportRequest(start=now - 3 * DAY, end=now)).as_data() for one in (folder, cluster))
    assert {**ours, "archive": ""} == {**theirs, "archive": ""}
    assert ours["changed"] and ours["sites"][0]["visits"] and ours["learning"]["visits"]
    asked = ReportRequest("news.example", now - 9 * DAY, now)
    assert [len(report(one, asked).events["new"]) for one in (folder, cluster)] == [4, 4]
    with pytest.raises(UsageError, match="span"):
        report(cluster, ReportRequest(start=now, end=now - 1))
    assert told(cluster).as_data() == {"alerts": [], "targets": []} and alarms(cluster, closed=True) == []


def test_what_is_for_folders_is_refused(cluster):
    url = f"{SITES[1]}/0"
    with pytest.raises(UsageError, match="migrate --back"):
        cluster.writing("compact").__enter__()
    for asked in (
        lambda: crawl(cluster, cluster.settings, CrawlRequest(("https://a.example/",))),
        lambda: cluster.writing("watch").__enter__(),
    ):
        with pytest.raises(UsageError, match="by its workers"):
            asked()
    with closing(open_archive(Path(cluster.cluster.database))) as again:
        assert again.page(url) == cluster.page(url)
    assert "for tests only" not in str(cluster.folder), "a password is shown"


def test_a_site_is_studied_at_one_desk_and_what_comes_late_is_refused(folder, tmp_path):
    database = postgres.running().database()
    to_cluster(folder.folder, database, tmp_path.as_uri(), lambda _: None)
    with closing(Session(database)) as one, closing(Session(database)) as other:
        late, early = DeskStudies(one, 1, 300.0), DeskStudies(other, 2, 300.0)
        taken = [*late.reading.pending(500)]
        assert {capture.capture.url.rpartition("/")[0] for capture in taken} == set(SITES)
        assert [*early.reading.pending(500)] == [], "two study the same site"
        one.run(lambda connection: connection.execute("UPDATE site_desks SET until = '-infinity'"))
        assert [capture.seq for capture in early.reading.pending(500)] == [capture.seq for capture in taken]
        with pytest.raises(LeaseLost):
            late.record([], taken[-1].seq)
        assert early.reading.waiting() > 0
        early.record([], taken[-1].seq)
        assert early.reading.waiting() == 0 and [*late.reading.pending(500)] == []


@pytest.mark.parametrize(("trouble", "told"), [("away", "no answer"), ("keys", "access is refused")])
def test_study_waits_while_the_store_is_away_and_blames_no_capture(folder, tmp_path, trouble, told):
    database, store = postgres.running().database(), tmp_path / "store"
    to_cluster(folder.folder, database, store.as_uri(), lambda _: None)
    known = open_cluster(database)
    server = object_stores.running()
    away = replace(known, store=server.bucket())
    with pytest.MonkeyPatch.context() as patch, closing(Session(database)) as session:
        reading = DeskStudies(session, 9, 300.0).reading
        before = reading.waiting()
        keys = server.environment(9) if trouble == "away" else server.environment() | server.wrong_keys()
        for name, value in keys.items():
            patch.setenv(name, value)
        hasty = property(lambda self: ("made.hasty_worker:prepare", StudyPlace(self._cluster, self._context.settings)))
        patch.setattr(SharedStudying, "_preparation", hasty)
        with pytest.raises(Unreachable, match=f"{away.store}: {told}"):
            study_rest(away, 1, lambda: False)
        assert before and reading.waiting() == before and list(reading.problems()) == []
        assert study_rest(known, 1, lambda: False) == before and reading.waiting() == 0


def test_a_round_of_study_whose_outcome_is_unknown_is_kept_once(folder, tmp_path, monkeypatch):
    database = postgres.running().database()
    to_cluster(folder.folder, database, tmp_path.as_uri(), lambda _: None)
    with closing(Session(database)) as session:
        studies, run = DeskStudies(session, 1, 300.0), Session.run
        taken = [*studies.reading.pending(500)]

        def twice(self, work, at_once=False):  # the answer to the first was lost
            run(self, work, at_once)
            return run(self, work, at_once)

        monkeypatch.setattr(Session, "run", twice)
        with pytest.raises(LeaseLost):
            studies.record([], taken[-1].seq)
        monkeypatch.undo()
        assert studies.reading.waiting() == 0


def test_planners_believe_study_more_than_bytes(cluster):
    with closing(Session(cluster.cluster.database)) as session:
        seen = list(PlanReading(session).all_sightings("news.example"))
        expected = [*cluster.studies.sightings("news.example")]
    assert seen == expected and any(one.changed for one in seen)


def test_an_address_is_told_from_a_folder():
    for address in ("postgresql://me@db.example/web", "postgresql:///web", "postgres://db.example:5433/web"):
        assert database_at(Path(address)) == address
    folders = (None, Path(), Path("a/b"), Path("/postgresql:/b"), Path("a:/b"), Path("x/a:secret@b"))
    assert [database_at(place) for place in folders] == [""] * 6
    with pytest.raises(UsageError, match="mysql:// is no archive") as refused:
        database_at(Path("mysql://me:secret@db/web"))
    assert "secret" not in str(refused.value)
    for ask in (open_cluster, lambda database: init_cluster(database, "file:///tmp/x", lambda known: known)):
        with pytest.raises(UsageError, match="use postgresql://") as refused:
            ask("psql://me:secret@db/web")
        assert "secret" not in str(refused.value)


def test_a_cluster_is_learned_from_over_parquet_as_well(folder, cluster, tmp_path):
    pytest.importorskip("duckdb")
    now, here = time.time(), Mining(LocalTasks(), dataset=tmp_path / "parquet")
    with pytest.raises(UsageError, match="--dataset"):
        learn_on_engine(cluster, (), Mining(LocalTasks()), now)
    summary, quality = learn_on_engine(cluster, (), here, now)
    assert summary == learn(folder, ())
    wanted = measured(Planning(cluster, now))
    assert quality.whole == wanted.whole and quality.sites == wanted.sites


def test_status_tells_of_a_cluster_what_it_tells_of_a_folder(folder, cluster):
    url = cluster.cluster.database
    ours, theirs = (json.loads(here("status", place, "--json").stdout) for place in (folder.folder, url))
    assert ours.keys() <= theirs.keys() and theirs["workers"] == []
    for name in ("sites", "pages", "captures", "learning", "completeness", "rates"):
        assert ours[name] == theirs[name], name
    assert theirs["disk"] is None and theirs["archive"] == shown(url)
    text = " ".join(here("status", url, "--quick").stdout.split())
    assert "completeness not estimated" in text and "workers, " in text and "? by ?" not in text


def test_a_cluster_is_named_by_an_address_that_commands_take(cluster):
    said = []
    Lore(cluster, say=said.append).now("classes")
    assert f"`strandline learn {shown(cluster.cluster.database)}` keeps it" in said[0]
