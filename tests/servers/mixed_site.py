"""A site most of whose pages need no browser: articles, lists, an application, comments that scripts bring.

300 pages, of which 40 need one: 20 of an application (empty shells), 10 whose text stands in a script's data, 10 of a
catalogue with a full page of text around the part that scripts bring. All others have scripts too (counters, menus),
or none.
"""
# ruff: noqa: E501 - scripts are written as pages have them

import contextlib
import http.server
import json
import threading
from urllib.parse import urlsplit

NEEDS = {"app": 20, "board": 10, "shop": 10}
OTHERS = {"news": 90, "blog": 70, "help": 60, "plain": 40}
PAGES = [f"/{part}/{n}" for part, count in {**NEEDS, **OTHERS}.items() for n in range(count)]
NEEDING = {page for page in PAGES if page.split("/")[1] in NEEDS}
WORDS = [
    "river",
    "bridge",
    "council",
    "water",
    "report",
    "school",
    "market",
    "station",
    "garden",
    "winter",
    "train",
    "museum",
    "letter",
    "harbour",
    "field",
]


def prose(seed, words=120):
    return " ".join(WORDS[(seed * 7 + n * n) % len(WORDS)] for n in range(words))


def brought(part, n):
    """What scripts bring to a page."""
    return {"title": f"secret of {part} {n}", "text": " ".join(f"{part}{n}word{k}" for k in range(40)),
            "links": [f"/{part}/{n}/more{k}" for k in range(3)]}  # fmt: skip


SHOW = """.then(r=>r.json()).then(d=>{const e=document.getElementById('root');e.innerHTML='<h2>'+d.title+'</h2><p>'+d.text+'</p>'+
d.links.map(l=>`<a href="${l}">${l}</a>`).join('')})"""
COUNTER = "<script>document.title+='';const c=document.createElement('small');c.textContent='visit '+Date.now();document.body.append(c)</script>"


def page(path, release=0):
    part, n = path.strip("/").split("/")[:2]
    n = int(n)
    menu = '<nav><a href="/">home</a></nav>'
    program = f'<script src="/main.{release}.js"></script>'
    if part == "app":
        return f'<title>App</title><div id="root"></div><script src="/app.{release}.js"></script><script>fetch("/data/app/{n}"){SHOW}</script>'
    if part == "board":
        data = json.dumps(brought(part, n))
        return f"<title>Board</title>{menu}<div id=root></div>{program}<script>const d={data};Promise.resolve({{json:()=>d}}){SHOW}</script>"
    if part == "shop":
        return f"<title>Shop</title>{menu}<p>{prose(n)}</p><div id=root></div>{program}<script>fetch('/data/shop/{n}'){SHOW}</script>"
    if part == "plain":
        return f"<title>Plain</title>{menu}<p>{prose(n)}</p>"
    return f"<title>{part} {n}</title>{menu}<h1>{part} {n}</h1><p>{prose(n)}</p>{program}{COUNTER}"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, kind, status = urlsplit(self.path).path, "text/html", 200
        self.server.asked.append(path)
        if path == "/":
            body = "".join(f'<a href="{one}">{one}</a>' for one in self.server.pages)
        elif path.startswith("/data/"):
            part, n = path.split("/")[2:4]
            body, kind = json.dumps(brought(part, int(n))), "application/json"
        elif path.endswith(".js"):
            body, kind = "/* a program */", "text/javascript"
        elif path in self.server.known:
            body = page(path, self.server.release)
        else:
            body, status = "nothing here", 404
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextlib.contextmanager
def serving(pages=None):
    """The site, or some of its pages: base address and server, whose `release` can be changed."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads, server.asked, server.release = True, [], 0
    server.pages = list(PAGES if pages is None else pages)
    server.known = set(server.pages)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
