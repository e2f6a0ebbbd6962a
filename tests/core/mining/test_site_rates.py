from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.site_rates import CrawlSeen, RateSettings, SiteRates
from strandline.lab.simulate.site_crawls import KnownSite

paths = st.lists(st.sampled_from(["a", "b", "index"]), min_size=1, max_size=4).map("/".join)
versions = st.lists(st.dictionaries(paths, st.sampled_from("12"), min_size=1, max_size=8), min_size=1, max_size=6)
SMALL = RateSettings(directory_prior=5.0, page_prior=2.0, forecasters=())


def slow_rates(listed, settings):
    """Page rates by the formulas, with dictionaries and one directory at a time."""
    x, n = {}, {}
    known = set(listed[0])
    for before, after in pairwise(listed):
        changed = {path for path in before if before[path] != after.get(path)}
        share = len(changed) / len(known) if known else 0
        g = min(1.0, settings.busy_share / share) if share else 1.0
        x = {path: value * settings.forgetting for path, value in x.items()}
        n = {path: value * settings.forgetting for path, value in n.items()}
        for path in before:
            n[path] = n.get(path, 0.0) + g
            x[path] = x.get(path, 0.0) + g * (path in changed)
        known = set(after)
    everything = [path.split("/") for path in {path for version in listed for path in version}]

    def total(values, directory, own):
        size = len(directory)
        return sum(
            values.get("/".join(parts), 0.0)
            for parts in everything
            if (parts[:-1] == directory if own else parts[:-1][:size] == directory)
        )

    a, b = settings.directory_prior, settings.page_prior
    rates = {}
    for path in listed[-1]:
        above = path.split("/")[:-1]
        r = (total(x, [], False) + 0.5) / (total(n, [], False) + 10.0)
        for depth in range(len(above) + 1):
            directory = above[:depth]
            r = (a * r + total(x, directory, False)) / (a + total(n, directory, False))
        p = (a * r + total(x, above, True)) / (a + total(n, above, True))
        rates[path] = min(0.98, (b * p + x.get(path, 0.0)) / (b + n.get(path, 0.0)))
    return rates


@settings(max_examples=100, deadline=None)
@given(versions)
def test_rates_are_those_of_the_formulas(listed):
    history = SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))
    site = KnownSite(history)
    last = len(listed) - 1
    outlook = site.learned(0, last, SMALL).outlook(site.shape, float(last + 1))
    expected = slow_rates(listed, SMALL)
    assert {history.index.page_path(int(page)) for page in outlook.pages} == expected.keys()
    for page, rate in zip(outlook.pages, outlook.rates, strict=True):
        assert rate == pytest.approx(expected[history.index.page_path(int(page))])
    assert np.allclose(outlook.pending, outlook.rates)


@settings(max_examples=100, deadline=None)
@given(versions)
def test_every_new_page_has_a_known_page_that_shows_it(listed):
    site = KnownSite(SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed)))
    outlook = site.learned(0, 0).outlook(site.shape, 1.0)
    hidden = np.flatnonzero(~site.live[0])
    assert np.isin(site.shown_by(outlook, hidden), outlook.pages).all()


def site_of(*listed):
    index = SiteIndex()
    pages = index.pages(listed)
    return index, index.shape(), pages


def seen(fetched, changed=(), gone=(), found=()):
    fetched = np.asarray(fetched)
    return CrawlSeen(fetched, np.isin(fetched, [*changed, *gone]), np.isin(fetched, gone), np.array(found, dtype=int))


def test_the_hub_is_the_index_page_else_the_page_most_likely_to_change():
    index, shape, pages = site_of("a/x", "a/index.html", "b/y", "b/z", "b/deep/c/new")
    rates = SiteRates()
    rates.start(shape, pages[:4], 0.0)
    rates.observe(shape, rates.outlook(shape, 1.0), seen(pages[:4], changed=[3]), 1.0)
    outlook = rates.outlook(shape, 2.0)
    assert outlook.hubs[index.find_directory("a")] == 1
    assert outlook.hubs[index.find_directory("b")] == 3
    assert outlook.units[index.find_directory("b/deep/c")] == index.find_directory("b")
    assert outlook.hubs[0] == 1  # the root has no page: the best hub below it stands in


