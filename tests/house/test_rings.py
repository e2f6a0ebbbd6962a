"""The two rings: everything is in one of them, what is known to be costly is in the second, no command is left out of
the first.
"""

import ast
import functools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers
from typer.main import get_command

from order import SECONDS
from rings import FIRST, KINDS, SECOND, kind_of, ring_of, thin_out, wholly_second
from strandline.cli.main import app

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
IMPORTS = re.compile(r"^ *(?:from ([\w.]+) import (\w[\w, ]*|\([^)]*\))|import ([\w.]+))", re.MULTILINE)
"""What a file imports, at its head or within a function: the module and its names, or the module alone."""
FILES = sorted(path.relative_to(ROOT).as_posix() for path in TESTS.rglob("test_*.py"))
NEEDS = {
    "web.chromium": "browser",
    "warc.pywb_env": "pywb",
    "servers.object_stores": "cluster",
    "servers.postgres": "cluster",
}
"""Helpers that start something costly."""
ALL_THE_SAME = (
    "tests/contracts/",
    "tests/house/",
    "tests/journeys/test_cluster_commands.py",
    "tests/store/test_browsing.py",
)
"""Contracts are kept by every store and commands run at every change: PostgreSQL alone starts in a second or two."""
KNOWN_LONG = 30
"""Seconds in the table of `order` from which on a file is not for every change."""


def named(name):
    file, _, test = name.partition("::")
    return file, test.partition("[")[0]


@pytest.mark.parametrize("name", [*FIRST, *(name for names in SECOND.values() for name in names)])
def test_what_the_tables_name_exists(name):
    file, test = named(name)
    assert file in FILES
    assert f"def {test}" in (ROOT / file).read_text()


def test_kinds_are_marks_that_pytest_knows():
    marks = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["markers"]
    told = {mark.partition(":")[0]: mark for mark in marks}
    assert KINDS.keys() == SECOND.keys()
    assert all(told[kind] == f"{kind}: {text}; not in make test" for kind, text in KINDS.items())


def test_a_test_is_in_the_first_ring_unless_something_is_said():
    assert ring_of("tests/core/test_new.py::test_it[1]", set()) == "first"
    assert ring_of("tests/core/test_new.py::test_it[1]", {"long"}) == "second"
    file = SECOND["browser"][0]
    assert (kind_of(f"{file}::test_it"), ring_of(f"{file}::test_it", {"browser"})) == ("browser", "second")
    assert wholly_second(file) and not wholly_second("tests/core/test_new.py")


def test_tests_named_for_the_first_ring_are_in_it():
    assert all(ring_of(name, {"cluster"}) == "first" and not wholly_second(named(name)[0]) for name in FIRST)


def test_a_sixth_of_the_random_examples_is_tried():
    tried = []

    @settings(max_examples=90, database=None)
    @given(integers())
    def sample(number):
        tried.append(number)

    for _ in range(2):
        thin_out(sample, 6)
    sample()
    assert len(tried) == 15


@functools.cache
def helpers(path):
    """Modules of the tests that a file imports, also through others."""
    found = set()
    for module, names, plain in IMPORTS.findall(path.read_text()):
        found.update((module or plain, *(f"{module}.{name}" for name in re.findall(r"\w+", names) if module)))
    mine = {name: TESTS / f"{name.replace('.', '/')}.py" for name in found}
    mine = {name: place for name, place in mine.items() if place.is_file() and place != path}
    return set(mine).union(*(helpers(place) for place in mine.values()))


@pytest.mark.parametrize("file", [file for file in FILES if not wholly_second(file)])
def test_what_starts_browsers_and_servers_is_in_the_second_ring(file):
    costly = {NEEDS[name] for name in helpers(ROOT / file) & NEEDS.keys()}
    text = (ROOT / file).read_text()
    if re.search(r"^def .*\bbrowser\b", text, re.MULTILINE):
        costly.add("browser")
    if file.startswith(ALL_THE_SAME) and costly == {"cluster"}:
        return
    partly = {kind for kind, names in SECOND.items() if any(named(name)[0] == file for name in names)}
    partly |= set(re.findall(r"pytest\.mark\.(\w+)", text))
    assert costly <= partly, f"add a line to tests/rings.py: {file} needs {', '.join(sorted(costly - partly))}"


@pytest.mark.parametrize("unit", [unit for unit, seconds in SECONDS.items() if ".py" in unit and seconds >= KNOWN_LONG])
def test_what_is_known_to_be_long_is_in_the_second_ring(unit):
    house = unit.startswith("tests/house/")  # types are checked at every change
    assert house or unit.endswith("[long]") or wholly_second(unit) or kind_of(unit), "add a line to tests/rings.py"


def test_each_command_has_a_journey_in_the_first_ring():
    words = set()
    for file in FILES:
        runs_commands = "journeys.command" in helpers(ROOT / file) or "strandline.cli" in (ROOT / file).read_text()
        if runs_commands and not file.startswith("tests/house/") and not wholly_second(file):
            found = ast.walk(ast.parse((ROOT / file).read_text()))
            words |= {node.value for node in found if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert get_command(app).commands.keys() - words == set()


def test_make_test_and_make_test_all_run_everything_once():
    rules = (ROOT / "Makefile").read_text()
    recipes = {name: text for name, text in re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", rules, re.MULTILINE)}
    assert "scripts/ring first" in recipes["test"] and "scripts/ring second" in recipes["test-all"]
    assert "setup-browser" not in recipes["test"]
    last = (ROOT / ".ci/run").read_text().splitlines()[-2:]
    assert last == ["make test", "exec make test-all"]


@pytest.mark.parametrize(("at_least", "status", "runs"), [(1, 0, 1), (2, 0, 2), (3, 1, 2)])
def test_what_failed_among_others_has_another_try_alone_and_no_more(tmp_path, at_least, status, runs):
    for place in ("scripts", ".venv/bin"):
        (tmp_path / place).mkdir(parents=True)
    shutil.copy(ROOT / "scripts/ring", tmp_path / "scripts/ring")
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n"
        "    parser.addoption('--ring')\n"
        "    parser.addoption('--times', action='store_true')\n"
    )
    (tmp_path / "test_one.py").write_text(
        "from pathlib import Path\n"
        "def test_one():\n"
        "    runs = Path('runs')\n"
        "    runs.write_text((runs.read_text() if runs.exists() else '') + 'x')\n"
        f"    assert len(runs.read_text()) >= {at_least}\n"
    )
    few_plugins = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [tmp_path / "scripts/ring", "first", "-q", "-p", "xdist"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=os.environ | few_plugins)
    assert (done.returncode, (tmp_path / "runs").read_text()) == (status, "x" * runs)
    assert ("run once more alone:\n  test_one.py::test_one" in done.stdout) == (runs == 2)
