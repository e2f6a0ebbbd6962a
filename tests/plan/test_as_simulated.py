"""What simulations promise an archive has: the plan of a watch, with its hours, filters and default settings, catches
as much of real histories as the plan that is simulated.
"""

import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from strandline.core.plan.budget import Allowance
from strandline.lab.simulate.grid import Request, simulate
from strandline.lab.simulate.run import Archive, Web, measure
from strandline.lab.simulate.signals import SignalQuality, signals_of
from strandline.lab.simulate.trace_sources import news_world, slow_world
from strandline.lab.simulate.traces import Change, TraceOptions, trace_world
from strandline.lab.simulate.world import Recipe, synthetic_world
from strandline.learn.experience import history, learn
from strandline.learn.known_pages import HOUR, Hours, Known
from strandline.plan.archive_plan import RECENT
from strandline.plan.next_visits import Planner
from strandline.plan.outlook import Outlook, Thrift
from strandline.plan.wishes import Wishes
from strandline.settings.schema import PlanSettings
from strandline.store.studies import Seen

DATA = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
PLAN = "priced-plan"


def as_an_archive_names_them(url):
    return url.removesuffix("index.html")


def slow_sites(*sites):
    """Pages of some sites that change once in months, periods of a day."""
    whole = slow_world(DATA)
    wanted = [url.split("/")[2] in sites for url in whole.urls]
    changes = [
        Change(as_an_archive_names_them(whole.urls[page]), time * 24 * HOUR, 1.0)
        for page, time in zip(whole.page_of_change.tolist(), whole.time.tolist(), strict=True)
        if wanted[page]
    ]
    pages = {as_an_archive_names_them(url): 1.0 for url, there in zip(whole.urls, wanted, strict=True) if there}
    return trace_world(" and ".join(sites), changes, pages, TraceOptions(24.0, 4.0))


def urls_of(world):
    """Its addresses; those of a world that is made up have none."""
    return world.urls or [f"http://{site}.example/{row}" for row, site in enumerate(world.site.tolist())]


def watched(world, allowance, told=None):
    """The archive of a watch that begins with a capture of each page; its sites, asked every hour, say what is told."""
    hours, settings, length = Hours(0.0), PlanSettings(), world.period_hours
    learned = learn([], history([], [], hours), hours)
    planner = Planner(
        [], learned, Wishes(allowance, objective="pool", pause=0.0), lambda: history([], [], hours)
    )  # fmt: skip
    plan = Outlook(planner, learned, Thrift(settings.least_chance, settings.look_after / HOUR))
    pages = [
        Known(row, url, url.split("/")[2], url.split("/")[2], weight=float(world.weight[row]))
        for row, url in enumerate(urls_of(world))
    ]
    plan.grow(pages)
    web, made, spent = Web(world), [], defaultdict(int)

    def capture(rows, times):
        found = web.capture(np.asarray(rows, dtype=np.int64), np.asarray(times, dtype=np.float64) / length)
        made.append(found)
        seen = [
            Seen(page.page, page.url, page.site, time * HOUR, 200, change, weight, weight, False, False)
            for page, time, change, weight in zip(
                (pages[row] for row in rows), times, found.changed.tolist(), found.importance.tolist(), strict=True
            )
        ]
        plan.relive(seen, (), RECENT * HOUR)
        plan.observe(seen)

    capture(range(len(world)), [0.0] * len(world))
    for hour in range(1, int(world.periods * length)):
        if told is not None:
            for row, time in zip(*(column.tolist() for column in told.between(hour - 1.0, hour)), strict=True):
                plan.tell(row, time * HOUR, hour * HOUR, "feed")
            for site in {page.site for page in pages}:
                plan.claims.read(site, "feed", hour * HOUR)
        span = hour // allowance.hours
        left = allowance.whole(span * int(allowance.hours), hour + 1) - spent[span]
        visits = sorted(plan.plan(hour, left), key=lambda due: due.due) if left > 0 else []
        spent[span] += len(visits)
        capture([due.page for due in visits], [due.due / HOUR for due in visits])
    return Archive(*(np.concatenate([getattr(one, name) for one in made]) for name in ("row", "time", "changed")))


def both(world, visits):
    """Part of the changes caught by a watch, and by the simulated plan, with so many visits a period."""
    archive = watched(world, Allowance(visits, world.period_hours))
    assert len(archive.page) <= len(world) + visits * world.periods, "no more than the budget"
    request = Request(strategies=(PLAN,), budgets=(100.0 * visits / len(world),), objectives=("pool",), bounds=False)
    [simulated] = simulate(world, request)
    return measure(world, archive, queries=0).pool, simulated.pool


@pytest.mark.skipif(not (DATA / "histories").exists(), reason="no histories beside the checkout")
def test_on_pages_that_change_once_in_months():
    world = slow_sites("flink", "rubylang")
    found, simulated = both(world, round(len(world) / 20))
    print(f"{world.name}, 5 % a day: watch {found:.3f}, simulated {simulated:.3f}")
    assert found >= simulated - 0.02


@pytest.mark.skipif(
    not (DATA / "pages" / "news_items_dev.jsonl.xz").exists(), reason="no news data beside the checkout"
)
def test_on_pages_that_change_many_times_a_day():
    found, simulated = both(news_world(DATA), 5)
    print(f"news, 5 an hour: watch {found:.3f}, simulated {simulated:.3f}")
    assert found >= simulated - 0.02


@pytest.mark.parametrize(("recall", "precision"), [(0.5, 0.5), (0.9, 0.9), (1.0, 1.0)])
def test_on_busy_pages_of_sites_that_say_what_changed(recall, precision, deaf):
    """More is told than can be visited: who goes wherever something was told has less than who hears nothing."""
    quality, budget = SignalQuality(recall, precision), Allowance(BUSY.visits, 1.0)
    found = measure(BUSY.world, watched(BUSY.world, budget, signals_of(BUSY.world, quality)), queries=0).pool
    names = ("priced-plan-heeding", "greedy-ncis-learned")
    request = Request(
        strategies=names, budgets=(5.0,), objectives=("pool",), bounds=False, known=False, signals=quality
    )
    simulated, rival = (one.pool for one in simulate(BUSY.world, request))
    print(f"{recall:.0%}, {precision:.0%}: {found:.3f} (deaf {deaf:.3f}), simulated {simulated:.3f}, {rival:.3f}")
    assert found >= deaf + 0.005
    assert found >= simulated - 0.02 and found >= rival - 0.005


class BUSY:
    """Pages that change every five hours, twenty times as many as there are visits an hour."""

    world, visits = synthetic_world(Recipe(pages=200, days=10, sites=5, seed=1)), 10


@pytest.fixture(scope="module")
def deaf():
    """What a watch has of them to which nobody tells anything."""
    return measure(BUSY.world, watched(BUSY.world, Allowance(BUSY.visits, 1.0)), queries=0).pool
