"""The smallest archive in which something changed: one page, twice."""

import json

from typer.testing import CliRunner

from strandline.cli.main import app

URL = "https://www.library.org/rules"
PAGE = "<html><body><main><h1>Rules</h1><p>A card costs {} euro a month.</p></main></body></html>"


def import_two_versions(folder, name):
    """An archive of this name in a folder, beside the file it was made from."""
    versions = [
        {"url": URL, "time": f"2026-03-0{day}T12:00:00Z", "html": PAGE.format(price)}
        for day, price in enumerate(("four", "five"), 1)
    ]
    (folder / "pages.jsonl").write_text("".join(json.dumps(version) + "\n" for version in versions))
    done = CliRunner().invoke(app, ["import", str(folder / name), str(folder / "pages.jsonl")])
    assert done.exit_code == 0, done.output
    return folder / name
