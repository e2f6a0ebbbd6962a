"""What was learned is kept and read back unchanged; captures are handed out with what study found in them."""

import contextlib

import numpy as np
import pytest

from strandline.core.beliefs.evidence import Source, Trust, TrustBook
from strandline.core.beliefs.features import PageSummary
from strandline.core.capture import Capture, Original, Place
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.series import PageSeries, Sighting
from strandline.core.mining.learned import LearnedFrom, PageRate, SiteClock
from strandline.learn.rules import RuleWish, learn_rules
from strandline.store import rows, sqlite
from strandline.store.catalog import open_catalog
from strandline.store.learned import LearnedReading, LearnedWriter
from strandline.store.reading import Claim

URL = "https://library.example/rules"


def capture(number, digest, status=200, url=URL, original=None):
    place = Place("a.warc.gz", 1000 * number, 900)
    kept = Original(url, 100.0, original) if original else None
    return Capture(url, 100.0 * number, status, "text/html", digest, place, revisit=bool(kept), original=kept)


@pytest.fixture
def writer(catalog):
    opened = LearnedWriter.open(catalog.path)
    yield opened
    opened.close()


def about(part, **data):
    return LearnedFrom(part, 9, 8, 7, 6, 5, 1.5, 2.5, data)


def series_of(periods):
    series = PageSeries.empty(periods)
    start = 1_767_571_200.0
    series.observe_all(LocalCalendar(periods), [Sighting(start), Sighting(start + 9000.0, 0.5), Sighting(start + 1e6)])
    return series


def test_captures_that_were_not_studied_are_told_apart_by_digest(catalog, writer):
    catalog.rebuild(
        [
            capture(1, "sha1:a"),
            capture(2, "sha1:b"),
            capture(3, "sha1:x", status=500),
            capture(4, "sha1:b"),
            capture(5, "sha1:b2", original="sha1:b"),
        ]
    )
    rows = list(writer.reading.visits("library.example"))
    assert [row.changed for row in rows] == [False, True, False, False, False]
    assert [row.importance for row in rows] == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert not any(row.studied for row in rows)
    assert list(writer.reading.visits_of(rows[0].page)) == rows
    assert list(writer.reading.visits("other.example")) == []


def test_what_study_found_wins_over_digests(catalog, writer):
    catalog.rebuild([capture(n, f"sha1:{n}") for n in range(1, 6)])
    (page,) = {one.page for one in catalog.studies.reading.pending()}
    seen = Observed(1, 2, 100.0, 200.0, importance=0.25, impch=0.5, visible=True)
    unseen = Observed(2, 3, 200.0, 300.0, visible=False)
    held = Observed(3, 4, 300.0, 400.0, importance=0.9, visible=True, held=True)
    study = PageStudy(page, PageState(), (seen, unseen, held), problems=((5, "cannot be read"),))
    catalog.studies.record([study], 5)
    rows = list(writer.reading.visits("library.example"))
    assert [row.changed for row in rows] == [False, True, False, True, True]
    assert [row.importance for row in rows] == [0.0, 0.25, 0.0, 0.9, 1.0]
    assert [row.held for row in rows] == [False, False, False, True, False]
    assert [row.studied for row in rows] == [True, True, True, True, False]
    told = [(3, rows[2]._replace(differs=False)), (4, rows[3]._replace(differs=False))]  # bytes are not compared there
    assert list(writer.reading.studied_since(2)) == told


@pytest.mark.parametrize(
    "periods",
    [Periods("Europe/Paris", "FR"), Periods("UTC", None, Cycle.WEEK, 168), Periods(cycle=Cycle.MONTH, count=31)],
)
def test_series_come_back_as_they_were(catalog, writer, periods):
    catalog.rebuild([capture(1, "sha1:a")])
    (page,) = {one.page for one in catalog.studies.reading.pending()}
    trust = TrustBook({("library.example", Source.FEED): Trust(3.0, 1.0, 0.5, 2.0, 0.0)})
    clocks = {"library.example": SiteClock("Europe/Paris", None, "by hand")}
    kept = series_of(periods)
    for _ in range(2):  # the second time replaces the first
        writer.replace_patterns(about("patterns", groups=[]), clocks, [(page, kept, 4)], trust)
    reading = LearnedReading.open(catalog.path)
    ((number, url, series, group),) = reading.all_series()
    assert (number, url, group) == (page, URL, 4)
    assert series.periods == periods
    assert (series.last, series.captures) == (kept.last, kept.captures)
    for name in ("importance", "changes", "observed"):
        assert np.array_equal(getattr(series, name), getattr(kept, name))
    assert list(reading.all_series("other.example")) == []
    assert reading.trust() == trust
    assert reading.site_clocks() == clocks
    assert reading.learned_from("patterns") == about("patterns", groups=[])
    assert reading.learned_from("rules") is None
    reading.close()


