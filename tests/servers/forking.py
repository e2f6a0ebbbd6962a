"""A process that has loaded what most commands load, and forks into a command whenever `servers.commands` asks it to.

Requests come over the socket on its standard input, each with four files: the three of the command, and one on which
the number of the new process and, later, its end are told.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time

LOADED = ("cli.main", "watch.single_pass", "study.comparing", "plan.planning", "learn.learning", "cluster.worker")
"""What starts threads is not among them: threads do not survive a fork. Commands load it when they need it."""


def load() -> None:
    """What takes most commands most of the time until they begin."""
    for name in LOADED:
        importlib.import_module(f"strandline.{name}")
    importlib.import_module("strandline.watch.watch_plan").warm_up()
    gc.collect()
    gc.freeze()


def become(request: dict, files: list[int]) -> None:
    """In the new process: be as if started for this command."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(files[:3]):
        os.dup2(file, number)
    for file in files:
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    tempfile.tempdir = None
    time.tzset()
    sys.argv = ["strandline", *request["words"]]


def fork_when_asked() -> None:
    """Ends the process when nobody is there to ask any more; returns in each process that was asked for."""
    asked = socket.socket(fileno=os.dup(0))
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    running: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([asked, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            for pid in list(running):
                gone, status = os.waitpid(pid, os.WNOHANG)
                if gone:
                    _tell(running[pid], os.waitstatus_to_exitcode(status))
                    os.close(running.pop(pid))
        if asked in ready:
            message, files, _, _ = socket.recv_fds(asked, 1 << 20, 4)
            if not message:
                sys.exit()
            pid = os.fork()
            if not pid:
                for file in (asked.detach(), woken, waker, *running.values()):
                    os.close(file)
                become(json.loads(message), files)
                return
            running[pid] = files[3]
            _tell(files[3], pid)
            for file in files[:3]:
                os.close(file)


def _tell(file: int, number: int) -> None:
    try:
        os.write(file, f"{number}\n".encode())
    except BrokenPipeError:  # whoever started it does not want to know any more
        return


if __name__ == "__main__":
    load()
    fork_when_asked()
    from strandline.cli.main import main

    main()
