"""Which pages are shown in a browser is a matter of settings."""

import pytest

from strandline.errors import SettingError
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings


def test_nothing_is_shown_unless_somebody_wants_it():
    assert Settings().capture.browser == "never"
    assert with_overrides(Settings(), ['capture.browser="auto"']).capture.browser == "auto"


@pytest.mark.parametrize(
    "wrong", ['capture.browser="sometimes"', 'capture.browser_sites=["example.org"]', "capture.browsers=0"]
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(SettingError, match=wrong.partition("=")[0].partition(".")[2]):
        with_overrides(Settings(), [wrong])


def test_a_site_may_have_a_choice_of_its_own():
    found = with_overrides(Settings(), ['capture.browser_sites=["app.example.org always"]'])
    assert found.capture.browser_sites == ("app.example.org always",)
