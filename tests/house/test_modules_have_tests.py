"""The test of a module is found by its name, `tests/plan/test_worth.py` for `plan/worth.py`, or in one table.

The table (`elsewhere.py`) may only become shorter: a new module comes with a test of its name.
"""

import ast
import functools
from pathlib import Path

from house.elsewhere import ELSEWHERE

ROOT = Path(__file__).parents[2]
SOURCES, TESTS = ROOT / "src", ROOT / "tests"
PACKAGE = SOURCES / "strandline"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py"))
LENGTH = 286
"""Modules in the table; to be lowered with it."""
TO_COME = 0
"""Modules whose tests are still being sorted out."""
TABLE = {module: file for file, modules in ELSEWHERE.items() for module in modules}


def own_test(module):
    return TESTS / module.relative_to(PACKAGE).parent / f"test_{module.name}"


@functools.cache
def place_of(name):
    """The file of a module of the program or of the tests; None for any other."""
    stem = name.replace(".", "/")
    candidates = (f"{stem}.py", f"{stem}/__init__.py")
    return next((at / one for at in (SOURCES, TESTS) for one in candidates if (at / one).is_file()), None)


@functools.cache
def imported(path):
    """Files a file imports anywhere in it, or names in a text (`"strandline.watch.watch_plan"`)."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("strandline."):
            names.update((node.value.partition(":")[0], node.value.rpartition(".")[0]))
    return frozenset(filter(None, map(place_of, names)))


@functools.cache
def reached(test):
    """Everything a test imports, its fixtures included, directly or through what it imports."""
    found, waiting = (
        set(),
        [test, *(folder / "conftest.py" for folder in test.parents if (folder / "conftest.py").is_file())],
    )
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(imported(path))
    return found


def problem_of(module):
    """What is wrong about the test of a module; nothing for most."""
    name, own = module.relative_to(PACKAGE).as_posix(), own_test(module)
    if own.is_file():
        return "has a test of its name now: take it out of the table, and lower LENGTH" if name in TABLE else ""
    if name not in TABLE:
        return f"has no {own.relative_to(ROOT)}: write it, rather than a line in tests/house/elsewhere.py"
    test = TESTS / TABLE[name]
    return "" if test.is_file() and module in reached(test) else f"is not used by {TABLE[name]}"


def test_a_module_has_a_test_of_its_name_or_a_line_in_the_table():
    problems = [
        f"{module.relative_to(PACKAGE).as_posix()} {problem}" for module in MODULES if (problem := problem_of(module))
    ]
    assert len(problems) <= TO_COME, "\n".join(problems)


def test_the_table_only_becomes_shorter():
    assert len(TABLE) == sum(map(len, ELSEWHERE.values())), "a module is named twice"
    assert TABLE.keys() <= {path.relative_to(PACKAGE).as_posix() for path in MODULES}, "modules that are gone"
    assert len(TABLE) <= LENGTH
