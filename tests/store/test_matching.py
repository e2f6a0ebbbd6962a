"""Searching for words in blocks: bounded work finds what a search of everything finds."""

import random
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers

from contracts.stores import found
from made.worded import DAY, fill
from servers import postgres
from strandline.core.blocks.queries import clauses
from strandline.store import matching as module
from strandline.store.catalog import DATABASE, SqliteCatalog
from strandline.store.history_rows import NUMBERS, HistoryWriter
from strandline.store.matching import Within, is_one, matching
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.store.postgres.studying import SharedHistories
from strandline.store.postgres.writing import Spelled
from strandline.store.sqlite import transaction
from strandline.store.studies import StudyReading, Wanted, full_text_match

WORDS = [f"w{number}" for number in range(12)]
QUERIES = ["w0", "w1 w2", '"w0 w1"', "w3 OR w11", "w2 -w0", "w10 w0"]
ALL = Within()


def corpus(seed, pages=30, sites=4):
    """A catalog as far as searches look at it, and the texts of its blocks by number."""
    rng = random.Random(seed)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE hosts (host INTEGER PRIMARY KEY, site TEXT, authority TEXT)")
    connection.execute("CREATE TABLE pages (page INTEGER PRIMARY KEY, host INTEGER)")
    connection.execute("CREATE VIRTUAL TABLE block_words USING fts5 (topic, label, text, content = '')")
    connection.executemany("INSERT INTO hosts VALUES (?, ?, ?)", [(n, f"s{n}", f"s{n}") for n in range(sites)])
    texts = {}
    for page in range(1, pages + 1):
        connection.execute("INSERT INTO pages VALUES (?, ?)", (page, rng.randrange(sites)))
        for number in range(rng.randrange(4)):
            words = rng.choices(WORDS, weights=[1 / (n + 1) for n in range(12)], k=rng.randrange(1, 8))
            texts[(page << NUMBERS) + number] = " ".join(words)
    connection.executemany("INSERT INTO block_words (rowid, text) VALUES (?, ?)", texts.items())
    return connection, texts


def asked(query):
    return full_text_match([("", clauses(query))]), is_one(clauses(query))


def of_all(connection, query, site=None):
    """The obvious way: everything is ordered, then narrowed."""
    found = connection.execute(
        f"""SELECT block_words.rowid, site FROM block_words JOIN pages ON page = block_words.rowid >> {NUMBERS}
        JOIN hosts USING (host) WHERE block_words MATCH ? ORDER BY rank, block_words.rowid""",
        (asked(query)[0],),
    )
    return [number for number, name in found if site in (None, name)]


@settings(max_examples=60)
@given(integers(0, 10**6), integers(0, len(QUERIES) - 1))
def test_a_search_that_may_look_at_all_matches_orders_all(seed, which):
    connection, _ = corpus(seed)
    with closing(connection):
        rows = lambda query, *values: iter(connection.execute(query, values))  # noqa: E731
        assert matching(rows, *asked(QUERIES[which]), ALL, 1000) == of_all(connection, QUERIES[which])


@pytest.mark.parametrize("few", [0, 2000], ids=["all matches are gone through", "pages are looked up"])
@pytest.mark.parametrize("query", QUERIES)
def test_a_common_word_hides_nothing_of_a_site(query, few, monkeypatch):
    """Other sites may have any number of matches: those of the site are found, up to the limit."""
    monkeypatch.setattr(module, "FEW_PAGES", few)
    narrowed = Within("? IN (site, authority)", ["s1"])
    found = 0
    for seed in range(8):
        connection, _ = corpus(seed)
        with closing(connection):
            rows = lambda query, *values: iter(connection.execute(query, values))  # noqa: B023, E731
            whole = of_all(connection, query, "s1")
            found += len(whole)
            assert matching(rows, *asked(query), narrowed, len(whole) + 1) == whole
            two = matching(rows, *asked(query), narrowed, 2)
            assert set(two) <= set(whole), "and of the pages that were found last"
            assert [n >> NUMBERS for n in sorted(two)] == [n >> NUMBERS for n in sorted(whole)[-2:]]
            monkeypatch.setattr(module, "RANKED", 0)  # more than can be ordered: found all the same
            assert set(matching(rows, *asked(query), narrowed, max(len(whole), 1))) == set(whole)
            monkeypatch.undo()
            monkeypatch.setattr(module, "FEW_PAGES", few)
    assert found, "the query finds something in one of the corpora"


