"""Thinning never loses an important version, and keeps what it says it keeps."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.keeping.collections import Members
from strandline.core.keeping.retention import Kept, PageCaptures, Rule, _period, choose, important_of, rule_of

DAY = 86_400.0
NOW = 1_794_000_000.0


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("*: older 90d, keep weekly", Rule("*", 90 * DAY, "weekly")),
        ("example.org: older 2y, keep important, importance 0.3", Rule("example.org", 730 * DAY, "important", 0.3)),
        ("*: older 12h, keep daily, above 1.5 GB", Rule("*", DAY / 2, "daily", above=1.5e9)),
        ("a.example:8080: older 1d, keep daily", None),
        ("*: keep weekly", None),
        ("*: older 90d", None),
        ("older 90d, keep weekly", None),
        ("*: older 90 days, keep weekly", None),
        ("*: older 90d, keep weekly, importance 7", None),
    ],
)
def test_rules_as_people_write_them(text, rule):
    if rule is None:
        with pytest.raises(ValueError, match="rule"):
            rule_of(text)
    else:
        found = rule_of(text)
        assert (found.site, found.older, found.keep, found.importance, found.above) == (
            rule.site,
            rule.older,
            rule.keep,
            rule.importance,
            rule.above,
        )


@given(st.integers(-2_000_000_000, 9_000_000_000))
def test_periods_are_those_of_the_calendar(time):
    at = datetime.fromtimestamp(time, UTC)
    assert _period(time, "monthly") == at.year * 12 + at.month - 1
    assert _period(time, "daily") == at.toordinal() - datetime(1970, 1, 1, tzinfo=UTC).toordinal()
    assert _period(time, "weekly") == _period(time - at.weekday() * DAY, "weekly")
    assert _period(time - (at.weekday() + 1) * DAY, "weekly") == _period(time, "weekly") - 1


def _pages(draw):
    pages, seq = [], 0
    for page in range(draw(st.integers(1, 5))):
        captures, time, whole = [], NOW - draw(st.floats(1, 900)) * DAY, 0
        for _ in range(draw(st.integers(0, 12))):
            seq += 1
            time += draw(st.floats(0.01, 40)) * DAY
            refers = whole if whole and draw(st.booleans()) else 0
            importance = draw(st.sampled_from([0.0, 0.0, 0.05, 0.1, 0.5]))
            before = captures[-1].seq if captures and importance else 0
            captures.append(Kept(seq, time, 1000, importance, before, refers, draw(st.booleans()) or importance > 0))
            if not refers:
                whole = seq
        pages.append(PageCaptures(page, f"s{page % 2}.example", "", draw(st.booleans()), captures))
    return pages


made = st.composite(_pages)()
rules = st.lists(
    st.builds(
        Rule,
        st.sampled_from(["*", "s0.example"]),
        st.floats(0, 400).map(lambda days: days * DAY),
        st.sampled_from(["daily", "weekly", "monthly", "important"]),
        st.sampled_from([0.05, 0.1, 0.4]),
    ),
    max_size=3,
)


def _fitting(page, given_rules):
    return [one for one in given_rules if one.site in ("*", page.site)]


@settings(max_examples=300)
@given(made, rules)
def test_no_important_version_is_ever_lost(pages, given_rules):
    choice = choose(pages, given_rules, NOW, {})
    for page in pages:
        fitting = _fitting(page, given_rules)
        if not fitting:
            assert not {one.seq for one in page.captures} & choice.dropped
            continue
        least = min(rule.importance for rule in fitting)
        for one in page.captures:
            if one.importance >= least:
                assert one.seq not in choice.dropped
                assert one.before not in choice.dropped
        assert important_of(page, least) <= choice.important
    assert not choice.important & choice.dropped


@settings(max_examples=300)
@given(made, rules)
def test_what_is_kept_beside_them(pages, given_rules):
    choice = choose(pages, given_rules, NOW, {})
    for page in pages:
        fitting = _fitting(page, given_rules)
        if not fitting or not page.captures:
            continue
        left = [one for one in page.captures if one.seq not in choice.dropped]
        assert {page.captures[0].seq, page.captures[-1].seq} <= {one.seq for one in left}
        assert all(one.refers not in choice.dropped for one in left)
        for one in page.captures:
            rule = next((rule for rule in fitting if NOW - one.time >= rule.older), None)
            if rule is None or not one.studied:
                assert one in left
            elif rule.keep != "important" and not page.requisite:
                period = _period(one.time, rule.keep)
                same = [other for other in page.captures if _period(other.time, rule.keep) == period]
                deciding = next((rule for rule in fitting if NOW - same[-1].time >= rule.older), None)
                assert same[-1] in left or deciding is not rule


@settings(max_examples=200)
@given(made, rules)
def test_replay_shows_the_same_parts_in_pages_that_are_kept(pages, given_rules):
    choice = choose(pages, given_rules, NOW, {})
    for part in pages:
        if not part.requisite:
            continue
        left = [one for one in part.captures if one.seq not in choice.dropped]
        for page in pages:
            if page.requisite or page.site != part.site:
                continue
            for shown in page.captures:
                if shown.seq in choice.dropped or not part.captures:
                    continue
                closest = min(part.captures, key=lambda one: (abs(one.time - shown.time), one.time))
                assert closest in left


def test_parts_of_other_sites_count_where_they_are_known():
    page = PageCaptures(
        1, "news.example", "news.example", False, [Kept(1, NOW - 300 * DAY, 10), Kept(2, NOW - DAY, 10)]
    )
    times = [NOW - 400 * DAY, NOW - 300 * DAY, NOW - 200 * DAY, NOW]
    part = PageCaptures(2, "cdn.example", "cdn.example", True, [Kept(n + 3, time, 10) for n, time in enumerate(times)])
    rule = [Rule("*", 30 * DAY, "important")]
    assert choose([page, part], rule, NOW, {}).dropped == set()
    assert choose([page, part], rule, NOW, {"cdn.example": ["news.example"]}).dropped == {5}


def test_a_rule_of_a_collection_is_for_what_belongs_to_it():
    rule = rule_of("collection the-news: older 1d, keep important")
    assert rule.collection == "the-news" and rule_of("a.example: older 1d, keep daily").collection == ""
    inside, outside = "example,a)/news/1", "example,a)/other"
    assert not rule.fits("a.example", "a.example", inside), "nobody said yet what belongs to it"
    told = replace(rule, members=Members((), ("http://a.example/news/*",)))
    assert told.fits("a.example", "a.example", inside)
    assert not told.fits("a.example", "a.example", outside) and not told.fits("a.example", "a.example")
    many = [Kept(number, number * 3600.0, 10) for number in range(1, 6)]
    pages = [
        PageCaptures(1, "a.example", "a.example", False, many, key=inside),
        PageCaptures(2, "a.example", "a.example", False, [replace(one, seq=one.seq + 10) for one in many], key=outside),
    ]
    assert choose(pages, [told], 10 * 86_400.0, {}).dropped == {2, 3, 4}
