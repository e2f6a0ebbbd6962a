"""What is checked of a month can fail: a sound record, and the same with one thing wrong."""

import copy

import pytest

from journeys.month import checks
from journeys.month.calendar import MONTH, TIMELINE, timeline

HOST = "127.0.1.1:1"


def sound():
    """A record of a whole month in which everything went well: ten requests an hour, evenly."""
    requests = [[hour + part / 10, HOST, 200, "/wire/1.html"] for hour in range(720) for part in range(10)]
    full = {"what": "reserve reached", "place": "", "begun": 372.05, "ended": 377.0, "much": 0.0}
    kept = [row for row in requests if not full["begun"] < row[0] < full["ended"]]
    return {
        "hours": 720.0,
        "hour_seconds": 4.0,
        "budget": 10,
        "pages": 1000,
        "not_tried": {},
        "requests": kept,
        "budgets": [[0.0, 10]],
        "samples": [
            {"hour": float(hour), "memory": 200.0 + hour % 3, "files": 40 + hour % 2, "processes": 3,
             "disk": 3000 * 10 * hour, "captures": 10 * hour}
            for hour in range(720)
        ],
        "starts": [0.0, 400.0],
        "endings": [[400.0, "killed", -9], [720.0, "stopped", 11]],
        "messages": [
            [372.3, "one", "alarm", "disk", "opened", "", 204],
            [377.2, "two", "alarm", "disk", "closed", "", 503],
            [377.4, "two", "alarm", "disk", "closed", "", 204],
        ],
        "alarms": [["disk", "", 1.0, 2.0, "full"]],
        "events": [full, {"what": "kill -9", "place": "", "begun": 400.0, "ended": 400.0, "much": 0.0}],
        "weeks": [{"caught": 500.0, "appeared": 1000.0, "fetches": 1700, "wasted": 100}] * 4,
        "promises_lost": [],
        "promises_looked_up": 40,
        "still_running": [],
        "verified": {"code": 0, "said": ["All sound."]},
    }  # fmt: skip


def test_a_sound_month_has_no_problems():
    record = sound()
    assert checks.broken(record) == [] and checks.trends(record) == []
    assert "2 of 2" in checks.table(record)


def one_too_many(record):
    record["requests"].append([300.55, HOST, 200, "/x"])
    record["requests"].sort()


def smaller_budget_ignored(record):
    record["budgets"].append([300.0, 5])


def told_again(record):
    record["messages"].append([378.0, "two", "alarm", "disk", "closed", "", 204])


def opened_while_open(record):
    record["messages"].insert(1, [373.0, "three", "alarm", "disk", "opened", "", 204])


def never_told(record):
    del record["messages"][0]


def no_alarm(record):
    record["messages"], record["alarms"] = [], []


def ended_by_itself(record):
    record["endings"].insert(0, [350.0, "by itself", 1])


def another_exit_code(record):
    record["endings"][-1][2] = 6


def asked_on_a_full_disk(record):
    record["requests"].append([375.0, HOST, 200, "/x"])
    record["requests"].sort()


def silent_afterwards(record):
    record["requests"] = [row for row in record["requests"] if not 399.9 < row[0] < 460.0]


def robots_ignored(record):
    record["events"].append({"what": "robots forbid", "place": HOST, "begun": 100.0, "ended": 150.0, "much": 0.0})
    record["requests"].append([140.05, HOST, 200, "/news/1.html"])
    record["requests"].sort()
    record["budgets"] = [[0.0, 11]]


def promise_broken(record):
    record["promises_lost"].append("http://127.0.1.1:1/: not in the catalog")


def orphan(record):
    record["still_running"].append(4711)


def damaged(record):
    record["verified"] = {"code": 6, "said": ["1 problem."]}


BROKEN = {
    one_too_many: "requests in the hour",
    smaller_budget_ignored: "requests in the hour",
    told_again: "came again",
    opened_while_open: "twice in a row",
    never_told: "told 0 times",
    no_alarm: "the reserve was reached",
    ended_by_itself: "by itself",
    another_exit_code: "exit code 6",
    asked_on_a_full_disk: "requests meanwhile",
    silent_afterwards: "hours of silence",
    robots_ignored: "robots.txt forbids",
    promise_broken: "lost",
    orphan: "outlived",
    damaged: "verify",
}


@pytest.mark.parametrize("wrong", BROKEN, ids=lambda one: one.__name__)
def test_what_is_wrong_is_found(wrong):
    record = copy.deepcopy(sound())
    wrong(record)
    assert any(BROKEN[wrong] in said for said in checks.broken(record))


def test_what_libcurl_sends_again_by_itself_is_told_apart():
    record = sound()
    record["requests"] += [[300.55, HOST, 0, "/x"], [300.56, HOST, 200, "/x"]]
    record["requests"].sort()
    assert len(checks.sent_again(record)) == 1
    assert checks.over_budget(record)[0][1] == 11, "it was one too many before"


def week_4(record, what, times):
    for sample in record["samples"][504:]:
        sample[what] *= times


def leak_in_a_run(record):
    for sample in record["samples"][400:]:
        sample["memory"] += 0.6 * (sample["hour"] - 400.0)


def more_disk_for_a_capture(record):
    for sample in record["samples"][504:]:
        sample["disk"] += 3000 * 10 * (sample["hour"] - 504.0)


def worse_week_4(record):
    record["weeks"] = [*record["weeks"][:3], record["weeks"][3] | {"caught": 430.0}]


TRENDS = {
    lambda record: week_4(record, "memory", 1.5): "memory: 201",
    lambda record: week_4(record, "files", 2): "open files",
    leak_in_a_run: "in the middle of the run",
    more_disk_for_a_capture: "disk",
    worse_week_4: "caught 0.500 in week 2, 0.430",
}


@pytest.mark.parametrize("wrong", TRENDS, ids=range(len(TRENDS)))
def test_what_gets_worse_from_week_to_week_is_found(wrong):
    record = copy.deepcopy(sound())
    wrong(record)
    assert any(TRENDS[wrong] in said for said in checks.trends(record))


def test_a_little_less_is_chance():
    record = sound()
    record["weeks"] = [*record["weeks"][:3], record["weeks"][3] | {"caught": 495.0}]
    assert checks.trends(record) == []


def test_the_short_form_has_every_kind_of_event_once():
    short = timeline(96, once=True)
    assert sorted(one.what for one in short) == sorted({one.what for one in TIMELINE})
    assert all(0.0 < one.hour < 96 for one in short)
    assert [one.what for one in timeline(MONTH)] == [one.what for one in TIMELINE]
