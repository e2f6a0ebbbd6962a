"""Who the people of an archive are, as the guard asks for it: by token, by password, by the word of a reverse proxy.

The catalog is looked at once a second at most: who is removed, or becomes a reader, is so a second later. Sums of
passwords are made in a thread, one at a time, so that guessing takes no more than one core.
"""

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Final

from strandline.archive.folder import Archive
from strandline.core.keeping.people import Person, role_of
from strandline.errors import StrandlineError, UsageError
from strandline.keeping.passwords import matches
from strandline.keeping.people import people, person_tokens, token_digest
from strandline.settings.people import PeopleSettings
from strandline.web.tokens import Asking

_LOOK: Final = 1.0
"""Seconds between two looks at the catalog. Origin: a guess."""


@dataclass(eq=False, slots=True)
class Accounts:
    """The accounts of one archive; nobody where there is none. Used from the thread of the event loop."""

    archive: Archive | None = None
    settings: PeopleSettings = field(default_factory=PeopleSettings)
    _looked: float = float("-inf")
    _read: bool = False
    """Whether the catalog could be read at least once."""
    _people: dict[str, Person] = field(default_factory=dict)
    _tokens: dict[str, str] = field(default_factory=dict)
    """Names by the sums of tokens."""
    _hashing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def look(self) -> None:
        """Read again who there is, before the next question."""
        self._looked = float("-inf")

    def _known(self) -> dict[str, Person]:
        now = time.monotonic()
        if self.archive is not None and now - self._looked >= _LOOK:
            self._looked = now
            with contextlib.suppress(StrandlineError):  # while the database is away, who was known is
                self._people = {one.name: one for one in people(self.archive)}
                self._tokens = {one.digest: one.name for one in person_tokens(self.archive)}
                self._read = True
        return self._people

    def any(self) -> bool:
        """Whether there are accounts."""
        return bool(self._known())

    def needed(self) -> bool:
        """Whether people must say who they are: there are accounts, or may be, or others are to vouch for them."""
        elsewhere = self.settings.proxy_header or self.settings.oidc_issuer
        return bool(elsewhere) or self.any() or (self.archive is not None and not self._read)

    def person(self, name: str) -> Person | None:
        """Somebody by name."""
        return self._known().get(name)

    def of_token(self, token: str) -> Asking | None:
        """Whose token it is."""
        found = self._known().get(self._tokens.get(token_digest(token), ""))
        return None if found is None else Asking(found.role, found.name)

    async def of_password(self, name: str, password: str) -> Asking | None:
        """Whose password it is."""
        known = self._known()
        found = known.get(" ".join(name.split()))
        async with self._hashing:
            right = await asyncio.to_thread(matches, found.password if found else "", password)
        return Asking(found.role, found.name) if right and found else None

    def of_proxy(self, client: str, fields: Mapping[bytes, str]) -> Asking | None:
        """Whom a reverse proxy names, when it is the one we believe."""
        name = fields.get(self.settings.proxy_header.lower().encode(), "") if self.settings.proxy_header else ""
        if not name.strip() or not _within(client, self.settings.proxy_addresses):
            return None
        return self.vouched(name, self.settings.proxy_role)

    def vouched(self, name: str, role: str) -> Asking | None:
        """Somebody others vouch for: with the role of their account, or the one strangers have; None without either."""
        name = " ".join(name.split())
        found = self.person(name)
        if found is not None:
            return Asking(found.role, found.name)
        return Asking(role_of(role), name[:80]) if role and name.isprintable() else None

    def need(self, name: str) -> Person:
        """Somebody by name; UsageError for nobody, as for those whom only a proxy knows."""
        found = self.person(name)
        if found is None:
            raise UsageError(f"there is no account {name[:40]!r}")
        return found


def _within(client: str, blocks: tuple[str, ...]) -> bool:
    try:
        address = ip_address(client)
    except ValueError:
        return False
    return any(address in ip_network(block.strip()) for block in blocks)
