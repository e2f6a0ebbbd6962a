"""Each contract is kept by every catalog."""

import pytest

from contracts.stores import EACH, STORES


@pytest.fixture(params=EACH)
def store(request, tmp_path):
    """Opens the catalog in the same place each time it is called; closes what is open first."""
    opened = []

    def reopen():
        while opened:
            opened.pop().close()
        opened.append(STORES[request.param](tmp_path))
        return opened[0]

    yield reopen
    while opened:
        opened.pop().close()
