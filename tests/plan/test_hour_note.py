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
