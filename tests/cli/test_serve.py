"""`strandline open`, and the words a shell completes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from journeys.command import ENVIRONMENT, start, strandline
from made.receivers import wait_for


def test_open_makes_an_archive_serves_it_and_calls_the_browser(tmp_path):
    browser, told = tmp_path / "browser", tmp_path / "told"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {told}\n')
    browser.chmod(0o700)
    running = start("open", tmp_path / "new", env={"BROWSER": f"{browser} %s"})
    try:
        assert wait_for(told.exists, 300)
        assert wait_for(lambda: told.read_text().startswith("http://127.0.0.1:"), 60)
        assert (tmp_path / "new" / "strandline.toml").exists()
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=300)
    assert strandline("open", tmp_path / "told").code == 2


@pytest.mark.parametrize(
    ("words", "cursor", "expected"),
    [
        ("strandline sit", 1, {"site", "sites"}),
        ("strandline site pa", 2, {"pause"}),
        ("strandline crawl --see", 2, {"--seeds"}),
    ],
)
def test_a_shell_completes_commands_and_options(words, cursor, expected):
    asked = {"_STRANDLINE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(cursor)}
    done = subprocess.run(
        [Path(sys.executable).with_name("strandline")],
        env={**ENVIRONMENT, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(done.stdout.split()) == expected, done.stderr
