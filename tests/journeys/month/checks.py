"""What a month has to show, from its record alone: plain data, so that each check can be tried on a doctored one.

over_budget     no hour and no day, wherever somebody begins to look, holds more requests than the budget
alerts          every alert told once; alarms open and close in turn, those of the calendar once for each cause
memory, files   no more from week to week
disk            bytes for each capture
quality         what was caught of what appeared, week 4 against week 2
survived        after each event the watch goes on, and keeps to what it was told
"""

import itertools
import math
from bisect import bisect_left, bisect_right
from statistics import median

from journeys.month.calendar import DAY, MONTH, WEEK

_LATE = 10.0
"""Seconds within which a watch takes other settings."""
_WARM = 12.0
"""Hours after a start in which memory and files may settle."""
_GROWTH = 1.25
"""Most that memory and disk per capture may be in week 4 against week 2."""
_SLACK = 24.0
"""MiB between two weeks that are the noise of an allocator."""
_FILES = 12
"""Open files between two weeks that are connections of the moment."""
_AGAIN = 50.0
"""Hours within which whatever was in the way is found to be gone: robots.txt and failing hosts are asked again after a
day at most.
"""
_LOADING = 60.0
"""Seconds a command may take to load."""
_ARRIVING = 0.1
"""Seconds that a request may be under way for longer than another one, on a machine with other work."""
_SOON, _SOONER = 0.3, 0.4
"""Seconds, or hours where they are more, within which a request without answer is sent again: a page that failed is
asked for again hours later.
"""
_FORBIDDEN = "/news/"
_ENDS = {"stopped": (11,), "killed": (-9,)}


def weeks(record):
    """Hours at which the four weeks begin and end."""
    week = WEEK * record["hours"] / MONTH
    return [(number * week, (number + 1) * week) for number in range(4)]


def _allowed(budgets, first, last, late):
    """The largest budget that was in force at any moment of a span."""
    inside = [amount for hour, amount in budgets if first < hour <= last]
    before = [amount for hour, amount in budgets if hour <= first - late][-1:]
    between = [amount for hour, amount in budgets if first - late < hour <= first]
    return max([*inside, *before, *between])


def sent_again(record):
    """Requests that libcurl sent a second time by itself, because a connection it had kept open ended without answer:
    they come at once, for the same page. A watch cannot prevent them, and does not count them (docs/limits.md).
    """
    soon, last, found = max(_SOON / record["hour_seconds"], _SOONER), {}, []
    for row in record["requests"]:
        before = last.get(row[1])
        if before is not None and not before[2] and before[3] == row[3] and row[0] - before[0] < soon:
            found.append(row)
        last[row[1]] = row
    return found


def over_budget(record, span=1.0):
    """Hours at which a span of hours begins that holds more requests than the budget allows."""
    again = {id(row) for row in sent_again(record)}
    times = [row[0] for row in record["requests"] if id(row) not in again]
    late, found = _LATE / record["hour_seconds"], []
    surely = span - _ARRIVING / record["hour_seconds"]
    for place, start in enumerate(times):
        held = bisect_left(times, start + surely) - place
        if held > _allowed(record["budgets"], start, start + span, late) * span:
            found.append((start, held))
    return found


def _taken(record):
    """Messages the receiver said yes to."""
    return [row for row in record["messages"] if row[6] < 300]


def told_twice(record):
    """Alerts that came more than once, and alarms that opened again while open or closed again while closed."""
    seen, state, found = set(), {}, []
    for _, key, kind, alarm, event, subject, _ in _taken(record):
        if key in seen:
            found.append(f"{kind} {alarm} {subject}: {key} came again")
            continue
        seen.add(key)
        if kind == "alarm":
            if state.get((alarm, subject)) == event:
                found.append(f"alarm {alarm} {subject} {event} twice in a row")
            state[alarm, subject] = event
    return found


def not_told(record):
    """Alarms of the catalog whose opening or end nobody was told, and those of the calendar that never opened."""
    told = {}
    for _, _, kind, alarm, event, subject, _ in _taken(record):
        if kind == "alarm":
            told[alarm, subject, event] = told.get((alarm, subject, event), 0) + 1
    wanted = {}
    for kind, subject, _, closed, _ in record["alarms"]:
        for event in ("opened", "closed")[: 2 if closed is not None else 1]:
            wanted[kind, subject, event] = wanted.get((kind, subject, event), 0) + 1
    found = [
        f"{key}: told {told.get(key, 0)} times, not {count}" for key, count in wanted.items() if told.get(key) != count
    ]
    full = sum(one["what"] == "reserve reached" for one in record["events"])
    if told.get(("disk", "", "opened"), 0) < full:
        found.append(f"disk: the reserve was reached {full} times, told {told.get(('disk', '', 'opened'), 0)} times")
    return found


