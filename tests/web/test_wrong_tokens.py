"""Guessing tokens takes ever longer; right tokens never wait."""

import time

from strandline.web.wrong_tokens import FORGOTTEN, LONGEST, MOST_CLIENTS, MOST_WAITING, WrongTokens
from web.archives import Builder, served


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_each_wrong_token_waits_twice_as_long_up_to_a_limit():
    wrong = WrongTokens(Clock())
    waits = [wrong.wait("a") for _ in range(60)]
    assert waits[:4] == [0.1, 0.2, 0.4, 0.8] and waits[-1] == LONGEST
    assert wrong.wait("b") == 0.1, "others do not wait for it"


def test_a_right_token_or_a_while_without_any_begins_anew():
    clock = Clock()
    wrong = WrongTokens(clock)
    wrong.wait("a"), wrong.wait("a")
    wrong.right("a")
    assert wrong.wait("a") == 0.1
    wrong.wait("a")
    clock.now = FORGOTTEN + 1
    assert wrong.wait("a") == 0.1


def test_memory_and_connections_are_bounded():
    wrong = WrongTokens(Clock())
    for number in range(MOST_CLIENTS + 10):
        wrong.wait(str(number))
    assert len(wrong._tried) == MOST_CLIENTS
    wrong.waiting = MOST_WAITING
    assert wrong.wait("a") is None


def test_a_server_takes_its_time_with_wrong_tokens_only(tmp_path):
    made = Builder(tmp_path)
    made.add("http://site.test/", "<p>1</p>", when="2026-03-01T12:00:00Z")
    with served(made.archive(), token="the right token of a server") as server:
        wrong = {"Authorization": "Bearer a wrong token of somebody"}
        began = time.monotonic()
        for _ in range(3):
            assert server.get("/api/v1/sites", wrong, origin="interface")[0] == 401
        assert time.monotonic() - began >= 0.1 + 0.2 + 0.4
        right = {"Authorization": "Bearer the right token of a server"}
        assert server.get("/api/v1/sites", right, origin="interface")[0] == 200
