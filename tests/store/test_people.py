"""People, tokens and the journal in the catalog."""

import sqlite3

import pytest

from strandline.core.keeping.people import JournalEntry, Person, PersonToken
from strandline.python_archive import create_folder
from strandline.store.people import (
    PeopleReading,
    forget_person,
    forget_token,
    keep_entry,
    keep_person,
    keep_token,
    take_over_people,
)

ANNA = Person("Anna", "keeper", "sum", "stamp", 1.5)
TOKEN = PersonToken("k", "Anna", "laptop", "digest", 2.5)


@pytest.fixture
def archive(tmp_path):
    return create_folder(tmp_path / "a", contact="https://library.test/bot")


def test_what_is_kept_is_read_again_and_can_be_taken_over(archive, tmp_path):
    archive.beside(lambda connection: (keep_person(connection, ANNA), keep_token(connection, TOKEN)))
    archive.beside(lambda connection: keep_person(connection, ANNA))  # instead of, not beside
    for number in range(3):
        entry = JournalEntry(0, float(number), "Anna" if number else "Ben", "rate", "x")
        archive.beside(lambda connection, entry=entry: keep_entry(connection, entry))
    reading = PeopleReading.open(archive.database)
    assert (reading.people(), reading.person_tokens()) == ([ANNA], [TOKEN])
    assert [one.number for one in reading.journal()] == [3, 2, 1]
    assert [one.number for one in reading.journal("Anna", before=3, limit=5)] == [2]
    other = create_folder(tmp_path / "b", contact="https://library.test/bot")
    other.beside(lambda at: take_over_people(at, reading.people(), reading.person_tokens(), reading.journal()))
    again = PeopleReading.open(other.database)
    assert (again.people(), again.person_tokens(), again.journal()) == ([ANNA], [TOKEN], reading.journal())
    with pytest.raises(sqlite3.IntegrityError):
        other.beside(lambda connection: keep_token(connection, TOKEN))
    archive.beside(lambda connection: forget_token(connection, "k"))
    assert reading.person_tokens() == []
    archive.beside(lambda connection: (keep_token(connection, TOKEN), forget_person(connection, "Anna")))
    assert reading.people() == [] == reading.person_tokens() and len(reading.journal()) == 3
