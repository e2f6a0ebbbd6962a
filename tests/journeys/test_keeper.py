"""The journeys of a new keeper: every command of its pages, in order, on an archive."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from journeys.command import strandline
from web.archives import Builder

DOCS = Path(__file__).parents[2] / "docs"


def commands(page):
    """Commands in the blocks of a page."""
    blocks = re.findall(r"^```\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("strandline ")]


@pytest.fixture
def archive(tmp_path, monkeypatch):
    made = Builder(tmp_path / "made")
    for day in range(1, 29):
        for page in ("private/a", "private/b", "c", "d", "hours"):
            made.add(f"https://example.org/{page}", f"<p>{page} on day {day}</p>", when=f"2025-02-{day:02}T10:00:00Z")
        made.add("https://news.example/", f"<p>news of day {day}</p>", when=f"2025-02-{day:02}T10:00:00Z")
    shutil.move(made.archive().folder, tmp_path / "my-archive")
    (tmp_path / "addresses.txt").write_text("https://example.org/c\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("page", "least"), [("keeper.md", 12), ("upgrading.md", 4), ("collections.md", 11)])
def test_every_command_of_the_page_works(archive, page, least):
    found = commands(page)
    assert len(found) >= least
    for line in found:
        words = shlex.split(line.replace("/mnt/backup", str(archive / "backup")))[1:]
        done = strandline(*(str(archive / word) if word.startswith("./") else word for word in words))
        assert done.code == 0, (line, done.err)
    assert strandline("verify", archive / "my-archive").code == 0
    if page == "keeper.md":
        assert strandline("verify", archive / "restored").code == 0
        assert strandline("versions", archive / "my-archive", "https://example.org/c").code == 2
        assert strandline("versions", archive / "my-archive", "https://example.org/d").code == 0
