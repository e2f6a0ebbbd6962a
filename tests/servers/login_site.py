"""A site behind a login, on the loopback interface, which notes who sent what."""

import base64
import contextlib
import http.server
import threading
from dataclasses import dataclass, field

SESSION = "s3cr3t-session-0123456789abcdef"
RENEWED = "r3n3w3d-session-fedcba9876543210"
NAME, PASSWORD = "anna", "wr0ng-h0rse-battery"
FORM = '<title>Log in</title><h1>Log in</h1><form action="/enter"><input name=u><input type=password name=p></form>'
TEXT = " ".join(f"Members read line {number} of the long report here." for number in range(40))


@dataclass
class Members:
    """What the site does, and what it got."""

    out: bool = False
    """Whether it has logged everybody out."""
    how: str = "form"
    """What those who are not logged in get: form, redirect, 401 or 403."""
    other: str = ""
    """Address of another site that its pages name."""
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Path, cookies and authorization of each request."""

    def sent(self, path):
        return [(cookie, authorization) for at, cookie, authorization in self.asked if at == path]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_):
        pass

    def _send(self, body, status=200, kind="text/html; charset=utf-8", headers=()):
        data = body.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(data))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        members, path = self.server.members, self.path.partition("?")[0]
        cookie, authorization = self.headers.get("Cookie", ""), self.headers.get("Authorization", "")
        members.asked.append((path, cookie, authorization))
        basic = "Basic " + base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
        known = (SESSION in cookie or RENEWED in cookie or authorization == basic) and not members.out
        if path in ("/robots.txt", "/sitemap.xml"):
            self._send("", 404)
        elif path == "/login":
            self._send(FORM)
        elif path == "/enter":  # for the window
            self._send("welcome", headers=[("Set-Cookie", f"session={SESSION}; Path=/; HttpOnly")])
        elif not known:
            self._refuse(members.how)
        elif path == "/news.json":
            self._send(f'{{"text": "{TEXT}"}}', kind="application/json")
        else:
            self._send(self._page(path, members), headers=[("Set-Cookie", f"session={RENEWED}; Path=/; HttpOnly")])

    def _refuse(self, how):
        if how == "redirect":
            self._send("", 302, headers=[("Location", "/login")])
        elif how == "form":
            self._send(FORM)
        else:
            self._send("no", int(how))

    def _page(self, path, members):
        links = '<a href="/one">one</a><a href="/two">two</a><a href="/login">log in as somebody else</a>'
        other = f'<img src="{members.other}/i.png"><a href="{members.other}/">elsewhere</a>' if members.other else ""
        script = (
            "<script>fetch('/news.json').then(r => r.json())"
            ".then(j => document.querySelector('main').append('Fetched: ' + j.text))</script>"
        )
        return f"<title>{path}</title><main><p>{TEXT}</p></main>{links}{other}{script}"


@contextlib.contextmanager
def members_only(how="form", host="127.0.0.1"):
    """The site for as long as it is needed: its address, and what it got."""
    server = http.server.ThreadingHTTPServer((host, 0), _Handler)
    server.daemon_threads, server.members = True, Members(how=how)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{host}:{server.server_address[1]}", server.members
    finally:
        server.shutdown()
        server.server_close()
