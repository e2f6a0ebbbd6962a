"""Work on all cores that ends when it should: with an interrupt, and with the process that asked for it.

A pool of the standard library waits for everything it was given, also after an interrupt, its processes outlive a
parent that is killed, and each of them runs the script anew that asked for it.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from types import ModuleType
from typing import TypeVar

Work = TypeVar("Work")
Answer = TypeVar("Answer")


def side_by_side(
    function: Callable[[Work], Answer], works: Sequence[Work], processes: int
) -> Iterator[tuple[Work, Answer]]:
    """Each piece of work with its answer, as they come; `function` must be importable. With one process: in this one,
    in order.
    """
    if min(processes, len(works)) <= 1:
        for work in works:
            yield work, function(work)
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(processes, len(works)), multiprocessing.get_context("spawn"), _begin)
    try:
        with _without_script():
            futures = {pool.submit(function, work): work for work in works}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:  # an interrupt, an error, or whoever asked wants no more
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    pool.shutdown()


@contextlib.contextmanager
def _without_script() -> Iterator[None]:
    """Processes started meanwhile do not load the script that is being run: they need nothing of it, and few scripts
    keep what they do behind `if __name__ == "__main__"`.
    """
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _begin() -> None:
    """In a new process: interrupts are for the one that asked, and without it there is nobody to work for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
