"""Work on all cores that ends when it should: with an interrupt, and with the process that asked for it.

A pool of the standard library waits for everything it was given, also after an interrupt, and its processes outlive a
parent that is killed.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

Work = TypeVar("Work")
Answer = TypeVar("Answer")


def side_by_side(
    function: Callable[[Work], Answer], works: Sequence[Work], processes: int
) -> Iterator[tuple[Work, Answer]]:
    """Each piece of work with its answer, as they come. With one process in this one, in order."""
    if min(processes, len(works)) <= 1:
        for work in works:
            yield work, function(work)
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(processes, len(works)), multiprocessing.get_context("spawn"), _begin)
    try:
        futures = {pool.submit(function, work): work for work in works}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:  # an interrupt, an error, or whoever asked wants no more
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    pool.shutdown()


def _begin() -> None:
    """In a new process: interrupts are for the one that asked, and without it there is nobody to work for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