def test_one_page_is_kept_after_one_capture_and_stays_in_its_group(catalog, writer):
    catalog.rebuild([capture(1, "sha1:a")])
    (page,) = {one.page for one in catalog.studies.reading.pending()}
    assert writer.reading.page_knowledge(page) is None
    series, rate = series_of(Periods()), PageRate(3, 1, 1.5, 2.5, 0.01)
    writer.replace_patterns(about("patterns"), {}, [(page, series, 2)], TrustBook())
    writer.replace_rates(about("classes"), [(page, rate, 100.0)])
    writer.keep_pages([(page, series, PageRate(4, 2, 2.5, 3.5, 0.01), 200.0)], 20)
    known = writer.reading.page_knowledge(page)
    assert known is not None
    assert known[1:] == (PageRate(4, 2, 2.5, 3.5, 0.01), 200.0)
    assert writer.reading.series(page)[1] == 2
    ((_, url, shown),) = writer.reading.all_rates()
    assert (url, shown) == (URL, known[1])
    assert writer.reading.learned_from("classes").seq == 20


def test_first_sights_are_read_once_and_only_from_answers_that_show_the_page(catalog, writer):
    other = "https://library.example/only-revisits"
    catalog.rebuild(
        [
            capture(1, "sha1:e", status=404),
            capture(2, "sha1:a"),
            capture(3, "sha1:b"),
            capture(4, "sha1:c", url=other, original="sha1:a"),
        ]
    )
    ((page, first),) = writer.reading.unsighted()
    assert first.digest == "sha1:a"
    writer.keep_first_sights([(page, PageSummary(10, 2, 3, 4, 5, True), "fr")])
    assert list(writer.reading.unsighted()) == []
    assert writer.reading.first_sights("library.example") == {page: PageSummary(10, 2, 3, 4, 5, True)}
    assert writer.reading.spoken("library.example") == "fr"
    assert writer.reading.spoken("other.example") is None


def test_heads_are_read_once_and_their_claims_kept(catalog, writer):
    catalog.rebuild([capture(1, "sha1:a"), capture(2, "sha1:e", status=404), capture(3, "sha1:b")])
    waiting = list(writer.reading.heads_to_read())
    assert [one[2].digest for one in waiting] == ["sha1:a", "sha1:b"]
    page = waiting[0][1]
    claim = Claim(page, "last-modified", 90.0, 100.0)
    writer.keep_claims([claim, Claim(page, "last-modified", 90.0, 300.0)], waiting[-1][0])
    assert list(writer.reading.heads_to_read()) == []
    assert writer.reading.claims_of_pages([page, page + 1]) == {page: [claim]}


def test_rules_come_back_as_they_were_whatever_the_paths(catalog, writer):
    kept = learn_rules("bücher.example", [], RuleWish()).learned
    writer.replace_rules(about("rules"), [kept], {}, 1.0)
    assert list(writer.reading.site_rules()) == list(writer.reading.site_rules("bücher.example")) == [kept]
    assert list(writer.reading.site_rules("other.example")) == []


def test_an_empty_catalog_has_nothing_to_learn_from(writer):
    assert writer.reading.newest() == 0
    assert writer.reading.learned_sites() == []


def test_patterns_and_rates_that_took_clocks_for_changes_are_learned_anew_and_rules_stay(tmp_path, monkeypatch):
    """What was kept by format 8: the difference is in what the figures mean, not in how they are written."""
    with monkeypatch.context() as before:
        steps = sqlite.steps()[:8]
        before.setattr(sqlite, "steps", lambda: steps)
        plain, values = (
            rows.INSERT_CAPTURE.replace(", rendered_digest, rendered_at, rendered_length", ""),
            rows.capture_values,
        )
        before.setattr(rows, "INSERT_CAPTURE", plain.replace(", ?, ?, ?)", ")"))
        before.setattr(rows, "capture_values", lambda *told: values(*told)[:-3])
        with contextlib.closing(open_catalog(tmp_path)) as catalog:
            catalog.rebuild([capture(1, "sha1:a"), capture(2, "sha1:b")])
            with contextlib.closing(LearnedWriter.open(catalog.path)) as writer:
                page = catalog.page(URL).page
                series = [(page, series_of(Periods()), None)]
                writer.replace_patterns(about("patterns"), {}, series, TrustBook())
                writer.replace_rates(about("classes"), [(page, PageRate(9, 8), 100.0)])
                writer.replace_rules(about("rules"), [], {}, 1.0)
                assert writer.reading.page_knowledge(page) is not None
    with (
        contextlib.closing(open_catalog(tmp_path)) as catalog,
        contextlib.closing(LearnedWriter.open(catalog.path)) as writer,
    ):
        known = [writer.reading.learned_from(part) is not None for part in ("patterns", "classes", "rules")]
        assert known == [False, False, True]
        assert writer.reading.page_knowledge(page) is None
