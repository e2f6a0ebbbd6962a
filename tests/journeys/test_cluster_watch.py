"""Three workers watch living sites on PostgreSQL and S3: planned by site, within one budget; one is killed."""

import signal
import time
from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from statistics import mean

import psycopg
import pytest

from journeys.test_cluster import command, done, indexed, init, place, readable, worker
from made.receivers import wait_for
from servers import postgres
from servers.sites import LIVING, page, sites
from strandline.watch.watch_plan import warm_up

pytestmark = postgres.GROUP
__all__ = ["place"]

HOUR = 3.0
HOURS = 14
BUDGET = 90
"""Requests an hour, of all workers."""


MORE = 6  # watches that a busy machine is given to do what an idle one does in one


def _visits(site):
    """How often a page that changes was asked for, and how often one that does not."""
    asked, pages = site.asked(), [url for url in site.urls if "/p" in url]
    living = [url for url in pages if int(url.rpartition("/p")[2]) % LIVING == 0]
    return (mean(asked[url] for url in chosen) for chosen in (living, set(pages) - set(living)))


def _is_under_way(site):
    living, still = _visits(site)
    return site.urls <= set(site.asked()) and living > still


def test_three_workers_watch_what_changes(place, tmp_path):
    warm_up()  # what is compiled once must not be compiled in the few seconds of this watch
    with sites(tmp_path, hosts=3, pages=15, size=400, period=HOUR / 2) as site:
        init(place, site, **{"politeness.delay": "0.02", "plan.budget": f"{BUDGET}/hour", "study.workers": "0"})
        words = ("--watch", "--hour-seconds", HOUR, "--time-limit", f"{HOUR * HOURS:.0f}s")
        begun = time.monotonic()
        workers = [worker(place, *words, "--spool", tmp_path / f"spool{n}") for n in range(2)]
        hours = ("--database", place[0], "--for", f"{HOURS}h", "--hour-seconds", HOUR, "--json", "--quiet")
        workers.append(command(place[2], "watch", *hours))
        time.sleep(HOUR * HOURS / 2)
        workers[0].send_signal(signal.SIGKILL)
        _, killed, _ = done(workers[0])
        ended = [done(one) for one in workers[1:]]
        for _ in range(MORE):  # how far workers come in their hours depends on the machine
            if _is_under_way(site):
                break
            ended.append(done(worker(place, *words, "--spool", tmp_path / "spool1")))
        assert not any(code for code, _, _ in ended), [err for _, _, err in ended]
        captures = indexed(place)
        recorded = Counter((capture.place.file, capture.place.offset) for capture in captures)
        promised = [line for lines in (killed, *(lines for _, lines, _ in ended)) for line in lines]
        promised = [(line["file"], line["offset"]) for line in promised if line["event"] == "captured"]
        assert max(recorded.values()) == 1 and set(promised) <= set(recorded) and len(promised) == len(set(promised))
        assert site.shortest_pause() > 0.018
        asked = site.asked()
        assert site.urls <= set(asked), "a page was never visited"
        # Workers that start or end between two hours take part in one more; robots.txt is paid an hour later.
        hours = (time.monotonic() - begun) / HOUR + 1
        assert sum(asked.values()) <= BUDGET * hours + 3 * len(site.hosts)
        came = sorted(came for _, _, came, _ in site.requests())
        fullest = max(bisect_left(came, time + HOUR) - place for place, time in enumerate(came))
        print(f"most requests in any {HOUR:g} s: {fullest} of {BUDGET}")
        assert fullest <= 1.1 * BUDGET + 3 * len(site.hosts), "some stretch of an hour holds more than the budget"
        living, still = _visits(site)
        print(f"visits: living pages {living:.1f}, still pages {still:.1f}")
        assert living > still, "what changes is visited no more often"
        versions = Counter(capture.url for capture in captures if not capture.revisit)
        assert max(versions.values()) > 1, "no change was caught"
        readable(place, captures[::5])
    with psycopg.connect(place[0]) as connection:
        desks = connection.execute(
            "SELECT count(*), min(token), sum(visits) FROM site_desks WHERE work = 'plan'"
        ).fetchone()
        assert desks[0] == len(site.hosts) and desks[1] >= 2
        prices = connection.execute("SELECT count(*) FILTER (WHERE price > 0), sum(taken) FROM plan_hours").fetchone()
        assert prices[0] > 1 and prices[1] > 0, "the sites never found a common price"