def test_what_is_cut_off_are_the_pages_found_first_and_several_words_are_still_ordered():
    connection, _ = corpus(3, pages=60)
    with closing(connection):
        rows = lambda query, *values: iter(connection.execute(query, values))  # noqa: E731
        newest = sorted(of_all(connection, "w0"), reverse=True)[:5]
        assert matching(rows, *asked("w0"), ALL, 5) == newest
        last = set(sorted(of_all(connection, "w0 w1"), reverse=True)[:5])
        assert matching(rows, *asked("w0 w1"), ALL, 5) == [n for n in of_all(connection, "w0 w1") if n in last]
        assert matching(rows, *asked("w77"), ALL, 5) == []


PAGES = 40


def _story(number):
    """Every page says "tide"; every eighth of them said so long ago, and not since."""
    old = number % 8 == 0
    return [(0.0, "tide long ago" if old else "calm"), (100 * DAY, "calm now" if old else "tide and more tide")]


def _numbers(catalog):
    urls = [f"http://{'ab'[n % 2]}.example/{n}" for n in range(1, PAGES + 1)]
    catalog.add([found(url, due=0.0) for url in urls])
    return {catalog.page(url).page: _story(n) for n, url in enumerate(urls, 1)}


@pytest.fixture
def in_folder(tmp_path):
    with closing(SqliteCatalog(tmp_path / DATABASE)) as catalog:
        pages = _numbers(catalog)
        with transaction(catalog.writer):
            fill(catalog.writer, HistoryWriter(catalog.writer), pages)
    with closing(StudyReading.open(tmp_path / DATABASE)) as reading:
        yield reading


@pytest.fixture
def in_cluster():
    database = postgres.running().database()
    with closing(PostgresCatalog(database)) as catalog, closing(Session(database)) as session:
        pages = _numbers(catalog)
        session.run(lambda connection: fill(Spelled(connection), SharedHistories(Spelled(connection), 0), pages))  # type: ignore[arg-type]
        yield on_postgres(StudyReading, session)


@pytest.mark.parametrize("among", [1, 3, 1000])
def test_a_search_in_time_finds_what_stands_behind_any_number_of_matches(in_folder, among):
    assert _found_in_time(in_folder, among) == IN_TIME
    assert len([*in_folder.search(Wanted("tide"), among)]) == min(among, PAGES), "of common words some are looked at"


@postgres.GROUP
@pytest.mark.parametrize("among", [1, 3, 1000])
def test_a_cluster_finds_the_same_in_time(in_cluster, among):
    assert _found_in_time(in_cluster, among) == IN_TIME
    assert len([*in_cluster.search(Wanted("tide"), among)]) == min(among, PAGES)


EVERY = set(range(1, PAGES + 1))
OLD = set(range(8, PAGES + 1, 8))
ASKED = {
    "long ago": Wanted("tide", until=50 * DAY),
    "long ago, on a site": Wanted("tide", until=50 * DAY, site="b.example"),
    "either, long ago": Wanted("ago OR calm", since=-DAY, until=50 * DAY),
    "now": Wanted("tide", since=90 * DAY),
    "before all": Wanted("tide", until=-DAY),
    "after all": Wanted("tide", since=101 * DAY),
}
IN_TIME = dict(zip(ASKED, (OLD, set(), EVERY, EVERY - OLD, set(), set()), strict=True))


def _found_in_time(reading, among):
    """Pages found by each search, by number; each once."""
    found = {name: [int(one.url.rpartition("/")[2]) for one in reading.search(wanted, among)]
             for name, wanted in ASKED.items()}  # fmt: skip
    assert all(len(pages) == len(set(pages)) for pages in found.values())
    return {name: set(pages) for name, pages in found.items()}


@postgres.GROUP
def test_a_cluster_takes_the_pages_found_last_and_the_best_of_them_first(in_cluster):
    two = [life.url for life in in_cluster.search(Wanted("tide"), 2)]
    assert [url.rpartition("/")[2] for url in two] == ["40", "39"], "one word that is common is not ranked"
    best = [life.text for life in in_cluster.search(Wanted("tide more"), 1000)]
    assert set(best) == {"tide and more tide"}
    some = [life.url.rpartition("/")[2] for life in in_cluster.search(Wanted("tide more", site="b.example"), 3)]
    assert sorted(some) == ["35", "37", "39"]
