"""What can go wrong, and the exit code each ends a command with.

    StrandlineError            1   anything that is not one of the following
    |-- UsageError             2   a bad argument: an address that is none, a file that is not there
    |   `-- TakenDown          2   what was asked for is in the archive and not shown; says since when and why
    |-- OutOfSpace             3   the disk reserve is reached; nothing was lost, run again when there is room
    |-- SettingError           4   strandline.toml, a flag or a permission is wrong; names the key
    |-- ArchiveBusy            5   another process writes this archive; names its owner
    |-- ArchiveDamaged         6   bytes on disk are not what was written, or a foreign file cannot be trusted
    |-- Unreachable            9   network or engine away, no seed led to a page; the same command may work later
    |-- LeaseLost              9   another worker took over what this one was fetching; nothing was promised twice
    |-- Interrupted           11   asked to stop, stopped cleanly; the same command resumes
    |-- Forced                13   asked twice; stopped at once with a valid archive
    |-- SizeLimit             14   --size-limit reached
    `-- TimeLimit             15   --time-limit or --for reached before the work was done

What the web does to us (time-outs, 404, broken HTML) is data, never an exception that leaves the crawl. Core
raises ValueError only; the edges turn it into one of these. Do not add an exception without a line above.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class StrandlineError(Exception):
    """A problem that is told in one line, without a traceback."""

    exit_code: ClassVar[int] = 1


class UsageError(StrandlineError):
    """What the user asked for makes no sense."""

    exit_code = 2


class TakenDown(UsageError):  # noqa: N818
    """What was asked for is not shown: a keeper took it down."""


class OutOfSpace(StrandlineError):  # noqa: N818 - named for what happened
    """Too little room on disk to go on safely."""

    exit_code = 3


class SettingError(StrandlineError):
    """A setting, or a permission, is wrong."""

    exit_code = 4


class ArchiveBusy(StrandlineError):  # noqa: N818
    """Another process holds the archive's write lock."""

    exit_code = 5


class ArchiveDamaged(StrandlineError):  # noqa: N818
    """The archive, or a file to import, is not what it claims to be."""

    exit_code = 6


class Unreachable(StrandlineError):  # noqa: N818
    """Something outside is away for now."""

    exit_code = 9


class LeaseLost(StrandlineError):  # noqa: N818
    """A worker was thought dead: its hosts are with others, and what it brings now is refused."""

    exit_code = 9


class Interrupted(StrandlineError):  # noqa: N818
    """Stopped on request, cleanly."""

    exit_code = 11


class Forced(StrandlineError):  # noqa: N818
    """Stopped on the second request, at once."""

    exit_code = 13


class SizeLimit(StrandlineError):  # noqa: N818
    """The limit on bytes was reached."""

    exit_code = 14


class TimeLimit(StrandlineError):  # noqa: N818
    """The limit on time was reached."""

    exit_code = 15


@contextmanager
def usage_errors(where: str = "") -> Iterator[None]:
    """What core finds wrong with something that somebody gave (ValueError) is told as a UsageError."""
    try:
        yield
    except ValueError as problem:
        raise UsageError(f"{where}{problem}") from None