def _inside(samples, first, last):
    """Samples between two hours; on a machine so busy that a week of seconds went by without one, the nearest."""
    found = [one for one in samples if first <= one["hour"] < last]
    return found or [min(samples, key=lambda one: abs(one["hour"] - (first + last) / 2))]


def _settled(record, first, last):
    """Samples between two hours, without those right after a start and before the end."""
    starts = record["starts"]
    chosen = []
    for sample in record["samples"]:
        began = starts[bisect_right(starts, sample["hour"]) - 1] if starts[0] <= sample["hour"] else math.inf
        if (
            first <= sample["hour"] < last
            and sample["processes"]
            and sample["hour"] - began >= min(_WARM, last - first)
        ):
            chosen.append(sample)
    return chosen or _inside([one for one in record["samples"] if one["processes"]], first, last)


def figures(record):
    """A row for each week."""
    rows = []
    for number, (first, last) in enumerate(weeks(record), start=1):
        inside = _inside(record["samples"], first, last)
        settled = _settled(record, first, last)
        captures = inside[-1]["captures"] - inside[0]["captures"]
        caught = record["weeks"][number - 1]
        taken = [row for row in _taken(record) if first <= row[0] < last]
        twice = {row[1] for row in taken}
        events = [one for one in record["events"] if first <= one["begun"] < last]
        rows.append(
            {
                "week": number,
                "requests": bisect_left([row[0] for row in record["requests"]], last)
                - bisect_left([row[0] for row in record["requests"]], first),
                "captures": captures,
                "memory": median(one["memory"] for one in settled),
                "most_memory": max(one["memory"] for one in settled),
                "files": median(one["files"] for one in settled),
                "most_files": max(one["files"] for one in settled),
                "disk_per_capture": (inside[-1]["disk"] - inside[0]["disk"]) / max(1, captures),
                "caught": caught["caught"] / caught["appeared"] if caught["appeared"] else 1.0,
                "wasted": caught["wasted"] / max(1, caught["fetches"]),
                "over_budget_hours": len({int(hour) for hour, _ in over_budget(record) if first <= hour < last}),
                "told": len(taken),
                "duplicated": len(taken) - len(twice),
                "events": len(events),
                "survived": sum(not one for one in (troubles(record, one) for one in events)),
            }
        )
    return rows


def growing(record):
    """What is more in week 4 than in week 2: memory, open files, bytes for each capture."""
    _, second, _, fourth = figures(record)
    found = []
    if fourth["memory"] > _GROWTH * second["memory"] + _SLACK:
        found.append(f"memory: {second['memory']:.0f} MiB in week 2, {fourth['memory']:.0f} in week 4")
    if fourth["files"] > second["files"] + _FILES:
        found.append(f"open files: {second['files']:.0f} in week 2, {fourth['files']:.0f} in week 4")
    if fourth["disk_per_capture"] > _GROWTH * second["disk_per_capture"] + 512:
        found.append(
            f"disk: {second['disk_per_capture']:.0f} bytes a capture in week 2, "
            f"{fourth['disk_per_capture']:.0f} in week 4"
        )
    return found


def leaking(record, least=48.0):
    """Runs of a watch of many hours whose memory or files grew from their second third to their last."""
    found, starts = [], [*record["starts"], record["hours"] + 1.0]
    for begun, ended in itertools.pairwise(starts):
        run = [one for one in record["samples"] if begun + _WARM <= one["hour"] < ended and one["processes"]]
        if ended - begun < least or len(run) < 12:
            continue
        third = len(run) // 3
        for what, slack in (("memory", _SLACK / 2), ("files", _FILES)):
            middle, last = (median(one[what] for one in part) for part in (run[third : 2 * third], run[-third:]))
            if last > 1.1 * middle + slack:
                found.append(
                    f"{what}: {middle:.0f} in the middle of the run from hour {begun:.0f}, {last:.0f} at its end"
                )
    return found


def worse(record):
    """Whether week 4 caught less than week 2, beyond what chance does to as many versions."""
    _, second, _, fourth = record["weeks"]
    shares = [one["caught"] / one["appeared"] for one in (second, fourth)]
    # A version weighs about a third: so many were there to be caught.
    chances = zip(shares, (second, fourth), strict=True)
    spread = math.sqrt(sum(share * (1 - share) / max(1.0, 3 * one["appeared"]) for share, one in chances))
    if shares[1] < shares[0] - 2.0 * spread:
        return [f"caught {shares[0]:.3f} in week 2, {shares[1]:.3f} in week 4 (chance: {spread:.3f})"]
    return []


