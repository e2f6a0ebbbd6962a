"""Benchmarks are run seldom: what they take from the product is still there, and `--help` runs none."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("bench_*.py"))


def python(*words):
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_benchmark_can_be_imported():
    assert len(NAMES) > 10
    done = python("-c", "\n".join(f"import benchmarks.{name}" for name in NAMES))
    assert done.returncode == 0, done.stderr


def test_help_says_what_there_is_and_runs_nothing():
    told = python("-m", "benchmarks", "--help")
    assert told.returncode == 0 and all(name.removeprefix("bench_") in told.stdout for name in NAMES)
    assert "\n== " not in told.stdout
    wrong = python("-m", "benchmarks", "nothing")
    assert wrong.returncode == 1 and wrong.stderr.startswith("no such benchmark: nothing; there are: blocks, ")
