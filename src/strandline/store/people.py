"""People, their tokens and the journal in the catalog. Statements are the same for both databases."""

from collections.abc import Iterable
from typing import Any, Final

from strandline.core.keeping.people import JournalEntry, Person, PersonToken
from strandline.store.annotations import Writing
from strandline.store.reading import Reading

_PERSON: Final = "name, role, password, stamp, time"
_TOKEN: Final = "key, name, label, digest, time"
_ENTRY: Final = "number, time, person, act, target"


def keep_person(connection: Writing, one: Person) -> None:
    """Keep a person, instead of who bore the name before."""
    connection.execute("DELETE FROM people WHERE name = ?", (one.name,))
    connection.execute(
        f"INSERT INTO people ({_PERSON}) VALUES (?, ?, ?, ?, ?)",
        (one.name, one.role, one.password, one.stamp, one.time),
    )


def forget_person(connection: Writing, name: str) -> None:
    """Remove a person with all tokens; what the journal tells stays."""
    connection.execute("DELETE FROM people WHERE name = ?", (name,))
    connection.execute("DELETE FROM person_tokens WHERE name = ?", (name,))


def keep_token(connection: Writing, one: PersonToken) -> None:
    """Keep the sum of a token."""
    connection.execute(
        f"INSERT INTO person_tokens ({_TOKEN}) VALUES (?, ?, ?, ?, ?)",
        (one.key, one.name, one.label, one.digest, one.time),
    )


def forget_token(connection: Writing, key: str) -> None:
    """Remove a token."""
    connection.execute("DELETE FROM person_tokens WHERE key = ?", (key,))


def keep_entry(connection: Writing, one: JournalEntry) -> None:
    """Write a line of the journal; its number is given by the database."""
    connection.execute(
        "INSERT INTO journal (time, person, act, target) VALUES (?, ?, ?, ?)",
        (one.time, one.person, one.act, one.target),
    )


def take_over_people(
    connection: Writing, people: Iterable[Person], tokens: Iterable[PersonToken], journal: Iterable[JournalEntry]
) -> None:
    """Keep those of an earlier catalog."""
    for person in people:
        keep_person(connection, person)
    for token in tokens:
        keep_token(connection, token)
    rows = [(one.number, one.time, one.person, one.act, one.target) for one in journal]
    connection.executemany(f"INSERT INTO journal ({_ENTRY}) VALUES (?, ?, ?, ?, ?)", rows)


class PeopleReading(Reading):
    """Who may do what, and who did what."""

    def people(self) -> list[Person]:
        """All people by name."""
        return [Person(*row) for row in map(_any, self._rows(f"SELECT {_PERSON} FROM people ORDER BY name"))]

    def person_tokens(self) -> list[PersonToken]:
        """All tokens, the oldest first."""
        rows = self._rows(f"SELECT {_TOKEN} FROM person_tokens ORDER BY time, key")
        return [PersonToken(*row) for row in map(_any, rows)]

    def journal(self, person: str = "", before: int = 0, limit: int = 0) -> list[JournalEntry]:
        """Who did what, the newest first: all, of one person, and before a number."""
        asked: list[tuple[str, object]] = [("person = ?", person), ("number < ?", before)]
        wanted = [(where, value) for where, value in asked if value]
        which = " AND ".join(where for where, _ in wanted) or "true"
        query = f"SELECT {_ENTRY} FROM journal WHERE {which} ORDER BY number DESC"
        query += f" LIMIT {limit}" if limit else ""
        return [JournalEntry(*row) for row in map(_any, self._rows(query, *(value for _, value in wanted)))]


def _any(row: tuple[object, ...]) -> tuple[Any, ...]:
    return row
