"""Replay without a server: the requests of a replayed page, answered in this process for a browser of our own."""

from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from strandline.access.addresses import Base, parse
from strandline.access.confinement import confining_headers
from strandline.access.index import Holdings
from strandline.access.payload import LostError
from strandline.access.replay import Asked, Replay
from strandline.access.rewrite import CLIENT, CLIENT_SCRIPT
from strandline.core.request_keys import method_query
from strandline.core.shown import PageAnswer, PageRequest

ORIGIN: Final = "http://replay.invalid"
"""A name that never resolves: such a browser asks nobody but us."""
_READ = "GET", "HEAD"


class ReplayRequests:
    """Answers from an archive; what it has not is noted."""

    def __init__(self, holdings: Holdings) -> None:
        self._replay = Replay(holdings, Base(ORIGIN))
        self.asked: dict[str, str] = {}
        """Original addresses that were asked for, with method and body, and what for, in the browser's word."""
        self.missing: dict[str, str] = {}
        """Those that have no answer, and why; the key has method and body."""
        self.outside: list[str] = []
        """Addresses beside the archive: there should be none."""

    def page(self, url: str, time: float) -> tuple[str, PageAnswer | None]:
        """Address and answer of a page that is to be shown."""
        address = Base(ORIGIN).memento(url, time, "mp_")
        return address, self.answer(PageRequest(0, 0, address, "GET", (), b"", "Document"))

    def answer(self, request: PageRequest) -> PageAnswer | None:
        """What the replay origin would answer, its frames open to one another."""
        if not request.url.startswith(f"{ORIGIN}/"):
            self.outside.append(request.url)
            return None
        parts = urlsplit(request.url)
        if parts.path == CLIENT:
            return PageAnswer(200, (("content-type", "text/javascript"), *_CORS), CLIENT_SCRIPT.read_bytes())
        if request.method == "OPTIONS":
            return PageAnswer(204, _CORS, b"")
        path = request.url.removeprefix(ORIGIN)
        if path == "/favicon.ico":  # the browser's own wish
            return PageAnswer(404, (), b"")
        if not path.startswith("/web/"):
            self.missing[request.url] = "not an address of the archive"
            return PageAnswer(404, _CORS, b"")
        return self._memento(path.removeprefix("/web/"), request)

    def _memento(self, path: str, request: PageRequest) -> PageAnswer:
        try:
            wanted = parse(path)
        except ValueError as fault:
            self.missing[path] = str(fault)
            return PageAnswer(400, _CORS, b"")
        if request.method not in _READ:
            query = method_query(request.method, request.header("content-type"), request.body)
            wanted = replace(wanted, query=query)
        self.asked[wanted.keyed] = request.type
        found, memento = self._replay.find(wanted)
        if memento is None:
            self.missing[wanted.keyed] = "not captured"
            return PageAnswer(404, _CORS, b"")
        try:
            shown = self._replay.answer(found, memento, Asked(request.header("range")))
        except LostError as lost:
            self.missing[wanted.keyed] = str(lost)
            return PageAnswer(404, _CORS, b"")
        body = shown.body if isinstance(shown.body, bytes) else b"".join(shown.body)
        policy = [(name.decode(), value.decode()) for name, value in confining_headers("", shown.runs, True)]
        return PageAnswer(shown.status, (*shown.headers, *policy, *_CORS), body)


_CORS: Final = (
    ("access-control-allow-origin", ORIGIN),
    ("access-control-allow-credentials", "true"),
    ("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
)
