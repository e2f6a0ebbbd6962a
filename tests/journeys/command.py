"""Running the `strandline` command as a user does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from typer.testing import CliRunner

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


def strandline(*words, timeout=300, **options):
    """Run to the end."""
    done = subprocess.run(
        [sys.executable, "-m", "strandline", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=ENVIRONMENT | options.pop("env", {}),
        **options,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def start(*words):
    """Run beside the test."""
    return subprocess.Popen(
        [sys.executable, "-m", "strandline", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def here(*words):
    """Run in this process, which is quicker; what it printed to standard output and standard error."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


LOOPBACK = ("--delay", "0", "--allow-address", "127.0.0.1/32", "--json")
