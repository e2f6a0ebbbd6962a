"""What was learned kept up to date by itself, wherever captures come from: a watch, crawls, imports, workers.

It is always the code of `learn` that does it, from the whole history: what people are shown does not depend on who
brought the captures, or on how often something was learned before. That is affordable because a lesson waits until
there is a quarter more to learn from (or a day has passed, in a watch): all lessons of an archive together take a few
times what the last of them takes. The weights of pages stay as they are: whether links say what matters is for people
to decide, who call `learn`.
"""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from strandline.archive.folder import Archive, open_archive
from strandline.errors import ArchiveBusy, StrandlineError, Unreachable
from strandline.learn.learning import PARTS, learn
from strandline.store.learned import LearnedReading

GROWN: Final = 1.25
"""Times the captures, or those studied, after which everything is learned again. Origin: a guess."""
SMALL: Final = 2_000
"""Captures from which learning takes no longer than a page that is slow to answer. Origin: measured, `strandline demo`:
a thousand take a quarter of a second."""


def behind(reading: LearnedReading, grown: float = GROWN) -> bool:
    """Whether there is so much more to learn from than when something was learned last; anything more, for 1."""
    newest, studied = reading.newest(), reading.progress()
    if not newest:
        return False

    def more(now: int, then: int) -> bool:
        return now > then and now >= grown * then

    learned = [reading.learned_from(part) for part in PARTS]
    return any(one is None or more(newest, one.seq) or more(studied, one.studied) for one in learned)


def keep_up(archive: Archive, say: Callable[[str], None] | None = None) -> bool:
    """Learn from everything, if that is due or takes no time; True when it was done. What is in the way is told: the
    captures are safe, and learned from another time.
    """
    with closing(LearnedReading.open(archive.database)) as reading:
        if not behind(reading, 1.0 if reading.newest() <= SMALL else GROWN):
            return False
    try:
        learn(archive, (), weighing=False)
    except (ArchiveBusy, Unreachable):  # who holds it learns when done; what cannot be studied now was told
        return False
    except StrandlineError as problem:
        (say or archive.say)(f"nothing was learned: {problem}")
        return False
    return True


def main() -> None:
    """Learn in a process of its own: `python -m strandline.learn.keeping_up FOLDER`."""
    os.nice(10)
    try:
        learn(open_archive(Path(sys.argv[1])), (), weighing=False)
    except StrandlineError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(problem.exit_code)


if __name__ == "__main__":
    main()
