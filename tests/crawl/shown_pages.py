"""A browser made of functions: a page asks for what its function says, and shows what it is given."""

from collections import deque

from strandline.core.shown import DOCUMENT, TEXT, PageRequest, Shown, View


class ScriptedBrowser:
    """`ports.Browser`: `scripts` maps an address to what the page asks for, as (method, url, type, body)."""

    names = b"<a href=/made>m</a>"
    """What the document of every page names."""

    def __init__(self, scripts, seats=1):
        self.scripts = scripts
        self.free = seats
        self.shown = []
        self.answers = {}
        self.closed = False
        self._open = {}
        self._asked = deque()
        self._ended = deque()
        self.stuck = False
        """While True loads do not end by themselves."""

    def show(self, load):
        self.free -= 1
        self.shown.append(load.url)
        asked = [
            PageRequest(load.number * 1000 + n, load.number, url, method, headers, body, kind)
            for n, (method, url, kind, body, headers) in enumerate(self.scripts.get(load.url, ()))
        ]
        self._open[load.number] = (load, {one.number for one in asked})
        self._asked.extend(asked)
        self._settle(load.number)

    def asked(self):
        found, self._asked = list(self._asked), deque()
        return found

    def answer(self, request, answer):
        self.answers[request.url] = answer
        if request.load in self._open:
            self._open[request.load][1].discard(request.number)
            self._settle(request.load)

    def _settle(self, number):
        _, waiting = self._open[number]
        if not waiting and not self.stuck:
            self._end(number, "settled")

    def _end(self, number, why):
        self._open.pop(number)
        said = b"".join(answer.body for answer in self.answers.values() if answer)
        views = (
            View(DOCUMENT, "text/html", b"<p>" + said + b"</p>" + self.names),
            View(TEXT, "text/plain", said),
        )
        self._ended.append(Shown(number, 0.0, why, views))
        self.free += 1

    def ended(self):
        found, self._ended = list(self._ended), deque()
        return found

    def cut(self):
        for number in list(self._open):
            self._end(number, "cut")

    def wait(self, seconds):
        pass

    def close(self):
        self.closed = True


def asks(url, method="GET", kind="XHR", body=b"", **headers):
    """A request of a page."""
    return method, url, kind, body, tuple(headers.items())
