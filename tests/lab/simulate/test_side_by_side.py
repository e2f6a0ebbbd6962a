"""Work on several processes: answers, errors, and that nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strandline.lab.simulate.side_by_side import side_by_side

WORK = Path(__file__).with_name("side_by_side_work.py")


@pytest.mark.parametrize("processes", [1, 2])
def test_each_work_gets_its_answer(processes):
    assert dict(side_by_side(abs, [-3, 4, -5], processes)) == {-3: 3, 4: 4, -5: 5}


def test_nothing_to_do_is_done():
    assert list(side_by_side(abs, [], 4)) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_of_the_work_is_told(processes):
    with pytest.raises(TypeError):
        list(side_by_side(abs, ["one", "two", "three"], processes))


def test_a_plain_script_is_run_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from strandline.lab.simulate.side_by_side import side_by_side\n"
        "print('begin')\n"
        "print(sorted(side_by_side(abs, [-1, 2, -3], 2)))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "begin\n[(-3, 3), (-1, 1), (2, 2)]\n", "")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_processes_end_with_the_one_that_asked(tmp_path, sent):
    with subprocess.Popen([sys.executable, WORK, tmp_path], start_new_session=True) as asking:
        while len(list(tmp_path.iterdir())) < 2:
            assert asking.poll() is None
            time.sleep(0.02)
        asking.send_signal(sent)  # to it alone, not to those it started
        assert asking.wait(600) == (130 if sent == signal.SIGINT else -signal.SIGKILL)
    deadline = time.monotonic() + 600.0
    while _living(asking.pid):
        assert time.monotonic() < deadline, "processes were left behind"
        time.sleep(0.05)


def _living(session):
    try:
        os.killpg(session, 0)
    except ProcessLookupError:
        return False
    return True
