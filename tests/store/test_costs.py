"""What sites cost and yield, against the captures and changes themselves."""

import sqlite3
import time
from contextlib import closing

from made.two_sites import SITES, VISITS, folder
from strandline.store.alarming import AlarmReading
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.costs import CostReading

__all__ = ["folder"]


WITHOUT_PRESENT = """DROP TABLE present_pages; DROP TRIGGER present_added; DROP TRIGGER present_removed;
    DROP TRIGGER present_changed; DROP INDEX pages_failed; DROP INDEX pages_in_vain; PRAGMA user_version = 15;"""


def test_costs_are_those_of_the_captures(folder):
    captures = list(folder.everything.all_captures())
    now = max(one.time for one in captures) + 1.0
    today = int(now // 86_400)
    costs = CostReading.open(folder.folder / DATABASE)
    for week in range(2):
        within = [one for one in captures if (today - int(one.time // 86_400)) // 7 == week]
        assert within or week
        found = [one for one in costs.site_weeks(now, 2) if one.week == week]
        assert sum(one.requests for one in found) == len(within)
        assert sum(one.octets for one in found) == sum(one.place.length for one in within)
        assert sum(one.unchanged for one in found) == sum(one.revisit for one in within)
    assert len(captures) == 2 * 4 * VISITS
    total = sum(one.changes for one in costs.site_weeks(now, 520))
    assert total == sum(1 for one in folder.studies.changes() if one.visible) > 0
    only = list(costs.site_weeks(now, 520, "news.example"))
    assert {one.site for one in only} == {"news.example"} and SITES[0].endswith("news.example")


def test_days_are_counted_in_an_archive_that_did_not_count_them(folder):
    """Format 14 knew no bytes of days."""
    path = folder.folder / DATABASE
    before = list(CostReading.open(path).site_weeks(time.time(), 520))
    assert before and all(one.octets for one in before)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"""{WITHOUT_PRESENT} DROP TRIGGER captures_counted; DROP TRIGGER captures_replaced; DROP INDEX pages_begun;
            ALTER TABLE host_days DROP COLUMN octets; CREATE TRIGGER captures_counted AFTER INSERT ON captures BEGIN
                SELECT 1; END; PRAGMA user_version = 14"""
        )
    open_catalog(folder.folder).close()
    assert list(CostReading.open(path).site_weeks(time.time(), 520)) == before


def test_pages_that_are_there_are_counted_in_an_archive_that_did_not_count_them(folder):
    """Format 15 looked at every page."""
    path = folder.folder / DATABASE
    with closing(AlarmReading.open(path)) as alarms:
        before = alarms.present()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(WITHOUT_PRESENT)
    open_catalog(folder.folder).close()
    with closing(AlarmReading.open(path)) as alarms, closing(sqlite3.connect(path)) as connection:
        assert alarms.present() == before and sum(before.values()) > 0
        connection.execute("UPDATE pages SET evidence = 'absent' WHERE page % 2 = 0")
        connection.execute("UPDATE pages SET kind = 'part' WHERE page % 3 = 0")
        connection.execute("DELETE FROM pages WHERE page % 5 = 0")
        connection.execute(
            "INSERT INTO pages (key, url, host, kind, via, hops, state, priority, due, evidence) "
            "SELECT key + 1, url || 'x', host, kind, via, hops, state, priority, due, evidence FROM pages"
        )
        connection.commit()
        counted = connection.execute(
            """SELECT site, count(*) FROM pages JOIN hosts USING (host)
               WHERE kind = 'page' AND evidence = 'present' GROUP BY site"""
        )
        assert alarms.present() == dict(counted.fetchall()) != before
