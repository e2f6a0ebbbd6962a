"""Learning in a cluster: after an hour of the watch, then once a day, a free worker takes the learner's desk and learns
from everything.

What was learned is kept in PostgreSQL with what it was learned from, as `strandline learn` keeps it. It is done in a
process of its own, for it takes long and much memory; one that dies leaves what was known before.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from typing import Final

from strandline.archive.events import event
from strandline.cluster.background import BackgroundJob, Step
from strandline.cluster.database_clock import DatabaseClock
from strandline.cluster.shared import Cluster
from strandline.errors import ArchiveBusy, StrandlineError
from strandline.store.postgres.desks import learned_until, mark_learned
from strandline.store.postgres.session import Session

_DAY: Final = 24
"""Hours of the watch between two lessons."""
_LOOKS: Final = 4
"""Times a worker looks in an hour of the watch."""


def learn_all(cluster: Cluster) -> None:
    """Learn patterns, rules and classes from the whole history, and keep them; ends the process when it cannot. As in
    all lessons in passing (learn/keeping_up.py) the weights of pages stay as they are.
    """
    from strandline.cluster.archive import ClusterArchive  # noqa: PLC0415 - slow to load, in a process of its own
    from strandline.learn.learning import learn  # noqa: PLC0415

    try:
        learn(ClusterArchive(cluster), (), weighing=False)
    except ArchiveBusy as problem:  # another worker was quicker: it says until when nothing is to be learned
        sys.exit(problem.exit_code)
    except StrandlineError as problem:
        event("learn", f"nothing was learned: {problem}", "warning")
        sys.exit(problem.exit_code)


def learn_job(cluster: Cluster, hour: float) -> BackgroundJob:
    """Learn beside a worker's crawl; `hour` are the seconds an hour of the watch lasts."""

    @contextlib.contextmanager
    def opened(stopped: Callable[[], bool]) -> Iterator[Step]:
        with contextlib.closing(Session(cluster.database, 30.0)) as session:
            clock = DatabaseClock(session)

            def step() -> None:
                now, until = clock.now(), learned_until(session)
                if not until:  # there is nothing to learn from yet
                    mark_learned(session, now + hour)
                if not until or until > now:
                    return
                process = get_context("spawn").Process(target=learn_all, args=(cluster,), daemon=True)
                process.start()
                while process.is_alive() and not stopped():
                    process.join(0.5)
                if process.is_alive():
                    process.terminate()
                elif process.exitcode == 0:
                    mark_learned(session, clock.now() + _DAY * hour)

            yield step

    return BackgroundJob("learn", hour / _LOOKS, opened, "nothing is learned by this worker")
