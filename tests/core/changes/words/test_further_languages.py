"""Ages, dates of the page itself and counters in languages whose meaning is not read; prices, terms and dates stay."""

import tomllib
from pathlib import Path

import pytest

from strandline.core.changes.words.ticking import tick_form

SAID = tomllib.loads((Path(__file__).parent / "further_languages.toml").read_text("utf-8"))
TICKS = [(form, *pair) for said in SAID.values() for form in ("age", "stamp", "counter") for pair in said[form]]


@pytest.mark.parametrize(("form", "before", "after"), TICKS)
def test_what_ticks_is_told_by_its_form(form, before, after):
    assert tick_form(before, after) == form


@pytest.mark.parametrize(("before", "after"), [pair for said in SAID.values() for pair in said["stays"]])
def test_prices_terms_and_dates_tick_in_no_language(before, after):
    assert tick_form(before, after) == ""
