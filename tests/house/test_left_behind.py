"""A test that fails does not fail others: what it had open is closed, what it began is ended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TWO = """
import gc, os
from servers import commands

def test_that_fails(tmp_path):
    held = open(tmp_path / "file", "w")
    held.myself = [held]
    begun = commands.Command("serve", "--help", env=os.environ)
    assert not held

def test_after_it():
    gc.collect()
    assert commands.under_way() == set()
"""
CONFTEST = """
from left_behind import LeftBehind
from servers import commands, own_processes

own_processes.ask(commands.source)

def pytest_configure(config):
    {register}
"""


@pytest.mark.parametrize(("register", "failed"), [("config.pluginmanager.register(LeftBehind())", 1), ("pass", 2)])
def test_only_the_one_that_fails(tmp_path, register, failed):
    (tmp_path / "test_two.py").write_text(TWO)
    (tmp_path / "conftest.py").write_text(CONFTEST.format(register=register))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "--rootdir", tmp_path]
    done = subprocess.run(
        [*words, tmp_path], env=os.environ | {"PYTHONPATH": str(TESTS)}, cwd=tmp_path, capture_output=True, text=True
    )
    assert f"{failed} failed" in done.stdout, done.stdout + done.stderr
    assert "test_that_fails" in done.stdout
