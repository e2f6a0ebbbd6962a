"""Pages that set a cookie and send the visitor back to themselves, to see whether the cookie comes with him.

Without it they do so for ever. Such a page is asked for a second time in the same visit, with the cookies it set; they
are sent with that request alone and kept nowhere. The redirect says nothing about the page, and is not kept either.
"""

from dataclasses import replace
from typing import Final

from strandline.core.capture import Exchange, Kind, Request
from strandline.core.urls import canonical
from strandline.crawl.visits import redirect_target
from strandline.ports import Task

LONGEST: Final = 8_000
"""Letters of cookies that are sent back: what most servers take. Origin: a guess."""


class CookieChecks:
    """Which pages wait to be asked for again, and with which cookies."""

    def __init__(self) -> None:
        self._cookies: dict[int, str] = {}

    def wants_again(self, task: Task, exchange: Exchange) -> bool:
        """Whether a page has to be asked for again with the cookies of its answer; they are remembered for that."""
        asked = exchange.request
        if not task.page or asked.kind is Kind.ROBOTS or asked.own_cookies or exchange.cookies_set:  # those of a login
            return False
        if redirect_target(exchange) != canonical(asked.url):
            return False
        cookies = "; ".join(_set_by(exchange))
        if not cookies or len(cookies) > LONGEST:
            return False
        self._cookies[task.page] = cookies
        return True

    def with_cookies(self, task: Task, request: Request) -> Request:
        """The request of a page, with the cookies it waits for, if it does."""
        cookies = self._cookies.pop(task.page, "")
        if not cookies:
            return request
        return replace(request, etag="", last_modified="", headers=(("Cookie", cookies),), own_cookies=True)


def _set_by(exchange: Exchange) -> list[str]:
    """Names and values of the cookies that an answer sets; those it takes back are none."""
    found = (value.split(";") for name, value in exchange.headers() if name == "set-cookie")
    return [
        pair.strip()
        for pair, *rules in found
        if pair.partition("=")[2].strip() and not any(rule.strip().lower() == "max-age=0" for rule in rules)
    ]
