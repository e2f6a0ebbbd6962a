"""Times that are appointed, told from clocks at the first comparison."""

import pytest

from strandline.core.changes.page.appointed import is_appointment, is_of_timetable, is_tabled, minutes_of

STOPS = ["Line 4", "Mill", "8:15", "Quay", "8:22", "Fort", "8:31"]


def with_time(texts, place, time):
    return [*texts[:place], time, *texts[place + 1 :]]


def test_a_time_of_a_timetable_is_another():
    assert is_of_timetable(STOPS, with_time(STOPS, 4, "8:27"), "8:22", "8:27", False)


def test_clocks_of_the_world_move_together():
    old, new = (
        ["London", "10:15", "Paris", "11:15", "Lima", "5:15"],
        ["London", "10:17", "Paris", "11:17", "Lima", "5:17"],
    )
    assert not is_of_timetable(old, new, "10:15", "10:17", False)


def test_a_clock_beside_a_timetable_is_out_of_step():
    old = [*STOPS, "10:15"]
    assert not is_of_timetable(old, with_time(old, 7, "10:17"), "10:15", "10:17", False)


def test_in_a_log_the_latest_comes_first():
    old = ["ann", "10:15", "bob", "9:40", "cid", "8:13"]
    assert not is_of_timetable(old, with_time(old, 1, "10:35"), "10:15", "10:35", False)
    pushed = ["dan", "10:35", "ann", "10:15", "bob", "9:40"]
    assert not is_of_timetable(old, pushed, "8:13", "10:35", False)


def test_in_lists_of_links_only_round_times_are_appointed():
    old = ["Faust", "20:00", "Lear", "20:30", "Medea", "21:00"]
    assert is_of_timetable(old, with_time(old, 3, "18:30"), "20:30", "18:30", True)
    assert not is_of_timetable(old, with_time(old, 3, "18:31"), "20:30", "18:31", True)


def test_what_has_other_places_is_not_judged():
    assert not is_of_timetable(STOPS, [*STOPS, "more"], "8:22", "8:27", False)
    assert not is_of_timetable([], [], "8:22", "8:27", False)


@pytest.mark.parametrize(
    ("before", "after", "appointed"),
    [
        ("The council meets at 19:30.", "The council meets at 18:00.", True),
        ("Die Sitzung beginnt um 19:30 Uhr im Saal.", "Die Sitzung beginnt um 18:00 Uhr im Saal.", False),
        ("Das Konzert beginnt um 19:30 Uhr im Saal.", "Das Konzert beginnt um 18:00 Uhr im Saal.", True),
        ("The water was measured at 19:30.", "The water was measured at 19:40.", False),
        ("Your next bus leaves at 10:15", "Your next bus leaves at 10:30", False),
        ("It is now past 10:17 here", "It is now past 10:18 here", False),
        ("At 10:15", "At 10:30", False),
        ("The file was made at 10:15:03", "The file was made at 10:20:05", False),
    ],
)
def test_sentences_that_appoint_a_time(before, after, appointed):
    """A German session may be a meeting or a login: it stays with the second."""
    assert is_appointment(before, after) is appointed


def test_times_in_minutes():
    assert minutes_of("from 8:15 to 13h05, 1.5 h") == [495, 785]


def test_dates_of_a_table():
    assert is_tabled(["Opens", "12 May 2026", "Ends", "14 May 2026"], "14 May 2026")
    assert not is_tabled(["News", "Updated", "14 May 2026"], "14 May 2026"), "that of the page itself"
