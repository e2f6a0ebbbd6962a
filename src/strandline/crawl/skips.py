"""What a crawl leaves out because it is expected to be unchanged: the questions it asks, and the answer "nothing".

A crawl consults its skips before a page is asked for, tells them what every visit led to, and lets them add to each
commit what must be recorded with it: how skipped directories stood their re-tests, and pages that are to be asked
for after all because something turned out to have changed beside them. What is decided here rests on the start of the
pass and on what was committed, so that a crawl that was killed goes on as if nothing had happened.
"""

from typing import Protocol

from strandline.ports import Batch, Task, Visited

QUIET = "quiet directory"
"""How the reason of every page that was skipped for this begins."""


class Skips(Protocol):
    """Which pages of a pass are left out, learned while it goes."""

    def begin(self, pass_start: float) -> None:
        """A pass begins, or one that was interrupted goes on."""

    def refuses(self, task: Task) -> str:
        """Why a page is not asked for in this pass; empty when it is. The same page always gets the same answer,
        unless something was learned in between.
        """

    def visited(self, task: Task, visited: Visited) -> None:
        """What a visit led to."""

    def book(self, batch: Batch, idle: bool) -> None:
        """Add what is to be recorded together with a batch. `idle`: nothing is left to ask for, so decide now."""

    def finish(self, batch: Batch) -> None:
        """Nothing is due any more: add pages that this pass has to ask for all the same. Each is named once."""


class SkipNothing:
    """Every page is asked for."""

    def begin(self, pass_start: float) -> None:
        """Nothing to prepare."""

    def refuses(self, task: Task) -> str:
        """Never."""
        return ""

    def visited(self, task: Task, visited: Visited) -> None:
        """Nothing is learned."""

    def book(self, batch: Batch, idle: bool) -> None:
        """Nothing is added."""

    def finish(self, batch: Batch) -> None:
        """Nothing is missing."""
