"""A user's computer compiles nothing: the package has machine code of its kernels as they are."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from journeys.command import ENVIRONMENT, LOOPBACK
from strandline.demo.server import DemoServer
from strandline.kernels.shipped import HERE, MODULE, digest, list_file, standing

ROOT = Path(__file__).parents[2]
NO_NUMBA = """import sys
with open({asked!r}, "a") as file:
    print(sys.argv, file=file)
raise ImportError("there is no compiler here")
"""


def test_the_machine_code_is_of_these_sources():
    if not list_file().exists():
        pytest.skip("no machine code for this Python and architecture: numba compiles here")
    assert not standing().changed, "kernels changed: make kernels"
    assert standing().kernels > 30


def test_the_machine_code_for_other_architectures_is_of_these_sources():
    lists = sorted(HERE.glob(f"{MODULE}.*.json"))
    assert [path.with_suffix(".so").name for path in lists] == sorted(path.name for path in HERE.glob(f"{MODULE}.*.so"))
    for path in lists:
        sources = json.loads(path.read_text())["sources"]
        assert [name for name in sources if digest(name) != sources[name]] == [], f"make kernels: {path.name}"


def test_numba_is_required_exactly_where_there_is_no_machine_code():
    """Names of files say for which: machine_code.cpython-311-aarch64-linux-gnu.so."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (numba,) = [found for text in project["dependencies"] if (found := Requirement(text)).name == "numba"]
    shipped = {path.name.split("-", 1)[1].split("-linux-gnu")[0] for path in HERE.glob(f"{MODULE}.*.so")}
    assert shipped
    for minor in (11, 12, 13, 14):
        for machine in ("aarch64", "x86_64", "riscv64"):
            where = {"sys_platform": "linux", "platform_machine": machine, "python_version": f"3.{minor}"}
            assert numba.marker.evaluate(where) == (f"3{minor}-{machine}" not in shipped), where
    assert numba.marker.evaluate({"sys_platform": "darwin", "platform_machine": "aarch64", "python_version": "3.11"})


def test_commands_need_no_compiler(tmp_path):
    """What a new archive is used with, in processes (and their own processes) that cannot import numba."""
    if not standing().fits:
        pytest.skip("kernels changed, or there is no machine code for this Python and architecture: make kernels")
    folder, asked, first = str(tmp_path / "archive"), tmp_path / "asked", tmp_path / "first"
    first.mkdir()
    (first / "numba.py").write_text(NO_NUMBA.format(asked=str(asked)))
    surroundings = ENVIRONMENT | {"PYTHONPATH": str(first)}
    with DemoServer(hour_seconds=0.5) as site:
        for words in (
            ("init", folder, "--seeds", site.url),
            ("crawl", folder, *LOOPBACK),
            ("crawl", folder, *LOOPBACK),
            ("changes", folder),
            ("learn", folder),
            ("next", folder),
            ("watch", folder, *LOOPBACK[2:], "--for", "3s"),
            ("quality", folder),
            ("patterns", folder),
            ("rules", folder),
            ("simulate", "--pages", "20", "--days", "2", "--budgets", "10", "--objectives", "pool"),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "strandline", *words],
                capture_output=True,
                text=True,
                env=surroundings,
                check=False,
            )
            assert done.returncode == 0, (words, done.stderr)
    assert not asked.exists(), asked.read_text()
