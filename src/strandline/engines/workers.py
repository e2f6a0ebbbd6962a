"""Processes that do work which may take too long, too much memory, or end the process: the caller goes on regardless.

A worker is a Python process of its own, started from nothing (no fork of a process with threads, locks and open
databases), that imports one function and calls it again and again. Work and answers travel as pickles over pipes. The
worker limits itself: address space beyond what it needs to start, and processor time for each step of the work. A
*step* is what the work says it is about to do (the number of a capture); when a worker ends, the step it died at is
known.

One piece of work is done by one worker; which, does not matter: it brings with it all it needs. When what it reads from
is away (Unreachable) or lets nobody in (SettingError: keys that were changed), that is nobody's fault: the caller is
told, and may give the work again later.
"""

import contextlib
import ctypes
import os
import pickle
import resource
import selectors
import signal
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, BinaryIO, Final, Generic, TypeVar

from strandline.errors import SettingError, Unreachable

W = TypeVar("W")
A = TypeVar("A")

_HEAD: Final = struct.Struct("<BQ")
_STEP, _ANSWER, _READY, _RAISED, _AWAY = range(5)
_CONTENT: Final = (_ANSWER, _RAISED, _AWAY)
_PATIENCE: Final = 6.0
"""A worker may take this many times its processor limit on the clock: others use the processors too."""
_NO_MEMORY: Final = 71
_PARENT: Final = "STRANDLINE_WORKER_OF"
_PARENT_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG
_KILLED: Final = 3
"""Workers in a row that are killed while they start, for want of memory for instance, until that is told. Origin: a
guess."""
_START: Final = 900.0
"""Seconds a worker may take to start: the first one of all compiles, which takes minutes on a busy machine."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one step of the work may take."""

    cpu: float = 5.0
    """Seconds of processor time."""
    memory: int = 1 << 30
    """Bytes of address space beyond what the worker has when it is ready."""
    waits: float = 0.0
    """Seconds it may wait for what it reads from, besides."""

    @property
    def clock(self) -> float:
        """Seconds a step may take by the clock."""
        return self.cpu * _PATIENCE + self.waits


@dataclass(frozen=True, slots=True)
class Fallen(Generic[W]):
    """Work whose worker ended before it answered."""

    work: W
    step: int
    """The step it was at; 0 before the first."""
    why: str


@dataclass(slots=True)
class _Worker:
    process: "subprocess.Popen[bytes]"
    work: Any = None
    step: int = 0
    deadline: float = 0.0
    ready: bool = False
    received: bytearray = field(default_factory=bytearray)


class Workers(Generic[W, A]):
    """A number of workers that all run one function, named "module:function", as function(prepared, work, begins).

    `prepare` names another function, and its argument, that makes `prepared` when a worker starts. The work calls
    `begins` with a number when it begins a step; that renews its limits.
    """

    def __init__(self, function: str, prepare: tuple[str, Any], count: int = 1, limits: Limits = Limits()) -> None:  # noqa: B008
        self._function = function
        self._prepare = prepare
        self._limits = limits
        self._count = max(1, count)
        self._workers: list[_Worker] = []
        self._waiting: deque[W] = deque()
        self._selector = selectors.DefaultSelector()
        self._killed = 0
        """Workers in a row that were killed before they were ready."""

    @property
    def busy(self) -> int:
        """Works that are not answered yet."""
        return len(self._waiting) + sum(worker.work is not None for worker in self._workers)

    def add(self, work: W) -> None:
        """Give work; `poll` has it done."""
        self._waiting.append(work)

    def poll(self, timeout: float) -> list[A | Fallen[W]]:
        """What was answered within `timeout` seconds; returns as soon as there is something. Unreachable when what
        the work reads from is away; that work is forgotten.
        """
        ends = time.monotonic() + timeout
        while True:
            while len(self._workers) < self._count and len(self._workers) < self.busy:
                self._workers.append(self._new())
            for worker in self._workers:
                if self._waiting and worker.work is None and worker.ready:
                    self._give(worker, self._waiting.popleft())
            answers = list(self._listen(ends - time.monotonic()))
            if answers or not self.busy or time.monotonic() >= ends:
                return answers

    def close(self) -> None:
        """End the workers."""
        for worker in list(self._workers):
            self._end(worker)
        self._selector.close()

    def __enter__(self) -> "Workers[W, A]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _new(self) -> _Worker:
        process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), _PARENT: str(os.getpid())},
            start_new_session=True,  # Ctrl-C is for the caller, who ends its workers
        )
        worker = _Worker(process, deadline=time.monotonic() + _START)
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        self._selector.register(process.stdout, selectors.EVENT_READ, worker)
        with contextlib.suppress(BrokenPipeError):
            _write(process.stdin, pickle.dumps((self._function, self._prepare, self._limits)))
        return worker

    def _give(self, worker: _Worker, work: W) -> None:
        worker.work, worker.step = work, 0
        worker.deadline = time.monotonic() + self._limits.clock
        with contextlib.suppress(BrokenPipeError):  # it has ended: seen when it is listened to
            _write(worker.process.stdin, pickle.dumps(work))

    def _listen(self, timeout: float) -> Iterator[A | Fallen[W]]:
        for key, _ in self._selector.select(max(0.0, min(1.0, timeout))):
            worker: _Worker = key.data
            assert worker.process.stdout is not None
            data = worker.process.stdout.read(1 << 20)
            if data:
                worker.received += data
                yield from self._messages(worker)
            elif data is not None:
                yield from self._fallen(worker, "")
        for worker in list(self._workers):
            if time.monotonic() > worker.deadline and (worker.work is not None or not worker.ready):
                yield from self._fallen(worker, "took too long")

    def _messages(self, worker: _Worker) -> Iterator[A | Fallen[W]]:
        while len(worker.received) >= _HEAD.size:
            kind, size = _HEAD.unpack_from(worker.received)
            if kind != _STEP and len(worker.received) < _HEAD.size + size:
                return
            content = bytes(worker.received[_HEAD.size : _HEAD.size + size]) if kind in _CONTENT else b""
            del worker.received[: _HEAD.size + len(content)]
            worker.deadline = time.monotonic() + self._limits.clock
            if kind == _STEP:
                worker.step = size
            elif kind == _READY:
                worker.ready, self._killed = True, 0
            else:
                work, worker.work = worker.work, None
                if kind == _AWAY:
                    raise Unreachable(content.decode())
                yield pickle.loads(content) if kind == _ANSWER else Fallen(work, worker.step, content.decode())

    def _fallen(self, worker: _Worker, why: str) -> Iterator[Fallen[W]]:
        """A worker has ended, or is ended now; another takes its place when there is work."""
        code = self._end(worker)
        if not worker.ready:
            if code < 0 and not why and self._killed < _KILLED - 1:
                self._killed += 1
                return  # `poll` starts another
            raise Unreachable(f"a process for {self._function} does not start (exit code {code})")
        if worker.work is not None:
            yield Fallen(worker.work, worker.step, why or _ending(code))

    def _end(self, worker: _Worker) -> int:
        """End a worker, and let go of it."""
        self._workers.remove(worker)
        assert worker.process.stdout is not None
        assert worker.process.stdin is not None
        self._selector.unregister(worker.process.stdout)
        with contextlib.suppress(BrokenPipeError):
            worker.process.stdin.close()
        if worker.work is not None or not worker.ready:
            worker.process.kill()
        try:
            code = worker.process.wait(5)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            code = worker.process.wait()
        worker.process.stdout.close()
        return code


