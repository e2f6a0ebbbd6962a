"""The compose files start what is there: services, commands with their options and values, files of the image."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from servers.processes import Absent
from servers.s3 import _program as store_program
from strandline.cli.main import app

ROOT = Path(__file__).parents[2]
CONTAINER = ROOT / "packaging" / "container"
FILES = sorted(path.name for path in CONTAINER.glob("*.yaml"))
GIVEN = {"CONTACT": "https://library.example/bot", "SEEDS": "https://www.example.org/", "TOKEN": "secret"}
VARIABLE = re.compile(r"\$\{(\w+)(?:(:-|:\?)([^}]*))?\}")
SERVICE = {
    "image", "build", "command", "environment", "env_file", "volumes", "ports", "depends_on", "deploy", "restart",
    "healthcheck", "tmpfs", "cap_drop", "security_opt", "read_only", "stop_grace_period",
}  # fmt: skip
"""Keys of the compose specification that our services use; another one is either new here or misspelt."""
CHECK = {"test", "interval", "timeout", "retries", "start_period", "disable"}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
SPAN = re.compile(r"(\d+h)?(\d+m)?(\d+s)?")


def services(name):
    """The services of a file, with the variables of its example put in; nothing else may be missing."""

    def value(found):
        name, how, default = found.groups()
        if name in GIVEN:
            return GIVEN[name]
        assert how == ":-", f"{name} has no value"
        return default

    text = (CONTAINER / name).read_text()
    return yaml.safe_load(VARIABLE.sub(value, text)), text


def parsed(words, environment):
    """The command a list of words starts; unknown options, and values that will not do, are refused as for a user."""
    command, words = get_command(app), list(words)
    while getattr(command, "commands", None):
        command = command.commands[words.pop(0)]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, str(value))
        command.make_context(command.name, words)
    return command.name


def ours(document):
    return {name: one for name, one in document["services"].items() if one["image"].startswith("strandline")}


@pytest.mark.parametrize("name", FILES)
def test_commands_options_and_values_are_those_of_the_command_line(name):
    document, _ = services(name)
    commands = {service: parsed(one["command"], one.get("environment", {})) for service, one in ours(document).items()}
    assert commands and set(commands.values()) <= {"init", "worker", "serve", "watch"}


@pytest.mark.parametrize("name", FILES)
def test_services_are_put_together_as_the_specification_has_it(name):
    document, _ = services(name)
    assert set(document) - {"services", "volumes"} <= {"x-strandline"}
    for service, one in document["services"].items():
        assert set(one) <= SERVICE, service
        assert set(one.get("healthcheck", {})) <= CHECK
        for key in ("interval", "timeout", "start_period"):
            assert SPAN.fullmatch(one.get("healthcheck", {}).get(key, "1s")), service
        for needed, how in one.get("depends_on", {}).items():
            assert needed in document["services"] and how["condition"] in CONDITIONS
            if how["condition"] == "service_healthy":
                assert "test" in document["services"][needed]["healthcheck"], f"{needed} never becomes healthy"
        for volume in one.get("volumes", ()):
            assert volume.split(":")[0] in document["volumes"]
        for port in one.get("ports", ()):
            assert port.startswith("127.0.0.1:"), "what is published to other machines needs TLS in front"


@pytest.mark.parametrize("name", FILES)
def test_health_is_asked_of_what_the_container_runs(name):
    """The image's own check is for a watch over a folder; every other service must say how it is."""
    document, _ = services(name)
    for service, one in ours(document).items():
        check = one.get("healthcheck", {})
        if one["command"][0] == "watch":
            continue
        assert check.get("disable") or check.get("test"), service
        words = check.get("test", ["CMD", "none"])[1:]
        if words[0] == "strandline":
            parsed(words[1:], one["environment"])
        if words[0] == "python":
            compile(words[2], service, "exec")
            assert "8080/healthz" in words[2]


def test_the_cluster_is_three_workers_with_all_they_need():
    document, text = services("cluster.yaml")
    known = document["services"]
    assert set(known) == {"database", "store", "init", "worker", "serve"}
    assert known["worker"]["deploy"]["replicas"] == 3 and "--watch" in known["worker"]["command"]
    for name in ("init", "worker", "serve"):
        needed = {"STRANDLINE_DATABASE", "PGPASSWORD", "AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
        assert needed <= set(known[name]["environment"]), name
    assert known["serve"]["environment"]["STRANDLINE_TOKEN"] == GIVEN["TOKEN"]
    shared = known["worker"]["environment"]
    assert shared["PGPASSWORD"] == known["database"]["environment"]["POSTGRES_PASSWORD"]
    assert shared["AWS_SECRET_ACCESS_KEY"] == known["store"]["environment"]["AWS_SECRET_ACCESS_KEY"]
    bucket = known["init"]["command"][known["init"]["command"].index("--store") + 1].split("/")[2]
    assert f"-bucket={bucket}" in known["store"]["command"]
    assert set(re.findall(r"\$\{(\w+):\?", text)) == set(GIVEN), "what the example names is what is asked for"
    page = (ROOT / "docs" / "cluster.md").read_text()
    assert all(f"{name}=" in page for name in GIVEN)


def test_the_store_knows_the_options_it_is_started_with():
    try:
        program = store_program()
    except Absent as absent:
        pytest.skip(str(absent))
    command = services("cluster.yaml")[0]["services"]["store"]["command"]
    told = subprocess.run([program, command[0], "-h"], capture_output=True, text=True, check=False)
    known = set(re.findall(r"^  -([\w.]+)", told.stdout + told.stderr, re.MULTILINE))
    assert {word.lstrip("-").split("=")[0] for word in command[1:]} <= known


def test_the_image_is_built_from_files_that_exist():
    text = (CONTAINER / "Containerfile").read_text()
    copied = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY ") and "--from" not in line]
    assert copied and all((ROOT / name).exists() for names in copied for name in names)
    for name in FILES:
        for one in ours(services(name)[0]).values():
            build = one.get("build")
            if build is not None:
                assert (CONTAINER / build["context"]).resolve() == ROOT
                assert (ROOT / build["dockerfile"]) == CONTAINER / "Containerfile"
                wanted = build.get("args", {}).get("REQUIREMENTS", "run")
                assert (ROOT / "requirements" / f"{wanted}.txt").exists()
    run, cluster = (locked(name) for name in ("run", "cluster"))
    assert run <= cluster and {"psycopg", "obstore", "dask", "duckdb", "pyarrow"} <= cluster
    entry = re.search(r"^strandline = \"([\w.]+):(\w+)\"", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert callable(getattr(importlib.import_module(entry[1]), entry[2]))
    assert 'ENTRYPOINT ["strandline"]' in text


def locked(name):
    """Packages of a file of requirements."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    return set(re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==", text, re.MULTILINE))
