"""One word per concept: the table of words in CONTRIBUTING.md holds in code, JSON, interface and commands."""

import ast
import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from cli.two_versions import PAGE, URL, import_two_versions
from strandline.cli.main import app

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "strandline"
NAMES_GONE = {"lookout", "courier", "errand", "thinker"}
"""Words that once named parts of the program, and said nothing of what they do."""


class Word(NamedTuple):
    """A line of the table."""

    word: str
    code: list[str]
    keys: list[str]
    never: set[str]


def table():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| *")]
    quoted = re.compile("`(.+?)`")
    return [
        Word(word.strip("*"), quoted.findall(code), quoted.findall(keys), set(filter(None, never.split(", "))))
        for word, _, code, keys, never in rows
    ]


TABLE = table()
NEVER = {never: word.word for word in TABLE for never in word.never}


def strays(texts, never=NEVER):
    """Words of texts that the table forbids, with what to say instead."""
    found = {part for text in texts for part in re.findall(r"[a-z]+", text.lower())}
    return {
        stray: never[name]
        for stray in found
        for name in (stray, stray.removesuffix("s"), stray.removesuffix("es"))
        if name in never
    }


def names_of(file):
    """Classes and functions a module defines, and its own name."""
    yield file.stem
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


@cache
def all_names():
    """Of every module; read once somebody asks, since every process of a run loads this file."""
    return {file: list(names_of(file)) for file in SOURCE.rglob("*.py")}


def parts_of(name):
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Keys of the JSON that commands print about a small archive."""
    folder = tmp_path_factory.mktemp("words")
    archive = str(import_two_versions(folder, "archive"))
    (folder / "page.html").write_text(PAGE.format("four"))
    commands = [
        *(
            [name, archive]
            for name in ("learn", "status", "changes", "next", "patterns", "rules", "classes", "quality")
        ),
        *([name, archive, URL] for name in ("versions", "compare", "why")),
        *(["verify", archive], ["report", archive], ["search", archive, "card"], ["blocks", str(folder / "page.html")]),
        *(["collection", "add", archive, "all"], ["tag", archive, URL, "of interest"], ["note", archive, URL, "text"]),
        *(["collections", archive], ["tag", archive, "--all"]),
        *(["plan", archive, "--for", "3h", "--format", "json"], ["doctor", "--constants"]),
    ]
    told = set()
    for words in commands:
        done = CliRunner().invoke(app, words if "--format" in words else [*words, "--json"])
        assert done.exit_code == 0, (words, done.output)
        try:
            answers = [json.loads(done.stdout)]
        except json.JSONDecodeError:
            answers = list(map(json.loads, done.stdout.splitlines()))
        while answers:
            match answers.pop():
                case dict() as pairs:
                    told.update(key for key in pairs if "/" not in key and "." not in key)
                    answers.extend(pairs.values())
                case list() as items:
                    answers.extend(items)
    assert len(told) > 100
    return told


def test_every_concept_has_a_line():
    wanted = (
        "page, visit, fetch, capture, observation, version, memento, page block, delta, change, importance, pattern, "
        "rule, class, belief, budget, plan, completeness, coherence, lease, alert, collection, tag, note, alarm"
    )
    assert [word.word for word in TABLE] == wanted.split(", ")


def test_the_names_in_the_table_are_those_of_the_program():
    defined = {name for names in all_names().values() for name in names}
    assert not {name for word in TABLE for name in word.code} - defined


def test_the_keys_in_the_table_are_told_and_no_other_words_for_them(keys):
    assert not {key for word in TABLE for key in word.keys} - keys
    assert not strays(key.replace("_", " ") for key in keys)


def test_the_interface_and_the_commands_say_no_other_words():
    texts = tomllib.loads((SOURCE / "web" / "texts.toml").read_text()).values()
    assert len(texts) > 300
    assert not strays(map(str, texts))
    templates = [
        re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", file.read_text(), flags=re.S) for file in SOURCE.rglob("*.html")
    ]
    assert len(templates) > 20
    assert not strays(templates)
    commands = get_command(app).commands.values()
    assert not strays(
        f"{command.help} {' '.join(getattr(one, 'help', '') or '' for one in command.params)}" for command in commands
    )


def test_names_that_are_gone_do_not_come_back():
    back = {
        f"{file.relative_to(SOURCE)} {name}"
        for file, names in all_names().items()
        for name in names
        if NAMES_GONE & {part.lower() for part in parts_of(name)}
    }
    assert not back


def test_a_word_that_is_not_ours_is_noticed():
    assert strays(["The snapshots of a page"], {"snapshot": "capture"}) == {"snapshots": "capture"}
    assert strays(["Captures of a page"], {"snapshot": "capture"}) == {}
    assert parts_of("SharedLookout") == ["Shared", "Lookout"]