def troubles(record, event):
    """What went wrong after an event; empty when it was survived."""
    requests, patience = record["requests"], _AGAIN
    about = [row for row in requests if not event["place"] or row[1] == event["place"]]
    answered = [row[0] for row in about if row[2] in (200, 304, 404) and row[3] != "/robots.txt"]
    place = bisect_left(answered, event["ended"])
    left, found, which = record["hours"] - event["ended"], [], f"{event['what']} at hour {event['begun']:.0f}"
    if place == len(answered) and left > patience:
        found.append(f"{which}: nothing was fetched afterwards")
    elif place < len(answered) and answered[place] - event["ended"] > patience:
        found.append(f"{which}: {answered[place] - event['ended']:.0f} hours of silence")
    if event["what"] == "robots forbid":
        asked = [row[0] for row in about if row[3].startswith(_FORBIDDEN)]
        against = [hour for hour in asked if event["begun"] + DAY + 2.0 < hour < event["ended"]]
        if against:
            found.append(f"robots.txt forbids it since hour {event['begun']:.0f}: asked at hour {against[0]:.0f}")
    if event["what"] in ("reserve reached", "disk full"):
        during = [row for row in requests if event["begun"] + 3.0 / record["hour_seconds"] < row[0] < event["ended"]]
        if during:
            found.append(f"{which}: {len(during)} requests meanwhile")
    return found


def ends(record):
    """Watches that ended in a way nobody asked for: by themselves without a full disk, or with another exit code."""
    found = []
    full = [(one["begun"], one["ended"] + 2.0) for one in record["events"] if one["what"] == "disk full"]
    for hour, how, code in record["endings"]:
        if how == "by itself":
            if not (code == 3 and any(first <= hour <= last for first, last in full)):
                found.append(f"the watch ended by itself at hour {hour:.1f} with exit code {code}")
        elif code == -15 and any(0 <= hour - start < _LOADING / record["hour_seconds"] for start in record["starts"]):
            continue  # it was still loading: nothing was begun
        elif code not in _ENDS[how]:
            found.append(f"the watch was {how} at hour {hour:.1f} and ended with exit code {code}")
    return found


def broken(record):
    """Promises that were not kept, whatever the length of the month."""
    found = [f"{held} requests in the hour from {hour:.2f}" for hour, held in over_budget(record)[:5]]
    found += [f"{held} requests in the day from {hour:.2f}" for hour, held in over_budget(record, DAY)[:5]]
    found += told_twice(record) + not_told(record) + ends(record)
    found += [said for event in record["events"] for said in troubles(record, event)]
    found += [f"lost: {one}" for one in record["promises_lost"][:5]]
    found += [f"process {pid} outlived its watch" for pid in record["still_running"]]
    if record["verified"]["code"]:
        found += [f"verify: {line}" for line in record["verified"]["said"]]
    return found


def trends(record):
    """What gets worse from week to week; a short month cannot show it."""
    return growing(record) + leaking(record) + worse(record)


_COLUMNS = {
    "week": "{week}",
    "requests": "{requests}",
    "captures": "{captures}",
    "MiB (most)": "{memory:.0f} ({most_memory:.0f})",
    "files (most)": "{files:.0f} ({most_files})",
    "bytes/capture": "{disk_per_capture:.0f}",
    "caught": "{caught:.3f}",
    "wasted": "{wasted:.2f}",
    "hours over": "{over_budget_hours}",
    "told": "{told}",
    "twice": "{duplicated}",
    "survived": "{survived} of {events}",
}


def table(record):
    """The figures, for people."""
    lines = [
        f"{record['hours']:.0f} hours of {record['hour_seconds']:g} s, {record['pages']} pages, "
        f"{record['budget']} requests an hour; {len(record['requests'])} requests, "
        f"{len(sent_again(record))} of them sent again by libcurl; {record['samples'][-1]['captures']} captures, "
        f"{len(record['starts'])} starts, {record['promises_looked_up']} promises looked up"
    ]
    cells = [list(_COLUMNS), *([form.format(**row) for form in _COLUMNS.values()] for row in figures(record))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines += ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells]
    lines += [f"not tried: {what} ({why})" for what, why in record["not_tried"].items()]
    return "\n".join(lines)
