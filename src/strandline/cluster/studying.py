"""Study in a cluster: each worker of a watch takes study desks of sites, and compares what they captured.

The comparison itself is that of an embedded archive (study/studying.py), in processes of its own; captures are read
from the object store, and what was found is recorded in PostgreSQL under the lease of the site's desk.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from strandline.cluster.background import BackgroundJob, Step
from strandline.cluster.shared import Cluster, cluster_holdings
from strandline.core.blocks.word_numbers import ready as ready_to_compare
from strandline.dom.scan import ready as ready_to_cut
from strandline.errors import LeaseLost
from strandline.settings.schema import StudySettings
from strandline.store.postgres.session import Session
from strandline.store.postgres.studying import DeskStudies
from strandline.study.studying import SECOND_LOOK, Studying
from strandline.study.worker import ArchiveReader, WorkerState, study_rules

_LEASE: Final = 60.0
_RENEWED: Final = 15.0
_AWAY: Final = 90.0
"""Seconds it may take to find out that the store is away."""
_HOUR: Final = 3600.0
_LOOKS: Final = 60
"""Times a worker looks for something to study in an hour of the watch."""


@dataclass(frozen=True, slots=True)
class StudyPlace:
    """What a process that studies needs to know."""

    cluster: Cluster
    settings: StudySettings


def prepare(place: StudyPlace) -> WorkerState:
    """Open the index and the object store for reading, and load what is compiled, before limits are set."""
    ready_to_cut()
    ready_to_compare()
    reader = ArchiveReader(cluster_holdings(place.cluster), place.settings.render_empty)
    return WorkerState(reader, study_rules(place.settings))


@dataclass(frozen=True, slots=True)
class _Catalog:
    """Implements app.studying.Studied."""

    studies: DeskStudies


class SharedStudying(Studying):
    """Study under way at the desks of a worker. While the object store is away nothing is studied (Unreachable): what
    was taken is taken again later, here or elsewhere.
    """

    _waits = _AWAY

    def __init__(self, cluster: Cluster, session: Session, worker: int) -> None:
        self._desks = DeskStudies(session, worker, _LEASE)
        self._cluster = cluster
        self._renew = time.monotonic() + _RENEWED
        super().__init__(Path(), cluster.settings.study, _Catalog(self._desks))

    @property
    def _preparation(self) -> tuple[str, object]:
        return f"{__name__}:prepare", StudyPlace(self._cluster, self._context.settings)

    def step(self, timeout: float = 0.0) -> bool:
        """Go on for at most `timeout` seconds; False when nothing is left to study, or others are at it."""
        if time.monotonic() > self._renew:
            self._renew = time.monotonic() + _RENEWED
            self._desks.renew()
        return super().step(timeout)

    def leave(self) -> None:
        """Give the desks back."""
        self._desks.leave()


@contextlib.contextmanager
def _at_desks(cluster: Cluster, worker: int) -> Iterator[SharedStudying]:
    with contextlib.closing(Session(cluster.database, 30.0)) as session, contextlib.ExitStack() as stack:
        studying = stack.enter_context(SharedStudying(cluster, session, worker))
        stack.callback(studying.leave)
        yield studying


def for_watch(cluster: Cluster, hour: float) -> Cluster:
    """A cluster as study sees it in a watch whose hours last so many seconds: what is waited for shrinks with them."""
    study, pace = cluster.settings.study, min(1.0, hour / _HOUR)
    again = (study.double_fetch or SECOND_LOOK) * pace
    return replace(
        cluster, settings=replace(cluster.settings, study=replace(study, hold=study.hold * pace, double_fetch=again))
    )


def study_job(cluster: Cluster, worker: int, hour: float) -> BackgroundJob:
    """Study beside a worker's crawl; `hour` are the seconds an hour of the watch lasts."""

    @contextlib.contextmanager
    def opened(stopped: Callable[[], bool]) -> Iterator[Step]:
        with _at_desks(cluster, worker) as studying:

            def step() -> None:
                while not stopped() and studying.step(0.5):
                    pass

            yield step

    return BackgroundJob("study", min(5.0, hour / _LOOKS), opened, "captures are not studied by this worker")


def study_rest(cluster: Cluster, worker: int, stopped: Callable[[], bool]) -> int:
    """Study what is left when a pass is over, but for what others are at; how many captures."""
    with _at_desks(cluster, worker) as studying:
        with contextlib.suppress(LeaseLost):  # another took over: it goes on there
            while not stopped() and studying.step(0.5):
                pass
        return studying.studied
