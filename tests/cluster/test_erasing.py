"""Erasing from a cluster and keeping less in one: nothing is left, all else is as it was, whenever it is cut short."""

import subprocess
import sys
import time
from contextlib import closing

import pytest

from access.test_pictures import NEW, OLD, pictured
from made.secrets import shown_by
from made.shared_secrets import remains_shared, shared
from servers import object_stores, postgres
from strandline.access.pictures import picture_of
from strandline.access.timestamps import timestamp
from strandline.archive.holdings import holdings
from strandline.cluster.archive import open_shared
from strandline.cluster.erasing import ClusterErasing, erasing, erasure_waits
from strandline.cluster.migrating import to_cluster
from strandline.cluster.worker import WorkerRequest, run_worker
from strandline.core.keeping.takedowns import Act, unfinished
from strandline.core.urls import surt_key
from strandline.crawl.preparing import CrawlRequest
from strandline.errors import ArchiveBusy, TakenDown
from strandline.keeping.erasing import erase, finish, preview_erasure
from strandline.keeping.retention import apply_retention, preview_retention, rules_of
from strandline.keeping.takedowns import Wish
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.erasing import Alone, SharedEraser
from strandline.store.postgres.takedowns import SharedJournal
from strandline.warc.objects import Objects

pytestmark = postgres.GROUP
RULE = "*: older 1h, keep monthly"


@pytest.fixture
def made(tmp_path, monkeypatch):
    object_stores.entered(monkeypatch)
    archive, secrets, same = shared(tmp_path / "archive")
    archive.say = lambda _: None
    with closing(archive):
        yield archive, secrets, same


class _Killed(BaseException):
    """The end of a process, as its database and its store see it."""


class _Mortal:
    """Counts the steps that change something, and ends at one of them: before it, or just after."""

    STEPS = (
        (Objects, "put"),
        (Objects, "delete"),
        (Alone, "keep"),
        (SharedJournal, "add"),
        (SharedEraser, "replace"),
        (SharedEraser, "erase"),
        (SharedEraser, "thin_file"),
        (SharedEraser, "sweep"),
    )

    def __init__(self, monkeypatch):
        self.last, self.after, self.count = 0, False, 0
        for kind, name in self.STEPS:
            monkeypatch.setattr(kind, name, self._counted(getattr(kind, name)))

    def _counted(self, step):
        def done(*given):
            self.count += 1
            if self.count == self.last and not self.after:
                raise _Killed
            answer = step(*given)
            if self.count == self.last:
                raise _Killed
            return answer

        return done

    def every_step(self, work):
        """Killed at its first step, at its second, ... until it comes to its end; how often."""
        while True:
            self.last, self.after = self.last + 1, self.last % 2 == 0
            try:
                self._once_free(work)
            except _Killed:
                continue
            return self.last - 1

    def _once_free(self, work):
        """A busy server may take a moment to notice that whoever was killed has gone."""
        end = time.monotonic() + 60.0
        while True:
            self.count = 0
            try:
                return work()
            except ArchiveBusy:
                assert time.monotonic() < end
                time.sleep(0.1)


def _chosen(secrets, same):
    """A whole address that others refer to, and one capture; with the texts that no other capture holds."""
    whole = next(of_url for url, _, of_url, _ in same if url != of_url)
    single = next(one for one in reversed(secrets) if one.url != whole)
    moment = (surt_key(single.url), int(single.time))

    def goes(url, time):
        return surt_key(url) == surt_key(whole) or (surt_key(url), int(time)) == moment

    kept = {(of_url, round(of_time, 3)) for url, time, of_url, of_time in same if not goes(url, time)}
    gone = [one for one in secrets if goes(one.url, one.time)]
    texts = [one.text for one in gone if (one.url, round(one.time, 3)) not in kept]
    return [whole, f"{timestamp(single.time)}/{single.url}"], goes, texts


def test_nothing_is_left_and_all_else_is_as_it_was_whenever_it_is_cut_short(made, monkeypatch):
    archive, secrets, same = made
    targets, goes, texts = _chosen(secrets, same)
    before = shown_by(archive)
    assert texts and remains_shared(archive, texts)
    wanted = preview_erasure(archive, [Wish(one, "because") for one in targets])
    for target in targets:
        archive.journal.add(Act(0, 0.0, "erase", target, "because"))
    assert erasure_waits(archive.cluster)
    with monkeypatch.context() as patch:
        kills = _Mortal(patch).every_step(lambda: finish(archive))
    assert kills > 6
    assert unfinished(archive.journal.acts(), "erase", "erased") == [] and not erasure_waits(archive.cluster)
    assert remains_shared(archive, texts) == []
    assert shown_by(archive) == {place: what for place, what in before.items() if not goes(*place)}
    audit = archive.verify()
    assert audit.ok, audit.problems[:3]
    with pytest.raises(TakenDown, match="erased from this archive"):
        archive.captures(targets[0])
    ended = [act.detail for act in archive.journal.acts() if act.act == "erased"]
    assert {ended[0][name] for name in ("captures", "records")} == {wanted.captures, wanted.records}
    assert ended[0]["made_whole"] == wanted.made_whole > 0
    row = archive.everything.page(targets[0])
    assert (row.captures, row.due) == (0, float("inf"))


