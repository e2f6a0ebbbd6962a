import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.page_forecasts import FORECASTERS, ForecastScores, in_every_memory
from strandline.core.mining.site_rates import SiteRates
from strandline.core.mining.site_state import Price, SiteState
from strandline.core.skip.past_crawls import PastCrawls
from strandline.core.skip.price_choice import PRICES, choose_price
from strandline.core.skip.retests import MEMORY, Retests, binomial_tail
from strandline.core.skip.site_pass import ListedPass, PolicyPass, SiteView


def view(paths, ages=1.0, draw=0):
    index = SiteIndex()
    index.pages(paths)
    shape = index.shape()
    nothing = np.zeros(shape.pages, dtype=np.bool_)
    lot = np.random.default_rng(draw).random(shape.pages)
    every = np.broadcast_to(np.asarray(ages, dtype=np.float64), shape.pages).copy()
    return SiteView("s", shape, index.directory_path, ~nothing, every, nothing, lot), index


def test_every_page_of_a_skipped_directory_has_its_turn_within_twenty_passes():
    paths = [f"a/{n}" for n in range(53)] + ["b/0"]
    last = np.zeros(54)
    seen = set()
    for crawl in range(1, 21):
        site, index = view(paths, crawl - last, draw=crawl)
        one = ListedPass(site, "dormant", {}, float(crawl), {index.find_directory("a"): "never changed"})
        asked = np.flatnonzero([not one.refuses(place) for place in range(54)])
        assert len(asked) == 3 + 1
        last[asked] = crawl
        seen |= set(asked.tolist())
    assert len(seen) == 54


@given(st.lists(st.tuples(st.integers(1, 60), st.booleans()), max_size=60))
def test_a_record_counts_each_pass_once_and_is_retired_when_failures_are_no_chance(visits):
    one = Retests("s", "d", "near")
    passes: dict[int, bool] = {}
    retired_after = None
    for number, changed in sorted(visits, key=lambda visit: visit[0]):
        one = one.tested(float(number))
        passes[number] = passes.get(number, False) or changed
        if changed:
            one = one.failed_by(float(number), "x had changed", now=float(number))
        lately = list(passes.values())[-MEMORY:]
        fails = sum(lately)
        if retired_after is None and changed and binomial_tail(len(lately), fails, 1.0 - 0.95) <= 0.05:
            retired_after = number
    assert (one.tests, one.failures) == (len(passes), sum(passes.values()))
    assert one.retired == (retired_after or 0.0)
    assert one.in_force == (retired_after is None)


def test_a_record_in_words():
    one = Retests("s", "d", "near")
    assert one.told() == "not re-tested yet"
    assert one.tested(1.0).told() == "re-tested once, failed 0"
    assert one.tested(1.0).failed_by(2.0, "x had changed", 2.0).told() == "re-tested 2 times, failed 1"


def policy(records=None, price=0.05, ages=1.0):
    """Twenty pages that change half of the time, forty that hardly ever do."""
    site, index = view([f"busy/{n}" for n in range(20)] + [f"still/s{n}" for n in range(40)], ages)
    rates = SiteRates()
    shape = site.shape
    changes = np.where(np.arange(60) < 20, 20.0, 0.0)
    counts = in_every_memory(changes, np.full(60, 40.0))
    rates.restore(shape, counts, (np.zeros(shape.directories), np.zeros(shape.directories)))
    rates.scores = ForecastScores.from_data([])  # nobody was judged: the policy's own forecaster
    rates.seen_at(site.captured.copy(), 100.0 - site.ages, 100.0)
    outlook = rates.outlook(shape, 100.0)
    return PolicyPass(site, records or {}, 100.0, outlook, price), index


def test_the_policy_asks_for_busy_pages_a_sample_and_the_oldest():
    one, _ = policy()
    skipped = one.skipped()
    assert not skipped[:20].any()
    sampled = one.sampled()[20:].sum()
    assert 2 <= sampled <= 2 + 3  # a twentieth of the directory, and a tenth of the requests for the oldest
    assert skipped[20:].sum() == 40 - sampled
    reason = one.refuses(int(np.flatnonzero(skipped)[0]))
    assert reason.startswith("still: change expected: ")
    assert reason.endswith("asked for from 5.00% on; not re-tested yet")


