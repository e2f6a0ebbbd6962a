"""What a demonstration says while it works: a bar on a terminal, lines elsewhere, from the first second on.

Imports nothing that takes long: it speaks before anything else is loaded.
"""

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

from strandline.cli.output import printable

_WIDTH: Final = 30


class Bar:
    """Use as a context manager. Parts done are between 0 and 1; `say` without a part leaves the bar where it is."""

    def __init__(self, live: bool | None = None, write: Callable[[str], Any] | None = None) -> None:
        self._live = sys.stderr.isatty() if live is None else live
        self._write = write or sys.stderr.write
        self._shown = 0
        self._part = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()

    def say(self, text: str, part: float | None = None) -> None:
        """A line that stays, above the bar."""
        self._clear()
        self._write(f"{printable(text)}\n")
        self.move(self._part if part is None else part, "")

    def move(self, part: float, text: str) -> None:
        """So much is done, and this is being done; seen on a terminal only."""
        self._part = max(self._part, min(part, 1.0))
        if not self._live:
            return
        full = round(_WIDTH * self._part)
        line = f"[{'#' * full}{'.' * (_WIDTH - full)}] {self._part:4.0%}  {printable(text)}"[:79]
        self._clear()
        self._write(line)
        sys.stderr.flush()
        self._shown = len(line)

    def done(self) -> None:
        """Nothing is under way any more."""
        self._clear()

    def _clear(self) -> None:
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0
