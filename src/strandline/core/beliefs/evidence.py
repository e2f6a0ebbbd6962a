"""Who may be believed about when a page changed? Last-Modified, feeds and sitemaps, host by host.

A claim says: this page changed last at time tau. Two captures of the page, at s and t, put it to the test, because we
know whether the content differs:

    tau in (s, t]   and it differs: confirmed           tau in (s, t]  but it does not: a false alarm
    tau <= s        and it does not: consistent         tau <= s       but it does: missed

Some servers stamp every answer with the current time; such a claim tells nothing and is counted apart. So is one
from the future. From the counts of a host and source come two shares: how often a claimed change is real
(`precision`) and how often a real change is claimed (`recall`). A source is *trusted* on a host when the lower
ends of both, one standard deviation of their Beta posterior below its mean, pass 0.6: three confirmations and no lie.
Then tau is taken as the time of the change. Counts fade, so a site that repairs its clock is believed again. Whether
a new tau is a reason to visit is asked elsewhere (plan/claims.py).
"""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_STAMPED = 60.0
"""Seconds before the capture within which a claimed change is the time of the answer itself, written down by the
server.
Origin: a guess."""
_MEMORY = 200.0
"""Verdicts that count; older ones fade. Origin: a guess."""
_TRUST_FROM = 0.6
"""Share of true claims, at its lower end, from which a source is trusted: three confirmations and no lie.
Origin: a guess."""


class Source(enum.StrEnum):
    """Where a claim comes from, most precise first."""

    LAST_MODIFIED = "last-modified"
    FEED = "feed"
    SITEMAP = "sitemap"


class Verdict(enum.StrEnum):
    """What two captures say about a claim."""

    CONFIRMED = "confirmed"
    FALSE_ALARM = "false alarm"
    CONSISTENT = "consistent"
    MISSED = "missed"
    WORTHLESS = "worthless"


@dataclass(frozen=True, slots=True)
class Claim:
    """`source` says that the page changed last at `time`; `precision` is the finest unit of the stamp, in seconds.

    A sitemap that gives only a date has a precision of a day.
    """

    source: Source
    time: float
    precision: float = 1.0


def judge(claim: Claim, since: float, until: float, *, changed: bool) -> Verdict:
    """Test a claim by captures at `since` and `until`.

    >>> judge(Claim(Source.FEED, 50.0), 0.0, 1000.0, changed=True)
    <Verdict.CONFIRMED: 'confirmed'>
    >>> judge(Claim(Source.LAST_MODIFIED, 999.0), 0.0, 1000.0, changed=False)
    <Verdict.WORTHLESS: 'worthless'>
    """
    if until < since:
        raise ValueError("the later capture comes before the earlier one")
    if claim.time > until - _STAMPED:
        return Verdict.WORTHLESS
    if claim.time + claim.precision > since and claim.time <= since and claim.precision > 1.0:
        # Only a date is given and it may lie on either side of the earlier capture.
        return Verdict.CONFIRMED if changed else Verdict.CONSISTENT
    if claim.time > since:
        return Verdict.CONFIRMED if changed else Verdict.FALSE_ALARM
    return Verdict.MISSED if changed else Verdict.CONSISTENT


@dataclass(slots=True)
class Trust:
    """Verdicts on one source of one host."""

    confirmed: float = 0.0
    false_alarms: float = 0.0
    missed: float = 0.0
    consistent: float = 0.0
    worthless: float = 0.0

    def add(self, verdict: Verdict) -> None:
        """Count a verdict; with many on record the old ones fade."""
        total = self.confirmed + self.false_alarms + self.missed + self.consistent + self.worthless
        fade = min(1.0, (_MEMORY - 1.0) / total) if total > 0 else 1.0
        self.confirmed = self.confirmed * fade + (verdict is Verdict.CONFIRMED)
        self.false_alarms = self.false_alarms * fade + (verdict is Verdict.FALSE_ALARM)
        self.missed = self.missed * fade + (verdict is Verdict.MISSED)
        self.consistent = self.consistent * fade + (verdict is Verdict.CONSISTENT)
        self.worthless = self.worthless * fade + (verdict is Verdict.WORTHLESS)

    @property
    def precision(self) -> float:
        """How often a claimed change was real."""
        return _mean(self.confirmed, self.false_alarms + self.worthless)

    @property
    def recall(self) -> float:
        """How often a real change was claimed."""
        return _mean(self.confirmed, self.missed + self.worthless)

    @property
    def trusted(self) -> bool:
        """Whether its times are taken for true.

        >>> trust = Trust()
        >>> for _ in range(3):
        ...     trust.add(Verdict.CONFIRMED)
        >>> trust.trusted
        True
        """
        bad = self.worthless
        return (
            _low(self.confirmed, self.false_alarms + bad) > _TRUST_FROM
            and _low(self.confirmed, self.missed + bad) > _TRUST_FROM
        )


def _mean(good: float, bad: float) -> float:
    return (1.0 + good) / (2.0 + good + bad)


def _low(good: float, bad: float) -> float:
    """Mean less one standard deviation of a Beta(1 + good, 1 + bad)."""
    mean, total = _mean(good, bad), 2.0 + good + bad
    return mean - float((mean * (1.0 - mean) / (total + 1.0)) ** 0.5)


@dataclass(slots=True)
class TrustBook:
    """What was learned about the sources of every host."""

    entries: dict[tuple[str, Source], Trust] = field(default_factory=dict)

    def learn(self, host: str, claims: Iterable[Claim], interval: tuple[float, float], *, changed: bool) -> None:
        """Judge the claims seen at the later of two captures."""
        for claim in claims:
            verdict = judge(claim, *interval, changed=changed)
            self.entries.setdefault((host, claim.source), Trust()).add(verdict)

    def changed_at(self, host: str, claims: Iterable[Claim], since: float, until: float) -> float | None:
        """When a page that was found changed did change, according to the most precise source that is trusted."""
        for claim in sorted(claims, key=lambda claim: (claim.precision, list(Source).index(claim.source))):
            trust = self.entries.get((host, claim.source))
            if trust is None or not trust.trusted or claim.precision > until - since:
                continue
            if since < claim.time <= until and claim.time < until - _STAMPED:
                return claim.time
        return None

    def as_data(self) -> list[dict[str, Any]]:
        """For a catalog or JSON."""
        return [
            {
                "host": host,
                "source": source.value,
                "confirmed": trust.confirmed,
                "false_alarms": trust.false_alarms,
                "missed": trust.missed,
                "consistent": trust.consistent,
                "worthless": trust.worthless,
                "precision": trust.precision,
                "recall": trust.recall,
                "trusted": trust.trusted,
            }
            for (host, source), trust in sorted(self.entries.items())
        ]

    @classmethod
    def from_data(cls, rows: Iterable[dict[str, Any]]) -> "TrustBook":
        """The inverse of `as_data`."""
        names = ("confirmed", "false_alarms", "missed", "consistent", "worthless")
        return cls({(row["host"], Source(row["source"])): Trust(*(row[name] for name in names)) for row in rows})
