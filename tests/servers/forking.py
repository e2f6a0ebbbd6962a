"""A process that has loaded what most commands load, and forks into one whenever it is asked to.

Requests come over a socket, each with four files: the three of the new process, and one on which its number is told.
A *command* (asked for by `servers.commands`) is a child of this process, and its end is told there, too. What a command
starts of our own programs, such as the process that studies, is asked for by `servers.own_processes`, and is a child of
whoever asks, as subprocess wants it. Each command has a process of this kind beside it for that, which ends with it.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
import time
import warnings

LOADED = (
    *("cli.main", "watch.single_pass", "study.comparing", "plan.planning", "learn.learning", "cluster.worker"),
    *("study.worker", "learn.keeping_up", "alerts.delivery", "app.slow_queries"),
)
"""What starts threads is not among them: threads do not survive a fork. Commands load it when they need it."""


def load() -> None:
    """What takes most commands most of the time until they begin."""
    importlib.import_module("own_processes")
    for name in LOADED:
        importlib.import_module(f"strandline.{name}")
    importlib.import_module("strandline.watch.watch_plan").warm_up()
    importlib.import_module("strandline.dom.scan").ready()
    importlib.import_module("strandline.core.blocks.word_numbers").ready()
    gc.collect()
    gc.freeze()


def become(request: dict, files: list[int]) -> None:
    """In the new process: be as if started for this."""
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
    sys.path[:0] = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one and one not in sys.path]
    tempfile.tempdir = None
    time.tzset()
    sys.argv = ["strandline", *request["words"]]


def fork_when_asked(asked: socket.socket) -> dict:
    """Ends the process when nobody is there to ask any more; returns in each process that was asked for."""
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
                os._exit(0)
            request = json.loads(message)
            pid = os.fork()
            if not pid:
                for file in (asked.detach(), woken, waker, *running.values()):
                    os.close(file)
                if request["child_of"]:
                    _pass_on(request, files[3])
                become(request, files)
                return request
            if request["child_of"]:
                os.waitpid(pid, 0)
                os.close(files[3])
            else:
                running[pid] = files[3]
                _tell(files[3], pid)
            for file in files[:3]:
                os.close(file)


def _pass_on(request: dict, told: int) -> None:
    """Fork once more and end: what is left becomes the child of the process that asked, which takes in orphans while
    it asks. Returns there, when that is so.
    """
    between = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == between:
        time.sleep(0.001)
    if os.getppid() != request["child_of"]:
        os._exit(1)  # who asked is gone
    if request["session"]:
        os.setsid()
    _tell(told, os.getpid())


def _tell(file: int, number: int) -> None:
    try:
        os.write(file, f"{number}\n".encode())
    except BrokenPipeError:  # whoever started it does not want to know any more
        return


def live(asked: socket.socket) -> dict:
    """Fork when asked to; returns what was asked for, in the process that is to do it."""
    request = fork_when_asked(asked)
    own_processes = importlib.import_module("own_processes")
    if request["program"] == own_processes.COMMAND:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if not os.fork():
            ours.close()
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            os.close(nothing)
            return live(theirs)
        theirs.close()
        own_processes.ask(lambda: ours)
    return request


def do(program: str) -> None:
    """Run one of our programs to its end: a module, or a function of one that serves."""
    module, _, function = program.partition(":")
    if function:
        getattr(importlib.import_module(module), function)()
    else:
        warnings.simplefilter("ignore", RuntimeWarning)  # it is loaded already: that is what this is for
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    load()
    do(live(socket.socket(fileno=os.dup(0)))["program"])
