"""What is packaged starts commands that exist, with options they have, and systemd understands the units."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from strandline.cli.main import app

PACKAGING = Path(__file__).parents[2] / "packaging"
UNITS = sorted((PACKAGING / "systemd").glob("*.service"))
CONTAINER = PACKAGING / "container"


def is_a_command(words):
    """Whether `strandline words...` would be understood."""
    command = get_command(app).commands[words[0]]
    options = {name for parameter in command.params for name in parameter.opts}
    given = {word for word in words[1:] if word.startswith("--")}
    assert given <= options, f"{words[0]} has no {given - options}"
    return True


def test_units_start_commands_that_exist():
    assert len(UNITS) == 2
    for unit in UNITS:
        (line,) = re.findall(r"^ExecStart=\S*/strandline (.*)$", unit.read_text(), re.M)
        assert is_a_command(line.split())


def test_units_know_our_exit_codes():
    watch = (PACKAGING / "systemd" / "strandline-watch@.service").read_text()
    assert re.search(r"^SuccessExitStatus=11$", watch, re.M) and re.search(r"^ExecReload=.*-HUP", watch, re.M)
    assert re.search(r"^RestartPreventExitStatus=2 4 5$", watch, re.M)
    for unit in UNITS:
        text = unit.read_text()
        assert "User=strandline" in text and "ProtectSystem=strict" in text and "NoNewPrivileges=yes" in text


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_understands_the_unit(unit, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here")
    here = Path(sys.executable).with_name("strandline")
    placed = tmp_path / unit.name.replace("@", "@news")
    placed.write_text(unit.read_text().replace("/opt/strandline/bin/strandline", str(here)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(placed)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert unit.stem.split("@")[0] not in done.stderr, done.stderr


def test_the_container_starts_commands_that_exist():
    text = (CONTAINER / "Containerfile").read_text()
    (entry,) = re.findall(r"^ENTRYPOINT (\[.*\])$", text, re.M)
    assert json.loads(entry) == ["strandline"]
    lists = [json.loads(found) for found in re.findall(r"^(?:HEALTHCHECK .*)?CMD (\[.*\])$", text, re.M)]
    assert [is_a_command(words[words[0] == "strandline" :]) for words in lists] == [True, True]
    assert "USER 10001" in text and "VOLUME /data" in text


def test_the_container_is_built_from_files_that_exist():
    text = (CONTAINER / "Containerfile").read_text()
    lines = re.findall(r"^COPY (?!--from)(.*)$", text, re.M)
    names = [name for line in lines for name in line.split()[:-1]]
    assert names
    assert not [name for name in names if not (PACKAGING.parent / name).exists()]


def test_compose_starts_commands_that_exist_without_rights_and_on_loopback():
    text = (CONTAINER / "compose.yaml").read_text()
    commands = [json.loads(found) for found in re.findall(r"^    command: (\[.*\])$", text, re.M)]
    assert len(commands) == 2 and all(map(is_a_command, commands))
    assert text.count("read_only: true") == text.count('cap_drop: ["ALL"]') == 2
    assert all(
        port.startswith("127.0.0.1:") for ports in re.findall(r"ports: (\[.*\])", text) for port in json.loads(ports)
    )
