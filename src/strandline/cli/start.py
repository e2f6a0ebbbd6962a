"""Where the `strandline` command begins: an interrupt that comes while its modules load is told in one line, too.

Loading takes about a tenth of a second, in which Python would answer Ctrl-C with a traceback. Nothing was begun then,
so the command ends at once, and with 130 as everything does that a shell's user interrupts before it listens.
"""

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130


def _leave(_signal: int = 0, _frame: FrameType | None = None) -> None:
    os.write(sys.stderr.fileno(), b"strandline: interrupted\n")  # print() may be what was interrupted
    os._exit(_INTERRUPTED)


def main() -> None:
    """Load the command and run it. Who started it with interrupts ignored (`&` of a shell) finds them ignored."""
    listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listens:
        signal.signal(signal.SIGINT, _leave)
    from strandline.cli.main import main as run

    try:
        if listens:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:  # in the moments before the command listens itself
        _leave()
