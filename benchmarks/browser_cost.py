"""CPU of a page in a browser: Chromium and Strandline together, beside a bare Chromium that loads the same page.

    python benchmarks/browser_cost.py [loads]

A page of 20 parts on the loopback interface is loaded in turn by a bare Chromium (with a network of its own; it waits
for the load and half a second) and by Strandline (whose fetcher answers; behaviours and views included), so that both
meet the machine as it is at that moment: once a page that shows all it has (plain), and one whose images come when a
reader scrolls to them (lazy): beside a bare load that does not scroll and never gets them, and beside one that scrolls
window by window and gets them all. Processor time is read from /proc for all processes of the browsers, and from our
own clock for Strandline. Then a site of 24 such pages is crawled over HTTP
alone, with a browser where it pays, and always: pages for each second of CPU. One in eight is an empty shell that a
script fills; the scripts of the others bring nothing.
"""

import http.server
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import ClassVar

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
SITE = 24
"""Pages of a site."""
SHELLS = 8
"""One page in so many of a site is an empty shell."""


LATE = """<script>let at=0;const seen=new IntersectionObserver(all=>all.forEach(one=>{if(one.isIntersecting){
seen.unobserve(one.target);const image=new Image();image.src=`/png${at++}.png`;one.target.append(image)}}));
document.querySelectorAll('.late').forEach(one=>seen.observe(one))</script>"""
"""Images that come when a reader scrolls to them."""
SCROLL = """(async()=>{for(let y=0;y<document.body.scrollHeight;y+=innerHeight){
scrollTo(0,y);await new Promise(done=>setTimeout(done,100))}})()"""
"""As plainly as it can be done: a window, a tenth of a second, the next."""


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
    return {
        "png": b"\x89PNG" + bytes(20_000),
        "css": f"/* {words} */ .c{path[4]} {{ color: red }}".encode(),
        "js": f"/* {words} */ var loaded = (window.loaded || 0) + 1;".encode(),
        "json": f'"{words}"'.encode(),
    }[kind]


def page(path):
    """A page of 20 parts; under /app/ its text is brought by a script, under /text/ scripts bring nothing."""
    links = "".join(f'<link rel=stylesheet href="{one}">' for one in PARTS if one.endswith("css"))
    scripts = "".join(f'<script src="{one}"></script>' for one in PARTS if one.endswith("js"))
    images = "".join(f'<img src="{one}">' for one in PARTS if one.endswith("png"))
    text = "".join(f"<p>paragraph {n} of the page {path} with some words in it</p>" for n in range(150))
    if path.startswith("/app/"):
        text = "<div id=root></div>"
    if path.startswith("/lazy/"):
        images = '<p class=late style="height:400px">later</p>' * 8 + LATE
    fetches = "".join(
        f"fetch('{one}').then(r=>r.json()).then(t=>{{const p=document.createElement('p');"
        "p.textContent=t;document.body.append(p)});"
        for one in PARTS
        if one.endswith("json") and not path.startswith("/text/")
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


class Bare:
    """A Chromium with a network of its own."""

    def __init__(self):
        self._events = []
        how = means()
        how = replace(how, wrapped=tuple(word for word in how.wrapped if word != "--net"))
        self._chromium = Chromium(how, ("--proxy-server=direct://", "--host-resolver-rules="))
        self._pipe = Pipe(self._chromium.from_browser, self._chromium.to_browser, self._events.append, lambda: None)

    def load(self, url, scroll=False):
        """Load a page, scroll through it if asked to, and wait for half a second; says the seconds of CPU."""
        call, before = self._pipe.call, used(self._chromium.pid)
        context = call("Target.createBrowserContext", seconds=60)["browserContextId"]
        target = call(
            "Target.createTarget", url="about:blank", browserContextId=context, width=1366, height=1024, seconds=60
        )
        session = call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        call("Page.enable", session)
        self._events.clear()
        call("Page.navigate", session, 60, url=url)
        until = time.monotonic() + 60
        while not any(one["method"] == "Page.loadEventFired" for one in self._events) and time.monotonic() < until:
            time.sleep(0.02)
        if scroll:
            call("Runtime.evaluate", session, 60, expression=SCROLL, awaitPromise=True)
        time.sleep(0.5)
        call("Target.disposeBrowserContext", seconds=60, browserContextId=context)
        time.sleep(0.3)
        return used(self._chromium.pid) - before

    def close(self):
        self._pipe.end()
        self._chromium.close()


class Beside(browsers.ChromiumPages):
    """Browsers that count: the CPU of their processes and of our own for each page; before each, a bare load."""

    bare = None
    scroll = False
    made: ClassVar = []

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.at = (0.0, time.process_time())
        Beside.made.append(self)
        self.plain, self.shown = [], []

    def _now(self):
        return sum(map(used, self.processes)), time.process_time()

    def _count(self):
        now = self._now()
        self.shown.append((now[0] - self.at[0], now[1] - self.at[1]))

    def show(self, load):
        if Beside.bare is not None:
            time.sleep(0.3)  # until the page before is thrown away
            self._count()
            self.plain.append(Beside.bare.load(load.url, Beside.scroll))
            self.at = self._now()
        super().show(load)

    def close(self):
        time.sleep(0.3)
        self._count()
        super().close()


def crawl(addresses, mode):
    """Crawl these pages; says the tally, and seconds of CPU of our own and of all browsers."""
    Beside.made.clear()
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
        tally = archive.crawl(settings, strandline.CrawlRequest(tuple(addresses)))
        own = time.process_time() - before
    return tally, own, sum(chromium for pages in Beside.made for chromium, _ in pages.shown)


def beside(base, loads, kind, scroll):
    """Print what a page costs beside a bare load, or one that is scrolled."""
    Beside.bare, Beside.scroll = Bare(), scroll
    try:
        crawl((f"{base}/{kind}/page{n}" for n in range(loads + 1)), "always")
    finally:
        Beside.bare.close()
        Beside.bare = None
    pages = Beside.made[0]
    plain, shown = pages.plain[1:], pages.shown[2:]  # the first load starts the browsers
    bare, theirs, own = (sum(values) / len(values) for values in (plain, *zip(*shown, strict=True)))
    ratios = [(chromium + ours) / alone for alone, (chromium, ours) in zip(plain, shown, strict=True)]
    how = "bare Chromium that scrolls" if scroll else "bare Chromium"
    print(f"{kind}: {how} {1000 * bare:.0f} ms of CPU a page, mean of {len(plain)} loads")
    print(f"    Strandline: Chromium {1000 * theirs:.0f} ms, our side {1000 * own:.0f} ms a page")
    print(f"    together {(theirs + own) / bare:.2f} times the bare load (median of pairs {median(ratios):.2f})")


def site(base, pages=SITE):
    """Print pages for each second of CPU, with and without a browser."""
    addresses = [f"{base}/{'text' if n % SHELLS else 'app'}/page{n}" for n in range(pages)]
    for mode in ("never", "auto", "always"):
        tally, own, chromium = crawl(addresses, mode)
        print(
            f"{mode}: {pages} pages, {tally.browsed} shown, {pages / (own + chromium):.2f} pages a second of CPU",
            flush=True,
        )


def main():
    loads = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    pid = os.fork()  # the server's CPU is not ours
    if not pid:
        server.serve_forever()
    browsers.ChromiumPages = Beside
    try:
        base = f"http://127.0.0.1:{server.server_address[1]}"
        for kind, scroll in (("plain", False), ("lazy", False), ("lazy", True)):
            beside(base, loads, kind, scroll)
        site(base)
    finally:
        os.kill(pid, 15)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
