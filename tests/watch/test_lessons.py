"""A watch keeps patterns, rules and classes up to date by itself; `learn` beside it and a kill change nothing."""

import json
import multiprocessing
import os
import pickle
import signal
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple

import numpy as np
import pytest

import strandline
from journeys.command import Done
from journeys.command import strandline as command
from strandline.demo.clock import SiteClock
from strandline.learn.experience import BELIEFS
from strandline.learn.keeping_up import behind
from strandline.learn.learned_pages import page_classes, page_patterns
from strandline.learn.learning import PARTS, Lore, learn
from strandline.plan.kept_beliefs import KeptBeliefs
from strandline.plan.planning import Planning
from strandline.settings.file import NAME, settings_text, with_overrides
from strandline.store.catalog import open_catalog
from strandline.store.learned import LearnedReading
from strandline.store.standing import StandingReading
from strandline.watch import lessons, watch_plan
from strandline.watch.lessons import Lessons
from strandline.watch.watching import Hooks, WatchRequest, run_watch

PAGES = [f"/{name}/{n}.html" for name in ("news", "old") for n in range(3)]
MINUTES = 40
"""Minutes of the site after which its news change."""
HOURS = 5
DAILY = 1 / 24
NEARLY = (0.01, 0.005, 0.01)
"""By how much what a plan believes may differ from what all captures teach at once; docs/architecture.md says it."""


class SharedClock(SiteClock):
    """The site's time, the same in all processes."""

    def __init__(self, start):
        super().__init__(start)
        self._shared = multiprocessing.get_context("fork").Value("d", 0.0)

    def now(self):
        return self._start + self._shared.value

    def monotonic(self):
        return self._shared.value

    def sleep(self, seconds):
        self._shared.value += seconds * self._pace


