"""The visits of the running hour are kept with the reasons they were planned for."""

from strandline.plan.due import Due
from strandline.plan.hour_note import KIND, HourNote


def due(page, reason, moment):
    return Due(page, f"http://a.example/{page}", 0.5, reason, moment)


def test_what_is_kept_is_read_back_in_the_order_of_time():
    note = HourNote()
    note.add(7, [due(2, "later", 200.0), due(1, "first", 100.0)])
    kind, [(key, data)] = note.to_keep("a.example")
    assert (kind, key) == (KIND, "a.example")
    again = HourNote.read(data)
    assert again.hour == 7
    assert [visit.page for visit in again.visits] == [1, 2]
    assert HourNote.read(None).visits == []


def test_a_plan_made_anew_in_the_same_hour_changes_no_reason():
    note = HourNote()
    note.add(7, [due(1, "first", 100.0)])
    note.add(7, [due(1, "said otherwise", 100.0), due(3, "more", 300.0)])
    assert [(visit.page, visit.reason) for visit in note.visits] == [(1, "first"), (3, "more")]
    note.add(8, [due(4, "next hour", 400.0)])
    assert [visit.page for visit in note.visits] == [4]


def test_what_the_hour_before_did_not_come_to_is_first_in_the_next():
    """Page 1 has the last minute of every hour: there was always another plan before it came."""
    note, start = HourNote(), 8 * 3600.0
    note.add(7, [due(1, "late", start - 5.0), due(2, "made", start - 60.0)])
    planned = [due(3, "new", start + 9.0), due(2, "again", start + 50.0), due(1, "again", start + 3595.0)]
    found = note.in_time(8, start, planned, lambda page: page == 2)
    assert [(visit.page, visit.due - start) for visit in found] == [(1, 0.0), (3, 9.0), (2, 50.0)]
    note.add(8, found)
    anew = note.in_time(8, start, [due(1, "anew", start + 3595.0)], lambda page: True)
    assert [visit.due for visit in anew] == [start], "a plan made anew in this hour does not put it off again"
    assert note.in_time(10, start + 7200.0, [due(1, "", start + 9000.0)], lambda page: False)[0].due == start + 9000.0
