"""How well pages are shown again: each is replayed in a browser of our own and compared with what was seen live.

What was seen live is the rendered document that was kept (`urn:dom:`). The replay runs in the same Chromium, without
any network, answered from the archive; its rendered document is taken in the same way, and block for block it is asked
whether what was seen is shown (core/quality/replayed.py).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from strandline.access.memento import closest
from strandline.access.payload import LostError, read_rendering
from strandline.access.replay_requests import ORIGIN, ReplayRequests
from strandline.archive.folder import Archive
from strandline.archive.holdings import holdings
from strandline.archive.known_sites import require_site
from strandline.browser.chromium import means
from strandline.core.blocks.roles import block_importances
from strandline.core.capture import Capture
from strandline.core.quality.replayed import LiveBlock, MissingBlock, shown_again
from strandline.core.shown import DOCUMENT, PageLoad, Shown
from strandline.core.urls import site as site_of
from strandline.crawl.browsers import MISSING, pages_of
from strandline.dom import html
from strandline.errors import Unreachable, UsageError
from strandline.ports import Browser
from strandline.store.hastening import hasten

_ADDRESSES = f"{ORIGIN}/web/".encode()
_DATA = frozenset({"XHR", "Fetch", "EventSource", "Ping", "Preflight", "Other"})
"""Requests, in the browser's words, whose answers are seen in the text of a page or not at all."""
_SOON = 30.0
"""Seconds from now at which pages are wanted that can be mended: a watch hands out what is due later than its last
look."""
_SECONDS = 300.0
"""Within which a page has to come to an end, whatever its own bounds: a guess for a browser that says nothing more."""


@dataclass(frozen=True, slots=True)
class PageReplay:
    """One page, live and replayed."""

    url: str
    time: float
    score: float
    """Weight of the blocks that are shown again, times the share of parts that were answered."""
    blocks: float
    parts: float
    requests: int
    missing_blocks: tuple[MissingBlock, ...]
    missing_requests: tuple[tuple[str, str], ...]
    """Address and reason."""
    outside: tuple[str, ...]
    """Requests beside the archive: there should be none."""
    ended: str

    @property
    def mendable(self) -> bool:
        """Whether another visit may bring what is missing."""
        return bool(self.missing_requests)


@dataclass(frozen=True, slots=True)
class ReplayQuality:
    """Pages that were measured, and the figure of each site."""

    pages: tuple[PageReplay, ...]
    planned: tuple[str, ...] = ()
    """Pages that are visited again, because that may bring what is missing."""

    @property
    def score(self) -> float | None:
        """Of all pages; None without any."""
        return sum(page.score for page in self.pages) / len(self.pages) if self.pages else None

    def sites(self) -> dict[str, float]:
        """The mean of its pages for each site."""
        scores: dict[str, list[float]] = {}
        for page in self.pages:
            scores.setdefault(site_of(page.url), []).append(page.score)
        return {name: sum(values) / len(values) for name, values in sorted(scores.items())}


def replay_quality(archive: Archive, url: str = "", site: str = "", most: int = 0) -> ReplayQuality:
    """Replay and compare a page, the pages of a site, or all; the latest capture of each that a browser showed."""
    how = means()
    if not how.path:
        raise UsageError(f"--replay: {MISSING}")
    captures = list(_captures(archive, url, site))
    if url and not captures:
        raise UsageError(
            f"{url}: no capture of it was shown in a browser, so there is nothing to compare a replay with"
        )
    browser = pages_of(archive.settings.capture, how, lambda: None)
    try:
        return ReplayQuality(tuple(_measured(archive, browser, captures[: most or len(captures)])))
    finally:
        browser.close()


def mend(archive: Archive, found: ReplayQuality) -> ReplayQuality:
    """Ask for another visit, soon, of the pages that asked for what was not captured."""
    wanted = {url: row.page for url in mendable_pages(found) if (row := archive.reading.page(url)) is not None}
    due = time.time() + _SOON
    asked = archive.beside(lambda connection: hasten(connection, wanted.values(), due))
    return replace(found, planned=tuple(url for url, page in wanted.items() if page in asked))


def mendable_pages(found: ReplayQuality) -> list[str]:
    """Their addresses."""
    return [page.url for page in found.pages if page.mendable]


def _captures(archive: Archive, url: str, site: str) -> Iterator[Capture]:
    if url:
        memento = closest(holdings(archive).index, url, None)
        if memento is not None and memento.capture.rendering is not None:
            yield memento.capture
        return
    require_site(archive, site)
    latest: dict[str, Capture] = {}
    for capture in archive.reading.all_captures():
        if capture.rendering is not None and site in ("", site_of(capture.url)):
            held = latest.get(capture.url)
            if held is None or held.time <= capture.time:
                latest[capture.url] = capture
    yield from sorted(latest.values(), key=lambda capture: capture.url)


def _measured(archive: Archive, browser: Browser, captures: Sequence[Capture]) -> Iterator[PageReplay]:
    held = holdings(archive)
    for number, capture in enumerate(captures, 1):
        try:
            live = read_rendering(held, capture).decoded()
        except LostError:
            continue
        requests = ReplayRequests(held)
        address, answer = requests.page(capture.url, capture.time)
        if answer is None or answer.status >= 400:
            yield _page(capture, live, b"", requests, "the capture cannot be shown")
            continue
        load = PageLoad(number, address, answer.status, answer.headers, answer.body)
        shown = _shown(browser, load, requests)
        yield _page(capture, live, shown.view(DOCUMENT) or b"", requests, shown.ended)


def _shown(browser: Browser, load: PageLoad, requests: ReplayRequests) -> Shown:
    browser.show(load)
    until = time.monotonic() + _SECONDS
    while True:
        browser.wait(0.2)
        for request in browser.asked():
            browser.answer(request, requests.answer(request))
        for shown in browser.ended():
            if shown.load == load.number:
                return shown
        if time.monotonic() > until:
            raise Unreachable("the browser does not answer")


def _page(capture: Capture, live: bytes, replayed: bytes, requests: ReplayRequests, ended: str) -> PageReplay:
    blocks = html.blocks(live, charset="utf-8", url=capture.url).blocks
    weights = block_importances(blocks)
    seen = [LiveBlock(" ".join(block.texts), weight) for block, weight in zip(blocks, weights, strict=True)]
    texts: list[str] = []
    if replayed:
        shown = html.blocks(replayed.replace(_ADDRESSES, b""), charset="utf-8", url=capture.url)
        texts = [" ".join(block.texts) for block in shown.blocks]
    again = shown_again(seen, texts)
    parts = [address for address, kind in requests.asked.items() if kind not in _DATA]
    answered = sum(address not in requests.missing for address in parts) / len(parts) if parts else 1.0
    return PageReplay(
        url=capture.url,
        time=capture.time,
        score=again.share * answered,
        blocks=again.share,
        parts=answered,
        requests=len(requests.asked),
        missing_blocks=again.missing,
        missing_requests=tuple(sorted(requests.missing.items())),
        outside=tuple(requests.outside),
        ended=ended,
    )
