"""Why a page is, or is not, shown in a browser: what the settings say, and what was learned of it and pages like it."""

from strandline.access.payload import LostError, read_payload
from strandline.archive.holdings import holdings
from strandline.core.urls import site
from strandline.crawl.browse_learned import BROWSING, explained, read_looks
from strandline.crawl.browse_sites import AUTO, NEVER, chosen
from strandline.plan.planning import Planning
from strandline.settings import texts


def browser_reason(planning: Planning, url: str) -> str:
    """One sentence; empty when no page of the archive is shown."""
    settings = planning.settings.capture
    sites = dict(map(texts.site_browser, settings.browser_sites))
    if settings.browser == NEVER and not sites:
        return ""
    choice = chosen(url, settings.browser, sites)
    if choice != AUTO:
        return f"{choice} shown: so the settings say"
    document = _document(planning, url)
    if not document:
        return "not decided: no answer of it is held"
    return explained(read_looks(planning.reading.note(BROWSING, site(url))), url, document).why


def _document(planning: Planning, url: str) -> bytes:
    """What the page last answered; empty when there is nothing."""
    held = [capture for capture in planning.reading.captures(url) if capture.status == 200 and "html" in capture.mime]
    try:
        return read_payload(holdings(planning.archive), held[-1]).decoded() if held else b""
    except LostError:
        return b""
