"""What a behaviour is, and the few words it needs to speak badly on a socket."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from strandline.core.capture import Outcome


@dataclass
class Conn:
    """One request on a connection, and the way to answer it."""

    site: Any
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    target: str
    headers: dict[str, str]
    keep: bool = False
    """Whether the connection may serve another request."""

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.target.partition("?")[2]))

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, body: bytes | str = b"", status: str = "200 OK", **headers: str) -> None:
        """A proper answer; header names with _ for -."""
        data = body.encode() if isinstance(body, str) else body
        fields = {"content_type": "text/html; charset=utf-8", "content_length": str(len(data)), **headers}
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items() if value)
        await self.send(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("utf-8", "surrogateescape") + data)
        self.keep = True

    async def pause(self, paces: float = 1.0) -> None:
        await asyncio.sleep(self.site.pace * paces)

    async def hold(self) -> None:
        """Say nothing more and do not hang up, until the client does."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(4096):
                pass

    def reset(self) -> None:
        """End the connection with RST."""
        sock: socket.socket = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Handler = Callable[[Conn], Awaitable[None]]


@dataclass(frozen=True)
class Behaviour:
    """One way to misbehave, and how a single fetch of it must end."""

    name: str
    theme: str
    outcomes: frozenset[Outcome]
    handler: Handler = field(repr=False)
    path: str = ""


REGISTRY: dict[str, Behaviour] = {}
LARGE: list[Callable[[], bytes]] = []


def behaviour(name: str, *outcomes: Outcome, path: str = "") -> Callable[[Handler], Handler]:
    """Register a handler. `path` is where the site has it, /h/NAME unless told."""

    def register(handler: Handler) -> Handler:
        assert name not in REGISTRY, name
        theme = handler.__module__.rpartition(".")[2]
        expected = frozenset(outcomes or (Outcome.ANSWERED,))
        REGISTRY[name] = Behaviour(name, theme, expected, handler, path or f"/h/{name}")
        return handler

    return register


def bytes_on_the_wire(theme: str, name: str, wire: bytes, *outcomes: Outcome, then: str = "close") -> None:
    """Register a fixed answer. `then`: close, hold, reset."""

    async def handler(conn: Conn) -> None:
        await conn.send(wire)
        if then == "hold":
            await conn.hold()
        elif then == "reset":
            await conn.pause()
            conn.reset()

    handler.__module__ = theme
    behaviour(name, *outcomes)(handler)


def document(theme: str, name: str, body: bytes | str | Callable[[], bytes], path: str = "", **headers: str) -> None:
    """Register a proper answer with an odd document or odd header fields. Large documents are made before serving."""
    make = cache(body) if callable(body) else None
    if make:
        LARGE.append(make)

    async def handler(conn: Conn) -> None:
        made = make() if make else body
        fields = {key: value.replace("{site}", conn.site.url) for key, value in headers.items()}
        text = made.replace("{site}", conn.site.url) if isinstance(made, str) else made
        await conn.answer(text, **fields)

    handler.__module__ = theme
    behaviour(name, path=path)(handler)
