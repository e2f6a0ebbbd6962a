"""The catalog after an erasure: as if the captures had never been there."""

from contextlib import closing
from dataclasses import replace

from made.studied import made_up
from strandline.core.keeping.takedowns import target_of
from strandline.store.browsing import BrowsingReading
from strandline.store.catalog import DATABASE, SqliteCatalog
from strandline.store.erasing import CatalogEraser, captures_of, referring_to, to_study_again


def _erase(folder, *targets):
    chosen = [target_of(target) for target in targets]
    with closing(SqliteCatalog(folder / DATABASE)) as catalog:
        eraser = CatalogEraser(catalog)
        gone = [capture for target in chosen for _, capture in captures_of(catalog.writer, target)]
        pages = eraser.erase([(one.place.file, one.place.offset) for one in gone], chosen)
        again = to_study_again(catalog.writer)
        eraser.sweep()
    return gone, pages, again


def _counted(reading):
    """Counts per site that are kept, and the same counted from the captures."""
    kept = {row.name: (row.captures, row.first, row.last) for row in reading.sites()}
    told: dict = {}
    query = """SELECT site, count(*), min(time), max(time) FROM captures JOIN pages USING (page) JOIN hosts USING (host)
        GROUP BY site"""
    for site, *facts in reading._rows(query):
        told[site] = tuple(facts)
    days = sum(day.captures for day in reading.days())
    return kept, told, days


def _days(reading):
    """Unchanged, errors and bytes of all days, kept and counted."""
    kept = reading._row("SELECT sum(unchanged), sum(errors), sum(octets) FROM host_days")
    return kept, reading._row("SELECT sum(revisit <> 0), sum(status >= 400), sum(length) FROM captures")


def test_a_revisit_made_whole_counts_as_what_it_is_now(tmp_path):
    folder = tmp_path / "archive"
    made_up(folder, pages=6, count=300)
    with closing(SqliteCatalog(folder / DATABASE)) as catalog:
        revisit = next(one for one in catalog.reading.all_captures() if one.revisit)
        place = replace(revisit.place, offset=revisit.place.offset + 1, length=revisit.place.length + 777)
        whole = replace(revisit, place=place, revisit=False, original=None)
        CatalogEraser(catalog).replace([((revisit.place.file, revisit.place.offset), whole)])
        kept, counted = _days(catalog.reading)
        assert kept == counted


def test_counts_agree_with_what_is_left(tmp_path):
    folder = tmp_path / "archive"
    made_up(folder, pages=6, count=300)
    with closing(BrowsingReading.open(folder / DATABASE, everything=True)) as reading:
        urls = sorted({row.url for row in reading.pages() if row.captures > 3 and row.kind == "page"})
        total = reading.count()
    gone, pages, _ = _erase(folder, *urls[:2])
    assert len(gone) > 6
    with closing(BrowsingReading.open(folder / DATABASE, everything=True)) as reading:
        kept, told, days = _counted(reading)
        assert {site: facts for site, facts in kept.items() if facts[0]} == told
        assert reading.count() == days == total - len(gone)
        assert _days(reading)[0] == _days(reading)[1]
        for url in urls[:2]:
            row = reading.page(url)
            assert (row.captures, row.due) == (0, float("inf"))
            assert reading.captures(url) == []
        assert not {change.url for change in reading.changes()} & set(urls[:2])
    assert _erase(folder, *urls[:2])[0] == []
    assert pages


def test_a_page_of_which_something_is_left_waits_to_be_studied_again(tmp_path):
    folder = tmp_path / "archive"
    made_up(folder, pages=6, count=300)
    with closing(BrowsingReading.open(folder / DATABASE, everything=True)) as reading:
        change = next(iter(reading.changes()))
        capture = reading.captures(change.url)[0]
    from strandline.access.timestamps import timestamp

    gone, pages, again = _erase(folder, f"{timestamp(capture.time)}/{change.url}")
    assert len(gone) >= 1
    assert [page for page, _, _ in again] == pages
    with closing(BrowsingReading.open(folder / DATABASE, everything=True)) as reading:
        assert reading.page(change.url).captures == len(reading.captures(change.url)) > 0
        assert change.url not in {one.url for one in reading.changes()}


def test_revisits_of_a_content_are_found(tmp_path):
    folder = tmp_path / "archive"
    made_up(folder, pages=6, count=300)
    with closing(SqliteCatalog(folder / DATABASE)) as catalog:
        revisits = [one for one in catalog.reading.all_captures() if one.revisit]
        found = [capture for _, capture in referring_to(catalog.writer, {revisits[0].digest})]
        assert revisits[0] in found
        assert all(one.digest == revisits[0].digest or one.original.digest == revisits[0].digest for one in found)
