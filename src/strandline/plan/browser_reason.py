"""Why a page is, or is not, shown in a browser: what the settings say, and what was learned of it and pages like it."""

from strandline.access.payload import LostError, read_payload
from strandline.archive.holdings import holdings
from strandline.core.browsing.worth import SiteLooks
from strandline.core.urls import site
from strandline.crawl.browse_learned import BROWSING, explained, read_looks
from strandline.crawl.browse_sites import ALWAYS, AUTO, NEVER, chosen
from strandline.plan.browser_cost import BrowserCosts
from strandline.plan.planning import Planning
from strandline.settings import texts


def browser_reason(planning: Planning, url: str) -> str:
    """One sentence; empty when no page of the archive is shown."""
    settings = planning.settings.capture
    sites = dict(map(texts.site_browser, settings.browser_sites))
    if settings.browser == NEVER and not sites:
        return ""
    choice = chosen(url, settings.browser, sites)
    looks = read_looks(planning.reading.note(BROWSING, site(url)))
    if choice != AUTO:
        priced = _priced(planning, url, looks) if choice == ALWAYS else ""
        return f"{choice} shown: so the settings say{priced}"
    supplied = BrowserCosts(planning.settings.capture, planning.reading).supplied(url, site(url), planning.now)
    if supplied:
        return f"not shown: {supplied}; it is shown when that changes"
    document = _document(planning, url)
    if not document:
        return "not decided: no answer of it is held"
    return explained(looks, url, document).why + _priced(planning, url, looks)


def _priced(planning: Planning, url: str, looks: SiteLooks) -> str:
    """What the plan counts for a visit; empty when that is a single request."""
    cost = BrowserCosts(planning.settings.capture, planning.reading).of(url, site(url), planning.now)
    if cost <= 1.0:
        return ""
    seen = f"as {looks.parts[0]:.0f} looks on its site took" if looks.parts[0] else "a guess before the first look"
    return f"; a visit counts as {cost:.1f} requests in the plan, {seen}"


def _document(planning: Planning, url: str) -> bytes:
    """What the page last answered; empty when there is nothing."""
    held = [capture for capture in planning.reading.captures(url) if capture.status == 200 and "html" in capture.mime]
    try:
        return read_payload(holdings(planning.archive), held[-1]).decoded() if held else b""
    except LostError:
        return b""
