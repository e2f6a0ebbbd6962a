"""For how long a feed or sitemap asks to be left alone, and whether its site is to be believed.

A feed says after how many minutes it may be read again (`ttl` of RSS 2.0), or how often it is updated
(`sy:updatePeriod` and `sy:updateFrequency`); an answer how long it may be kept (`Cache-Control: max-age`, RFC 9111). To
ask sooner finds nothing, if that is true. Often it is not: caches are told a year, or a program's default is an hour.

    watched  time between looks that came sooner, in parts of what was asked for
    found    changes that these looks found
    trust    (watched + 1) / (max(watched, found) + 2) of a site

Who tells the truth changes about once in the time it names. A look after a minute says little about a year. A site that
is trusted is asked no sooner than it says, but for every fifth time: else nobody would notice when it becomes wrong.
What was found long ago is forgotten by and by.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from strandline.core.capture import Kind

SPEAKING: Final = (Kind.FEED, Kind.SITEMAP)
"""What says when to come again. Origin: a definition."""
PERIODS: Final = {"hourly": 3600.0, "daily": 86400.0, "weekly": 604800.0, "monthly": 2592000.0, "yearly": 31536000.0}
"""Seconds of `sy:updatePeriod`. Origin: a standard, the syndication module of RSS 1.0."""
LONGEST: Final = 86400.0
"""Seconds that a feed or sitemap is left alone at its own word, at most. Origin: a guess."""
BELIEVED: Final = 0.6
"""Trust from which on a site's word is followed: half of the time it names without a change. Origin: a guess."""
EARLY: Final = 0.9
"""Part of the time it asks for within which a look counts as sooner. Origin: a guess."""
TESTED: Final = 5
"""Looks, one of which does not care what is asked for. Origin: a guess."""
FORGOTTEN: Final = 0.95
"""Part of what is known that is left after another look. Origin: a guess."""
_MOST: Final = 1_000
"""Feeds and sitemaps of a site whose word is remembered. Origin: a bound on memory."""

_MAX_AGE: Final = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_NOT_KEPT: Final = re.compile(r"(?:^|[,\s])no-(?:cache|store)\b", re.IGNORECASE)


def max_age(cache_control: str) -> float:
    """Seconds that an answer may be kept; 0 when it says nothing.

    >>> max_age("public, max-age=600"), max_age("no-cache, max-age=600"), max_age("s-maxage=9"), max_age("")
    (600.0, 0.0, 0.0, 0.0)
    """
    found = _MAX_AGE.search(cache_control[:1000])
    return 0.0 if found is None or _NOT_KEPT.search(cache_control[:1000]) else float(found[1])


def feed_period(ttl: str, period: str, frequency: str) -> float:
    """Seconds after which a feed says there may be something new; 0 when it says nothing, or nonsense.

    >>> feed_period("60", "", ""), feed_period("", "daily", "4"), feed_period("", "often", "")
    (3600.0, 21600.0, 0.0)
    """
    minutes = ttl.strip()
    if minutes.isascii() and minutes.isdigit() and len(minutes) < 9 and int(minutes):
        return 60.0 * int(minutes)
    times = frequency.strip()
    often = int(times) if times.isascii() and times.isdigit() and 0 < len(times) < 9 else 1
    return PERIODS.get(period.strip().lower(), 0.0) / max(often, 1)


@dataclass
class SiteHints:
    """What the feeds and sitemaps of a site ask for, and how often that was right.

    >>> site = SiteHints()
    >>> [site.looked("/feed", time, 3600.0, changed=False) for time in (0.0, 600.0, 3000.0)]
    [0.0, 0.0, 3600.0]
    """

    watched: float = 0.0
    found: float = 0.0
    parts: dict[str, tuple[float, float, int]] = field(default_factory=dict)
    """Of each address: seconds it asks for, when it was looked at last, and how many times."""

    @property
    def trust(self) -> float:
        """How far the word of the site is believed."""
        return (self.watched + 1.0) / (max(self.watched, self.found) + 2.0)

    def looked(self, url: str, now: float, asks: float, changed: bool) -> float:
        """A feed or sitemap was looked at and asks to be left alone for so many seconds (0: it says nothing now). For
        how many seconds it is left alone: 0 for as long as others.
        """
        before, last, looks = self.parts.pop(url, (0.0, now, 0))
        if before and 0.0 < now - last < EARLY * before:
            self.watched = FORGOTTEN * self.watched + (now - last) / before
            self.found = FORGOTTEN * self.found + changed
        asks = asks or before
        if not asks:
            return 0.0
        self.parts[url] = (asks, now, looks + 1)
        if len(self.parts) > _MOST:
            self.parts.pop(next(iter(self.parts)))
        return min(asks, LONGEST) if self.trust >= BELIEVED and (looks + 1) % TESTED else 0.0

    def says(self, url: str) -> str:
        """What is known of an address, in a sentence; empty for nothing."""
        if url not in self.parts:
            return ""
        told = f"asks to be left alone for {_span(self.parts[url][0])}"
        if not self.watched:
            return f"{told}; whether that is right is not known yet"
        changes = f"looks before that found {self.found:.2g} changes in {self.watched:.2g} times as long"
        return f"{told}; {changes} on its site, so it is {'followed' if self.trust >= BELIEVED else 'not followed'}"

    def as_data(self) -> list[Any]:
        """For JSON."""
        return [self.watched, self.found, self.parts]

    @staticmethod
    def from_data(data: list[Any]) -> "SiteHints":
        """What `as_data` gave."""
        watched, found, kept = data
        parts = {str(url): (float(asks), float(last), int(looks)) for url, (asks, last, looks) in kept.items()}
        return SiteHints(float(watched), float(found), parts)


def _span(seconds: float) -> str:
    """A stretch of time for people.

    >>> _span(600.0), _span(7200.0), _span(31536000.0)
    ('10 minutes', '2 hours', '365 days')
    """
    for length, name in ((86400.0, "days"), (3600.0, "hours")):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {name}"
    return f"{seconds / 60.0:.3g} minutes"
