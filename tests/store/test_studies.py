"""What study found is kept in one piece and read back: changes, sightings, blocks, versions, search, ratings."""

import sqlite3
from dataclasses import replace

import pytest

from strandline.core.blocks.tree import BlockTree, Item, PageBlock
from strandline.core.capture import Capture, Place
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.core.changes.versions import Sight, block_record, layout_record
from strandline.ports import Batch, Found
from strandline.store.catalog import SqliteCatalog
from strandline.store.studies import StudyReading, Wanted

URL = "https://library.example/rules"


def page_of(*texts):
    blocks = tuple(
        PageBlock("html/body/main", nth, "main", "", (Item("text", text),), len(text), 0, text.split(".")[0])
        for nth, text in enumerate(texts)
    )
    return BlockTree(blocks, url=URL)


def sight(seq, time, *texts, after=None, indexed=True):
    tree = page_of(*texts)
    records = tuple(block_record(block) for block in tree.blocks)
    return Sight(seq, time if after is None else after, time, layout_record(tree), records, indexed)


def capture(number, url=URL, time=None, revisit=False):
    place = Place("a.warc.gz", 1000 * number, 900)
    return Capture(url, float(time or 100 * number), 200, "text/html", f"sha1:{number}", place, revisit=revisit)


@pytest.fixture
def studied(catalog):
    """Four captures: first sight, a change, an unchanged answer, a held change."""
    catalog.rebuild([capture(1), capture(2), capture(3, revisit=True), capture(4)])
    (page,) = {one.page for one in catalog.studies.reading.pending()}
    reasons = ({"path": "html/body/main", "why": "changed", "contribution": 3.0},)
    catalog.studies.record(
        [
            PageStudy(
                page,
                PageState(2, 60, b"noise", 2, "sha1:2", 2**64 - 5, 300.0, 0, 7.0, 0.5, 2, 0.0, 400.0, 4),
                (
                    Observed(1, 2, 100.0, 200.0, 0.4, 0.2, True, False, 3, reasons),
                    Observed(3, 4, 300.0, 400.0, 0.1, 0.6, True, True, 9, reasons),
                ),
                (
                    sight(1, 100.0, "Fees. A card costs four euro", "Hours. Open daily"),
                    sight(2, 200.0, "Fees. A card costs five euro", "Hours. Open daily", after=100.0),
                ),
                ((4, "odd"),),
            )
        ],
        4,
    )
    return catalog


def test_pending_is_what_was_recorded_since(catalog):
    catalog.rebuild([capture(1), capture(2), capture(3)])
    reading = catalog.studies.reading
    assert [one.seq for one in reading.pending()] == [1, 2, 3]
    assert [one.capture.time for one in reading.pending(2)] == [100.0, 200.0]
    catalog.studies.record([], 2)
    assert [one.seq for one in reading.pending()] == [3]
    catalog.studies.record([], 1)  # never backwards
    assert reading.progress() == 2


def test_state_comes_back_as_it_was(studied):
    page = studied.page(URL).page
    state = studied.studies.reading.state(page)
    assert state == PageState(2, 60, b"noise", 2, "sha1:2", 2**64 - 5, 300.0, 0, 7.0, 0.5, 2, 0.0, 400.0, 4)
    assert state.threshold == 0.25
    assert studied.studies.reading.state(page + 1) is None


def test_changes_are_found_by_time_importance_and_site(studied, tmp_path):
    reading = StudyReading.open(tmp_path / "strandline.db")
    every = list(reading.changes())
    assert [(change.after, change.by, change.held) for change in every] == [(100.0, 200.0, False), (300.0, 400.0, True)]
    assert every[0].url == URL
    assert every[0].blocks[0]["why"] == "changed"
    assert [change.by for change in reading.changes(since=250.0)] == [400.0]
    assert [change.by for change in reading.changes(min_importance=0.3)] == [200.0]
    assert len(list(reading.changes(site="library.example"))) == 2
    assert not list(reading.changes(site="other.example"))
    assert list(reading.changes_of(URL)) == every
    assert not list(reading.changes_of("https://library.example/none"))
    reading.close()


def test_sightings_are_all_captures_in_order(studied):
    seen = list(studied.studies.reading.sightings())
    assert [(one.time, one.changed, one.importance, one.first) for one in seen] == [
        (100.0, False, 0.0, True),
        (200.0, True, 0.4, False),
        (300.0, False, 0.0, False),
        (400.0, True, 0.1, False),
    ]
    assert [one.held for one in seen] == [False, False, False, True]
    assert {(one.url, one.site) for one in seen} == {(URL, "library.example")}
    studied.rebuild([capture(9, "https://other.example/", 50)])
    assert len(list(studied.studies.reading.sightings())) == 4, "what is still to be studied is left out"
    studied.studies.record([], 5)
    assert [one.first for one in studied.studies.reading.sightings("other.example")] == [True]


def test_blocks_are_stored_once_and_have_a_history(studied):
    lives = list(studied.studies.reading.block_history(URL))
    assert [(life.topic, life.first, life.last, life.gone) for life in lives] == [
        ("Fees", 100.0, 100.0, 200.0),
        ("Hours", 100.0, 300.0, None),
        ("Fees", 200.0, 300.0, None),
    ]
    assert studied.studies.reading.counts().blocks == 3


