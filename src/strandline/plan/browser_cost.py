"""What a visit of a page costs where it is shown in a browser: its own request and those for its parts.

Where one JSON answer supplies the text of a page, look after look, that answer is a page by itself, and visited
instead: the page is shown again when the answer is another than at the last look, or a week after it.

Browsing is a second, dearer action of the plan: such a visit has to be worth that many requests. How many they are is
measured on each site, and whether a page will be shown is what looks at it and pages like it make likely.

A plan asks as of the beginning of its hour, whenever it is made: what is learned while an hour is carried out counts
from the next one on, or the visits that were told would not be those that are made.
"""

from typing import Final

from strandline.core.browsing.worth import AGREED, Rules, SiteLooks, requests_of
from strandline.core.capture import Evidence, Kind
from strandline.crawl.browse_learned import BROWSING, read_looks
from strandline.crawl.browse_sites import ALWAYS, AUTO, NEVER, chosen
from strandline.settings import texts
from strandline.settings.capture import CaptureSettings
from strandline.store.reading import Reading

_MOVED: Final = 0.05
"""Part by which the cost of showing pages of a site moves before all of them are priced anew. Origin: a guess."""
_SHOWN_AGAIN: Final = 7 * 86_400.0
"""Seconds after which a page is shown again whose text comes from an answer: what the answer does not hold may change,
too. Origin: a guess."""
SUPPLIED: Final = "its text comes from "


class BrowserCosts:
    """Costs of pages, as settings say and looks have shown. What is known of a site is read once for each moment that
    is asked about.
    """

    def __init__(self, settings: CaptureSettings, reading: Reading) -> None:
        self._usual = settings.browser
        self._sites = dict(map(texts.site_browser, settings.browser_sites))
        self._reading = reading
        self._known: dict[str, tuple[float, SiteLooks]] = {}
        self._standing: dict[str, float] = {}
        """What showing a page of a site cost when all pages of the site were priced last."""
        self._rules = Rules()

    def of(self, url: str, site: str, now: float) -> float:
        """Requests that a visit of a page is expected to take."""
        choice = self._choice(url)
        if choice not in (ALWAYS, AUTO):
            return 1.0
        looks = self._looks(site, now)
        return requests_of(looks, 1.0 if choice == ALWAYS else shown_chance(looks, url, self._rules))

    def supplied(self, url: str, site: str, now: float) -> str:
        """Why a page need not be shown: the answer that supplies its text is asked instead; empty when it has to be."""
        if self._choice(url) != AUTO:
            return ""
        found = self._looks(site, now).supplied.get(url)
        if found is None or int(found[1]) < AGREED or not now < float(found[3]) + _SHOWN_AGAIN:
            return ""
        source, digest = str(found[0]), str(found[2])
        row = self._reading.page(source)
        if row is None or row.kind is not Kind.PAGE or row.evidence is not Evidence.PRESENT:
            return ""
        last = self._reading.closest(source, now + _SHOWN_AGAIN)  # the latest: nearest to a later time
        same = last is not None and (last.url, last.digest) == (source, digest)
        return f"{SUPPLIED}{source}, which is asked instead" if same else ""

    def moved(self, now: float) -> set[str]:
        """Sites whose pages cost something else than they stand with."""
        found = set()
        for site, standing in self._standing.items():
            cost = requests_of(self._looks(site, now), 1.0)
            if abs(cost - standing) >= _MOVED * standing:
                found.add(site)
                self._standing[site] = cost
        return found

    @property
    def idle(self) -> bool:
        """Whether no page is ever shown."""
        return self._usual == NEVER and not self._sites

    def _choice(self, url: str) -> str:
        return NEVER if self.idle else chosen(url, self._usual, self._sites)

    def _looks(self, site: str, now: float) -> SiteLooks:
        read, looks = self._known.get(site, (now, None))
        if looks is None or read != now:
            looks = read_looks(self._reading.note(BROWSING, site))
            self._known[site] = now, looks
            self._standing.setdefault(site, requests_of(looks, 1.0))
        return looks


def shown_chance(looks: SiteLooks, url: str, rules: Rules) -> float:
    """The chance that a page is shown at its next visit: certain where looks at it showed more, small where not."""
    found = looks.pages.get(url)
    if found is None:
        return 0.0  # the first look is a trial, bounded by itself
    mean = (found[1] + rules.shrink * rules.price) / (found[0] + rules.shrink)
    return 1.0 if mean >= rules.price and found[1] > 0 else rules.later
