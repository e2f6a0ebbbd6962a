"""Taking an archive elsewhere and bringing it back."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from journeys.command import UNSTUDIED, strandline
from strandline.demo.server import DemoServer


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moving") / "archive"
    with DemoServer(hour_seconds=60.0) as site:
        for _ in range(2):
            assert strandline("crawl", folder, "--seeds", site.url, "--limit", "60", *UNSTUDIED).code == 0
        return folder, site.url


@pytest.mark.parametrize("name", ["all.wacz", "all.warc.gz"])
def test_what_goes_out_comes_back(archived, tmp_path, name):
    folder, url = archived
    out = tmp_path / name
    given = strandline("export", folder, "--to", out, "--json")
    assert given.code == 0, given.err
    captures = given.lines[0]["captures"]
    assert captures == json.loads(strandline("verify", folder, "--json").out)["captures"]
    taken = strandline("import", tmp_path / "new", out, "--json")
    assert taken.code == 0, taken.err
    assert taken.lines[0]["captures"] == captures
    audit = json.loads(strandline("verify", tmp_path / "new", "--json").out)
    assert audit["ok"]
    versions = [strandline("versions", where, url, "--json").lines for where in (folder, tmp_path / "new")]
    keys = ("time", "status", "digest", "revisit")
    assert [[line[key] for key in keys] for line in versions[0]] == [
        [line[key] for key in keys] for line in versions[1]
    ]


def test_other_tools_accept_the_package(archived, tmp_path):
    folder, _ = archived
    assert strandline("export", folder, "--to", tmp_path / "all.wacz").code == 0
    checked = subprocess.run(
        [Path(sys.executable).parent / "wacz", "validate", "-f", tmp_path / "all.wacz"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "succeeded" in checked.stdout + checked.stderr


def test_page_versions_are_kept_as_captures(tmp_path):
    rows = [
        {"url": "http://site.example/a", "time": f"2026-01-0{day}T10:00:00Z", "html": f"<p>Version {day // 2}"}
        for day in range(1, 6)
    ]
    file = tmp_path / "versions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    taken = strandline("import", tmp_path / "archive", file, "--json")
    assert taken.code == 0, taken.err
    assert taken.lines[0]["captures"] == 5
    versions = strandline("versions", tmp_path / "archive", "http://site.example/a", "--json").lines
    assert [line["revisit"] for line in versions] == [False, False, True, False, True]
    assert versions[0]["time"].startswith("2026-01-01T10:00:00")
    assert json.loads(strandline("verify", tmp_path / "archive", "--json").out)["ok"]