def test_versions_are_put_together_again(studied):
    reading = studied.studies.reading
    assert reading.version(URL, 99.0) is None
    time, tree = reading.version(URL, 150.0)
    assert (time, tree.text) == (100.0, "Fees. A card costs four euro\n\nHours. Open daily")
    assert reading.version(URL, 1e9)[1].blocks == page_of("Fees. A card costs five euro", "Hours. Open daily").blocks


def test_search_by_words_topic_and_time(studied):
    reading = studied.studies.reading
    assert [life.text for life in reading.search(Wanted("FIVE card"))] == ["Fees. A card costs five euro"]
    assert len(list(reading.search(Wanted("card", topic="fees")))) == 2
    assert not list(reading.search(Wanted("card", topic="hours")))
    assert [life.first for life in reading.search(Wanted("card", since=250.0))] == [200.0]
    assert [life.first for life in reading.search(Wanted("card", until=150.0))] == [100.0]
    assert not list(reading.search(Wanted("card", site="other.example")))
    for odd in ('" OR ""', "card AND NOT", "card*", "topic:"):
        list(reading.search(Wanted(odd)))  # words, whatever signs stand between them
    assert not list(reading.search(Wanted("card NOT")))
    for asked, found in (
        ('"costs five"', ["five"]),
        ('"five costs"', []),
        ("card -five", ["four"]),
        ('card -"costs four"', ["five"]),
        ("five OR four", ["five", "four"]),
        ('daily OR "four euro" -open', ["four"]),
        ("-five", []),
        ('"', []),
    ):
        texts = " ".join(life.text for life in reading.search(Wanted(asked)))
        assert [word for word in ("five", "four") if word in texts] == found, asked
        assert "Hours" not in texts or "daily OR" in asked
    assert not list(reading.search(Wanted()))


def test_versions_below_the_threshold_are_kept_and_not_searched(catalog):
    catalog.rebuild([capture(1), capture(2)])
    page = catalog.page(URL).page
    state = PageState(base=2, time=200.0, seq=2)
    hidden = sight(2, 200.0, "small change", after=100.0, indexed=False)
    catalog.studies.record([PageStudy(page, state, (), (sight(1, 100.0, "start"), hidden))], 2)
    reading = catalog.studies.reading
    assert not list(reading.search(Wanted("small")))
    assert [life.text for life in reading.block_history(URL)] == ["start", "small change"]
    assert (reading.counts().versions, reading.counts().indexed) == (2, 1)


def test_scripts_without_spaces_are_searched(catalog):
    catalog.rebuild([capture(1)])
    page = catalog.page(URL).page
    catalog.studies.record([PageStudy(page, PageState(), (), (sight(1, 100.0, "今日は図書館が休みです"),))], 1)
    assert len(list(catalog.studies.reading.search(Wanted("図書館")))) == 1


def test_studying_anew_replaces_what_was_recorded(studied):
    page = studied.page(URL).page
    studied.studies.record([PageStudy(page, PageState(), (), (sight(1, 100.0, "only this"),), anew=True)], 4)
    reading = studied.studies.reading
    assert not list(reading.changes())
    assert [life.text for life in reading.block_history(URL)] == ["only this"]
    assert not list(reading.problems())


def test_a_round_is_recorded_whole_or_not_at_all(studied):
    page = studied.page(URL).page
    broken = Sight(9, 500.0, 600.0, None, (), True)  # type: ignore[arg-type]
    before = studied.studies.reading.state(page)
    with pytest.raises(AttributeError):
        studied.studies.record(
            [PageStudy(page, replace(before, base=77)), PageStudy(page, PageState(), (), (broken,))], 9
        )
    assert studied.studies.reading.state(page) == before
    assert studied.studies.reading.progress() == 4


def test_ratings_are_kept_by_address(studied, tmp_path):
    writer = studied.studies
    assert writer.rate(URL, ["html/body/footer", "html/body/main", "html/body/main"], "noise") == 2
    writer.rate(URL, ["html/body/main"], "matters")
    assert writer.reading.ratings(URL) == {"html/body/footer": "noise", "html/body/main": "matters"}
    other = SqliteCatalog(tmp_path / "other.db")
    other.studies.take_over(writer.reading.all_ratings())
    assert other.studies.reading.ratings(URL) == writer.reading.ratings(URL)
    other.close()
    with pytest.raises(sqlite3.Error):
        writer._connection.execute("INSERT INTO ratings VALUES (1, NULL, 'x', 'y')")


def test_a_held_page_is_asked_again_earlier(catalog):
    catalog.add([Found(URL, "page", "seed", 0, 0, 0.0, 10.0), Found(URL + "2", "page", "seed", 0, 0, 0.0, 9e9)])
    catalog.commit(Batch())
    far, near = catalog.page(URL + "2"), catalog.page(URL)
    catalog.waiting(1000.0)
    catalog.studies.record(
        [PageStudy(far.page, PageState(), again=2000.0), PageStudy(near.page, PageState(), again=2000.0)], 0
    )
    assert catalog.page(URL + "2").due == 2000.0
    assert catalog.page(URL).due == 10.0, "what is due already stays"
    assert catalog.waiting(1000.0)[0] == 1
    assert catalog.waiting(3000.0)[0] == 2