def test_a_change_in_a_quiet_directory_brings_back_what_was_passed_over():
    one, _ = policy(price=0.01)
    passed_over = [place for place in range(60) if one.refuses(place)]
    assert passed_over
    sampled = np.flatnonzero(one.sampled()).tolist()
    for place in [*range(20), *sampled]:
        one.visited(place, changed=place >= 20 or place % 2 == 0, name=f"page {place}", now=100.5)
    again = one.settle(idle=True)
    assert sorted(again.tolist()) == passed_over
    assert one.settle(idle=True).tolist() == []
    (record,) = one.touched()
    assert (record.directory, record.tests, record.failures) == ("still", 1, 1)


def test_a_change_that_study_finds_later_counts_for_a_site_that_is_quiet_as_a_whole():
    site, _ = view([f"{n}" for n in range(40)], 1.0)
    one = ListedPass(site, "dormant", {}, 100.0, {0: "never changed"})
    (place, *_) = np.flatnonzero(one.sampled())
    one.visited(int(place), changed=False, name="x", now=100.5)
    one.found_since(int(place), "x", 101.0)
    (record,) = one.touched()
    assert (record.directory, record.tests, record.failures) == ("", 1, 1)


def test_answers_wait_for_a_round_unless_nothing_is_left_to_ask():
    one, _ = policy()
    one._round = 2
    before = one.evidence(1)
    one.visited(0, changed=False, name="", now=100.5)
    one.settle(idle=False)
    assert one.evidence(1) == before
    one.settle(idle=True)
    assert one.evidence(1) != before


def test_pages_not_seen_for_long_are_asked_for():
    young, _ = policy(price=0.05)
    old, _ = policy(price=0.05, ages=200.0)
    assert young.skipped().sum() > 0
    assert not old.skipped().any()


def test_a_retired_directory_is_not_skipped():
    gone = Retests("s", "still", "policy", 5, 3, 7, 99.0, True, 99.0, "it had changed")
    one, _ = policy({"still": gone})
    assert not one.skipped().any()


def history(weeks, busy, quiet, rng):
    """Busy pages change every other week, quiet ones one in a hundred."""
    paths = [f"busy/{n}" for n in range(busy)] + [f"still/{n}" for n in range(quiet)]
    content = dict.fromkeys(paths, 0)
    versions = []
    for week in range(weeks):
        for path in paths:
            content[path] += rng.random() < (0.5 if path.startswith("busy") else 0.003)
        versions.append((str(week), {path: str(n) for path, n in content.items()}))
    return SiteHistory.from_versions(versions)


def test_the_price_saves_most_of_a_quiet_site_and_catches_what_is_wanted():
    known = history(30, 10, 90, np.random.default_rng(3))
    price = choose_price(known, range(30), 0.9)
    assert price.change_recall >= 0.9
    assert 0.3 < price.bypass_ratio < 0.95
    assert price.tests == 10
    strict = choose_price(known, range(30), 1.0)
    assert strict.price <= price.price
    assert strict.bypass_ratio <= price.bypass_ratio


def test_no_price_without_versions_that_were_seen_whole():
    known = history(12, 4, 4, np.random.default_rng(1))
    assert choose_price(known, [0, 1, 2, 3]) is None
    assert choose_price(SiteHistory(), []) is None
    assert choose_price(known, range(12), floor=1.01) is None  # more than everything cannot be caught
    assert choose_price(known, range(12)).tests == sum(len(changes) > 0 for changes in known.changes[4:])


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_a_higher_price_never_saves_less(seed):
    from strandline.core.skip.price_choice import _trial

    known = history(8, 5, 12, np.random.default_rng(seed))
    site = PastCrawls(known)
    rates = site.learned(0, 6)
    trial = _trial(site, rates.outlook(site.shape, 7.0), 7)
    if len(known.changes[7]):
        saved = [trial.stopped_at(price)[0] for price in PRICES]
        assert saved == sorted(saved)
        assert trial.stopped_at(0.0) == (pytest.approx(0.0), pytest.approx(1.0))