class Site(BaseHTTPRequestHandler):
    clock = None

    def do_GET(self):
        known = self.path == "/" or self.path in PAGES
        version = int(self.clock.now() // (60 * MINUTES)) if "news" in self.path else 0
        letters = ["abcdefg"[version // 7**n % 7] for n in range(3)]  # not a number: that could be a counter
        words = " ".join(noun + letter for noun, letter in zip(("tide", "gull", "kelp"), letters, strict=True))
        links = "".join(f"<a href='{path}'>{path}</a>" for path in PAGES) if self.path == "/" else ""
        body = f"<title>Page</title><p>{words * 5}</p><p>What stays as it is.</p>{links}".encode() if known else b""
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    Site.clock = SharedClock(time.time() - 5 * 3600.0)
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def made(folder, seed):
    archive = strandline.create(folder, seeds=(seed,))
    wanted = ["politeness.delay=0", 'fetch.allow_address=["127.0.0.1/32"]', 'plan.budget="50/hour"']
    archive.settings = with_overrides(archive.settings, [*wanted, "learn.version=3600.0"])
    (folder / NAME).write_text(settings_text(archive.settings), encoding="utf-8")
    return archive


def watch(archive, hours, **hooks):
    request = WatchRequest((), hours, 0.0, Hooks(said=pytest.fail, **hooks), clock=Site.clock, study_first=True)
    return run_watch(archive, archive.settings, request)


class Remembered(watch_plan.WatchPlan):
    """Tells what the watch of this process believes."""

    last = None

    def __init__(self, *parts):
        super().__init__(*parts)
        Remembered.last = self

    @classmethod
    def believed(cls):
        now = Site.clock.now()
        outlook = cls.last._plan.outlook(now)
        outlook.look_around(int(cls.last.hour(now)))
        return believed_of([page.page for page in outlook.planner.pages], outlook.learned)


def believed_of(pages, learned):
    """Of each page: changes an hour, how much one matters, and its share of each hour of a day."""
    found = learned.learner.estimate(np.arange(len(learned)))
    hours = found.rate[:, :24] / found.rate[:, :24].sum(axis=1, keepdims=True)
    columns = (found.mean_rate.tolist(), found.mean_importance.tolist(), hours)
    return dict(zip(pages, zip(*columns, strict=True), strict=True))


def planned_with(archive):
    """What whoever asks for a plan now believes."""
    outlook = Planning(archive, Site.clock.now()).outlook
    return believed_of([page.page for page in outlook.planner.pages], outlook.learned)


def kept(archive):
    with closing(StandingReading.open(archive.database)) as reading:
        note = KeptBeliefs().read(reading)
        return believed_of(note.pages, note.learned)


def differences(some, others):
    """The largest ones: of rates, as a share (of one a day, where it is less); of importances; of hours."""
    assert set(some) == set(others)
    pairs = [(some[page], others[page]) for page in some]
    return (
        max(abs(one[0] - other[0]) / max(other[0], DAILY) for one, other in pairs),
        max(abs(one[1] - other[1]) for one, other in pairs),
        max(np.abs(one[2] - other[2]).sum() / 2.0 for one, other in pairs),
    )


def shown(archive):
    """What people are shown, and whether it is what was kept."""
    lore = Lore(archive)
    kept = {part for part in PARTS if lore.kept(part)}
    patterns = {one.url: one.as_data() for one in page_patterns(lore)}
    return kept, (patterns, lore.groups(), [one.as_data() for one in lore.rules()], page_classes(lore).as_data())


class Watched(NamedTuple):
    archive: strandline.Archive
    first: list[bool]
    """Whether each part was there after an hour with captures."""
    beside: Done
    """What `learn` said beside the watch."""
    again: bool
    """Whether the watch then learned what it believes from the beginning."""


@pytest.fixture(scope="module")
def watched(tmp_path_factory, site):
    """Some hours of watch; nobody learns but for a command in the middle of it."""
    archive, hours, seen, opened = made(tmp_path_factory.mktemp("hours") / "archive", site), [], [], []

    def beside():
        if len(hours) == 4 and not seen:  # the site's time stands still meanwhile
            with closing(LearnedReading.open(archive.database)) as reading:
                first = [reading.learned_from(part) is not None for part in PARTS]
            seen.extend((first, command("learn", archive.folder, "--json")))
            opened.append(Remembered.last._plan.opened)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("strandline.watch.watching.WatchPlan", Remembered)
        watch(archive, HOURS, hour=hours.append, beside=beside)
    return Watched(archive, *seen, opened[0] is not Remembered.last._plan.opened)


def test_an_hour_of_watch_fills_patterns_rules_and_classes(watched):
    assert watched.first == [True] * len(PARTS)
    fresh, (patterns, groups, rules, classes) = shown(watched.archive)
    assert fresh == set(PARTS), "in the end, of all captures"
    assert all(one["changes"] > 1 for url, one in patterns.items() if "/news/" in url)
    assert groups
    assert len(classes["classes"]) > 1
    assert any(one["directories"] for one in rules)


def test_learning_beside_a_watch_waits_for_nobody(watched):
    assert watched.beside.code == 0, watched.beside.err
    assert json.loads(watched.beside.out)["pages"] == len(PAGES) + 1


def test_learning_everything_again_after_a_watch_changes_nothing(watched):
    archive = watched.archive
    before = shown(archive)
    learn(archive, (), weighing=False)
    assert shown(archive) == before


def learned_again_is_nearly_the_same(archive):
    believed = planned_with(archive)
    learn(archive, ())
    with closing(StandingReading.open(archive.database)) as reading:
        assert reading.note(*BELIEFS) is None, "from the beginning"
    moved = differences(believed, planned_with(archive))
    assert all(one <= most for one, most in zip(moved, NEARLY, strict=True)), moved
    assert max(one[0] for one in believed.values()) > 5 * min(one[0] for one in believed.values()), "negative control"


def test_learning_everything_again_changes_no_belief_by_more_than_what_is_stated(watched):
    assert watched.again
    learned_again_is_nearly_the_same(watched.archive)


def test_a_watch_that_was_killed_believes_the_same_when_it_is_started_again(tmp_path, site):
    archive, file = made(tmp_path / "archive", site), tmp_path / "beliefs"
    hours, since, started = [], [], []

    def kill():
        if len(hours) == 3 and since:
            file.write_bytes(pickle.dumps(Remembered.believed()))
            os.kill(os.getpid(), signal.SIGKILL)

    def begin():
        if Remembered.last._plan.opened and not started:
            started.append(Remembered.believed())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("strandline.watch.watching.WatchPlan", Remembered)
        hooks = {"hour": hours.append, "captured": lambda one: len(hours) == 3 and since.append(one), "beside": kill}
        process = multiprocessing.get_context("fork").Process(target=watch, args=(archive, HOURS), kwargs=hooks)
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        before = pickle.loads(file.read_bytes())
        assert max(differences(kept(archive), before)) > 1e-6, "negative control: its last captures taught something"
        watch(archive, 0.2, beside=begin)
    rates, importances, hours_of_day = differences(started[0], before)
    assert max(rates, importances, hours_of_day) < 1e-3
    assert shown(archive)[0] == set(PARTS)
    with closing(StandingReading.open(archive.database)) as reading:
        note = KeptBeliefs().read(reading)
    opened = Remembered.last._plan.opened  # of the watch that has just ended
    assert list(note.pages) == [page.page for page in opened.planner.pages]
    for some, others in zip(note.learned.state(), opened.learned.state(), strict=True):
        for name in some:
            np.testing.assert_array_equal(some[name], others[name], err_msg=name)
    learned_again_is_nearly_the_same(archive)


def test_a_larger_archive_is_learned_from_in_a_process_of_its_own(watched, monkeypatch):
    archive, said = watched.archive, []
    monkeypatch.setattr(lessons, "SMALL", 0)
    with closing(open_catalog(archive.folder, "watch")) as catalog, closing(Lessons(archive, said.append)) as few:
        few.step()
        assert few._process is None, "no hour has ended"
        few.hour_ended()
        few.step()
        assert few._process is None, "there is nothing new"
        catalog.writer.execute("DELETE FROM learned_from")
        for wanted in (True, False):
            few.hour_ended()
            few.step(at_once=wanted)
            assert (few._process is not None) == wanted, "it rests after a lesson"
            while few._process is not None:
                few.step()
        with closing(LearnedReading.open(archive.database)) as reading:
            assert not behind(reading, 1.0)
    assert said == []
    with closing(open_catalog(archive.folder, "crawl")) as catalog, closing(Lessons(archive, said.append)) as refused:
        catalog.writer.execute("DELETE FROM learned_from")
        for _ in range(2):
            refused.hour_ended()
            refused.step(at_once=True)
            while refused._process is not None:
                refused.step()
    assert len(said) == 1 and "nothing was learned" in said[0] and "(crawl)" in said[0], "told once"
