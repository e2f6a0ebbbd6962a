"""Where the interface is reached from outside."""

import pytest

from strandline.errors import SettingError
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings


def test_the_address_hubs_are_told_is_one_of_the_web():
    assert Settings().serve.address == ""
    assert with_overrides(Settings(), ["serve.address=https://archive.example/"]).serve.address
    for wrong in ("archive.example", "ftp://archive.example/", "https://"):
        with pytest.raises(SettingError, match=r"serve\.address"):
            with_overrides(Settings(), [f"serve.address={wrong}"])
