"""The two walks of docs/architecture.md name files that are there, and are as long as the page says."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAGES = ("archive", "crawl", "study", "learn", "plan", "watch")


def walk(title):
    """The files of a walk in their order, and how many files and turns back the page counts."""
    text = (ROOT / "docs" / "architecture.md").read_text().partition(f"## {title}\n")[2].partition("\n## ")[0]
    files = re.findall(r"^\d+\. `([^`]+)`", text, flags=re.MULTILINE)
    told = re.search(r"^Files: (\d+)\. Turns back: (\d+)\.$", text, flags=re.MULTILINE)
    return files, (int(told[1]), int(told[2]))


@pytest.mark.parametrize(("title", "most"), [("One capture", (30, 6)), ("One decision", (15, 3))])
def test_a_walk_is_short_and_counted(title, most):
    files, told = walk(title)
    assert all((ROOT / "src" / "strandline" / file).is_file() for file in files)
    stages = [STAGES.index(stage) for file in files if (stage := file.partition("/")[0]) in STAGES]
    turns = sum(later < earlier for earlier, later in pairwise(stages))
    assert told == (len(set(files)), turns)
    assert told[0] <= most[0] and told[1] <= most[1]