def test_control_a_step_left_out_is_noticed(made, monkeypatch):
    archive, secrets, same = made
    targets, _, texts = _chosen(secrets, same)
    monkeypatch.setattr(ClusterErasing, "bury", lambda *_: None)
    erase(archive, [Wish(one, "because") for one in targets])
    assert remains_shared(archive, texts)


def test_rules_drop_what_the_preview_shows_whenever_it_is_cut_short(made, monkeypatch):
    archive, _secrets, _same = made
    before, objects = shown_by(archive), Objects(archive.cluster.store)
    preview = preview_retention(archive, rules_of(archive, [RULE]))
    size = sum(size for _, size in objects.names("archive/"))
    assert 0 < preview.dropped < preview.captures and preview.important_dropped == 0
    important = {change.by_seq for change in archive.studies.changes() if change.importance >= 0.1}
    with monkeypatch.context() as patch:
        mortal = _Mortal(patch)
        mortal.last, mortal.after = 4, True  # when the plan and the decision are written down, and a file is sent
        with pytest.raises(_Killed):
            apply_retention(archive, preview, "me")
        assert mortal.every_step(lambda: finish(archive)) > 6
    acts = archive.journal.acts()
    assert [act.act for act in acts] == ["thin", "thinned"]
    assert acts[1].detail["captures"] == preview.dropped
    after = shown_by(archive)
    assert len(after) == preview.captures - preview.dropped
    assert after == {place: what for place, what in before.items() if place in after}
    assert {change.by_seq for change in archive.studies.changes() if change.importance >= 0.1} == important
    assert sum(size for _, size in objects.names("archive/")) < size - preview.bytes // 2
    audit = archive.verify()
    assert audit.ok, audit.problems[:3]
    again = preview_retention(archive, rules_of(archive, [RULE]))
    assert (again.captures, again.dropped) == (preview.captures - preview.dropped, 0)


def test_nobody_writes_meanwhile_and_whoever_does_is_waited_for(made):
    archive, secrets, _same = made
    database, wish = archive.cluster.database, [Wish(secrets[0].url, "because")]
    with closing(PostgresCatalog(database, name="a worker")):
        assert preview_erasure(archive, wish).captures
        with pytest.raises(ArchiveBusy, match=r"a worker.*--go-on|--go-on.*a worker"):
            erase(archive, wish)
        with pytest.raises(TakenDown):
            archive.captures(secrets[0].url)
    with erasing(archive.cluster, lambda _: None):
        with pytest.raises(ArchiveBusy, match="being erased"):
            PostgresCatalog(database, name="late")
        with pytest.raises(ArchiveBusy, match="somebody else"):
            finish(archive)
    assert unfinished(archive.journal.acts(), "erase", "erased") == []
    PostgresCatalog(database, name="later").close()


_DIES = """
import os, signal, sys
from pathlib import Path
from strandline.app.opening import open_archive
from strandline.keeping.erasing import finish
from strandline.store.postgres.erasing import SharedEraser
SharedEraser.erase = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
finish(open_archive(Path(sys.argv[1])))
"""


def test_a_worker_that_starts_after_a_kill_erases_first(made):
    archive, secrets, same = made
    targets, _, texts = _chosen(secrets, same)
    for target in targets:
        archive.journal.add(Act(0, 0.0, "erase", target, "because"))
    died = subprocess.run([sys.executable, "-c", _DIES, archive.cluster.database], check=False)
    assert died.returncode == -9
    with pytest.raises(ArchiveBusy, match="cut short"):
        PostgresCatalog(archive.cluster.database, name="too early")
    told = []
    run_worker(archive.cluster, WorkerRequest(CrawlRequest(), say=told.append))
    assert any(line.startswith("erased ") for line in told), told
    assert remains_shared(archive, texts) == []


def test_a_picture_that_captures_share_moves_to_the_next_that_looks_the_same(tmp_path, monkeypatch):
    object_stores.entered(monkeypatch)
    folder, kept = pictured(tmp_path / "archive")
    database = postgres.running().database()
    to_cluster(folder.folder, database, f"{object_stores.running().bucket()}/web", lambda _: None)
    with closing(open_shared(database)) as archive:
        erase(archive, [Wish(kept[0].record_id, "because")])
        left = archive.everything.captures(kept[0].url)
        assert [picture_of(holdings(archive), left[n]) for n in (0, 2, 3)] == [OLD, OLD, NEW]
        assert archive.verify().ok
