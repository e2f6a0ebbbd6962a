"""Pages of the web as they are now, asked with the archive's own limits and name, and not kept."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from strandline.core.capture import Exchange, Outcome, Request
from strandline.core.content import decode
from strandline.core.urls import canonical
from strandline.crawl.preparing import address_policy, fetch_options
from strandline.errors import Unreachable, UsageError
from strandline.fetch.http import HttpFetcher
from strandline.fetch.options import user_agent
from strandline.settings.schema import Settings
from strandline.version import __version__


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """What an address answered, without codings."""

    url: str
    """Where redirects led."""
    status: int
    content_type: str
    language: str
    """As its head tells it."""
    data: bytes
    time: float
    seconds: float
    """How long it took."""


class LivePages:
    """Asks for one page after the other."""

    def __init__(self, settings: Settings) -> None:
        self._redirects = settings.fetch.redirects
        self._spool = tempfile.TemporaryDirectory(prefix="spool-")
        agent = user_agent(__version__, settings.archive.contact)
        options = fetch_options(settings, address_policy(settings.fetch), agent, Path(self._spool.name))
        self._fetcher = HttpFetcher(options)

    def __enter__(self) -> Self:
        """Ready to ask."""
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None) -> None:
        """End what was opened."""
        self._fetcher.close()
        self._spool.cleanup()

    def get(self, address: str, seconds: float = 0.0, may: Callable[[str], None] = lambda _: None) -> LiveAnswer:
        """The answer of an address, redirects followed; Unreachable says why there is none. `may` is asked before each
        request, and raises what it has against it.
        """
        try:
            url = canonical(address)
        except ValueError as problem:
            raise UsageError(str(problem)) from None
        for _ in range(self._redirects + 1):
            may(url)
            exchange = self._asked(url, seconds)
            if exchange.outcome not in (Outcome.ANSWERED, Outcome.TRUNCATED):
                raise Unreachable(f"{url}: {exchange.outcome} {exchange.detail}".rstrip())
            target = exchange.header("location") if 300 <= exchange.status < 400 else ""
            if not target:
                return _answer(url, exchange)
            url = _redirected(url, target)
        raise Unreachable(f"{address}: redirected more than {self._redirects} times")

    def _asked(self, url: str, seconds: float) -> Exchange:
        self._fetcher.start(Request(url, 1, seconds=seconds))
        ended: list[Exchange] = []
        while not ended:
            ended = self._fetcher.finished(1.0)
        return ended[0]


def _answer(url: str, exchange: Exchange) -> LiveAnswer:
    exchange.body.seek(0)
    data = decode(exchange.body, exchange.header("content-encoding"), exchange.header("transfer-encoding")).data
    kind, language = exchange.header("content-type"), exchange.header("content-language")
    return LiveAnswer(url, exchange.status, kind, language, data, exchange.started, exchange.seconds)


def _redirected(url: str, target: str) -> str:
    try:
        return canonical(target, base=url)
    except ValueError as problem:
        raise Unreachable(f"{url}: redirected to what is {problem}") from None
