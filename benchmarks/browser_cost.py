"""CPU of a page in a browser: Chromium and Strandline together, beside a bare Chromium that loads the same page.

    python benchmarks/browser_cost.py [loads]

A page of 20 parts on the loopback interface is loaded many times by a bare Chromium (with a network of its own; it waits
for the load and half a second) and by Strandline (whose fetcher answers; behaviours and views included). Processor time is
read from /proc for all processes of the browser, and from our own clock for Strandline. Also: the page over HTTP alone.
"""
# ruff: noqa: E501 - a page is written as it is

import http.server
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

import strandline
from strandline.browser.chromium import Chromium, means, processes_of
from strandline.browser.pipe import Pipe
from strandline.crawl import browsers
from strandline.settings.file import with_overrides

PARTS = [f"/{kind}{n}.{kind}" for kind, count in (("png", 8), ("css", 4), ("js", 5), ("json", 3)) for n in range(count)]
KINDS = {
    "png": "image/png",
    "css": "text/css",
    "js": "text/javascript",
    "json": "application/json",
    "html": "text/html",
}
TICKS = os.sysconf("SC_CLK_TCK")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.partition("?")[0]
        kind = path.rpartition(".")[2] if path in PARTS else "html"
        body = page(path) if kind == "html" else part(kind, path)
        self.send_response(404 if path == "/robots.txt" else 200)
        self.send_header("Content-Type", KINDS[kind])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def part(kind, path):
    words = " ".join(f"word{n}" for n in range(300))
    return {"png": b"\x89PNG" + bytes(20_000), "css": f"/* {words} */ .c{path[4]} {{ color: red }}".encode(),
            "js": f"/* {words} */ var loaded = (window.loaded || 0) + 1;".encode(), "json": f'"{words}"'.encode()}[kind]  # fmt: skip


def page(path):
    links = "".join(f'<link rel=stylesheet href="{one}">' for one in PARTS if one.endswith("css"))
    scripts = "".join(f'<script src="{one}"></script>' for one in PARTS if one.endswith("js"))
    images = "".join(f'<img src="{one}">' for one in PARTS if one.endswith("png"))
    text = "".join(f"<p>paragraph {n} of the page {path} with some words in it</p>" for n in range(150))
    fetches = "".join(
        f"fetch('{one}').then(r=>r.json()).then(t=>{{const p=document.createElement('p');p.textContent=t;document.body.append(p)}});"
        for one in PARTS
        if one.endswith("json")
    )
    return f"<!doctype html><title>{path}</title>{links}{text}{images}{scripts}<script>{fetches}</script>".encode()


def used(pid):
    """Seconds of processor time of a process and all that descend from it."""
    total = 0
    for one in processes_of(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS


def bare(base, loads):
    """Seconds of CPU for each load by a Chromium with a network of its own."""
    events = []
    how = means()
    how = replace(how, wrapped=tuple(word for word in how.wrapped if word != "--net"))
    chromium = Chromium(how, ("--proxy-server=direct://", "--host-resolver-rules="))
    pipe = Pipe(chromium.from_browser, chromium.to_browser, events.append, lambda: None)
    found = []
    try:
        for n in range(loads):
            before = used(chromium.pid)
            context = pipe.call("Target.createBrowserContext", seconds=60)["browserContextId"]
            target = pipe.call(
                "Target.createTarget", url="about:blank", browserContextId=context, width=1366, height=1024
            )
            session = pipe.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
            pipe.call("Page.enable", session)
            events.clear()
            pipe.call("Page.navigate", session, 60, url=f"{base}/page{n}")
            until = time.monotonic() + 30
            while not any(one["method"] == "Page.loadEventFired" for one in events) and time.monotonic() < until:
                time.sleep(0.02)
            time.sleep(0.5)
            pipe.call("Target.disposeBrowserContext", browserContextId=context)
            time.sleep(0.1)
            found.append(used(chromium.pid) - before)
    finally:
        pipe.end()
        chromium.close()
    return found


def ours(base, loads, mode):
    """Pages, seconds of CPU of Chromium and of our own for a crawl of as many pages."""
    made, spent = [], {}
    real = browsers.ChromiumPages

    class Watched(real):
        def close(self):
            for pid in self.processes:
                spent[pid] = used(pid)
            super().close()

    browsers.ChromiumPages = Watched
    with tempfile.TemporaryDirectory() as folder:
        archive = strandline.create(Path(folder) / "a")
        given = [
            f'capture.browser="{mode}"',
            'fetch.allow_address=["127.0.0.0/8"]',
            'politeness.delay="0"',
            "study.workers=0",
        ]
        settings = with_overrides(archive.settings, [*given, 'scope.scope="page"', "scope.sitemaps=false"])
        before = time.process_time()
        tally = archive.crawl(settings, strandline.CrawlRequest(tuple(f"{base}/page{n}" for n in range(loads))))
        made.append(time.process_time() - before)
    browsers.ChromiumPages = real
    return tally, sum(spent.values()), made[0]


def main():
    loads = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    pid = os.fork()  # the server's CPU is not ours
    if not pid:
        server.serve_forever()
    try:
        base = f"http://127.0.0.1:{server.server_address[1]}"
        plain = bare(base, loads)
        tally, chromium, own = ours(base, loads, "always")
        start = ours(base, 1, "always")
        _, _, http_only = ours(base, loads, "never")
        _, _, http_start = ours(base, 1, "never")
        each = (chromium - start[1]) / (loads - 1)
        ourselves = (own - start[2]) / (loads - 1)
        print(f"bare Chromium, median of {loads} loads: {1000 * median(plain[1:]):.0f} ms of CPU a page")
        print(
            f"Strandline: {tally.browsed} pages shown, Chromium {1000 * each:.0f} ms, our side {1000 * ourselves:.0f} ms a page"
        )
        print(f"together {(each + ourselves) / median(plain[1:]):.2f} times the bare load")
        alone = (http_only - http_start) / (loads - 1)
        print(
            f"HTTP alone: {1000 * alone:.1f} ms a page; pages a second of CPU: HTTP {1 / alone:.0f}, always {1 / (each + ourselves):.1f}"
        )
    finally:
        os.kill(pid, 15)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
