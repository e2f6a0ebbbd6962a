"""What [plan] accepts, and how it says no."""

import pytest

from strandline.errors import SettingError
from strandline.plan.settings_wishes import campaign
from strandline.settings.file import read_settings
from strandline.settings.units import rate


def test_budgets_are_requests_or_bytes_in_a_span():
    assert rate("480/day").amount / rate("480/day").hours == 20.0
    assert rate("1.5 GiB per week").in_bytes
    assert rate("20 requests/h").span == 3600.0


@pytest.mark.parametrize("text", ["0/day", "-3/day", "500", "500/fortnight", "5 apples/day", "", 500])
def test_budgets_that_cannot_be_are_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match="budget") as problem:
        rate(text)
    assert "\n" not in str(problem.value)


def test_a_bad_budget_in_the_file_names_its_line(tmp_path):
    file = tmp_path / "strandline.toml"
    file.write_text('[plan]\nstrategy = "round-robin"\nbudget = "0/day"\n')
    with pytest.raises(SettingError, match=r"line 3: plan\.budget: a budget must be above zero"):
        read_settings(file)


def test_campaigns_as_people_write_them():
    boost = campaign("floods: https://news.example/rhine/ from 2026-03-01 to 2026-03-14T12:00Z x2.5")
    assert (boost.name, boost.place, boost.factor) == ("floods", "https://news.example/rhine/", 2.5)
    assert boost.end - boost.start == 13.5 * 86_400
    assert campaign("vote: city.org from 2026-03-01 to 2026-03-02").factor == 10.0


@pytest.mark.parametrize(
    "text", ["floods", "a: b from soon to 2026-03-01", "a: b.org from 2026-03-02 to 2026-03-01", "a: b.org from x to y"]
)
def test_campaigns_that_cannot_be_name_the_setting(text):
    with pytest.raises(SettingError, match=r"plan\.campaigns"):
        campaign(text)
