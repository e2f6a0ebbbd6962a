"""Names to addresses, without holding up the connections that are open.

The system's resolver blocks for as long as a name server stays silent, so questions are put in threads that die
with the process. Answers are kept for a short while; equal questions under way are asked once.
"""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from strandline.core.quick_dataclass import dataclass

KEPT_SECONDS: Final = 120.0
KEPT_FAILURE_SECONDS: Final = 5.0
MOST_KEPT: Final = 20_000
MOST_ADDRESSES: Final = 8
"""A name may have a thousand addresses; trying all would take an hour."""

Lookup = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Addresses of a host, or why there are none."""

    host: str
    addresses: tuple[str, ...]
    problem: str = ""
    ours: bool = False
    """The question got no answer at all: the fault may be on our side of the network."""


def system_lookup(host: str) -> Sequence[str]:
    """Ask the system. The name is ASCII already, so Python's own IDNA (2003) is kept out."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Resolver:
    """Questions go in by `ask`, answers come out by `answered`; `wake` is called from a thread when there is one."""

    def __init__(self, wake: Callable[[], None], lookup: Lookup = system_lookup, threads: int = 32) -> None:
        self._wake = wake
        self._lookup = lookup
        self._most = threads
        self._threads = 0
        self._idle = 0
        self._open = 0
        self._lock = threading.Lock()
        self._questions: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._asked: set[str] = set()
        self._known: dict[str, tuple[float, Answer]] = {}

    def known(self, host: str) -> Answer | None:
        """A recent answer."""
        until, answer = self._known.get(host, (0.0, None))
        return answer if until > monotonic() else None

    def ask(self, host: str) -> None:
        """Put a question, unless it is under way."""
        if host in self._asked:
            return
        self._asked.add(host)
        with self._lock:
            self._open += 1
            if self._open > self._idle and self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._work, name="resolve", daemon=True).start()
        self._questions.put(host)

    def answered(self) -> list[Answer]:
        """Answers that came since the last call."""
        answers: list[Answer] = []
        while not self._answers.empty():
            answer = self._answers.get()
            self._asked.discard(answer.host)
            kept = KEPT_FAILURE_SECONDS if answer.problem else KEPT_SECONDS
            if len(self._known) >= MOST_KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[answer.host] = (monotonic() + kept, answer)
            answers.append(answer)
        return answers

    def close(self) -> None:
        """Let idle threads go; those that wait for a name server end with the process."""
        for _ in range(self._threads):
            self._questions.put(None)

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            host = self._questions.get()
            with self._lock:
                self._idle -= 1
                self._open -= host is not None
            if host is None:
                return
            self._answers.put(self._resolve(host))
            self._wake()

    def _resolve(self, host: str) -> Answer:
        try:
            addresses = tuple(self._lookup(host))[:MOST_ADDRESSES]
        except socket.gaierror as fault:
            ours = fault.errno in (socket.EAI_AGAIN, socket.EAI_SYSTEM, socket.EAI_MEMORY)
            return Answer(host, (), str(fault.strerror or fault), ours)
        except (OSError, ValueError) as fault:  # ValueError: a name no name server could hold
            return Answer(host, (), str(fault) or "name cannot be asked for", isinstance(fault, OSError))
        return Answer(host, addresses, "" if addresses else "no address")
