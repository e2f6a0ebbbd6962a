"""Passwords are kept as argon2id sums."""

import sys

import pytest

from strandline.errors import SettingError
from strandline.keeping import passwords
from strandline.keeping.passwords import hashed, matches


def test_a_sum_is_salted_and_matches_its_password_only():
    one, other = hashed("a good password"), hashed("a good password")
    assert one != other and one.startswith("$argon2id$v=19$m=47104,t=1,p=1$") and "good" not in one
    assert matches(one, "a good password") and not matches(one, "another one")
    assert not matches("", "a good password") and not matches("", "nobody has this password")
    assert not matches("sha256:00", "a good password")


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "argon2", None)
    passwords._hasher.cache_clear()
    try:
        with pytest.raises(SettingError, match=r"strandline\[people\]"):
            hashed("a good password")
    finally:
        passwords._hasher.cache_clear()
