"""What the tests of fetching share."""

import pytest

from fetch.loopback import Server, make, serving


@pytest.fixture
def server():
    with serving(Server()) as running:
        yield running


@pytest.fixture
def fetcher():
    made = make()
    yield made
    made.close()