def test_expected_new_pages_are_booked_on_the_hub():
    _, shape, pages = site_of("a/index.html", "a/x", "a/y", "a/z")
    rates = SiteRates(RateSettings(forgetting=1.0))
    rates.start(shape, pages[:2], 0.0)
    rates.observe(shape, rates.outlook(shape, 1.0), seen(pages[:2], found=[2]), 1.0)
    rates.observe(shape, rates.outlook(shape, 2.0), seen(pages[:3]), 2.0)
    assert rates.outlook(shape, 3.0).new_pages.tolist() == [0.5, 0.0, 0.0]
    # A hub that was not asked for longer shows more.
    assert rates.outlook(shape, 5.0).new_pages[0] == 1.5


def test_pages_that_are_gone_are_not_expected_again():
    _, shape, pages = site_of("a/x", "a/y")
    rates = SiteRates()
    rates.start(shape, pages, 0.0)
    rates.observe(shape, rates.outlook(shape, 1.0), seen(pages, gone=[0]), 1.0)
    assert rates.outlook(shape, 2.0).pages.tolist() == [1]


def test_hazard_is_kept_until_the_page_is_fetched():
    _, shape, pages = site_of("a/x", "a/y")
    rates = SiteRates()
    rates.start(shape, pages, 0.0)
    rates.carry_over(pages[:1], np.array([9.0]))
    first = rates.outlook(shape, 1.0)
    assert first.pending[0] == pytest.approx(1.0 - (1.0 - first.rates[0]) * np.exp(-3.0))
    rates.observe(shape, first, seen(pages), 1.0)
    later = rates.outlook(shape, 2.0)
    assert later.pending[0] == pytest.approx(later.rates[0])


def test_a_mass_update_counts_less():
    _, shape, pages = site_of(*(f"p{n}" for n in range(100)))
    after = []
    for share in (0.05, 1.0):
        rates = SiteRates(RateSettings(busy_share=share, forecasters=()))
        rates.start(shape, pages, 0.0)
        for week, changed in ((1.0, []), (2.0, []), (3.0, pages)):
            rates.observe(shape, rates.outlook(shape, week), seen(pages, changed=changed), week)
        after.append(rates.outlook(shape, 4.0).rates[0])
    assert after[0] < 0.2 * after[1]


def test_a_longer_wait_makes_a_change_likelier():
    _, shape, pages = site_of("a")
    rates = SiteRates()
    rates.start(shape, pages, 0.0)
    assert rates.outlook(shape, 4.0).rates[0] > rates.outlook(shape, 1.0).rates[0]
    assert rates.outlook(shape, 0.0).rates[0] == 0.0


def test_an_empty_site():
    rates = SiteRates()
    shape = SiteIndex().shape()
    rates.start(shape, np.empty(0, dtype=np.int64), 0.0)
    outlook = rates.outlook(shape, 1.0)
    assert len(outlook.pages) == 0
    rates.observe(shape, outlook, seen(np.empty(0, dtype=np.int64)), 1.0)
    assert rates.now == 1.0


def test_new_pages_met_before_their_hub_was_asked_again_are_expected_in_numbers():
    index = SiteIndex()
    first = index.pages(["a/index.html"])
    rates = SiteRates()
    rates.start(index.shape(), first, 0.0)
    later = index.pages(["a/x", "a/y"])
    rates.observe(index.shape(), rates.outlook(index.shape(), 1.0), seen(np.empty(0, dtype=np.int64), found=later), 1.0)
    outlook = rates.outlook(index.shape(), 2.0)
    assert outlook.new_pages.tolist() == [4.0, 0.0, 0.0]  # two a week, for two weeks


def steady_site(changing):
    """Twenty weeks of forty pages in one directory, looked at whole; these change every week, the others never."""
    _, shape, pages = site_of(*(f"p{n}" for n in range(40)))
    rates = SiteRates()
    rates.start(shape, pages, 0.0)
    for week in range(1, 21):
        rates.observe(shape, rates.outlook(shape, float(week)), seen(pages, changed=changing), float(week))
    return rates, shape


def test_what_each_page_has_shown_is_not_drowned_by_its_directory():
    rates, shape = steady_site(range(16))
    chances = rates.outlook(shape, 21.0).rates
    assert chances[:16].min() > 0.9
    assert chances[16:].max() < 0.05


def test_pages_that_were_left_out_judge_no_forecaster():
    rates, shape = steady_site(range(16))
    before = rates.scores.sums.copy()
    rates.observe(shape, rates.outlook(shape, 21.0), seen(np.empty(0, dtype=np.int64)), 21.0)
    assert rates.scores.sums == pytest.approx(before * rates.settings.forgetting)
