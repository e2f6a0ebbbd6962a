"""`strandline people`: let somebody in, tell who there is and who did what."""

import json
import sys

import pytest

from journeys.command import here
from strandline.errors import UsageError
from strandline.keeping.passwords import matches
from strandline.python_archive import create_folder, open_folder


def test_people_from_the_terminal(tmp_path, monkeypatch):
    folder = create_folder(tmp_path / "a", contact="https://library.test/bot").folder
    assert "nobody" in here("people", folder).stdout
    monkeypatch.setattr("strandline.cli.people._password", lambda: "a good password")
    assert here("people", folder, "add", "anna", "keeper").stdout == "anna: keeper\n"
    assert matches(next(iter(open_folder(folder).people)).password, "a good password")
    added = json.loads(here("people", folder, "add", "ben", "--no-password", "--json").stdout)
    assert added | {"time": 0} == {"event": "add", "person": "ben", "role": "reader", "password": False, "time": 0}
    made = json.loads(here("people", folder, "token", "ben", "--label", "laptop", "--json").stdout)
    assert made["token"].startswith("strandline_")
    listed = [json.loads(line) for line in here("people", folder, "list", "--json").stdout.splitlines()]
    assert [one["person"] for one in listed] == ["anna", "ben"] and listed[1]["tokens"][0]["key"] == made["key"]
    assert made["token"] not in str(listed) and "token" in here("people", folder).stdout
    assert here("people", folder, "role", "ben", "rater").stdout == "ben: rater\n"
    assert "opens nothing" in here("people", folder, "revoke", made["key"]).stdout
    assert here("people", folder, "password", "ben", "--no-password").stdout == "ben: rater\n"
    assert here("people", folder, "remove", "ben").stdout == "ben: removed\n"
    told = here("people", folder, "journal").stdout
    assert len(told.splitlines()) == 7 and "people role rater ben" in told
    for wrong, said in (
        (["promote", "anna"], "is none of list, add"),
        (["role"], "say whom"),
        (["role", "nobody", "reader"], "nobody called"),
        (["add", "carl", "king", "--no-password"], "a role is"),
        (["revoke", "00"], "no token"),
        (["sign-on", "anna", "1"], "people.oidc_issuer"),
    ):
        with pytest.raises(UsageError, match=said):
            here("people", folder, *wrong)


def test_a_password_comes_from_a_line_of_standard_input(monkeypatch):
    import io

    from strandline.cli.people import _password

    monkeypatch.setattr(sys, "stdin", io.StringIO(" a good password \nmore\n"))
    assert _password() == " a good password "
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(UsageError, match="--no-password"):
        _password()