def _ending(code: int) -> str:
    if code == -signal.SIGXCPU:
        return "took too much processor time"
    if code == _NO_MEMORY:
        return "took too much memory"
    if code == -signal.SIGKILL:
        return "was killed, perhaps for want of memory"
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def _write(stream: Any, content: bytes) -> None:  # noqa: ANN401 - Popen's streams
    stream.write(struct.pack("<Q", len(content)) + content)
    stream.flush()


# The worker's own side


def serve() -> None:
    """Run in the worker: take work from standard input until it ends, answer on standard output."""
    _end_with_parent()
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints must not disturb the answers
    name, prepare, limits = pickle.loads(_read(source))
    prepared = _named(prepare[0])(prepare[1])
    function = _named(name)
    _limit_memory(limits.memory)

    def begins(step: int) -> None:
        _limit_cpu(limits.cpu)
        answers.write(_HEAD.pack(_STEP, step))

    answers.write(_HEAD.pack(_READY, 0))
    while True:
        try:
            work = pickle.loads(_read(source))
        except EOFError:
            return
        _limit_cpu(limits.cpu)
        kind, answer = _answer(function, prepared, work, begins)
        answers.write(_HEAD.pack(kind, len(answer)) + answer)


def _answer(
    function: Callable[..., Any], prepared: object, work: object, begins: Callable[[int], None]
) -> tuple[int, bytes]:
    try:
        return _ANSWER, pickle.dumps(function(prepared, work, begins))
    except MemoryError:
        os._exit(_NO_MEMORY)  # what is left of this process is not to be trusted
    except (Unreachable, SettingError) as problem:
        return _AWAY, str(problem).encode("utf-8", "replace")
    except Exception as problem:  # noqa: BLE001 - whatever it is, it concerns this work alone
        return _RAISED, f"{type(problem).__name__}: {problem}".encode("utf-8", "replace")


def _end_with_parent() -> None:
    """A caller that is killed takes its workers with it, at once and not when they next look for work."""
    with contextlib.suppress(OSError, AttributeError):  # Linux only; elsewhere the end of standard input does it
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != int(os.environ.get(_PARENT, os.getppid())):
        os._exit(0)  # it ended before it was asked to be followed


def _read(stream: BinaryIO) -> bytes:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    return stream.read(struct.unpack("<Q", head)[0])


def _named(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def _limit_memory(extra: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    with open("/proc/self/statm", "rb") as statistics:  # noqa: PTH123 - no file of ours
        used = int(statistics.read().split()[0]) * resource.getpagesize()
    wanted = used + extra
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))


def _limit_cpu(seconds: float) -> None:
    """Give this process so much more processor time from now on; then SIGXCPU ends it."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    wanted = int(spent.ru_utime + spent.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (wanted if hard < 0 else min(wanted, hard), hard))
