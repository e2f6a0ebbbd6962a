"""What the documentation shows can be done as it is printed: Python is run, the worked example gives its numbers.

`docs/python.md`, which archives a site, has a test of its own (`app/test_python_page.py`).
"""

import re
from pathlib import Path

import pytest

import strandline
from strandline.study.comparing import compare_files

ROOT = Path(__file__).parents[2]
OWN_TEST = "python.md"


def _code(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if _code(page) and page.name != OWN_TEST
]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder where a reader who tries things out might sit: the documentation, and an archive."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    strandline.create("./my-archive", contact="https://your.page/about-this-crawl")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs_as_printed(page, desk):
    names = {}
    for code in _code(page):
        exec(code, names)
    assert len(names) > 1


def test_the_example_of_changes_gives_the_numbers_of_its_page(desk, capsys):
    page = (ROOT / "docs" / "changes.md").read_text()
    exec(_code(ROOT / "docs" / "changes.md")[0], {})
    told = capsys.readouterr().out.splitlines()
    assert f"**.{told[0].partition('.')[2]}**" in page
    assert len(told) == 4
    for line in told[1:]:
        adds, why = line.split(maxsplit=1)
        topic = re.match(r"(.*?): (?:appeared|changed)", why)[1]
        assert f"| {topic} | {adds} | {why.removeprefix(topic + ': ')} |" in page
    found = compare_files(*(f"docs/examples/reading-room-{name}.html" for name in ("before", "after")))
    assert f"impch = **.{round(100 * found.impch)}**" in page
    for operation in found.delta.operations:
        assert f"| {operation.kind} | {operation.element} | `{operation.block}`" in page
