"""What people look at: counts that triggers keep, directories by jumping, lists that say where they go on.

Every store answers: a folder, and the same archive moved to PostgreSQL and studied there.
"""

import contextlib
import sqlite3
from collections import Counter
from urllib.parse import urlsplit

import pytest

from contracts.stores import EACH
from servers import postgres
from strandline.cluster.archive import open_shared
from strandline.cluster.migrating import to_cluster
from strandline.core.urls import surt_key
from strandline.python_archive import create_folder as create
from strandline.store import browsing
from strandline.store.browsing import BrowsingReading, ChangesWanted
from strandline.store.catalog import DATABASE
from strandline.store.narrowing import Narrow
from strandline.store.studies import Wanted
from strandline.study.pending import relearn, study

DAY = 86_400.0
START = 20_454 * DAY
PATHS = ["/", "/about", "/news/a", "/news/b?x=1", "/news/b?x=2", "/news/deep/c", "/news-old/d", "/zoo/e/f/g"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = create(tmp_path_factory.mktemp("browsing") / "archive")
    lines = []
    for visit in range(6):
        for number, path in enumerate(PATHS):
            words = " ".join(f"word{number}x{visit if number % 2 else 0}n{k}" for k in range(30))
            time = START + visit * DAY / 2 + number
            html = f"<h1>Topic{number}</h1><p>{words}</p><p>steady harbour text</p>"
            lines.append(f'{{"url": "http://site.test{path}", "time": {time}, "html": "{html}"}}\n')
    lines.append(f'{{"url": "https://other.test/", "time": {START}, "html": "<p>once</p>"}}\n')
    file = made.folder.parent / "versions.jsonl"
    file.write_text("".join(lines))
    made.bring_in(file)
    return made


@pytest.fixture(scope="module", params=EACH)
def archive(request, folder, tmp_path_factory):
    if request.param == "sqlite":
        yield folder
        return
    database = postgres.running().database()
    to_cluster(folder.folder, database, tmp_path_factory.mktemp("store").as_uri(), lambda _: None)
    with contextlib.closing(open_shared(database)) as moved:
        study(moved)
        yield moved


@pytest.fixture
def reading(archive):
    found = BrowsingReading.open(archive.folder / DATABASE)
    yield found
    found.close()


def test_only_changes_that_are_kept_are_counted(archive, reading, tmp_path):
    """The number of the last row was told: that of changes which were taken back, or which nobody sees, stays."""
    before = reading.totals()["changes"]
    assert before == sum(change.visible for change in archive.studies.changes()) > 0
    if not (archive.folder / DATABASE).exists():
        return  # the same statement, and triggers of its own: test_days_are_what_counting_gives
    copy = tmp_path / DATABASE
    with contextlib.closing(sqlite3.connect(archive.folder / DATABASE)) as kept:
        kept.execute("VACUUM INTO ?", (str(copy),))
    with contextlib.closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DELETE FROM changes WHERE change = (SELECT min(change) FROM changes WHERE visible)")
    with contextlib.closing(BrowsingReading.open(copy)) as less:
        assert less.totals()["changes"] == before - 1


def test_days_are_what_counting_gives(archive, reading):
    def counted():
        days = Counter(int(capture.time / DAY) for capture in archive.reading.all_captures() if "site" in capture.url)
        changes = [change for change in archive.studies.changes("site.test") if change.visible]
        for day in reading.days("site.test"):
            of_day = [change for change in changes if int(change.by / DAY) == day.day]
            assert day.captures == days[day.day]
            assert day.changes == len(of_day)
            assert day.important == sum(change.importance >= 0.1 for change in of_day)
            assert day.importance == pytest.approx(sum(change.importance for change in of_day))
        assert sum(day.captures for day in reading.days()) == sum(days.values()) + 1
        return sum(day.changes for day in reading.days("site.test"))

    before = counted()
    assert before >= 20
    relearn(archive, "http://site.test/about")  # takes its changes back and finds them again
    assert counted() == before
    assert reading.days("site.test", since=START + DAY, until=START + DAY)[0].day == 20_455
    assert reading.days("nowhere.test") == []


def test_branches_are_the_directories(reading):
    [(host, low, _)] = reading.spans("site.test")
    assert host == "site.test"
    top = {one.name: one for one in reading.branches(low)}
    assert {name: (one.pages, one.folder) for name, one in top.items()} == {
        "": (1, False),
        "about": (1, False),
        "news": (4, True),
        "news-old": (1, True),
        "zoo": (1, True),
    }
    assert top["about"].changes == 5 and 0 < top["about"].importance <= 1 and top[""].changes == 0
    news = {one.name: (one.pages, one.folder) for one in reading.branches(top["news"].key + "/")}
    assert news == {"a": (1, False), "b": (2, False), "deep": (1, True)}
    assert urlsplit(top["zoo"].url).path == "/zoo/e/f/g"
    assert [one.name for one in reading.branches(low, limit=2)] == ["", "about"]


def test_changes_go_on_where_they_were_left(archive, reading, monkeypatch):
    expected = [c.change for c in archive.studies.changes("site.test", min_importance=0.05) if c.visible]
    for scanned, few in ((browsing.SCANNED, 0), (7, 0), (7, browsing.FEW)):
        monkeypatch.setattr(browsing, "SCANNED", scanned)
        monkeypatch.setattr(browsing, "FEW", few)
        found, wanted = [], ChangesWanted(site="site.test", min_importance=0.05)
        for _ in range(100):
            page, more = reading.latest_changes(wanted, 4)
            found += [change.change for change in page]
            if more is None:
                break
            wanted = ChangesWanted("site.test", until=more[0], min_importance=0.05, below=more[1])
        assert sorted(found) == sorted(expected) and len(set(found)) == len(found)
    assert reading.latest_changes(ChangesWanted(since=START + 900 * DAY), 5) == ([], None)


def test_one_page(reading):
    pages = reading.page_numbers("https://www.site.test/about")
    assert len(pages) == 1
    first, last, count = reading.capture_span(pages)
    assert (first, last, count) == (START + 1, START + 2.5 * DAY + 1, 6)
    assert {day: found[0] for day, found in reading.capture_days(pages, 0, 1e12).items()} == {
        20_454: 2,
        20_455: 2,
        20_456: 2,
    }
    rows = reading.change_rows(pages, 0, 1e12, 100)
    assert len(rows) == 5 and rows[0].by > rows[-1].by
    for least in (0.0, 0.01):
        times = [row.by for row in rows if row.importance >= least]
        before, after = reading.important_beside(pages, START + DAY + 1, least)
        assert before == max((time for time in times if time < START + DAY + 1), default=None)
        assert after == min((time for time in times if time > START + DAY + 1.9995), default=None)
    assert reading.important_beside(pages, START, 2.0) == (None, None)
    assert [capture.time for capture in reading.shown_captures(pages, START + DAY, 9)] == [
        START + DAY / 2 + 1,
        START + 1,
    ]
    lives = reading.block_lives(pages[0], 100)
    assert any(life.gone is None for life in lives) and any(life.gone is not None for life in lives)
    assert reading.capture_span([]) is None and reading.change_rows([], 0, 1, 1) == []


def test_lists_and_search(reading, monkeypatch):
    found, more = reading.found_pages("/news", 0, 3)
    assert found[0].url == "http://site.test/news/a" and more == found[-1].page
    rest, more = reading.found_pages("/news", more, 30)
    assert len(rest) == 2 and more is None
    assert reading.found_pages("100%_", 0, 3) == ([], None)
    monkeypatch.setattr(browsing, "SCANNED", 0)
    assert reading.found_pages("/news", 0, 3)[1] == 0
    low, high = "test,site)/", "test,site)0"
    assert [row.surt for row in reading.listed_pages(low, high, 2)] == ["test,site)/about", "test,site)/news-old/d"]
    assert {life.url for life in reading.search_blocks(Wanted(words="steady harbour"), 50)} >= {
        "http://site.test/about"
    }
    assert reading.search_blocks(Wanted(topic="topic3"), 50)[0].url == "http://site.test/news/b?x=1"
    everywhere = reading.search_blocks(Wanted(words="harbour"), 50)
    monkeypatch.setattr(browsing, "MATCHES", 1)  # a word with more matches than are looked at hides nothing elsewhere
    for url in {life.url for life in everywhere}:
        there = Wanted(words="harbour", narrow=Narrow(((surt_key(url), surt_key(url) + "\0"),)))
        assert [life.url for life in reading.search_blocks(there, 50)][:1] == [url]
    assert reading.search_blocks(Wanted(words="harbour", until=1.0), 5) == []
    assert (
        reading.search_blocks(Wanted(words="harbour", site="other.test"), 5) == [] == reading.search_blocks(Wanted(), 5)
    )


def test_sites_and_totals(reading):
    assert [row.name for row in reading.listed_sites(10)] == ["site.test", "other.test"]
    assert [row.name for row in reading.listed_sites(10, like="other")] == ["other.test"]
    assert reading.site_row("site.test").captures == 48 and reading.site_row("none.test") is None
    assert reading.totals()["captures"] == 49 and reading.mark() == (49, 49)
    assert (
        len(reading.new_pages("site.test", START, 50)) == 8 and reading.new_pages("site.test", START + 9 * DAY, 5) == []
    )
    assert reading.gone_pages("", 0, 5) == []
