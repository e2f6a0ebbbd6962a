"""Accounts in the interface: who may do what, who did what, one's own password and tokens."""

import asyncio
import time
from collections import Counter

from fastapi import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from strandline.core.keeping.people import LONGEST_NAME, LONGEST_PASSWORD, ROLES
from strandline.errors import UsageError
from strandline.keeping.people import (
    add_person,
    journal,
    new_token,
    people,
    person_at,
    person_tokens,
    remove_person,
    remove_token,
    set_password,
    set_role,
)
from strandline.web.face import DeskPages, Form, number_of, one_of, person_of
from strandline.web.guard import client_of, cookie_of
from strandline.web.texts import say

_LISTED = 100


class PeoplePages(DeskPages):
    """The pages and their forms."""

    def routes(self) -> list[Route]:
        """Everybody, the journal, one's own account, and what they send."""
        shown = {"/people": self.everybody, "/journal": self.journal, "/account": self.account}
        forms = {
            "/people": self.add,
            "/people/change": self.change,
            "/account/password": self.password,
            "/account/tokens": self.draw,
            "/account/tokens/remove": self.remove_token,
            "/logout": self.log_out,
        }
        return self._face.routes(shown, forms)

    async def everybody(self, request: Request) -> Response:
        """Who may come in."""
        archive = self._desk.archive
        tokens = Counter(one.name for one in person_tokens(archive))
        return self._face.page(request, "people.html", {"found": people(archive), "tokens": tokens, "roles": ROLES})

    async def add(self, request: Request) -> Response:
        """Let somebody in."""
        form = await self._face.form(request)
        name, role, by = one_of(form, "name"), one_of(form, "role"), person_of(request)
        password = _password(form, "password")
        made = await asyncio.to_thread(lambda: add_person(self._desk.place.open(), name, role, password, by))
        self._face.policy.accounts.look()
        return self._face.told("/people", say("person_added", person=made.name))

    async def change(self, request: Request) -> Response:
        """Give somebody another role or password, or let them in no more."""
        form = await self._face.form(request)
        archive, name, by = self._desk.archive, one_of(form, "name"), person_of(request)
        found = person_at(archive, name)
        if one_of(form, "act") == "remove":
            remove_person(archive, name, by)
            self._face.policy.accounts.look()
            return self._face.told("/people", say("person_removed", person=name))
        if one_of(form, "role") != found.role:
            set_role(archive, name, one_of(form, "role"), by)
        password = _password(form, "password")
        if password:
            await asyncio.to_thread(lambda: set_password(self._desk.place.open(), name, password, by))
        self._face.policy.accounts.look()
        return self._face.told("/people", say("person_set_done", person=name))

    async def journal(self, request: Request) -> Response:
        """Who did what."""
        of = request.query_params.get("person", "")[:LONGEST_NAME]
        found = journal(self._desk.archive, of, number_of(request, "before", 0), _LISTED + 1)
        return self._face.page(
            request, "journal.html", {"found": found[:_LISTED], "more": len(found) > _LISTED, "of": of}
        )

    async def account(self, request: Request, told: str = "") -> Response:
        """One's own account."""
        name = person_of(request)
        tokens = person_tokens(self._desk.archive, name) if name else []
        values = {"own": self._face.policy.accounts.person(name), "tokens": tokens, "told": told}
        return self._face.page(request, "account.html", values)

    async def password(self, request: Request) -> Response:
        """Give oneself another password; all sessions end, this one too."""
        form = await self._face.form(request)
        policy, name = self._face.policy, person_of(request)
        own = policy.accounts.need(name)
        if own.password:
            right = await policy.with_password(client_of(request.scope), name, _password(form, "now"))
            if right is None:
                raise UsageError(say("password_wrong"))
        password = _password(form, "password")
        if not password:
            raise UsageError(say("password_hint"))
        await asyncio.to_thread(lambda: set_password(self._desk.place.open(), name, password, name))
        policy.accounts.look()
        return self._face.told("/login", say("password_set_done"), to="/account")

    async def draw(self, request: Request) -> Response:
        """Draw a token for one's own programs, and tell it once: in this answer."""
        form = await self._face.form(request)
        name = self._face.policy.accounts.need(person_of(request)).name
        _, token = new_token(self._desk.archive, name, one_of(form, "label"), name)
        self._face.policy.accounts.look()
        return await self.account(request, token)

    async def remove_token(self, request: Request) -> Response:
        """One of one's own tokens opens nothing any more."""
        form = await self._face.form(request)
        name = self._face.policy.accounts.need(person_of(request)).name
        remove_token(self._desk.archive, one_of(form, "token"), name, name)
        self._face.policy.accounts.look()
        return self._face.told("/account", say("token_gone"))

    async def log_out(self, request: Request) -> Response:
        """End this session."""
        await self._face.form(request)
        policy = self._face.policy
        policy.access.end(cookie_of(request.headers.get("cookie", ""), policy.cookie), time.time())
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(policy.cookie, httponly=True, samesite="strict", secure=policy.options.behind_tls)
        return answer


def _password(form: Form, name: str) -> str:
    """A password as it was typed, spaces and all."""
    return form.get(name, [""])[0][: LONGEST_PASSWORD + 1]
