"""A loopback web site for benchmarks: 400 pages of 20-100 KB, served from memory by a process of its own."""

import asyncio
import random
import subprocess
import sys
from contextlib import contextmanager

PAGES = 400
_WORDS = [
    f"{a}{b}" for a in ("har", "bri", "sta", "mus", "lib", "riv") for b in ("bour", "dge", "tion", "eum", "rary", "er")
]


def build(pages: int = PAGES, seed: int = 7) -> dict[str, bytes]:
    """Pages by path; every page is linked from the front page and from its neighbours."""
    pick = random.Random(seed)
    site = {}
    for n in range(pages):
        size = pick.randrange(20_000, 100_000)
        parts = [f"<!doctype html><html><head><title>Page {n}</title></head><body><h1>Page {n}</h1>"]
        parts += [f'<a href="/d{(n + k) % pages % 20}/p{(n + k) % pages}.html">neighbour {k}</a>' for k in range(1, 60)]
        length = sum(map(len, parts))
        while length < size:
            parts.append(f"<p>{' '.join(pick.choices(_WORDS, k=80))} {pick.getrandbits(64):x}</p>")
            length += len(parts[-1])
        site[f"/d{n % 20}/p{n}.html"] = "".join(parts).encode()
    links = "".join(f'<a href="{path}">{path}</a>' for path in site)
    site["/"] = f"<!doctype html><title>Front</title>{links}".encode()
    site["/robots.txt"] = b"User-agent: *\nAllow: /\n"
    return site


async def _serve(pages: int) -> None:
    answers = {
        path: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%b"
        % (len(body), body)
        for path, body in build(pages).items()
    }
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                writer.write(answers.get(path, missing))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


@contextmanager
def loopback(pages: int = PAGES):
    """The address of the running site."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.loopback", str(pages)], stdout=subprocess.PIPE, text=True
    )
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/"
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
