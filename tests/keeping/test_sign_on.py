"""Accounts of people whom a provider vouches for: by issuer and subject, never by name."""

import pytest

from strandline.errors import UsageError
from strandline.keeping.openid import SignedOn, SignOnError
from strandline.keeping.people import add_person, journal, people, person_tokens, remove_person, remove_token
from strandline.keeping.sign_on import link_sign_on, signed_on
from strandline.python_archive import create_folder

ISSUER = "https://login.example"


@pytest.fixture
def archive(tmp_path):
    archive = create_folder(tmp_path / "a")
    add_person(archive, "anna", "keeper", by="test")
    return archive


def test_newcomers_get_an_account_with_the_role_of_the_settings_and_keep_it(archive):
    who = SignedOn(ISSUER, "1", "ben")
    with pytest.raises(SignOnError, match="no account"):
        signed_on(archive, who, "")
    assert signed_on(archive, who, "reader").role == "reader"
    assert signed_on(archive, SignedOn(ISSUER, "1", "renamed"), "").name == "ben"
    assert len(people(archive)) == 2 and person_tokens(archive, "ben")[0].label == f"signs on at {ISSUER}"
    assert journal(archive)[0].act == "people sign-on"


def test_a_name_opens_nothing(archive):
    for issuer, subject in ((ISSUER, "2"), ("https://other.example", "1")):
        with pytest.raises(SignOnError, match="an account Anna already"):
            signed_on(archive, SignedOn(issuer, subject, "Anna"), "reader")
    link_sign_on(archive, "anna", ISSUER, "2", "test")
    assert signed_on(archive, SignedOn(ISSUER, "2", "whoever"), "reader").role == "keeper"
    with pytest.raises(SignOnError):
        signed_on(archive, SignedOn("https://other.example", "2", "anna"), "reader")
    with pytest.raises(UsageError, match="signs on as anna already"):
        link_sign_on(archive, "anna", ISSUER, "2")


def test_links_end_like_tokens_and_with_the_account(archive):
    link = link_sign_on(archive, "anna", ISSUER, "2")
    remove_token(archive, link.key)
    with pytest.raises(SignOnError):
        signed_on(archive, SignedOn(ISSUER, "2", "x y"), "")
    signed_on(archive, SignedOn(ISSUER, "3", "carl"), "reader")
    remove_person(archive, "carl")
    with pytest.raises(SignOnError):
        signed_on(archive, SignedOn(ISSUER, "3", "carl"), "")


def test_names_that_cannot_be_names_become_others(archive):
    made = signed_on(archive, SignedOn(ISSUER, "4", "a\u202eb"), "reader")
    assert made.name.startswith("person ")
