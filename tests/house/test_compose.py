"""The compose files start commands that exist, with options that exist, and the cluster's is whole."""

from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from strandline.cli.main import app

CONTAINER = Path(__file__).parents[2] / "packaging" / "container"


def parsed(words):
    """The command a list of words starts, and the options it gives; click refuses unknown ones."""
    command, words = get_command(app), list(words)
    while getattr(command, "commands", None):
        command = command.commands[words.pop(0)]
    known = {name for parameter in command.params for name in parameter.opts}
    given = {word for word in words if word.startswith("--")}
    assert given <= known, f"{given - known} of {command.name}"
    return command.name


@pytest.mark.parametrize("name", sorted(path.name for path in CONTAINER.glob("*.yaml")))
def test_commands_and_options_exist(name):
    services = yaml.safe_load((CONTAINER / name).read_text())["services"]
    ours = {service: parsed(one["command"]) for service, one in services.items() if "strandline" in one["image"]}
    assert ours


def test_the_cluster_is_three_workers_with_all_they_need():
    services = yaml.safe_load((CONTAINER / "cluster.yaml").read_text())["services"]
    assert set(services) == {"database", "store", "init", "worker", "serve"}
    assert services["worker"]["deploy"]["replicas"] == 3
    for name in ("init", "worker", "serve"):
        assert {"STRANDLINE_DATABASE", "PGPASSWORD", "AWS_ENDPOINT_URL"} <= set(services[name]["environment"])
    assert services["worker"]["build"]["args"] == {"REQUIREMENTS": "cluster"}
    locked = (CONTAINER.parents[1] / "requirements" / "cluster.txt").read_text()
    assert all(f"\n{package}==" in locked for package in ("psycopg", "obstore", "dask", "duckdb", "pyarrow"))
