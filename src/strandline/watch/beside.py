"""Long work beside the crawl, in a thread: a watch asks for what is due meanwhile.

To open the plan of a large archive takes a look at every page. What is due by itself, and what a watch that was stopped
within this hour had left to visit, needs no plan.
"""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Beside(Generic[Made]):
    """Work that was begun. Whoever ends before it is done does not wait for it.

    >>> Beside(lambda: 6 * 7).result()
    42
    """

    def __init__(self, work: Callable[[], Made]) -> None:
        self._future: Future[Made] = Future()
        self._work = work
        Thread(target=self._run, name="beside the crawl", daemon=True).start()

    def _run(self) -> None:
        try:
            self._future.set_result(self._work())
        except BaseException as problem:  # noqa: BLE001 - whoever asks for the result hears of it
            self._future.set_exception(problem)

    @property
    def running(self) -> bool:
        """Whether it is not done yet."""
        return not self._future.done()

    def result(self) -> Made:
        """What came out, or went wrong; waits for it."""
        return self._future.result()

    def afterwards(self, act: Callable[[], None]) -> None:
        """Do something once it is done: at once, if it is."""
        self._future.add_done_callback(lambda _: act())
