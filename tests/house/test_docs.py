"""The documentation says what is there."""

import re
import runpy
from pathlib import Path

from typer.main import get_command

from strandline import errors
from strandline.cli.main import app

ROOT = Path(__file__).parents[2]


def test_settings_page_is_current():
    page = runpy.run_path(str(ROOT / "scripts" / "settings-page"))["page"]()
    assert (ROOT / "docs" / "settings.md").read_text() == page, "run scripts/settings-page"


def test_every_command_is_documented_and_has_an_example():
    page = (ROOT / "docs" / "commands.md").read_text()
    commands = get_command(app).commands
    assert {"init", "crawl", "serve", "verify"} <= set(commands)
    for name, command in commands.items():
        assert f"strandline {name}" in page, name
        assert command.help, name
        assert command.epilog, f"{name} has no example"
        assert f"strandline {name}" in command.epilog


def test_every_error_is_drawn_with_its_exit_code():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) > 5
    for kind in kinds:
        assert re.search(rf"{kind.__name__}\s+{kind.exit_code}\b", errors.__doc__), kind.__name__
    page = (ROOT / "docs" / "commands.md").read_text()
    for kind in kinds:
        assert re.search(rf"\| (\d+, )?{kind.exit_code}\b", page), kind.__name__


def test_links_between_pages_lead_somewhere():
    links = [
        (page, target)
        for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text())
    ]
    assert len(links) > 50
    assert not [f"{page.name} -> {target}" for page, target in links if not (page.parent / target).exists()]