def test_what_an_hour_may_spend_is_planned_in_every_hour(place, tmp_path):
    """Not in every other one: what the last hour spent counts no more when this one ends."""
    warm_up()
    budget = 30
    with sites(tmp_path, hosts=1, pages=40, size=400, period=HOUR / 2) as site:
        given = {"politeness.delay": "0", "plan.budget": f"{budget}/hour", "plan.least_chance": "0"}
        init(place, site, **given)
        running = worker(place, "--watch", "--hour-seconds", HOUR)

        def spent_in_a_row():
            with psycopg.connect(place[0]) as connection:
                made = [row[0] for row in connection.execute("SELECT revisits FROM watch_hours ORDER BY start")]
            return any(min(two) >= 0.7 * budget for two in pairwise(made))

        try:
            assert wait_for(spent_in_a_row, 180), "no two hours in a row spent what they may"
        finally:
            running.send_signal(signal.SIGINT)
            done(running)
        came = sorted(came for _, _, came, _ in site.requests())
        fullest = max(bisect_left(came, time + HOUR) - place for place, time in enumerate(came))
        assert fullest <= 1.1 * budget + 3, "some stretch of an hour holds more than the budget"


def test_lessons_of_workers_leave_the_weights_of_pages_to_people(place, tmp_path):
    """As those of a watch do, which says so; `learn` weighs pages by their links when somebody asks for it."""

    def learned(query):
        with psycopg.connect(place[0]) as connection:
            return connection.execute(query).fetchall()

    with sites(tmp_path, hosts=1, pages=12, size=400, period=HOUR / 2) as site:
        init(place, site, **{"politeness.delay": "0", "plan.budget": "40/hour"})
        running = worker(place, "--watch", "--hour-seconds", HOUR)
        try:
            assert wait_for(lambda: len(learned("SELECT FROM learned_from")) == 3, 180), "nothing was learned"
        finally:
            running.send_signal(signal.SIGINT)
            done(running)
    assert learned("SELECT DISTINCT weight FROM pages") == [(1.0,)]
    assert done(command(place[2], "learn", place[0], "--json", "--quiet"))[0] == 0
    assert len(learned("SELECT DISTINCT weight FROM pages")) > 1, "control"


OCTETS = 300_000
"""Bytes an hour, of all workers: fifteen pages."""


@pytest.mark.parametrize("budget", [OCTETS, 100 * OCTETS], ids=["held", "control: a hundred times as much"])
def test_two_workers_keep_a_budget_in_bytes(place, tmp_path, budget):
    warm_up()
    size, hosts, pages = 20_000, 3, 15
    with sites(tmp_path, hosts=hosts, pages=pages, size=size, period=HOUR / 2) as site:
        init(place, site, **{"politeness.delay": "0.02", "plan.budget": f"{budget}B/hour", "study.workers": "0"})
        words = ("--watch", "--hour-seconds", HOUR, "--time-limit", f"{HOUR * 8:.0f}s")
        ended = [done(one) for one in [worker(place, *words, "--spool", tmp_path / f"spool{n}") for n in range(2)]]
        assert not any(code for code, _, _ in ended), [err for _, _, err in ended]
        sent = sorted((came, len(page(host, path, pages, size) or b"")) for host, path, came, _ in site.requests())
    times = [came for came, _ in sent]
    within = [sum(octets for _, octets in sent[n : bisect_left(times, came + HOUR)]) for n, came in enumerate(times)]
    print(f"most bytes in any {HOUR:g} s: {max(within)} of {budget}")
    # Answers under way, of which nobody knows the size: one of each host.
    held = max(within) <= 1.1 * OCTETS + hosts * size
    assert held == (budget == OCTETS)
    assert sum(octets for _, octets in sent) > 2 * OCTETS, "hardly anything was spent"
