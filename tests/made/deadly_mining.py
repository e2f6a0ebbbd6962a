"""Tasks that end the worker they run on, the first time, and that look at how it was started."""

import os
import signal
import tempfile
from pathlib import Path

from strandline.learn.tasks import learn_sites


def fatal_once(work):
    """The first task that is begun kills its worker; whoever is given its sites next learns them."""
    try:
        (Path(work.room.spill) / "killed").touch(exist_ok=False)
    except FileExistsError:
        return learn_sites(work)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def how_started(_):
    """Whether an interrupt at the terminal leaves this worker alone, and where it puts temporary files."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN, tempfile.gettempdir()
