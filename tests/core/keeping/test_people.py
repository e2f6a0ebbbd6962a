"""Roles, names and passwords."""

import pytest

from strandline.core.keeping.people import ROLES, Person, may, password_text, person_name, role_of


def test_each_role_may_what_those_before_may():
    assert [[may(role, least) for least in ROLES] for role in ROLES] == [
        [column <= row for column in range(4)] for row in range(4)
    ]
    assert not may("", "reader") and not may("operate", "reader")


@pytest.mark.parametrize("name", ["", " ", "a/b", "a\nb\x00", "a" * 81, "<b>", "a:b", "name?x", "\u202eabc"])
def test_what_is_no_name_is_told(name):
    with pytest.raises(ValueError, match="a name has"):
        person_name(name)


def test_names_passwords_and_roles_are_kept_as_they_are_meant():
    assert person_name("Ze\u0301 Mari\u0301a") == "Z\u00e9 Mar\u00eda"
    assert password_text("  spaces count  ") == "  spaces count  "
    for short in ("", "123456789", "x" * 1001):
        with pytest.raises(ValueError, match="10 to 1000"):
            password_text(short)
    assert role_of("keeper") == "keeper"
    with pytest.raises(ValueError, match="a role is reader, rater, operator or keeper"):
        role_of("king")
    assert "secret" not in str(Person("a", "reader", "secret", "secret").as_json())
