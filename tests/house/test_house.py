"""The rules of the house, run as tests."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "strandline"
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"], ["lint-imports"]],
    ids=lambda command: " ".join(command),
)
def test_tool_finds_nothing(command):
    done = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_no_file_is_much_over_400_lines_and_none_has_a_name_that_says_nothing():
    files = [*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    assert len(files) > 300
    long = {str(f.relative_to(ROOT)): n for f in files if (n := len(f.read_text().splitlines())) > 420}
    assert not long
    empty_names = {"utils", "misc", "common", "helpers", "base"}
    assert not [f for f in files if f.stem in empty_names or f.parent.name in empty_names]


def test_packages_hold_a_docstring_only():
    for file in SOURCE.rglob("__init__.py"):
        if file.parent == SOURCE:
            continue
        body = ast.parse(file.read_text()).body
        assert len(body) == 1, f"{file} holds more than its docstring"
        assert isinstance(body[0], ast.Expr)
        assert isinstance(body[0].value, ast.Constant)


def test_every_module_says_what_it_is_for():
    silent = [str(f) for f in SOURCE.rglob("*.py") if not ast.get_docstring(ast.parse(f.read_text()))]
    assert not silent


def asserts(node):
    """Whether a piece of a test can fail by itself."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name in ("raises", "warns", "fail") or name.startswith("assert_")
    return isinstance(node, ast.Assert)


def test_every_test_asserts_something():
    tests, idle = 0, []
    for file in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                tests += 1
                if not any(map(asserts, ast.walk(node))):
                    idle.append(f"{file.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert tests > 1000
    assert not idle


PASSING = {"time", "time_ns", "monotonic", "now", "utcnow", "today", "urandom", "uuid1", "uuid4", "token_hex", "getpid"}
"""Calls whose answer is another one in each process."""


def evaluated_at_import(node):
    """What of a module is computed when it is read: no bodies of functions, but their decorators and defaults."""
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for part in (*node.decorator_list, node.args):
            yield from evaluated_at_import(part)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from evaluated_at_import(child)


def passing(text):
    """The lines on which a module asks at import what differs in the next process."""
    calls = (node for node in evaluated_at_import(ast.parse(text)) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if getattr(call.func, "attr", getattr(call.func, "id", "")) in PASSING]


def test_tests_are_called_the_same_in_each_process():
    """Processes that share the tests compare what they collected; an hour in a name fails the whole run."""
    assert passing("@parametrize('at', [time.time()])\ndef test_it(at): pass\nNOW = datetime.now()") == [1, 3]
    assert not passing("def test_it():\n    time.time()\nlater = lambda: time.time()")
    found = {str(file.relative_to(ROOT)): passing(file.read_text()) for file in (ROOT / "tests").rglob("*.py")}
    assert not {name: lines for name, lines in found.items() if lines}


def test_help_starts_without_heavy_modules():
    code = (
        "import sys; sys.argv = ['strandline', '--help']\n"
        "from strandline.cli import main\n"
        "try:\n    main.main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'sklearn', 'lxml', 'fastapi', 'starlette', 'pycurl', 'sqlite3', 'tldextract'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "crawl" in done.stdout
    assert "HEAVY []" in done.stderr


def test_nothing_committed_names_a_machine_or_a_registry():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    marks = ("/ro" + "ot/", "/wo" + "rk/", "pypi" + ".org/simple", "registry.npm" + "js.org", "deb.deb" + "ian.org")
    names = listed.stdout.splitlines()
    assert len(names) > 500
    for name in names:
        path = ROOT / name
        if path.is_file() and path.stat().st_size < 2_000_000:
            text = path.read_bytes().decode("utf-8", "replace")
            assert not [mark for mark in marks if mark in text], name
