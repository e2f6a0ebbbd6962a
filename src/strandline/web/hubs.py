"""`/hub/...`: where the hubs of feeds reach the interface (WebSub), without a login, at addresses nobody can guess.

A hub asks whether it was we who asked (GET), and tells of something new (POST). What it sends is looked at for its
signature only; what does not bear the right one is taken as politely as what does, and nothing follows from it.
"""

import asyncio
import contextlib
import sys
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from strandline.errors import StrandlineError
from strandline.watch.subscriptions import PATH, Subscriptions
from strandline.web.desk import Desk

EVERY: Final = 10.0
"""Seconds between two looks at what hubs are to be asked. Origin: a guess."""
_LONGEST: Final = 1_000
"""Letters of what a hub wants to hear back. Origin: a bound on memory."""


class Hubs:
    """The addresses hubs know, and the rounds in which they are asked."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._settings = desk.settings
        self._subscriptions = Subscriptions(desk.place.open(), lambda: self._settings)
        self._rounds: asyncio.Task[None] | None = None
        self._problem = ""

    def routes(self) -> list[Route]:
        """Where hubs ask and tell."""
        return [
            Route(f"{PATH}{{token}}", self.asked, methods=["GET"]),
            Route(f"{PATH}{{token}}", self.told, methods=["POST"]),
        ]

    async def asked(self, request: Request) -> Response:
        """A hub asks whether it was we who asked."""
        token, said = request.path_params["token"], request.query_params
        if not self._subscriptions.knows(token):
            return _nothing_here()
        challenge, mode = said.get("hub.challenge", ""), said.get("hub.mode", "")
        if len(challenge) > _LONGEST or not (challenge or mode == "denied"):
            return _nothing_here()
        words = (mode, said.get("hub.topic", ""), said.get("hub.lease_seconds", ""))
        try:
            ours = await asyncio.to_thread(self._subscriptions.confirm, token, *words)
        except StrandlineError:
            return _later()
        return PlainTextResponse(challenge) if ours else _nothing_here()

    async def told(self, request: Request) -> Response:
        """A hub tells of something new."""
        token = request.path_params["token"]
        if not self._subscriptions.knows(token):
            return _nothing_here()
        body, signature = await request.body(), request.headers.get("x-hub-signature", "")[:300]
        try:
            outcome = await asyncio.to_thread(self._subscriptions.receive, token, body, signature)
        except StrandlineError:
            return _later()
        if outcome == "gone":
            return PlainTextResponse("Nobody asked for this any more.\n", 410)
        return PlainTextResponse("", 202)

    # -- rounds ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Ask hubs from now on, beside everything else."""
        self._rounds = asyncio.create_task(self._go_round())

    async def _go_round(self) -> None:
        while True:
            try:
                self._settings = self._desk.settings  # asked here: rounds have a thread of their own
                for line in await asyncio.to_thread(self._subscriptions.step):
                    _tell(line)
                self._problem = ""
            except StrandlineError as problem:  # a database that is away, an archive that is being rebuilt: told once
                if str(problem) != self._problem:
                    self._problem = str(problem)
                    _tell(f"hubs are not asked: {problem}")
            await asyncio.sleep(EVERY)

    async def stop(self) -> None:
        """No more."""
        if self._rounds is not None:
            self._rounds.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._rounds


def _tell(line: str) -> None:
    print(f"strandline: {line}", file=sys.stderr, flush=True)  # noqa: T201


def _later() -> Response:
    """The archive cannot be written now: hubs ask and tell again."""
    return PlainTextResponse("Not now.\n", 503, {"retry-after": "60"})


def _nothing_here() -> Response:
    return PlainTextResponse("There is nothing here.\n", 404)
