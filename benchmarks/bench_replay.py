"""Replay requests per CPU-second, Strandline beside pywb, over the same WARC file.

Both serve one collection made here: pages of 20 to 100 KB with links, style sheets, scripts and images, a fifth of
them revisits. One process of each is asked for the same addresses over kept-alive connections, rewritten (`mp_`) and
unmodified (`id_`); its CPU time is read from /proc before and after. What is compared is requests per second of
server CPU, so other load on the machine hardly matters.

    python benchmarks/bench_replay.py [--requests 600] [--pywb PYTHON]

pywb needs an environment of its own: it is taken from --pywb, or made with uv under the cache folder.
"""

import argparse
import http.client
import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.rivals import environment

SITE = "http://bench.test"
STAMP = "20260301120000"
WORDS = (
    "harbour",
    "tide",
    "archive",
    "quay",
    "boat",
    "rope",
    "sand",
    "chart",
    "light",
    "storm",
    "gull",
    "pier",
    "wave",
)


def page(rng: random.Random, number: int, size: int) -> bytes:
    parts = [f"<!doctype html><html><head><title>Page {number}</title><link rel=stylesheet href=/style.css>"]
    parts.append("<script src='/app.js'></script></head><body>")
    total = 0
    while total < size:
        text = " ".join(rng.choices(WORDS, k=60))
        more = f'<a href="/page/{rng.randrange(60)}.html?from={number}-{total}">more</a>'
        link = f'<p class="story">{text} {more} <img src="/img/{rng.randrange(20)}.png" alt="x"></p>\n'
        parts.append(link)
        total += len(link)
    parts.append("<script>var now = location.href; document.title += now.length;</script></body></html>")
    return "".join(parts).encode()


def make_warc(path: Path) -> list[str]:
    """Write the collection; return the addresses to ask for."""
    rng = random.Random(7)
    urls = []
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)

        def put(url: str, body: bytes, mime: str) -> str:
            head = StatusAndHeaders(
                "200 OK", [("Content-Type", mime), ("Content-Length", str(len(body)))], protocol="HTTP/1.1"
            )
            record = writer.create_warc_record(
                url,
                "response",
                io.BytesIO(body),
                length=len(body),
                http_headers=head,
                warc_headers_dict={"WARC-Date": "2026-03-01T12:00:00Z"},
            )
            writer.write_record(record)
            urls.append(url)
            return record.rec_headers.get_header("WARC-Payload-Digest")

        digests = [
            (
                f"{SITE}/page/{number}.html",
                put(
                    f"{SITE}/page/{number}.html",
                    page(rng, number, rng.randrange(20_000, 100_000)),
                    "text/html; charset=utf-8",
                ),
            )
            for number in range(60)
        ]
        for number in range(20):
            put(f"{SITE}/img/{number}.png", rng.randbytes(rng.randrange(2_000, 30_000)), "image/png")
        put(f"{SITE}/style.css", b"body{background:url(/img/1.png)}" * 200, "text/css")
        put(f"{SITE}/app.js", b"function go(u){window.location.href=u}\n" * 500, "text/javascript")
        for number, (url, digest) in enumerate(digests[:20]):
            copy = f"{SITE}/copy/{number}.html"
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(
                writer.create_revisit_record(
                    copy,
                    digest,
                    url,
                    "2026-03-01T12:00:00Z",
                    http_headers=head,
                    warc_headers_dict={"WARC-Date": "2026-03-01T12:00:00Z"},
                )
            )
            urls.append(copy)
    return urls


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and its children so far."""
    total = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == pid or int(fields[1]) == pid:
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def wait_for(port: int, path: str) -> None:
    for _ in range(300):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", path)
            if connection.getresponse().status < 500:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"nothing answers on port {port}")


def measure(pid: int, port: int, stem: str, urls: list[str], requests: int) -> tuple[float, float]:
    """Requests per CPU-second and per second."""
    rng = random.Random(3)
    order = [rng.choice(urls) for _ in range(requests)]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for url in urls[:20]:
        connection.request("GET", stem + url)
        connection.getresponse().read()
    began, cpu = time.perf_counter(), cpu_seconds(pid)
    for url in order:
        connection.request("GET", stem + url)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"{stem}{url} answered {answer.status}")
    return requests / max(1e-9, cpu_seconds(pid) - cpu), requests / (time.perf_counter() - began)


def pywb_python(given: str) -> str | None:
    """The interpreter of an environment with pywb, made when there is none."""
    if given:
        return given
    place = environment("pywb-2.10", "pywb==2.10.0", "setuptools<81")
    return str(place / "python") if place else None


def run_ours(warc: Path, urls: list[str], requests: int) -> dict[str, tuple[float, float]]:
    port, replay_port = free_port(), free_port()
    command = [sys.executable, "-m", "strandline"]
    archive = str(warc.parent / "archive")
    for step in (["init", archive], ["import", archive, str(warc)]):
        subprocess.run([*command, *step], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ports = ["--port", str(port), "--replay-port", str(replay_port)]
    server = subprocess.Popen(
        [*command, "serve", archive, *ports], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(replay_port, "/healthz")
        return {mod: measure(server.pid, replay_port, f"/web/{STAMP}{mod}/", urls, requests) for mod in ("mp_", "id_")}
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)


def run_pywb(python: str, warc: Path, urls: list[str], requests: int) -> dict[str, tuple[float, float]]:
    folder = Path(tempfile.mkdtemp())
    bin_folder = Path(python).parent
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([bin_folder / "wb-manager", "init", "bench"], cwd=folder, check=True, **quiet)
    subprocess.run([bin_folder / "wb-manager", "add", "bench", str(warc)], cwd=folder, check=True, **quiet)
    port = free_port()
    server = subprocess.Popen([bin_folder / "wayback", "-p", str(port), "-b", "127.0.0.1"], cwd=folder, **quiet)
    try:
        wait_for(port, "/")
        return {mod: measure(server.pid, port, f"/bench/{STAMP}{mod}/", urls, requests) for mod in ("mp_", "id_")}
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=600)
    parser.add_argument("--pywb", default="", help="python of an environment with pywb")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        warc = Path(folder) / "bench.warc.gz"
        urls = make_warc(warc)
        ours = run_ours(warc, urls, given.requests)
        python = pywb_python(given.pywb)
        theirs = run_pywb(python, warc, urls, given.requests) if python else {}
    report = {
        mod: {
            "strandline": round(ours[mod][0], 1),
            "pywb": round(theirs[mod][0], 1) if theirs else None,
            "ratio": round(ours[mod][0] / theirs[mod][0], 2) if theirs else None,
        }
        for mod in ours
    }
    if given.json:
        print(json.dumps(report))
        return
    if not theirs:
        print("pywb could not be installed here: no comparison (give --pywb PYTHON)")
    print(f"{'requests per CPU-second':28}{'Strandline':>12}{'pywb':>10}{'ratio':>8}{'bar':>6}")
    for mod, row in report.items():
        name = {"mp_": "rewritten pages (mp_)", "id_": "unmodified payload (id_)"}[mod]
        print(f"{name:28}{row['strandline']:>12}{row['pywb'] or '-':>10}{row['ratio'] or '-':>8}{'3':>6}")


if __name__ == "__main__":
    main()
