"""Captures cut into periods, against dictionaries and one capture at a time."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex, tree_difference
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.learned import Visits
from strandline.core.mining.site_looks import GatheredLooks, SiteLooks
from strandline.core.mining.site_rates import WEEK, CrawlSeen, SiteRates
from strandline.lab.simulate.site_crawls import KnownSite

DAY = 86_400.0
PATHS = st.sampled_from(["h/a/x", "h/a/y", "h/a/b/z", "h/c", "h/d/"])


def told_apart(rows):
    """In the order of time, with content that never comes back: a change there and back within a period is one."""
    shown, found = {}, []
    for time, path, digest in sorted(rows, key=lambda row: row[0]):
        before, count = shown.get(path, (digest, 0))
        if digest is not None:
            shown[path] = (digest, count + (before not in (digest, None)))
        found.append((time, path, None if digest is None else str(shown[path][1])))
    return found


CAPTURES = st.lists(st.tuples(st.floats(0.0, 12 * DAY), PATHS, st.sampled_from(["1", "2", None])), max_size=25).map(
    told_apart
)


def visits(captures, importance=0.3):
    """(seconds, path, digest or None for a page that is gone), in the order of time, as columns per page."""
    pages = []
    for number, path in enumerate(dict.fromkeys(path for _, path, _ in captures)):
        own = [(time, digest) for time, one, digest in captures if one == path]
        shown, changed = None, []
        for _, digest in own:
            changed.append(shown is not None and digest is not None and digest != shown)
            shown = digest or shown
        told = np.array(changed)
        gone = np.array([digest is None for _, digest in own])
        times = np.array([time for time, _ in own])
        pages.append(Visits(number, f"https://{path}", times, told, importance * told, gone))
    return pages


def slow_history(captures, period):
    """Versions by their whole states."""
    found, before, after = [], {}, {}
    for _, group in itertools.groupby(captures, key=lambda capture: capture[0] // period):
        for _, path, digest in group:
            if digest is None:
                after.pop(path, None)
            else:
                after[path] = digest
        difference = tree_difference(before, after)
        found.append((difference.inserted, difference.deleted, difference.updated))
        before = dict(after)
    return found


def slow_rates(captures, period):
    """What each period showed, with paths."""
    index, rates, digests = SiteIndex(), SiteRates(), {}
    for version, (number, group) in enumerate(itertools.groupby(captures, key=lambda capture: capture[0] // period)):
        last = {path: digest for _, path, digest in group}
        known = [path for path in last if digests.get(path) is not None]
        found = index.pages(path for path in last if last[path] is not None and digests.get(path) is None)
        shape = index.shape()
        if version == 0:
            rates.start(shape, found, float(number))
        else:
            gone = np.array([last[path] is None for path in known], dtype=bool)
            changed = np.array([last[path] != digests[path] for path in known], dtype=bool)
            seen = CrawlSeen(index.pages(known), changed, gone, found)
            rates.observe(shape, rates.outlook(shape, float(number)), seen, float(number))
        digests.update(last)
    return index, rates


def named(index, pages):
    return frozenset(index.page_path(page) for page in pages.tolist())


def told(index, rates):
    outlook = rates.outlook(index.shape(), rates.now + 1.0)
    return {
        path: value
        for page, value in zip(outlook.pages, outlook.rates, strict=True)
        for path in named(index, np.array([page]))
    }


@settings(max_examples=100, deadline=None)
@given(CAPTURES)
def test_versions_are_those_of_whole_states(captures):
    looks = SiteLooks.of(visits(captures), DAY)
    history = looks.history()
    found = [
        tuple(named(looks.index, part) for part in (one.inserted, one.deleted, one.updated)) for one in history.changes
    ]
    assert found == slow_history(captures, DAY)
    for version, changes in enumerate(looks.history(0.5).changes):  # several changes in a period add up
        assert set(changes.updated.tolist()) <= set(history.changes[version].updated.tolist())
        assert (changes.importance >= 0.5).all() and (changes.importance <= 1.0).all()


@settings(max_examples=60, deadline=None)
@given(CAPTURES)
def test_rates_are_those_of_one_period_after_the_other(captures):
    looks = SiteLooks.of(visits(captures), DAY)
    rates = looks.rates()
    index, slow = slow_rates(captures, DAY)
    assert told(looks.index, rates) == pytest.approx(told(index, slow))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.dictionaries(PATHS, st.sampled_from("12"), min_size=1), min_size=1, max_size=6))
def test_captures_of_full_crawls_teach_the_same_as_whole_versions(listed):
    history = SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))
    captures = []
    for number, version in enumerate(listed):
        gone = sorted(listed[number - 1].keys() - version.keys()) if number else []
        captures += [(number * WEEK + 5.0, path, version.get(path)) for path in [*sorted(version), *gone]]
    looks, last = SiteLooks.of(visits(captures), WEEK), len(listed) - 1
    site = KnownSite(history)
    expected = site.learned(0, last).outlook(site.shape, last + 1.0)
    by_path = dict(zip(map(history.index.page_path, expected.pages.tolist()), expected.rates, strict=True))
    assert told(looks.index, looks.rates()) == pytest.approx(by_path)
    assert looks.whole_versions() == list(range(len(listed)))


def test_nobody_looked_on_the_days_between():
    captures = [(0.1 * DAY, "h/a", "1"), (0.2 * DAY, "h/b", "1"), (1.5 * DAY, "h/a", "2"), (4.0 * DAY, "h/b", None)]
    looks = SiteLooks.of(visits(captures), DAY)
    assert looks.history().times == ["86400", "172800", "432000"]
    assert looks.whole_versions() == [0, 2]  # one of two pages; then all that is left


def test_pages_that_were_not_captured_are_not_taken_for_unchanged():
    full = [(week * WEEK, path, "1") for week in range(6) for path in ("h/a/x", "h/a/y")]
    partial = [capture for capture in full if capture[0] == 0.0 or capture[1] == "h/a/x"]
    seen, unseen = (SiteLooks.of(visits(captures), WEEK) for captures in (full, partial))
    assert told(unseen.index, unseen.rates())["h/a/y"] > told(seen.index, seen.rates())["h/a/y"]


def test_pages_that_were_never_there_are_not_part_of_the_site():
    looks = SiteLooks.of(visits([(0.0, "h/a", "1"), (1.0, "h/old/b", None)]), DAY)
    assert looks.index.find_directory("h/old") is None
    assert looks.owners.tolist() == [0]
    assert looks.history().versions == 1


def test_nothing_and_no_period():
    looks = SiteLooks.of([], DAY)
    assert looks.history().versions == 0
    assert told(looks.index, looks.rates()) == {}
    with pytest.raises(ValueError, match="period must be longer"):
        SiteLooks.of([], 0.0)


@settings(max_examples=60, deadline=None)
@given(CAPTURES, st.integers(1, 3), st.booleans())
def test_pages_added_some_at_a_time_give_the_same_site(captures, size, twins):
    pages = visits(captures)
    if twins:  # the same addresses over http, with more or fewer captures
        pages += [
            Visits(
                one.page + 100,
                one.url.replace("https", "http"),
                one.times[n:],
                one.changed[n:],
                one.importance[n:],
                one.gone[n:],
            )
            for n, one in enumerate(pages)
            if one.times.size > n
        ]
    gathered = GatheredLooks(DAY)
    for start in range(0, len(pages), size):
        gathered.add(pages[start : start + size])
    found, wanted = gathered.looks(), SiteLooks.of(pages, DAY)
    for name in ("owners", "numbers", "starts", "pages", "existed", "exists", "differs", "importance"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
    assert gathered.captures == sum(one.times.size for one in pages)
    if pages:
        assert gathered.first == min(one.times[0] for one in pages)
        assert gathered.last == max(one.times[-1] for one in pages)
        assert gathered.pages()[0].tolist() == [one.page for one in pages]
