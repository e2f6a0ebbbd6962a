import socket
import threading

import pytest

from strandline.fetch import resolve
from strandline.fetch.resolve import Answer, Resolver, system_lookup


class Bell:
    def __init__(self, lookup):
        self.rung = threading.Semaphore(0)
        self.resolver = Resolver(self.rung.release, lookup)

    def ask(self, *hosts: str) -> dict[str, Answer]:
        for host in hosts:
            self.resolver.ask(host)
        found: dict[str, Answer] = {}
        while len(found) < len(set(hosts)):
            assert self.rung.acquire(timeout=20)
            found |= {answer.host: answer for answer in self.resolver.answered()}
        return found


def test_answers_are_kept_and_equal_questions_asked_once():
    asked = []
    gate = threading.Event()

    def lookup(host):
        asked.append(host)
        gate.wait(20)
        return ["192.0.2.1"]

    bell = Bell(lookup)
    bell.resolver.ask("a.example")
    bell.resolver.ask("a.example")
    gate.set()
    assert bell.ask("a.example")["a.example"].addresses == ("192.0.2.1",)
    assert asked == ["a.example"]
    assert bell.resolver.known("a.example").addresses == ("192.0.2.1",)
    assert bell.resolver.known("b.example") is None


def test_one_silent_name_server_does_not_hold_up_the_others():
    gate = threading.Event()

    def lookup(host):
        if host.startswith("slow"):
            gate.wait(20)
        return ["192.0.2.1"]

    bell = Bell(lookup)
    for number in range(10):
        bell.resolver.ask(f"slow{number}")
    assert bell.ask("quick")["quick"].addresses
    gate.set()


@pytest.mark.parametrize(
    ("fault", "ours"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no such name"), False),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), True),
        (OSError(24, "too many open files"), True),
        (UnicodeError("label too long"), False),
    ],
)
def test_failures_are_answers(fault, ours):
    def lookup(_):
        raise fault

    answer = Bell(lookup).ask("x.example")["x.example"]
    assert answer.addresses == ()
    assert answer.problem
    assert answer.ours is ours


def test_a_thousand_addresses_are_cut_and_none_is_a_problem():
    bell = Bell(lambda host: [f"198.51.{n // 250}.{n % 250}" for n in range(1000)] if host == "many" else [])
    found = bell.ask("many", "none")
    assert len(found["many"].addresses) == resolve.MOST_ADDRESSES
    assert found["none"].problem == "no address"


def test_memory_for_answers_is_bounded(monkeypatch):
    monkeypatch.setattr(resolve, "MOST_KEPT", 3)
    bell = Bell(lambda host: ["192.0.2.1"])
    for number in range(10):
        bell.ask(f"h{number}")
    assert len(bell.resolver._known) == 3
    bell.resolver.close()


def test_the_system_knows_localhost():
    assert set(system_lookup("localhost")) & {"127.0.0.1", "::1"}
