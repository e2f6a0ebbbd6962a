"""What sites say of pages, row by row, as the priced plan takes it."""

from types import SimpleNamespace

import numpy as np
import pytest

from strandline.core.plan.strategy import PageTable
from strandline.learn.experience import history, learn
from strandline.learn.known_pages import Groups, Hours, Known
from strandline.learn.page_columns import PageRows
from strandline.plan.claimed_changes import SILENCE, ClaimedChanges, believed_after, believed_before
from strandline.plan.claims import Claims
from strandline.store.studies import Seen

HOUR = 3600.0
HOURS = Hours(1_000_000.0)
PAGES = [Known(number, f"http://{site}.example/{number}", f"{site}.example", f"{site}.example") for number, site in
         ((11, "a"), (12, "a"), (13, "b"))]  # fmt: skip


def heard_by(claims, last=(5.0, 5.0, 5.0)):
    table = PageTable.of(3, page=[11, 12, 13], site=[0, 0, 1], last_visit=last)
    rows, groups = PageRows(page.page for page in PAGES), Groups.of(PAGES)
    return ClaimedChanges(claims, SimpleNamespace(table=table, rows=rows, groups=groups, hours=HOURS))


def at(hour):
    return HOURS.seconds(hour)


def test_nothing_is_heard_while_nobody_has_said_anything():
    claims = Claims()
    heard = heard_by(claims)
    assert heard.heard(np.arange(3), 6) is None and len(heard.news()) == 0
    claims.tell(12, at(5.5))
    assert heard.heard(np.arange(3), 6) is not None


def test_what_is_told_of_pages_counts_from_their_last_visit_until_the_period_is_over():
    claims = Claims()
    for page, hour in ((11, 5.5), (11, 5.7), (12, 4.9), (13, 7.5), (99, 5.5)):
        claims.tell(page, at(hour))
    heard = heard_by(claims)
    assert heard.heard(np.arange(3), 6).number.tolist() == [2.0, 0.0, 0.0]
    assert heard.heard(np.arange(3), 7).number.tolist() == [2.0, 0.0, 1.0]
    assert heard_by(claims, (5.7, np.nan, 8.0)).heard(np.arange(3), 7).number.tolist() == [0.0, 1.0, 0.0]
    assert heard.news().tolist() == [0, 1, 2] and heard.news().tolist() == [], "each is news once"


def test_quality_is_that_of_the_site_and_silence_that_of_pages_whose_changes_are_told():
    claims = Claims()
    for hour in range(8):
        claims.tell(11, at(0.1 * hour))
        claims.visited(11, "a.example", at(0.1 * hour + 0.05), changed=True)
    claims.read("a.example", "sitemap", at(4.0))
    found = heard_by(claims).heard(np.arange(3), 6)
    assert found.number.tolist() == [0.0, 0.0, 0.0] and found.said.tolist() == [0.0, 0.0, 0.0]
    assert found.recall[0] > 0.85 * SILENCE and found.recall[1:].tolist() == [0.0, 0.0]
    assert found.until.tolist() == [4.0, -np.inf, -np.inf], "of pages that nobody tells of nothing is heard"
    assert found.quiet(np.full(3, 2.0), np.full(3, 6.0)) == pytest.approx([2.0 + 2.0 * (1 - found.recall[0]), 4.0, 4.0])


def test_what_was_believed_is_told_by_page():
    seen = [Seen(11, "", "a.example", at(float(hour)), 200, hour % 2 == 0, 0.5, 0.5, False, False) for hour in range(9)]
    learned = learn(PAGES, history(PAGES, seen, HOURS), HOURS)
    rows = PageRows(page.page for page in PAGES)
    rate, last = believed_before(learned, rows)([11, 12, 99])
    assert rate[1] > rate[2] == 0.0
    assert rate[0] * HOUR == pytest.approx(0.5, rel=0.5)
    assert last[0] == at(8.0) and np.isnan(last[1:]).all()
    again, never = believed_after(learned, rows)([11, 99])
    assert again.tolist() == pytest.approx([rate[0], 0.0], rel=1e-12), "two rows are not added up as three are"
    assert np.isnan(never).all()


def test_of_sitemap_and_feed_each_is_believed_by_itself():
    """The sitemap of a site names every page as new each day; its feed tells of every other change, in time."""
    claims = Claims()
    for day in range(12):
        changed = day % 2 == 0
        for page in (11, 12):
            claims.tell(page, at(24.0 * day), source="sitemap")
        if changed:
            claims.tell(11, at(24.0 * day + 1.0), source="feed")
        claims.visited(11, "a.example", at(24.0 * day + 2.0), changed=changed, unsaid=0.5)
        claims.visited(12, "a.example", at(24.0 * day + 2.0), changed=False, unsaid=0.5)
    assert claims.trust("a.example", "sitemap") < 0.35 < 0.7 < claims.trust("a.example", "feed")
    assert claims.trust("a.example") == claims.trust("a.example", "feed")
    claims.read("a.example", "sitemap", at(291.0))
    claims.read("a.example", "feed", at(295.0))
    last = (290.0, 290.0, 290.0)
    silent = heard_by(claims, last).heard(np.arange(2), 300)
    assert silent.recall[0] > 0 == silent.recall[1] and silent.until[0] in (291.0, 295.0)
    claims.tell(12, at(296.0), source="sitemap")
    claims.tell(11, at(296.0), source="feed")
    found = heard_by(claims, last).heard(np.arange(2), 300)
    assert found.number.tolist() == [1.0, 1.0]
    assert found.said[0] > 1.2 > 0.5 > found.said[1], "a feed that is right calls for a visit"
    claims.tell(11, at(297.0), source="sitemap")
    both = heard_by(claims, last).heard(np.arange(1), 300)
    assert both.said[0] == pytest.approx(found.said[0] + found.said[1], rel=1e-6)