def test_still_pages_among_busy_ones_are_left_out():
    """Two pages of five change every week: what is worth a request shows from page to page, not by directory."""
    rng = np.random.default_rng(5)
    busy = rng.random(200) < 0.4
    paths = [f"d{n % 10}/p{n}" for n in range(200)]
    history = SiteHistory()
    history.add("0", paths, [], [])
    for week in range(1, 25):
        changed = np.flatnonzero(rng.random(200) < np.where(busy, 0.95, 0.005))
        history.add(str(week), [], [], [paths[page] for page in changed])
    price = choose_price(history, range(25))
    assert price is not None
    assert price.bypass_ratio > 0.5
    assert price.change_recall >= 0.95


def test_a_state_comes_back_as_it_was():
    index = SiteIndex()
    pages = index.pages(["é/a", "é/b", "c//d", "e"])
    rates = SiteRates()
    shape = index.shape()
    new = np.zeros(shape.directories)
    new[1] = 2.0
    rates.restore(shape, in_every_memory(np.arange(4.0), np.full(4, 8.0)), (new, np.full(shape.directories, 4.0)))
    rates.scores.sums[:] = np.arange(1.0 + len(FORECASTERS))
    restless = np.array([True, False, False, True])
    numbers = np.array([40, 10, 30, 20])
    price = Price(0.01, 0.5, 0.96, 4)
    state = SiteState.of(index, rates, numbers, restless, period=3600.0, whole=5, price=price)
    back = SiteState.from_bytes(state.to_bytes())
    assert (back.period, back.whole, back.price, back.directories) == (3600.0, 5, price, ("é",))
    assert back.pages.tolist() == [10, 20, 30, 40]
    for counts in back.counts.values():
        assert counts.changes.tolist() == [1.0, 3.0, 2.0, 0.0]
    assert back.scores.sums.tolist() == rates.scores.sums.tolist()
    assert back.restless.tolist() == [False, True, False, True]
    where, known = back.places(np.array([5, 20, 40, 50]))
    assert known.tolist() == [False, True, True, False]
    assert back.pages[where[known]].tolist() == [20, 40]
    assert len(pages) == 4


def test_a_state_kept_before_forecasters_were_judged_uses_the_forecaster_of_its_time():
    index = SiteIndex()
    index.pages(["a", "b"])
    rates, shape = SiteRates(), index.shape()
    rates.restore(shape, in_every_memory(np.array([3.0, 1.0]), np.full(2, 8.0)), (np.zeros(1), np.zeros(1)))
    state = SiteState.of(index, rates, np.arange(2), np.zeros(2, dtype=np.bool_), period=1.0, whole=5)
    with np.load(io.BytesIO(state.to_bytes())) as kept:
        about = json.loads(kept["about"].tobytes())
        del about["scores"]
        columns = {name: kept[name] for name in kept.files if not name.startswith(("recent_", "long_", "about"))}
    stream = io.BytesIO()
    np.savez(stream, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **columns)
    back = SiteState.from_bytes(stream.getvalue())
    assert back.scores.weights()[0] == 1.0
    assert [counts.changes.tolist() for counts in back.counts.values()] == [[3.0, 1.0]] * 3


def test_a_small_site_of_which_the_policy_expects_nothing_is_seen_page_by_page():
    """Without a page worth asking for, and too few for a share of them, each pass still looks at the oldest."""
    paths = [f"a/{n}" for n in range(7)]
    last, seen = np.zeros(7), []
    for crawl in range(1, 8):
        site, _ = view(paths, crawl - last, draw=crawl)
        rates = SiteRates()
        rates.restore(site.shape, in_every_memory(np.zeros(7), np.full(7, 40.0)), (np.zeros(2), np.zeros(2)))
        rates.seen_at(site.captured.copy(), 100.0 - site.ages, 100.0)
        one = PolicyPass(site, {}, float(crawl), rates.outlook(site.shape, 100.0), 0.2)
        asked = np.flatnonzero([not one.refuses(place) for place in range(7)])
        last[asked] = crawl
        seen += asked.tolist()
    assert sorted(seen) == list(range(7))
