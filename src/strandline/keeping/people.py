"""People: who may do what in the interface, by password, token or single sign-on, and a journal of who did what.

They stand in the catalog (store/people.py), also while a watch writes it; `reindex` takes them over, a backup has them.
As long as there is nobody the interface is open as `serve` says, with its tokens or on loopback. The first person is a
keeper, and there is always one while there is anybody: somebody must be able to let others in.
"""

import contextlib
import getpass
import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from strandline.archive.folder import Archive
from strandline.core.keeping.people import (
    LONGEST_TARGET,
    JournalEntry,
    Person,
    PersonToken,
    password_text,
    person_name,
    role_of,
)
from strandline.errors import UsageError, usage_errors
from strandline.keeping.passwords import hashed
from strandline.store.annotations import Writing
from strandline.store.people import PeopleReading, forget_person, forget_token, keep_entry, keep_person, keep_token

TOKEN_PREFIX: Final = "strandline_"
_KEY_BYTES: Final = 4
"""Of the key by which a token is named. Origin: a guess; a person has few."""
_TOKEN_BYTES: Final = 32
_STAMP_BYTES: Final = 16
_LONGEST_LABEL: Final = 80


@contextlib.contextmanager
def _reading(archive: Archive) -> Iterator[PeopleReading]:
    with contextlib.closing(PeopleReading.open(archive.database)) as reading:
        yield reading


def people(archive: Archive) -> list[Person]:
    """Everybody, by name."""
    with _reading(archive) as reading:
        return reading.people()


def person_tokens(archive: Archive, name: str = "") -> list[PersonToken]:
    """Tokens of everybody, or of one person."""
    with _reading(archive) as reading:
        return [one for one in reading.person_tokens() if name in ("", one.name)]


def person_at(archive: Archive, name: str) -> Person:
    """Somebody by name; UsageError for nobody."""
    wanted = " ".join(name.split())
    found = next((one for one in people(archive) if one.name == wanted), None)
    if found is None:
        raise UsageError(f"there is nobody called {name[:40]!r}; `strandline people DIR list` tells who there is")
    return found


def add_person(archive: Archive, name: str, role: str, password: str = "", by: str = "") -> Person:
    """Let somebody in. Without a password they come by a token or by single sign-on."""
    known = people(archive)
    with usage_errors():
        wanted, name = role_of(role), person_name(name)
    if any(one.name.casefold() == name.casefold() for one in known):
        raise UsageError(f"there is somebody called {name} already")
    if not known and wanted != "keeper":
        raise UsageError("the first person is a keeper: somebody must be able to let others in")
    made = Person(name, wanted, _sum(password), secrets.token_hex(_STAMP_BYTES), round(time.time(), 3))
    _keep(archive, made, by, f"add {wanted}")
    return made


def set_role(archive: Archive, name: str, role: str, by: str = "") -> Person:
    """Let somebody do more or less from now on."""
    found = person_at(archive, name)
    with usage_errors():
        wanted = role_of(role)
    if wanted != "keeper":
        _another_keeper(archive, found)
    made = replace(found, role=wanted)
    _keep(archive, made, by, f"role {wanted}")
    return made


def set_password(archive: Archive, name: str, password: str, by: str = "") -> Person:
    """Give somebody another password; their sessions end. An empty one: no password any more."""
    found = person_at(archive, name)
    made = replace(found, password=_sum(password), stamp=secrets.token_hex(_STAMP_BYTES))
    _keep(archive, made, by, "password")
    return made


def remove_person(archive: Archive, name: str, by: str = "") -> Person:
    """Let somebody in no more: sessions and tokens end. What they wrote stays, under their name."""
    found = person_at(archive, name)
    if len(people(archive)) > 1:
        _another_keeper(archive, found)

    _write(archive, lambda connection: forget_person(connection, found.name), _entry(by, "people remove", found.name))
    return found


