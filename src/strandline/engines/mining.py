"""Where tasks run: in this process, or on Dask workers. See ports.Tasks; an engine more is one class more.

Tasks are pure: a function that workers can import, plain arguments in, plain values out, nothing kept. So a task whose
worker died is simply run again, wherever there is room, and its answer is the same.
"""

import contextlib
import logging
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from importlib import import_module
from typing import Any, Final, TypeVar

from strandline.engines.mining_scratch import Scratch
from strandline.errors import SettingError, Unreachable, UsageError
from strandline.ports import Tasks

Work = TypeVar("Work")
Answer = TypeVar("Answer")

ENGINES: Final = ("local", "dask")
_RETRIES: Final = 3
"""Times a task is run again after a failure that is not its own (Dask counts lost workers besides)."""
_AHEAD: Final = 4
"""Tasks waiting per worker: answers are taken as they come, so that they do not pile up on the workers."""
_PAUSE: Final = 0.02
_LOOK: Final = 5.0
_DESERTED: Final = 300.0
"""Seconds between two looks for an answer, between two looks for workers, and without any until that is an error."""
_WORKERS: Final = "strandline-dask-"
_MISSING: Final = "--engine dask needs Dask: pip install 'strandline[cluster]'"


def tasks_on(engine: str, scheduler: str = "", workers: int = 0, patience: float = 10.0) -> Tasks:
    """The engine of a name. Without the address of a scheduler Dask starts `workers` processes here (0: one a core)."""
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
    if engine == "local":
        if scheduler:
            raise UsageError("--scheduler goes with --engine dask")
        return LocalTasks()
    return DaskTasks(scheduler, workers, patience)


class LocalTasks:
    """One task after the other, in this process."""

    def run(self, function: Callable[[Work], Answer], works: Sequence[Work]) -> Iterator[Answer]:
        """The answer to each piece of work, in order."""
        return map(function, works)

    def close(self) -> None:
        """Nothing to release."""


class DaskTasks:
    """Tasks on the workers of a Dask cluster. Workers need this package, and see the same folders."""

    def __init__(self, scheduler: str, workers: int = 0, patience: float = 10.0) -> None:
        """`patience`: seconds until a scheduler that does not answer is given up."""
        try:
            self._distributed: Any = import_module("distributed")  # an extra, and slow to import
        except ImportError:
            raise SettingError(_MISSING) from None
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it would say is told in our words
        self._client: Any = None
        self._cluster: Any = None
        self._scratch: Scratch | None = None
        try:
            if scheduler:
                self._client = self._distributed.Client(scheduler, timeout=patience)
            else:
                self._cluster = self._started(workers)
                self._client = self._distributed.Client(self._cluster, timeout=60.0)
        except BaseException as problem:  # an interrupt, too, leaves nothing behind
            self.close()
            if not isinstance(problem, OSError | ValueError | TimeoutError | RuntimeError):
                raise
            where = f"the Dask scheduler {scheduler}" if scheduler else "Dask"
            raise Unreachable(f"{where} cannot be reached: {_line(problem)}") from None

    def _started(self, workers: int) -> Any:  # noqa: ANN401 - Dask has no types
        """Workers on this machine. Those that are ended clean up nothing: what they leave is in a folder of ours."""
        self._scratch = Scratch(prefix=_WORKERS)
        with import_module("dask.config").set({"temporary-directory": self._scratch.path}):
            return self._distributed.LocalCluster(
                n_workers=workers or None,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                env={"TMPDIR": self._scratch.path},
                preload=[__name__],
            )

    def run(self, function: Callable[[Work], Answer], works: Sequence[Work]) -> Iterator[Answer]:
        """The answer to each piece of work as it comes."""
        with self._told():
            waiting = deque(works)
            answers = self._distributed.as_completed()
            room = _AHEAD * max(1, len(self._client.nthreads()))
            while waiting or answers.count():
                while waiting and answers.count() < room:
                    answers.add(self._client.submit(function, waiting.popleft(), pure=False, retries=_RETRIES))
                future = self._next(answers)
                yield future.result()
                future.release()

    def _next(self, answers: Any) -> Any:  # noqa: ANN401 - Dask has no types
        """The next answer. A cluster that may grow by itself is given time for its first worker, but not forever."""
        looked = time.monotonic()
        last = looked
        while not answers.has_ready():
            time.sleep(_PAUSE)
            if time.monotonic() - looked > _LOOK:
                looked = time.monotonic()
                last = looked if self._client.nthreads() else last
                if looked - last > _DESERTED:
                    raise Unreachable(
                        f"the Dask scheduler has had no workers for {looked - last:.0f} s; run the same command again "
                        "when there are"
                    )
        return next(answers)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Say in the words of `errors` what went wrong on the cluster."""
        try:
            yield
        except ImportError as problem:
            raise SettingError(f"a Dask worker lacks something: {_line(problem)}; {_MISSING}") from None
        except self._distributed.KilledWorker:
            raise Unreachable("a task ended every Dask worker it was given to: do they have enough memory?") from None
        except (OSError, CancelledError) as problem:
            if getattr(problem, "errno", None):
                raise  # a task's own, such as a full disk
            raise Unreachable(f"the Dask scheduler has gone: {_line(problem)}; run the same command again") from None

    def close(self) -> None:
        """Leave the cluster; end it if it was ours."""
        if self._client is not None:
            self._client.close()
        if self._cluster is not None:
            logging.getLogger("distributed.nanny").setLevel(logging.CRITICAL)  # that busy workers are killed is meant
            self._cluster.close()
        if self._scratch is not None:
            self._scratch.close()


def dask_setup(_worker: object) -> None:
    """Dask calls this in each worker we start: an interrupt at the terminal is for us, who then end the workers.

    What goes wrong in a task is told by us in one line, too; Dask would add a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker").setLevel(logging.CRITICAL)


def _line(problem: BaseException) -> str:
    return (str(problem).strip() or type(problem).__name__).splitlines()[0]
