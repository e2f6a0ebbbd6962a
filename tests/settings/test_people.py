"""Who is vouched for by others, as the settings say it."""

import pytest

from strandline.core.keeping.people import ROLES
from strandline.errors import SettingError
from strandline.settings.file import with_overrides
from strandline.settings.people import _ROLES
from strandline.settings.schema import Settings


def test_a_proxy_is_named_with_its_field_its_addresses_and_a_role():
    said = {"header": "X-Remote-User", "addresses": '["10.0.0.1/32"]', "role": "rater"}
    found = with_overrides(Settings(), [f"people.proxy_{key}={value}" for key, value in said.items()]).people
    assert (found.proxy_header, found.proxy_addresses, found.proxy_role) == ("X-Remote-User", ("10.0.0.1/32",), "rater")
    assert ("", *ROLES) == _ROLES
    for wrong in ("people.proxy_header=X Remote", 'people.proxy_addresses=["everywhere"]', "people.proxy_role=king"):
        with pytest.raises(SettingError):
            with_overrides(Settings(), [wrong])
