"""What the order of the tests names is there, and a unit stays together."""

from pathlib import Path

from order import SECONDS, unit_of

ROOT = Path(__file__).parents[2]


def test_every_file_and_test_in_the_table_exists():
    marks = {"cluster", "interface", "watch"}
    for unit in SECONDS.keys() - marks:
        file, _, test = unit.partition("::")
        assert (ROOT / file).is_file(), unit
        assert f"def {test.partition('[')[0]}" in (ROOT / file).read_text(), unit


def test_tests_of_a_file_stay_together_unless_one_is_named():
    alone = next(unit for unit in SECONDS if "::" in unit)
    file = alone.partition("::")[0]
    assert unit_of(alone) == alone
    assert unit_of(f"{file}::test_another") == unit_of(f"{file}::test_third[x::y]") == file
