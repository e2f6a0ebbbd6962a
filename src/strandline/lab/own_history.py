"""An archive's own history as a world to simulate in: every change it saw, where its captures put it.

A capture only says that a page changed since the one before. The change is placed at a trusted time when there is one
(a feed or sitemap that agrees with the captures), else in the middle of the interval. Two changes between two captures
are one, so a history watched daily says nothing about what hourly visits would catch. Archives whose pages were seen
less than twice a day on average are simulated in days, others in hours. Hours are those of the archive's own watch,
however long they last (`watch --hour-seconds`), and what counts begins with its first capture: periods of a world begin
on a Monday, and nobody knows what happened between that and the first capture.
"""

import time
from dataclasses import replace

import numpy as np

from strandline.archive.folder import Archive
from strandline.errors import UsageError
from strandline.lab.simulate.traces import Change, TraceOptions, trace_world
from strandline.lab.simulate.world import World
from strandline.learn.known_pages import HOUR, MONDAY
from strandline.plan.planning import Planning

_WEEK = 168.0
OFTEN = 16.0
"""Median hours between captures from which on a period is a day."""


def archive_world(archive: Archive) -> World:
    """The world of an archive; UsageError when it saw no change yet."""
    planning = Planning(archive, time.time())
    past, pages = planning.past, planning.pages
    order = np.lexsort((past.time, past.row))
    row, seen = past.row[order], past.time[order]
    again = np.concatenate([[False], np.diff(row) == 0])[: len(row)]
    before = np.concatenate([[np.nan], seen[:-1]])[: len(row)]
    found = past.changed[order] & again
    if not found.any():
        raise UsageError(f"{archive.folder}: no page was seen to change yet, so there is no history to simulate")
    told = past.last_change[order]
    moment = np.where(np.isnan(told), (before + seen) / 2.0, told)
    gap = float(np.median((seen - before)[again]))
    period = 1.0 if gap < OFTEN else 24.0
    changes = [
        Change(pages[page].url, MONDAY + HOUR * when, min(max(importance, 0.0), 1.0))
        for page, when, importance in zip(
            row[found].tolist(), moment[found].tolist(), past.importance[order][found].tolist(), strict=True
        )
    ]
    watched = sorted(set(row.tolist()))
    shift = float(np.median([pages[page].shift for page in watched]))
    weights = {pages[page].url: float(planning.facts.weight[page]) for page in watched}
    # Names the state of the archive: results kept for another state are not taken for this one's.
    name = f"{archive.folder.name}-{planning.reading.last_capture()[0]}"
    monday = np.floor((float(moment[found].min()) + shift) / _WEEK) * _WEEK
    first = max(0.0, float(seen.min()) + shift - monday) / _WEEK
    options = TraceOptions(period, learning_weeks=first, zone_seconds=HOUR * shift)
    world, wishes = trace_world(name, changes, weights, options), planning.wishes
    aim = {page.url: wishes.aim_of(page) for page in pages}
    own = np.array([aim[url] for url in world.urls], dtype=np.int64)
    return replace(world, aim=own, aims=tuple(one.objective for one in wishes.aims))
