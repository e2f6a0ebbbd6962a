"""People: let in, given roles, tokens and passwords, let in no more; written down; lost by no reindex."""

import pytest

from made.two_sites import cluster, folder
from servers import postgres
from strandline.errors import UsageError
from strandline.keeping.passwords import matches
from strandline.keeping.people import (
    add_person,
    at_terminal,
    journal,
    new_token,
    people,
    person_at,
    person_tokens,
    remove_person,
    remove_token,
    set_password,
    set_role,
    token_digest,
    write_down,
)
from strandline.python_archive import open_folder
from strandline.study.rating import given_ratings, rate
from web.archives import Builder

__all__ = ["cluster", "folder"]


@pytest.fixture
def archive(tmp_path):
    made = Builder(tmp_path)
    made.add("http://site.test/", "<p>one</p>", when="2026-03-01T10:00:00Z")
    return open_folder(made.archive().folder)


def assert_all_of_it(archive):
    """The same with every archive."""
    assert people(archive) == [] == journal(archive)
    with pytest.raises(UsageError, match="the first person is a keeper"):
        add_person(archive, "Ben", "reader")
    anna = add_person(archive, " Anna ", "keeper", "anna's password", "test")
    assert (anna.name, anna.role) == ("Anna", "keeper") and matches(anna.password, "anna's password")
    with pytest.raises(UsageError, match="already"):
        add_person(archive, "ANNA", "reader")
    add_person(archive, "Ben", "reader", by="Anna")
    for lowered in (lambda: set_role(archive, "Anna", "rater"), lambda: remove_person(archive, "Anna")):
        with pytest.raises(UsageError, match="the last keeper"):
            lowered()
    assert set_role(archive, "Ben", "operator", "Anna").role == "operator"
    changed = set_password(archive, "Anna", "another password", "Anna")
    assert changed.stamp != anna.stamp and person_at(archive, "Anna") == changed
    made, token = new_token(archive, "Ben", "  my\nlaptop ", "Ben")
    assert (made.label, made.digest) == ("my laptop", token_digest(token)) and token not in str(person_tokens(archive))
    with pytest.raises(UsageError, match="no token"):
        remove_token(archive, made.key, "Anna")
    assert remove_token(archive, made.key, "Ben", "Ben") == made
    new_token(archive, "Ben")
    write_down(archive, "Ben", "rate", "http://site.test/\x1b[31m" + "x" * 600)
    told = journal(archive, "Ben")
    assert told[0].target.startswith("http://site.test/ [31m") and len(told[0].target) == 500
    assert journal(archive, limit=1) == told[:1] and journal(archive, before=told[0].number)[0] != told[0]
    remove_person(archive, "Ben", "Anna")
    assert person_tokens(archive) == [] and [one.name for one in people(archive)] == ["Anna"]
    for wrong in (lambda: person_at(archive, "Ben"), lambda: set_password(archive, "Anna", "short")):
        with pytest.raises(UsageError):
            wrong()
    assert [one.act for one in journal(archive, "Anna")] == [
        "people remove",
        "people password",
        "people role operator",
        "people add reader",
    ]


def test_people_come_and_go_and_it_is_written_down(archive):
    assert_all_of_it(archive)
    with archive.writing("watch"):  # somebody else writes meanwhile
        archive.people.add("Carl", "rater")
    token = archive.people.token("Carl", "laptop")
    before = (list(archive.people), person_tokens(archive), archive.people.journal())
    archive.reindex()
    again = open_folder(archive.folder)
    assert (list(again.people), person_tokens(again), again.people.journal()) == before
    write_down(again, "Carl", "rate")
    assert again.people.journal(limit=1)[0].number > before[2][0].number
    assert token_digest(token) in {one.digest for one in person_tokens(again)}
    again.people.role("Carl", "keeper")
    again.people.password("Carl", "a password of Carl")
    assert again.people.remove("Anna").name == "Anna" and again.people.remove("Carl").name == "Carl"
    assert list(again.people) == [] and at_terminal()


def test_a_rating_has_its_author(archive):
    archive.study()
    rate(archive, "http://site.test/", "noise", [next(iter(archive.search("one"))).path], "Ben")
    assert [one.author for one in given_ratings(archive)] == ["Ben"]
    archive.reindex()
    assert [one.author for one in given_ratings(open_folder(archive.folder))] == ["Ben"]


@postgres.GROUP
def test_a_cluster_keeps_the_same(cluster):
    assert_all_of_it(cluster)
    remove_person(cluster, "Anna")
    assert people(cluster) == []
