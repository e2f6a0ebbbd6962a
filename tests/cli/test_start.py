"""An interrupt while a command is still loading ends it in one line, without a traceback."""

import os
import signal
import subprocess
import sys

import pytest

SLOW = """
import sys, time
print("loading", flush=True)
for _ in range(1200):
    time.sleep(0.1)
"""


@pytest.mark.parametrize(
    ("module", "code"),
    [
        pytest.param("typer", 130, id="before the command is known"),
        pytest.param("sqlite3", 11, id="while it loads what it needs"),
    ],
)
def test_an_interrupt_while_modules_load(tmp_path, module, code):
    (tmp_path / f"{module}.py").write_text(SLOW)
    (tmp_path / "strandline.toml").touch()
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH", ""))))
    running = subprocess.Popen(
        [sys.executable, "-m", "strandline", "versions", str(tmp_path), "https://a.example/"],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with running:
        assert running.stdout.readline() == "loading\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=600)
    assert (running.returncode, out, err) == (code, "", "strandline: interrupted\n")
