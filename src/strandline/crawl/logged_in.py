"""Logins in a crawl: what is sent with which request, and whether a site still knows us.

A site that logs out answers 401, or 403 or a form that asks for a password where there was content, there itself or
where it sends us on to. Then it is paused: pages of a wall are no captures anybody wants, and asking on would only show
that we are no reader.
"""

from collections.abc import Callable
from typing import Final

from strandline.core.capture import Evidence, Exchange, Kind
from strandline.core.logins import Cookie, Fields, Logins
from strandline.core.quality.hollow import LOGIN, MARK
from strandline.core.urls import site
from strandline.ports import Catalog, Task

_UNAUTHORIZED, _FORBIDDEN = 401, 403
"""Answers to who is not logged in, or may not see a page. Origin: RFC 9110."""
_MOST_SENT_ON: Final = 10_000
"""Addresses we were sent on to that are remembered. Origin: a bound on memory."""


class LoggedIn:
    """The logins of one crawl. `told` hears of a site that logged out, and why, once."""

    def __init__(
        self,
        logins: Callable[[], Logins] = Logins,
        now: Callable[[], float] = lambda: 0.0,
        told: Callable[[str, str], None] = lambda _site, _why: None,
    ) -> None:
        self._known = logins
        self._now = now
        self._told = told
        self._out: set[str] = set()
        self._last = logins()
        self._sent_on: set[str] = set()

    @property
    def _logins(self) -> Logins:
        """As they are kept now: somebody may log in while a watch runs."""
        found = self._known()
        if found is not self._last:
            self._last = found
            self._out.clear()
        return found

    def fields(self, url: str) -> Fields:
        """What is sent with a request for an address."""
        logins = self._logins
        return logins.fields(url, self._now()) if logins else ()

    def cookies(self) -> tuple[Cookie, ...]:
        """For a browser, which knows to whom each belongs."""
        return self._logins.cookies

    def answered(self, task: Task, exchange: Exchange, kind: str, catalog: Catalog) -> None:
        """A page came: `kind` is what it is instead of content."""
        if not self._logins or task.kind is not Kind.PAGE or not self.fields(task.url):
            return
        named = site(task.url)
        if named in self._out:
            return
        status = exchange.status
        if kind != LOGIN and status not in (_UNAUTHORIZED, _FORBIDDEN):
            return
        if status != _UNAUTHORIZED and not self._was_content(task, catalog):
            return
        why = f"answered {status}" if status in (_UNAUTHORIZED, _FORBIDDEN) else "a form that asks for a password"
        self._out.add(named)
        self._told(named, f"{task.url}: {why}")

    def sent_on(self, task: Task, target: str, catalog: Catalog) -> None:
        """A page sends us on: what comes there comes in its place."""
        if self._logins and self.fields(task.url) and self._was_content(task, catalog):
            if len(self._sent_on) >= _MOST_SENT_ON:
                self._sent_on.clear()
            self._sent_on.add(target)

    def _was_content(self, task: Task, catalog: Catalog) -> bool:
        """Whether content is expected: a seed, what was content before, or what we were sent to in place of such."""
        if task.hops == 0 or task.url in self._sent_on:
            return True
        known = catalog.page(task.url)
        there = known is not None and known.captures > 0 and known.evidence is Evidence.PRESENT
        return there and known is not None and not known.detail.startswith(MARK)
