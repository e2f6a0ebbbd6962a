"""What the tests of the store share."""

import pytest

from strandline.store.catalog import SqliteCatalog


@pytest.fixture
def catalog(tmp_path):
    opened = SqliteCatalog(tmp_path / "strandline.db")
    yield opened
    opened.close()
