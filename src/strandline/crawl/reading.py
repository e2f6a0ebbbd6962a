"""From an answer to the addresses it names: decoded within limits, read by its kind, shown to the trap watch."""

from dataclasses import replace
from typing import Final

from strandline.core.capture import GONE, Exchange, Kind
from strandline.core.content import DecodeLimits, charset_of, decode
from strandline.core.discovery.traps import TrapWatch
from strandline.core.quality.hollow import hollow
from strandline.core.shown import DOCUMENT, Shown
from strandline.core.urls import canonical
from strandline.ports import Discoverer, Discovery, Named, Task

_PAGE_LIMITS: Final = DecodeLimits(data=16 * 2**20)
"""Bytes of a page that are read for addresses. Origin: a bound on memory."""
_SITEMAP_LIMITS: Final = DecodeLimits(data=50 * 2**20)
"""Bytes of a sitemap that are read. Origin: a standard, sitemaps.org."""
_NOTHING: Final = Discovery(())


class Reading:
    """Reads the documents of one crawl."""

    def __init__(self, documents: Discoverer, traps: TrapWatch) -> None:
        self._documents = documents
        self._traps = traps

    def named_by(self, task: Task, exchange: Exchange, shown: Shown | None = None) -> Discovery:
        """What an answer names, and what a browser made of it; nothing when it is no document, or one whose links are
        not followed.
        """
        named = self._named_by(task, exchange)
        return named if shown is None else self._with_shown(task, named, shown)

    def _with_shown(self, task: Task, named: Discovery, shown: Shown) -> Discovery:
        more = [Named(url, "refresh") for url in filter(None, (_web(shown.moved),))]
        more += [Named(url, "link") for url in map(_web, shown.popups) if url]
        more += [Named(url, "link") for url in filter(None, (shown.supplied,))]
        document = shown.view(DOCUMENT)
        if document is not None:
            made = self._documents.discover(task.url, "text/html", document, "utf-8")
            more += made.named
            named = replace(named, lost=named.lost or made.lost, title=made.title or named.title)
        return replace(named, named=(*more, *named.named))

    def _named_by(self, task: Task, exchange: Exchange) -> Discovery:
        if exchange.status in GONE and task.kind is Kind.PAGE and task.original is None:
            self._traps.absent(task.url)
        if exchange.status != 200 or not exchange.body_length:
            return _NOTHING
        exchange.body.seek(0)
        codings = exchange.header("content-encoding"), exchange.header("transfer-encoding")
        limits = _SITEMAP_LIMITS if task.kind is Kind.SITEMAP else _PAGE_LIMITS
        decoded = decode(exchange.body, *codings, limits)
        if task.kind is Kind.PAGE and task.original is None:  # a page that is visited again leads nowhere new
            self._traps.fetched(task.url, decoded.data)
        if task.kind is Kind.REQUISITE and "html" in exchange.mime:
            return _NOTHING  # an embedded frame's own links are not followed
        charset = charset_of(exchange.header("content-type"), decoded.data)
        return self._documents.discover(task.url, exchange.mime, decoded.data, charset)

    def hollow(self, exchange: Exchange, shown: Shown | None = None) -> str:
        """What an answer is instead of content: the shell of an application, a login form; else empty."""
        document = shown.view(DOCUMENT) if shown is not None and shown.stands else None
        if document is not None:
            return hollow(document)
        if exchange.status != 200 or not exchange.body_length or "html" not in exchange.mime:
            return ""
        exchange.body.seek(0)
        codings = exchange.header("content-encoding"), exchange.header("transfer-encoding")
        return hollow(decode(exchange.body, *codings, _PAGE_LIMITS).data)

    def probed(self, exchange: Exchange) -> None:
        """How a site answered for an address that cannot exist."""
        exchange.body.seek(0)
        codings = exchange.header("content-encoding"), exchange.header("transfer-encoding")
        decoded = decode(exchange.body, *codings, _PAGE_LIMITS)
        self._traps.probed(exchange.request.url, exchange.status, decoded.data)


def _web(url: str) -> str:
    """An address as all others are written; empty when it is none of the web."""
    try:
        return canonical(url) if url else ""
    except ValueError:
        return ""