def new_token(archive: Archive, name: str, label: str = "", by: str = "") -> tuple[PersonToken, str]:
    """Draw a token for somebody's programs; the token itself is told here and never again."""
    found = person_at(archive, name)
    token = TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
    label = " ".join(label.split())[:_LONGEST_LABEL]
    key = secrets.token_hex(_KEY_BYTES)
    made = PersonToken(key, found.name, label, token_digest(token), round(time.time(), 3))

    _write(archive, lambda connection: keep_token(connection, made), _entry(by, "people token", found.name))
    return made, token


def keep_link(archive: Archive, made: PersonToken, by: str = "") -> None:
    """Keep who signs on elsewhere as whom here (keeping/sign_on.py)."""
    _write(archive, lambda connection: keep_token(connection, made), _entry(by, "people sign-on", made.name))


def remove_token(archive: Archive, key: str, name: str = "", by: str = "") -> PersonToken:
    """A token opens nothing any more; with a name only one of theirs."""
    found = next((one for one in person_tokens(archive, name) if one.key == key.strip()), None)
    if found is None:
        raise UsageError(f"there is no token {key[:40]!r}; `strandline people DIR list` tells those there are")
    gone = _entry(by, "people token remove", found.name)
    _write(archive, lambda connection: forget_token(connection, found.key), gone)
    return found


def journal(archive: Archive, person: str = "", before: int = 0, limit: int = 0) -> list[JournalEntry]:
    """Who did what, the newest first."""
    with _reading(archive) as reading:
        return reading.journal(person, before, limit)


def write_down(archive: Archive, person: str, act: str, target: str = "") -> None:
    """Write into the journal what somebody did."""
    archive.beside(lambda connection: keep_entry(connection, _entry(person, act, target)))


def token_digest(token: str) -> str:
    """The sum under which a token is kept: 32 random bytes need no slow one."""
    return hashlib.sha256(token.strip().encode()).hexdigest()


def at_terminal() -> str:
    """Who works at the command line, as the journal tells it."""
    try:
        return f"{getpass.getuser()} at the command line"
    except (KeyError, OSError, ImportError):
        return "command line"


def _keep(archive: Archive, person: Person, by: str, act: str) -> None:
    _write(archive, lambda connection: keep_person(connection, person), _entry(by, f"people {act}", person.name))


def _write(archive: Archive, act: Callable[[Writing], None], entry: JournalEntry) -> None:
    """An act, and its line in the journal, in one transaction."""

    def write(connection: Writing) -> None:
        act(connection)
        keep_entry(connection, entry)

    archive.beside(write)


def _another_keeper(archive: Archive, leaving: Person) -> None:
    others = [one for one in people(archive) if one.role == "keeper" and one.name != leaving.name]
    if leaving.role == "keeper" and not others:
        raise UsageError(f"{leaving.name} is the last keeper: make somebody else one first")


def _entry(person: str, act: str, target: str) -> JournalEntry:
    shown = "".join(c if c.isprintable() else " " for c in target)[:LONGEST_TARGET]
    return JournalEntry(0, round(time.time(), 3), person, act, shown)


def _sum(password: str) -> str:
    with usage_errors():
        return hashed(password_text(password)) if password else ""


@dataclass(frozen=True, slots=True)
class People:
    """The people of an archive, from Python: `archive.people`."""

    archive: Archive

    def __iter__(self) -> Iterator[Person]:
        return iter(people(self.archive))

    def add(self, name: str, role: str, password: str = "", by: str = "") -> Person:
        """Let somebody into the interface as reader, rater, operator or keeper."""
        return add_person(self.archive, name, role, password, by)

    def role(self, name: str, role: str, by: str = "") -> Person:
        """Let somebody do more or less."""
        return set_role(self.archive, name, role, by)

    def password(self, name: str, password: str, by: str = "") -> Person:
        """Give somebody another password."""
        return set_password(self.archive, name, password, by)

    def remove(self, name: str, by: str = "") -> Person:
        """Let somebody in no more."""
        return remove_person(self.archive, name, by)

    def token(self, name: str, label: str = "", by: str = "") -> str:
        """Draw a token for somebody's programs."""
        return new_token(self.archive, name, label, by)[1]

    def journal(self, person: str = "", limit: int = 0) -> list[JournalEntry]:
        """Who did what in the interface, the newest first."""
        return journal(self.archive, person, limit=limit)
