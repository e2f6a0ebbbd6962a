"""Numbers that were chosen are found in sources, with what is said of them."""

import json

from typer.testing import CliRunner

from strandline.app.chosen_numbers import chosen_numbers, numbers_of
from strandline.cli.main import app

SOURCE = '''
import numpy as np
from operator import itemgetter

HALF: Final = 0.5
"""Part of a page
that counts. Origin: a guess."""
DAY, WEEK = 24.0, 7 * 24.0
"""Hours. Origin: a unit."""
LEVELS = {"low": 1, "high": 2}
SILENT = 3
"""Said without where it comes from."""
NOBODY = np.empty(0)
WORDS = ("one", "two")
first = itemgetter(0)
COUNTED = len(WORDS)
def of_a_function(depth=3):
    LOCAL = 5
'''


def test_numbers_at_the_top_of_a_module_are_found_and_nothing_else():
    found = [(number.name, number.value, number.what, number.origin) for number in numbers_of("plan", "x.py", SOURCE)]
    assert found == [
        ("HALF", "0.5", "Part of a page that counts.", "a guess"),
        ("DAY, WEEK", "(24.0, 7 * 24.0)", "Hours.", "a unit"),
        ("LEVELS", "{'low': 1, 'high': 2}", "", ""),
        ("SILENT", "3", "Said without where it comes from.", ""),
    ]


def test_only_a_guess_is_called_one():
    guesses = {number.name: number.guess for number in numbers_of("plan", "x.py", SOURCE)}
    assert guesses == {"HALF": True, "DAY, WEEK": False, "LEVELS": False, "SILENT": False}


def test_what_is_said_of_the_numbers_of_kernels_stands_beside():
    (number,) = numbers_of("study", "core/blocks/words.py", "_KEPT: Final = 10_000")
    assert number.origin == "a bound on memory"
    assert "letters" in number.what.lower()


def test_numbers_come_stage_by_stage(tmp_path):
    for folder in ("plan", "crawl", "core/quality"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "module.py").write_text("MOST = 3\n")
    assert [(number.stage, number.module) for number in chosen_numbers(tmp_path)] == [
        ("crawl", "crawl/module.py"),
        ("plan", "plan/module.py"),
        ("report", "core/quality/module.py"),
    ]


def test_the_command_prints_all_of_them_and_counts_guesses():
    numbers = json.loads(CliRunner().invoke(app, ["doctor", "--constants", "--json"]).stdout)
    names = {(number["module"], number["name"]): number for number in numbers}
    fetched = names["core/politeness/robots.py", "MOST_BYTES"]
    assert (fetched["stage"], fetched["value"], fetched["guess"]) == ("crawl", "500 * 1024", False)
    assert fetched["origin"].startswith("RFC 9309")
    text = CliRunner().invoke(app, ["doctor", "--constants"]).stdout
    guesses = sum(number["guess"] for number in numbers)
    assert text.endswith(f"{len(numbers)} numbers, {guesses} guesses (marked ?)\n")
    assert text.count("\n  ? ") == guesses
