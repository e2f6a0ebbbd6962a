"""Visits that a feed called for: a watch at work learns from them what learning from the whole history does."""

import numpy as np
import pytest

from learn.sighting import Sighting
from strandline.core.plan.budget import Allowance
from strandline.learn.experience import history, learn
from strandline.learn.known_pages import Hours, Known
from strandline.plan.next_visits import Planner
from strandline.plan.told_changes import ToldChanges, said_of, silent_looks
from strandline.plan.wishes import Wishes

HOUR, START, PAGES, DAYS = 3600.0, 1_763_000_000.0, 6, 20
HOURS = Hours.since(START)


class Catalog:
    """What StandingReading tells: the feed of one site, read every hour; captures are numbered by the hour."""

    def __init__(self):
        self.hour, self.asked = 0, []

    def progress(self):
        return self.hour

    def sitemap_readings(self, between=None):
        self.asked.append(between)
        low, high = (-1, DAYS * 24) if between is None else between
        return (("a.org", "feed", START + number * HOUR) for number in range(low + 1, high + 1))


def known(page):
    return Known(page, f"https://a.org/{page}", "a.org", "a.org")


@pytest.fixture(scope="module")
def story():
    """Four changes a day; the feed is read at each full hour, and every page it names is visited half an hour later.
    One page in three is not named, and visited every six hours.
    """
    rng = np.random.default_rng(5)
    seen, told = [], []
    for page in range(1, PAGES + 1):
        changes = np.cumsum(rng.exponential(6.0, 8 * DAYS))
        changes = changes[changes < 24.0 * DAYS - 2.0]
        named = page % 3 != 0
        visits = np.unique(np.ceil(changes)) + 0.5 if named else np.arange(6.0, 24.0 * DAYS, 6.0)
        found = np.diff(np.searchsorted(changes, visits), prepend=0) > 0
        seen.append(Sighting(page, START))
        seen += [Sighting(page, START + HOUR * at, bool(new), 0.4) for at, new in zip(visits, found, strict=True)]
        told += [(page, START + HOUR * at, START + HOUR * np.ceil(at), "feed") for at in changes if named]
    return sorted(seen, key=lambda one: one.time), told


def by_day(learned):
    return 24.0 * learned.learner.estimate(np.arange(PAGES)).mean_rate


def watched(seen, told, silence):
    """Captures are told one by one, as they are made; the plan is asked each hour."""
    pages = [known(page) for page in range(1, PAGES + 1)]
    nothing = history(pages, [], HOURS)
    learned = learn(pages, nothing, HOURS)
    planner = Planner(pages, learned, Wishes(Allowance(240, 24)), lambda: nothing)
    catalog = Catalog()
    changes = ToldChanges(catalog, HOURS)
    for one in seen:
        while START + HOUR * (catalog.hour + 1) <= one.time:
            catalog.hour += 1
            planner.next(2, START + HOUR * catalog.hour)
        until_now = [claim for claim in told if claim[0] == one.page and claim[2] <= one.time]
        silent = changes.silence(until_now, planner.pages) if silence else None
        planner.observe([one], until_now, silent)
    assert catalog.asked[:1] in ([], [None])
    assert all(low <= high for low, high in catalog.asked[1:]), "after the first look only what came since"
    return by_day(learned)


def test_a_watch_at_work_believes_what_one_started_anew_does(story):
    seen, told = story
    pages = [known(page) for page in range(1, PAGES + 1)]
    past = history(pages, seen, HOURS, told)
    said = said_of(told, Catalog().sitemap_readings(), pages, HOURS)
    anew = by_day(learn(pages, past, HOURS, silent=silent_looks(past, said, pages)))
    at_work = watched(seen, told, silence=True)
    fooled = watched(seen, told, silence=False)
    # Captures that come one by one may make a watch think that a page fell silent; learning anew sees whole pages.
    same = np.isclose(at_work, anew, rtol=0.02)
    assert same.sum() >= PAGES - 1
    assert at_work[~same] == pytest.approx(anew[~same], rel=0.6)
    assert anew == pytest.approx(4.0, rel=0.25)
    named = np.arange(1, PAGES + 1) % 3 != 0
    assert (fooled[named] > 3 * at_work[named]).all()


def test_what_is_told_of_times_still_to_come_teaches_nothing(story):
    """A feed whose clock is five hours ahead: as if it had told nothing at all."""
    seen, told = story
    pages = [known(page) for page in range(1, PAGES + 1)]
    ahead = [(page, time + 5 * HOUR, said, source) for page, time, said, source in told]
    past = history(pages, seen, HOURS, ahead)
    said = said_of(ahead, Catalog().sitemap_readings(), pages, HOURS)
    assert np.isnan(past.last_change).all() and len(silent_looks(past, said, pages)[0]) == 0
    believed = history(pages, seen, HOURS, told)
    assert np.isfinite(believed.last_change).sum() > 0.5 * believed.changed.sum()


def test_captures_taken_in_together_teach_the_same_silence(story):
    """What is silent does not depend on how captures come in batches."""
    seen, told = story
    pages = [known(page) for page in range(1, PAGES + 1)]
    said = said_of(told, Catalog().sitemap_readings(), pages, HOURS)
    whole = history(pages, seen, HOURS, told)
    rows, until = silent_looks(whole, said, pages)
    expected = sorted(zip(rows.tolist(), until.tolist(), strict=True))
    found, catalog = [], Catalog()
    catalog.hour = DAYS * 24
    changes = ToldChanges(catalog, HOURS)
    planner = Planner(pages, learn(pages, history(pages, [], HOURS), HOURS), Wishes(Allowance(240, 24)), lambda: whole)

    def noted(past):
        rows, until = changes.silence(told, planner.pages)(past)
        found.extend(zip(rows.tolist(), until.tolist(), strict=True))
        return rows, until

    for part in np.array_split(np.arange(len(seen)), 9):
        planner.observe([seen[number] for number in part], told, noted)
    assert len(expected) > 100
    assert np.array(sorted(found)) == pytest.approx(np.array(expected))


def test_nothing_is_asked_where_nothing_was_told():
    catalog = Catalog()
    silence = ToldChanges(catalog, HOURS).silence([], [known(1)])
    rows, times = silence(history([known(1)], [Sighting(1, START), Sighting(1, START + HOUR, True, 0.4)], HOURS))
    assert (len(rows), len(times), catalog.asked) == (0, 0, [])
