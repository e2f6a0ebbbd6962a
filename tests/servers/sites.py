"""Many small sites on the loopback interface, 127.0.0.1, 127.0.0.2 ..., with a log of who was asked for what, when.

The server is a process of its own. Each line of its log: host, path, when the request came and when it was answered,
by the clock that all processes of a machine share.
"""

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

PER_LIST = 100


LIVING = 5
"""Every so many pages one changes, when the sites live."""


def page(host: str, path: str, pages: int, size: int, now: int = 0) -> bytes | None:
    """`/` names the lists, lists name their pages, pages are text. Living pages tell which period it is."""
    name = path.strip("/")
    if path == "/robots.txt":
        return b"User-agent: *\nAllow: /\n"
    if path == "/":
        lists = range(0, pages, PER_LIST)
        return "".join(f'<a href="/list{n // PER_LIST}">list</a>' for n in lists).encode()
    if name.startswith("list") and name[4:].isdigit():
        first = int(name[4:]) * PER_LIST
        if first < pages:
            return "".join(f'<a href="/p{n}">p</a>' for n in range(first, min(first + PER_LIST, pages))).encode()
    if name.startswith("p") and name[1:].isdigit() and int(name[1:]) < pages:
        period = f"<p>period {now}</p>" if int(name[1:]) % LIVING == 0 else ""
        return (f"<h1>{host} {name}</h1>{period}" + f"<p>{name} of {host}</p>" * (size // 20)).encode()
    return None


def addresses_of(pages: int) -> list[str]:
    """Paths of one site, but for robots.txt."""
    return ["/", *(f"/list{n}" for n in range(-(-pages // PER_LIST))), *(f"/p{n}" for n in range(pages))]


async def serve(pages: int, size: int, pause: float, period: float, log: Path) -> None:
    with log.open("a", buffering=1) as lines:

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while head := await reader.readuntil(b"\r\n\r\n"):
                    came = time.monotonic()
                    path = head.split(b" ", 2)[1].decode()
                    host = writer.get_extra_info("sockname")[0]
                    if pause:
                        await asyncio.sleep(pause)
                    body = page(host, path, pages, size, int(came / period) if period else 0)
                    status = b"404 Not Found" if body is None else b"200 OK"
                    kind = b"text/plain" if path == "/robots.txt" else b"text/html; charset=utf-8"
                    lines.write(json.dumps([host, path, came, time.monotonic()]) + "\n")
                    writer.write(
                        b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b"
                        % (status, kind, len(body or b""), body or b"")
                    )
                    await writer.drain()
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(talk, "0.0.0.0", 0, backlog=500)
        print(server.sockets[0].getsockname()[1], flush=True)
        async with server:
            await server.serve_forever()


@dataclass(frozen=True)
class Sites:
    port: int
    hosts: tuple[str, ...]
    pages: int
    log: Path

    @property
    def seeds(self) -> list[str]:
        return [f"http://{host}:{self.port}/" for host in self.hosts]

    @property
    def urls(self) -> set[str]:
        return {f"http://{host}:{self.port}{path}" for host in self.hosts for path in addresses_of(self.pages)}

    def requests(self) -> list[tuple[str, str, float, float]]:
        return [tuple(json.loads(line)) for line in self.log.read_text().splitlines()]

    def asked(self) -> Counter[str]:
        """How often each page was asked for."""
        return Counter(f"http://{host}:{self.port}{path}" for host, path, _, _ in self.requests())

    def shortest_pause(self) -> float:
        """Between the answer to a request and the next request of the same host; negative when two overlap."""
        by_host = defaultdict(list)
        for host, _, came, answered in self.requests():
            by_host[host].append((came, answered))
        pauses = [
            later[0] - earlier[1] for times in by_host.values() for earlier, later in itertools.pairwise(sorted(times))
        ]
        return min(pauses)


@contextlib.contextmanager
def sites(folder: Path, hosts: int, pages: int, size: int = 2_000, pause: float = 0.0, period: float = 0.0):
    """`pause`: seconds every answer takes; `period`: seconds between two changes of a living page, 0 for none."""
    log = folder / "requests.log"
    words = [sys.executable, __file__, *map(str, (pages, size, pause, period, log))]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        yield Sites(port, tuple(f"127.0.0.{n}" for n in range(1, hosts + 1)), pages, log)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


if __name__ == "__main__":
    count, size, pause, period = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    asyncio.run(serve(count, size, pause, period, Path(sys.argv[5])))
