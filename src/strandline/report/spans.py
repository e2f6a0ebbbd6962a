"""What happened in a span of time, site by site: new, changed, gone and moved pages, dead links; visits intended and
made; and what the learning changed. The span before it, as long, is what it is compared with.
"""

import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Final

from strandline.access.changed_pictures import both_pictured
from strandline.alerts.alarms import alarm_data
from strandline.alerts.alert import moment
from strandline.alerts.outbox import archive_name
from strandline.archive.folder import Archive
from strandline.archive.holdings import holdings
from strandline.errors import StrandlineError, UsageError
from strandline.store.alarming import Alarm
from strandline.store.catalog import DATABASE
from strandline.store.reporting import Event, PageVisits, ReportReading, RuleEvent
from strandline.store.studies import Change
from strandline.store.watching import HourRow
from strandline.study.framed_pictures import FramedPictures, framed_pictures

DAY: Final = 86400.0
WEEK: Final = 7 * DAY
KINDS: Final = ("new", "changed", "gone", "moved", "dead")
_TOLD: Final = 200
"""Changed pages, the most important first, of which the weightiest change is told in a sentence."""
_PICTURED: Final = 12
"""Changed pages, the most important first, that have pictures. Origin: a bound on the size of a report, 3 MB."""
_SAME: Final = 0.0005
"""Seconds by which a capture may seem later than it is told. Origin: times have milliseconds."""
_SUMMED: Final = tuple(name for name in HourRow._fields if name not in ("hour", "start"))


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What a report is to cover; by default the last seven days of all sites."""

    site: str = ""
    start: float | None = None
    end: float | None = None
    listed: int = 1000
    """Pages named of each kind; all are counted."""
    pictures: bool = False
    """Whether pictures of changes are wanted, too."""


@dataclass(frozen=True, slots=True)
class SiteReport:
    """A site in the span, and in the one before."""

    site: str
    new: int
    changed: int
    gone: int
    moved: int
    dead: int
    """Dead links: addresses that turned out never to have led to a page."""
    visits: int
    unchanged: int
    errors: int
    changes: int
    importance: float
    changes_a_day: float | None
    """Of a page, as observed; None when no page was visited twice."""
    visits_before: int
    changes_a_day_before: float | None


@dataclass(frozen=True, slots=True)
class Intended:
    """What the watch was meant to do in the span, and did."""

    hours: int
    total: HourRow
    """Sums over these hours."""

    @property
    def made(self) -> int:
        """Visits of pages."""
        return self.total.revisits + self.total.firsts

    @property
    def share(self) -> float | None:
        """Achieved over planned visits; None when nothing was planned."""
        return self.made / self.total.planned if self.total.planned else None

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        total = self.total._asdict()
        return {"hours": self.hours} | {name: total[name] for name in _SUMMED} | {"share": self.share}


@dataclass(frozen=True)
class Report:
    """The answer of `report`. Times are UTC epoch seconds."""

    archive: str
    site: str
    start: float
    end: float
    sites: list[SiteReport]
    events: dict[str, list[Event]]
    """By kind: new, changed, gone, moved, dead (links)."""
    intended: Intended | None
    """None when no watch ran."""
    shifted: list[PageVisits]
    """Pages whose visits grew or shrank most against the span before."""
    rules: list[RuleEvent]
    alarms: list[Alarm]
    pictures: dict[str, FramedPictures] = field(default_factory=dict)
    """Of the weightiest change of some changed pages, by their addresses: parts with what changed framed."""

    def as_data(self) -> dict[str, Any]:
        """As `report --json` prints it."""
        return {
            "archive": self.archive,
            "site": self.site or None,
            "from": moment(self.start),
            "to": moment(self.end),
            "sites": [asdict(one) for one in self.sites],
            **{kind: [_event_data(one) for one in self.events[kind]] for kind in KINDS},
            "intended": None if self.intended is None else self.intended.as_data(),
            "learning": {
                "visits": [one._asdict() for one in self.shifted],
                "rules_made": [_rule_data(one) for one in self.made],
                "rules_retired": [_rule_data(one) for one in self.retired],
            },
            "alarms": [alarm_data(one) for one in self.alarms],
        }

    @property
    def made(self) -> list[RuleEvent]:
        """Rules that were made in the span."""
        return [one for one in self.rules if self.start <= one.made < self.end]

    @property
    def retired(self) -> list[RuleEvent]:
        """Rules that were retired in the span."""
        return [one for one in self.rules if one.retired is not None and self.start <= one.retired < self.end]


def _event_data(event: Event) -> dict[str, Any]:
    return event._asdict() | {"time": moment(event.time)}


def _rule_data(rule: RuleEvent) -> dict[str, Any]:
    return rule._asdict() | {
        "made": moment(rule.made),
        "retired": None if rule.retired is None else moment(rule.retired),
    }


def report(archive: Archive, wanted: ReportRequest) -> Report:
    """What happened; reads beside a writer."""
    end = time.time() if wanted.end is None else wanted.end
    start = end - WEEK if wanted.start is None else wanted.start
    if not start < end:
        raise UsageError(f"a report needs a span of time: {moment(start)} is not before {moment(end)}")
    archive.reading.count()  # brings an older format up to date
    with closing(ReportReading.open(archive.folder / DATABASE)) as reading:
        site, span = wanted.site, (start, end, wanted.site)
        found = {
            "new": list(reading.new_pages(*span)),
            "changed": list(reading.changed_pages(*span)),
            "gone": list(reading.gone_pages(*span)),
            "moved": list(reading.moved_pages(*span)),
            "dead": list(reading.dead_links(*span)),
        }
        changed, told = found["changed"], min(_TOLD, wanted.listed)
        weightiest = {one.url: reading.weightiest(one.url, start, end) for one in changed[:told]}
        changed[:told] = [one._replace(sentence=_sentence(weightiest[one.url])) for one in changed[:told]]
        alarms = [one for one in reading.alarms(start, end) if not site or one.subject == site]
        return Report(
            archive=archive_name(archive.folder, archive.settings),
            site=site,
            start=start,
            end=end,
            sites=_sites(reading, span, found),
            events={kind: events[: wanted.listed] for kind, events in found.items()},
            intended=_intended(reading, start, end),
            shifted=list(islice(reading.moved_visits(start - (end - start), start, end, site), 20)),
            rules=reading.rule_events(*span),
            alarms=alarms,
            pictures=_pictures(archive, filter(None, weightiest.values())) if wanted.pictures else {},
        )


def _sentence(change: Change | None) -> str:
    return change.told.sentence if change is not None else ""


def _pictures(archive: Archive, changes: Iterable[Change]) -> dict[str, FramedPictures]:
    """Pictures of the first changes that have some; one that cannot be compared any more has none."""
    found: dict[str, FramedPictures] = {}
    held = holdings(archive)
    for change in changes:
        if len(found) == _PICTURED:
            break
        with suppress(StrandlineError):
            if both_pictured(held, change.url, change.after, change.by):
                made = framed_pictures(archive, change.url, change.after + _SAME, change.by + _SAME, "part")
                found |= {change.url: made} if made is not None else {}
    return found


def _sites(reading: ReportReading, span: tuple[float, float, str], found: dict[str, list[Event]]) -> list[SiteReport]:
    start, end, site = span
    before = (start - (end - start), start, site)
    visits, visits_before = reading.visits(*span), reading.visits(*before)
    changes, changes_before = reading.changes_by_site(*span), reading.changes_by_site(*before)
    counts = {kind: Counter(event.site for event in events) for kind, events in found.items()}
    names = sorted({*visits, *visits_before, *(name for count in counts.values() for name in count)})
    reports = []
    for name in names:
        seen, old = visits.get(name), visits_before.get(name)
        number, importance = changes.get(name, (0, 0.0))
        reports.append(
            SiteReport(
                site=name,
                **{kind: counts[kind][name] for kind in KINDS},
                visits=seen.visits if seen else 0,
                unchanged=seen.unchanged if seen else 0,
                errors=seen.errors if seen else 0,
                changes=number,
                importance=round(importance, 6),
                changes_a_day=_rate(number, seen.days if seen else 0.0),
                visits_before=old.visits if old else 0,
                changes_a_day_before=_rate(changes_before.get(name, (0, 0.0))[0], old.days if old else 0.0),
            )
        )
    return reports


def _rate(changes: int, days: float) -> float | None:
    return round(changes / days, 6) if days > 0 else None


def _intended(reading: ReportReading, start: float, end: float) -> Intended | None:
    rows = reading.hours(start, end)
    if not rows:
        return None
    sums = {name: sum(getattr(row, name) for row in rows) for name in _SUMMED}
    return Intended(len(rows), HourRow(rows[0].hour, start, **sums))
