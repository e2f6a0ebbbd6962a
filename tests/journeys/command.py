"""Running the `strandline` command as a user does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from typer.testing import CliRunner

from servers.commands import Command
from strandline.cli.main import app

ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def captured(self):
        return [line for line in self.lines if line["event"] == "captured"]


def strandline(*words, timeout=1200, env=None, fresh=False):
    """Run to the end."""
    running = start(*words, env=env, fresh=fresh)
    try:
        out, err = running.communicate(timeout=timeout)
    finally:
        running.kill()
    return Done(running.wait(), out, err)


def start(*words, env=None, fresh=False, **outputs):
    """Run beside the test; as a process that loads everything itself when it is to be fresh."""
    surroundings = ENVIRONMENT | (env or {})
    if not fresh:
        return Command(*words, env=surroundings, **outputs)
    outputs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | outputs
    command = [sys.executable, "-m", "strandline", *map(str, words)]
    return subprocess.Popen(command, text=True, env=surroundings, **outputs)


def here(*words):
    """Run in this process, which is quicker; what it printed to standard output and standard error."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


LOOPBACK = ("--delay", "0", "--allow-address", "127.0.0.1/32", "--json")
UNSTUDIED = (*LOOPBACK, "--set", "study.workers=0")
"""Without the process that studies, which takes a second to start: for what is not about changes."""
