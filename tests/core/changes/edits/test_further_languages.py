"""Terms, deadlines, negations and modal verbs of languages that are read by English rules with words of their own."""

import tomllib
from pathlib import Path

import pytest

from strandline.core.changes.edits.meaning import edit_weight

SAID = tomllib.loads((Path(__file__).parent / "further_edits.toml").read_text("utf-8"))
CHANGED = [(code, *pair) for code, said in SAID.items() for pair in said["changed"]]
SAME = [(code, *pair) for code, said in SAID.items() for pair in said["same"]]


@pytest.mark.parametrize(("language", "before", "after"), CHANGED)
def test_what_changes_what_is_said_weighs(language, before, after):
    assert edit_weight(before, after, language).weight >= 0.6


@pytest.mark.parametrize(("language", "before", "after"), SAME)
def test_typography_does_not(language, before, after):
    assert edit_weight(before, after, language).weight <= 0.15
