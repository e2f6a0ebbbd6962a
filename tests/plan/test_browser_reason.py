"""`why` says whether a page is shown in a browser, and for what reason."""

import strandline
from strandline.plan.browser_reason import browser_reason
from strandline.plan.planning import Planning
from strandline.settings.file import with_overrides

URL = "https://app.example.org/a"


def reason(folder, *settings):
    archive = strandline.create(folder) if not folder.exists() else strandline.open(folder)
    archive.settings = with_overrides(archive.settings, list(settings))
    return browser_reason(Planning(archive, 2e9), URL)


def test_what_the_settings_say_is_the_reason(tmp_path):
    folder = tmp_path / "archive"
    assert reason(folder) == ""
    assert "always shown" in reason(folder, 'capture.browser="always"')
    assert "never shown" in reason(folder, 'capture.browser_sites=["example.org never"]')
    assert "no answer" in reason(folder, 'capture.browser="auto"')


def test_the_price_of_a_visit_is_part_of_the_reason(tmp_path):
    folder = tmp_path / "archive"
    assert "a visit counts as 7.0 requests in the plan, a guess" in reason(folder, 'capture.browser="always"')
    assert "requests" not in reason(folder, 'capture.browser_sites=["example.org never"]')
