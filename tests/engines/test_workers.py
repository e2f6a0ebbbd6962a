"""Workers end without taking anybody with them, and it is known what they were at."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strandline.engines.workers import Fallen, Limits, Workers
from strandline.errors import Unreachable


@pytest.fixture
def workers(monkeypatch, from_nothing):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    opened = []

    def make(count=1, limits=Limits(cpu=1.0, memory=200 << 20)):  # noqa: B008
        opened.append(Workers("difficult_work:work", ("difficult_work:prepare", "hello"), count, limits))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def answers(pool, *jobs):
    for job in jobs:
        pool.add(job)
    got = []
    while pool.busy:
        got += pool.poll(30.0)
    return got


def test_work_is_done_and_nothing_printed_disturbs_it(workers, capfd):
    (answer,) = answers(workers(), ["a", "print", "b"])
    assert answer[:2] == ("hello", 3)
    assert capfd.readouterr().out == ""


def test_several_workers_share_the_work(workers):
    got = answers(workers(count=2), *[["x"]] * 40)
    assert len(got) == 40
    assert 1 <= len({process for _, _, process in got}) <= 2


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        ("die", "killed"),
        ("exit", "code 3"),
        ("spin", "processor time"),
        ("hoard", "memory"),
        ("raise", "ValueError: no good"),
    ],
)
def test_work_that_harms_its_worker_is_named_and_the_next_is_done(workers, monkeypatch, harm, why):
    monkeypatch.setattr("strandline.engines.workers._PATIENCE", 300.0)  # of a machine that does much else
    pool = workers()
    fallen, answer = answers(pool, ["fine", harm, "never"], ["after"])
    assert isinstance(fallen, Fallen)
    assert (fallen.work, fallen.step) == (["fine", harm, "never"], 2)
    assert why in fallen.why
    assert answer[:2] == ("hello", 1)


def test_work_that_only_waits_is_ended(workers):
    fallen, answer = answers(workers(limits=Limits(cpu=0.2)), ["sleep"], ["after"])
    assert fallen.why == "took too long"
    assert answer[1] == 1


@pytest.mark.parametrize(("trouble", "told"), [("away", "the store is away"), ("refused", "the keys are wrong")])
def test_what_is_away_is_told_to_the_caller_and_the_worker_goes_on(workers, trouble, told):
    pool = workers()
    pool.add(["x", trouble, "x"])
    with pytest.raises(Unreachable, match=told):
        pool.poll(30.0)
    assert not pool.busy and answers(pool, ["x"])[0][:2] == ("hello", 1)


def test_work_that_waits_for_others_is_given_the_time_they_take():
    assert Limits(cpu=2.0, waits=100.0).clock == 100.0 + Limits(cpu=2.0).clock


def test_poll_does_not_wait_longer_than_asked(workers):
    pool = workers()
    pool.add(["x"])
    assert pool.poll(0.0) == []  # it is only starting
    assert pool.busy == 1
    assert len(answers(pool)) == 1


def test_a_worker_that_cannot_start_is_a_defect(workers):
    pool = Workers("no_such_module:work", ("difficult_work:prepare", ""))
    pool.add(["x"])
    with pytest.raises(Unreachable, match="does not start"):
        pool.poll(60.0)
    pool.close()


def killed_while_starting(pool):
    while not pool._workers:  # what has ended is seen first
        pool.poll(0.0)
    pool._workers[0].process.kill()
    pool._workers[0].process.wait()


def test_a_worker_that_is_killed_while_it_starts_is_started_again(workers):
    pool = workers()
    pool.add(["x"])
    for _ in range(2):
        killed_while_starting(pool)
    assert len(answers(pool)) == 1


def test_but_not_for_ever(workers):
    pool = workers()
    pool.add(["x"])
    with pytest.raises(Unreachable, match="does not start"):
        for _ in range(4):
            killed_while_starting(pool)
            pool.poll(0.0)


def test_a_caller_that_is_killed_takes_its_workers_with_it():
    code = (
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from strandline.engines.workers import Workers\n"
        "pool = Workers('difficult_work:work', ('difficult_work:prepare', ''))\n"
        "pool.add(['x'])\n"
        "while pool.busy: pool.poll(1.0)\n"
        "print(pool._workers[0].process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    worker = Path("/proc") / str(int(done.stdout)) / "stat"

    def runs():
        try:
            return worker.read_text().split()[2] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    end = time.monotonic() + 600
    while runs() and time.monotonic() < end:
        time.sleep(0.1)
    assert not runs(), "the worker is still there"


def test_nothing_is_started_without_work(workers):
    pool = workers()
    assert pool.poll(0.0) == []
    assert "difficult_work" not in sys.modules
