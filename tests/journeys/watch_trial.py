"""A watch on a living site, measured against the truth of that site: what it caught, what round robin would have.

Both are given the same number of fetches at the same moments; round robin is even told the addresses, which the watch
has to find. Figures count from the end of the learning phase on.
"""

from dataclasses import dataclass

import numpy as np

from journeys.command import strandline
from strandline.demo.schedule import LARGE_SITE
from strandline.demo.server import DemoServer
from strandline.demo.truth import Fetch, Score, round_robin, score
from strandline.lab.simulate.bounds import clairvoyant_bound
from strandline.lab.simulate.world import Patterns, World


@dataclass(frozen=True)
class Trial:
    """One run: scores after the learning phase, and the server's log."""

    watch: Score
    round_robin: Score
    clairvoyant: float
    log: list
    hour: float
    done: object

    @property
    def gain(self):
        """Completeness of the watch over that of round robin."""
        return self.watch.completeness / max(self.round_robin.completeness, 1e-9)

    def starved(self, budget, hours):
        """Whether this machine was too busy to spend the budget: then the trial says nothing."""
        return len(self.log) < 0.6 * budget * hours

    def lines(self):
        """The figures, for people."""
        watch, other = self.watch, self.round_robin
        return (
            f"pooled weighted completeness: watch {watch.completeness:.3f}, round robin {other.completeness:.3f} "
            f"({self.gain:.2f} times), clairvoyant at most {self.clairvoyant:.3f} "
            f"(the watch has {watch.completeness / self.clairvoyant:.0%} of it)\n"
            f"fetches that found nothing new: watch {watch.wasted} of {watch.fetches}, "
            f"round robin {other.wasted} of {other.fetches}"
        )


def clairvoyant(pages, start, end, fetches):
    """What nobody with as many fetches could exceed, knowing every change beforehand."""
    first, last = int(start), int(end)
    times, weights, starts = [], [], [0]
    for page in pages.values():
        for version, moment in enumerate(page.changes, start=1):
            if first <= moment < last and page.born <= moment < page.gone:
                times.append(moment - first)
                weights.append(page.weight(version))
        starts.append(len(times))
    count = len(pages)
    ones, zeros = np.ones(count), np.zeros(count, dtype=np.int64)
    patterns = Patterns(np.zeros((count, 1)), np.ones((count, 1)), np.zeros(1, dtype=np.int64))
    world = World(
        "demo", last - first, zeros, zeros, ones, np.array(starts), np.array(times), np.array(weights), patterns
    )
    return clairvoyant_bound(world, max(1, round(fetches / (last - first))), "pool").completeness


def run_trial(folder, hour, budget, hours, learning, words=(), seed=3):
    """Watch the larger demonstration site for some hours."""
    with DemoServer(hour_seconds=hour, seed=seed, sections=LARGE_SITE) as demo:
        done = strandline(
            "watch", folder, "--seeds", demo.url, "--allow-address", "127.0.0.0/8", "--budget", f"{budget}/hour",
            "--hour-seconds", hour, "--for", f"{hours}h", "--json", *words, timeout=hours * hour + 300,
        )  # fmt: skip
        pages = demo.site.pages
        moments = sorted(demo.site.hour(hit.time) for hit in demo.log)
        fetches = [Fetch(demo.site.hour(hit.time), hit.path) for hit in demo.log]
        begin, end = moments[0] + learning, moments[-1]
        watch = score(pages, fetches, begin, end)
        other = score(pages, round_robin(pages, moments), begin, end)
        bound = clairvoyant(pages, begin, end, watch.fetches)
        return Trial(watch, other, bound, demo.log, hour, done)
