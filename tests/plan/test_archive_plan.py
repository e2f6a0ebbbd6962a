"""What a plan believes is kept, and taken up again where it stood."""

import contextlib

import numpy as np
import pytest

from made.random_history import HOSTS, Page, Story, study
from plan.test_coming_visits import told, watched
from strandline.core.urls import authority
from strandline.learn.experience import BELIEFS
from strandline.plan.archive_plan import ArchivePlan
from strandline.plan.kept_beliefs import KeptBeliefs
from strandline.plan.planning import Planning
from strandline.ports import Batch, HostState
from strandline.store.catalog import open_catalog

STORY = Story(
    tuple(Page(n % 2, n % 3, (1.0, 2.5, 6.0)[n % 3], n % 5, "seen", n % 2 == 0) for n in range(9)), 60.2, "6/hour", True
)


@pytest.fixture
def archive(tmp_path):
    return told(STORY, tmp_path / "archive")


def believed(planning):
    rates = planning.learned.learner.estimate(np.arange(len(planning.learned))).mean_rate
    return {page.page: rate for page, rate in zip(planning.pages, rates.tolist(), strict=True)}


def forget(archive):
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        catalog.note(BELIEFS[0], [(BELIEFS[1], None)])


def test_what_was_kept_is_what_would_be_learned(archive):
    first = believed(Planning(archive, STORY.now))
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        kept = KeptBeliefs().read(catalog.reading)
        assert kept is not None and len(kept.pages) == len(STORY.pages)
        catalog.note(BELIEFS[0], [(BELIEFS[1], b"of another release")])
        assert KeptBeliefs().read(catalog.reading) is None
    assert believed(Planning(archive, STORY.now)) == pytest.approx(first)
    assert believed(Planning(archive, STORY.now)) == pytest.approx(first), "from what was kept now"


def test_what_was_captured_since_is_added_to_what_was_kept(archive):
    Planning(archive, STORY.now).next()
    watched(archive, STORY)
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        pending = list(catalog.studies.reading.pending(1000))
        assert pending
        study(catalog, [(one.page, one.capture.time, one.page % 2 == 0) for one in pending])
    later = STORY.now + 3600.0
    added = believed(Planning(archive, later))
    forget(archive)
    anew = believed(Planning(archive, later))
    assert added == pytest.approx(anew, rel=0.25), "captures added one by one teach what all of them teach"
    assert added != pytest.approx(believed_before(archive), rel=1e-6), "negative control: something was learned"


def believed_before(archive):
    """As of the captures of the story alone."""
    planning = Planning(archive, STORY.now + 3600.0)
    reading = planning._everything
    planning.__dict__["_everything"] = Until(reading)
    return believed(planning)


class Until:
    """A catalog whose study stopped when the story ended."""

    def __init__(self, reading):
        self._reading = reading

    def __getattr__(self, name):
        return getattr(self._reading, name)

    def note(self, *_):
        return None

    def sightings(self, *_):
        return (one for one in self._reading.sightings() if one.time <= STORY.now)

    def progress(self):
        return 10**9


def test_pages_of_a_host_that_is_away_are_not_planned_until_it_is_asked_again(archive):
    """All of them, not only the one that failed: they took the budget of other sites, hour after hour."""
    planning = Planning(archive, STORY.now)
    plan, hour = ArchivePlan(planning.maker, planning._everything), int(planning.hours.at(STORY.now) // 1)

    def hosts(later):
        return {authority(visit.url) for visit in plan.visits(hour + later, 20)}

    both = {HOSTS[0], HOSTS[1]}
    assert hosts(0) == both
    until = planning.hours.seconds(hour + 3)
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        catalog.commit(Batch(hosts=[HostState(HOSTS[0], not_before=until, failures=4, scheme="http")]))
    assert hosts(1) == {HOSTS[1]}
    assert hosts(3) == both
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        catalog.commit(Batch(hosts=[HostState(HOSTS[0], not_before=until + 7200.0, failures=5, scheme="http")]))
    assert hosts(4) == {HOSTS[1]}, "it failed again"
    assert hosts(5) == both


def test_measures_do_not_hang_on_whether_the_plan_was_asked_for(archive):
    alone, after, before = (Planning(archive, STORY.now) for _ in range(3))
    measures = [believed(alone)]
    visits = after.next()
    measures.append(believed(after))
    measures.append(believed(before))
    assert before.next() == visits, "nor does the plan on measures"
    assert measures[1:] == measures[:-1] and visits
    assert [len(one.planner.pages) for one in (after.outlook, before.outlook)] == [9, 9]
