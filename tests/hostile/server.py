"""The hostile site on loopback: one port with all behaviours and twenty good pages, one port per robots.txt variant,
a port that accepts and stays silent, and on 127.0.0.2 an internal service that only counts.

    with HostileSite() as site:
        site.url            "http://127.0.0.1:PORT", its front page links everything
        site.good           URLs of the good pages
        site.behaviours     the registry: name, path, expected outcomes of a single fetch
        site.robots         name -> (URL of the variant's host, whether /page may be fetched there)
        site.silent_url     accepts connections and says nothing
        site.hits           requests per path;  site.robots_hits: requests per (variant, path)
        site.internal_hits  must stay 0
"""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

from hostile import codings, framing, inside, markup, redirects, robots, size, slow, traps, validators, xml
from hostile.inside import INTERNAL
from hostile.robots import VARIANTS, Variant
from hostile.wire import LARGE, REGISTRY, Behaviour, Conn

__all__ = ["HostileSite"]
THEMES = (codings, framing, inside, markup, redirects, robots, size, slow, traps, validators, xml)
GOOD_PAGES = 20


class HostileSite:
    """Runs in a thread of its own until left."""

    def __init__(self, pace: float = 0.05) -> None:
        self.pace = pace
        """Seconds between the bytes of slow answers."""
        self.behaviours: Mapping[str, Behaviour] = REGISTRY
        self.hits: Counter[str] = Counter()
        self.robots_hits: Counter[tuple[str, str]] = Counter()
        self.internal_hits = 0
        self.url = self.silent_url = ""
        self.robots: dict[str, tuple[str, bool]] = {}
        self.internal_port = 0
        self._by_path = {entry.path: entry for entry in REGISTRY.values()}
        self._tree = sorted((entry.path for entry in REGISTRY.values()), key=len, reverse=True)
        self._open: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="hostile", daemon=True)

    @property
    def good(self) -> list[str]:
        return [f"{self.url}/good/{number}" for number in range(1, GOOD_PAGES + 1)]

    def url_of(self, name: str) -> str:
        return self.url + self.behaviours[name].path

    def __enter__(self) -> "HostileSite":
        for make in LARGE:
            make()
        self._thread.start()
        assert self._ready.wait(300)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(60)

    # -- serving -------------------------------------------------------------------------------------------------------

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(lambda *_: None)  # clients hang up all the time here
        self._stop = asyncio.Event()
        async with contextlib.AsyncExitStack() as stack:

            async def listen(serve: Callable[..., Awaitable[None]], host: str = "127.0.0.1") -> int:
                async def noted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                    self._open = {known for known in self._open if not known.is_closing()} | {writer}
                    await serve(reader, writer)

                server = await asyncio.start_server(noted, host, 0, limit=2**20, backlog=512)
                stack.callback(server.close)
                port: int = server.sockets[0].getsockname()[1]
                return port

            self.url = f"http://127.0.0.1:{await listen(self._requests(self._dispatch))}"
            self.silent_url = f"http://127.0.0.1:{await listen(self._silent)}/"
            self.internal_port = await listen(self._internal, INTERNAL)
            for name, entry in VARIANTS.items():
                port = await listen(self._requests(self._variant(entry)))
                self.robots[name] = (f"http://127.0.0.1:{port}", entry.allowed)
            self._ready.set()
            await self._stop.wait()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # What is still open would be complained about in the middle of another test.
        for writer in self._open:
            writer.transport.abort()
        await asyncio.sleep(0.1)

    def _requests(self, handle: Callable[[Conn], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        """A connection as a sequence of requests, for as long as the handler keeps it fit for another."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
                while True:
                    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                    first, *lines = head.split("\r\n")
                    words = first.split(" ")
                    fields = (line.partition(":") for line in lines if line)
                    headers = {name.lower(): value.strip() for name, _, value in fields}
                    conn = Conn(self, reader, writer, words[1] if len(words) > 1 else "/", headers)
                    await handle(conn)
                    if not conn.keep:
                        break
            writer.close()

        return serve

    async def _dispatch(self, conn: Conn) -> None:
        self.hits[conn.path] += 1
        if conn.path == "/":
            await conn.answer(self._front_page())
        elif conn.path == "/robots.txt":
            await conn.answer("User-agent: *\nDisallow: /forbidden/\n", content_type="text/plain")
        elif conn.path.startswith("/good/"):
            number = conn.path.removeprefix("/good/")
            text = f"Good page {number}. " * 40
            await conn.answer(f"<html><title>Good {number}</title><p>{text}</p><a href='/'>front</a></html>")
        elif conn.path in self._by_path:
            await self._by_path[conn.path].handler(conn)
        elif tree := next((path for path in self._tree if conn.path.startswith(_stem(path))), ""):
            await self._by_path[tree].handler(conn)
        else:
            await conn.answer("nothing here", status="404 Not Found")

    def _front_page(self) -> str:
        """Bad ones first and in between: a crawler that gets stuck sees few of the good ones."""
        bad = [entry.path for entry in self.behaviours.values()]
        links = []
        step = len(bad) // GOOD_PAGES + 1
        for number in range(GOOD_PAGES):
            links += bad[number * step : (number + 1) * step]
            links.append(f"/good/{number + 1}")
        items = "".join(f"<li><a href='{path}'>{path}</a></li>" for path in links)
        return f"<html><title>Front page</title><ul>{items}<a href='/forbidden/x'>no</a></ul></html>"

    def _variant(self, entry: Variant) -> Callable[[Conn], Awaitable[None]]:
        async def handle(conn: Conn) -> None:
            self.robots_hits[entry.name, conn.path] += 1
            if conn.path == "/robots.txt":
                await entry.handler(conn)
            else:
                await conn.answer("<title>Page</title><a href='/page'>page</a>")

        return handle

    async def _silent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while await reader.read(4096):
                pass
        writer.close()

    async def _internal(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.internal_hits += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")
        writer.close()


def _stem(path: str) -> str:
    """Behaviours that are trees answer for all that is below them; nothing is below the others."""
    return "/".join(path.split("/")[:3]) + "/" if path.count("/") > 2 else "\0"
