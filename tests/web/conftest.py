"""One archive with a past, one server and one browser for all tests of the interface."""

import pytest

from web.archives import served
from web.chromium import chromium
from web.living import living_archive


@pytest.fixture(scope="session")
def living(tmp_path_factory):
    """Three weeks of a small newspaper, studied and learned from."""
    return living_archive(tmp_path_factory.mktemp("living") / "archive")


@pytest.fixture(scope="session")
def living_server(living):
    """It, served."""
    with served(living) as server:
        yield server


@pytest.fixture(scope="module")  # playwright runs once in a process at a time, and the renderer uses it too
def browser():
    """A real browser."""
    with chromium() as started:
        yield started
