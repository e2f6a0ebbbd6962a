"""People who use the interface of an archive, what each may do, and what is written down of it.

    reader      looks at everything that is shown
    rater       says what matters, labels blocks, writes tags and notes
    operator    adds sites, sets budgets and collections, starts and stops work
    keeper      takes down, lets captures go, and says who may do what

Each may do what those above may.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final, Literal

PersonRole = Literal["reader", "rater", "operator", "keeper"]
ROLES: Final[tuple[PersonRole, ...]] = ("reader", "rater", "operator", "keeper")
LONGEST_NAME: Final = 80
"""Characters of a person's name. Origin: a guess."""
SHORTEST_PASSWORD: Final = 10
"""Characters of a password. Origin: a guess; NIST SP 800-63B asks for 8 at least."""
LONGEST_PASSWORD: Final = 1_000
"""Characters of a password. Origin: a bound on what is hashed."""
LONGEST_TARGET: Final = 500
"""Characters of what an entry of the journal is about. Origin: a guess."""
_NAME: Final = re.compile(r"[^\s/\\:;,<>\"'`|?#%&]+(?: [^\s/\\:;,<>\"'`|?#%&]+)*")


@dataclass(frozen=True, slots=True)
class Person:
    """One account."""

    name: str
    role: PersonRole
    password: str = ""
    """Its argon2 sum; empty for who comes by tokens or single sign-on only."""
    stamp: str = ""
    """Drawn anew with every password: sessions that were opened before end."""
    time: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """For programs; sums stay where they are."""
        return {"person": self.name, "role": self.role, "password": bool(self.password), "time": self.time}


@dataclass(frozen=True, slots=True)
class PersonToken:
    """A token of a person, for programs."""

    key: str
    name: str
    label: str
    digest: str
    time: float

    def as_json(self) -> dict[str, Any]:
        """For programs; the sum stays where it is."""
        return {"key": self.key, "person": self.name, "label": self.label, "time": self.time}


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """Who did what."""

    number: int
    time: float
    person: str
    act: str
    target: str

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "number": self.number,
            "time": self.time,
            "person": self.person,
            "act": self.act,
            "target": self.target,
        }


def may(role: str, needed: str) -> bool:
    """Whether a role is enough.

    >>> may("keeper", "rater"), may("reader", "rater"), may("stranger", "reader")
    (True, False, False)
    """
    known: tuple[str, ...] = ROLES
    return role in known and known.index(role) >= known.index(needed)


def role_of(text: str) -> PersonRole:
    """A role by its name; ValueError for any other."""
    for role in ROLES:
        if role == text:
            return role
    raise ValueError(f"a role is {', '.join(ROLES[:-1])} or {ROLES[-1]}, not {text[:40]!r}")


def person_name(text: str) -> str:
    """A name as it is kept: letters, digits and marks that stand in no address; ValueError for none.

    >>> person_name("  Anna   Keeper "), person_name("anna@example.org")
    ('Anna Keeper', 'anna@example.org')
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or not _NAME.fullmatch(name):
        raise ValueError(f"a name has 1 to {LONGEST_NAME} letters, digits, dots and the like, not {text[:40]!r}")
    return name


def password_text(text: str) -> str:
    """A password somebody wants to have; ValueError for one that is too short."""
    if not SHORTEST_PASSWORD <= len(text) <= LONGEST_PASSWORD:
        raise ValueError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return unicodedata.normalize("NFC", text)
