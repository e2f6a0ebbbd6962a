"""Adding new captures to what was learned, one by one: for watching, where learning everything anew would be too slow.

Series and rates of the pages that were captured are brought up to date; groups, classes and directory rules stay as
they were learned last.
"""

from collections.abc import Callable
from dataclasses import dataclass

from strandline.archive.folder import Archive
from strandline.archive.site_clocks import WATCH_CLOCK, site_clock
from strandline.core.beliefs.first_sight import DEFAULT
from strandline.core.history.calendar import Periods
from strandline.core.urls import authority
from strandline.learn.learning import periods_of, same_hours
from strandline.learn.patterns import OnlineLearner, claims_in_force
from strandline.learn.preparation import Tell, read_captures
from strandline.settings.schema import LearnSettings
from strandline.store.learned import LearnedReading, LearnedWriter
from strandline.store.sightings import Sighting
from strandline.study.pending import studying_of

_TOGETHER = 1000
"""Pages that are kept in one transaction. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """How many captures were added, and how many wait until everything is learned anew (older than known ones)."""

    added: int
    left: int


def learn_new(archive: Archive, tell: Tell | None = None) -> CaughtUp | None:
    """Study what is pending and add it to what was learned; None when nothing was learned yet."""
    say = tell or (lambda _: None)
    with archive.learning() as (writer, catalog):
        if catalog is not None:
            with studying_of(archive, catalog) as studying:
                studying.finish()
        read_captures(archive.records, writer, say)
        return learn_on(writer, archive.settings.learn)


def learn_on(writer: LearnedWriter, settings: LearnSettings) -> CaughtUp | None:
    """Add the captures studied since the last learning; None when nothing was learned yet: learn everything first."""
    reading = writer.reading
    patterns, classes = reading.learned_from("patterns"), reading.learned_from("classes")
    if patterns is None or classes is None:
        return None
    if (patterns.data["cycle"], patterns.data["periods"]) != (settings.cycle, settings.periods):
        return None
    time = reading.lived_time()
    if not (same_hours(patterns, time) and same_hours(classes, time)):
        return None
    trust = reading.trust()
    prior = float(classes.data.get("base", DEFAULT.first_base))
    added = left = 0
    seq = min(patterns.seq, classes.seq)
    learner = OnlineLearner(reading.page_knowledge, _cut(reading, settings), prior)
    for number, capture in list(reading.studied_since(seq)):
        told = learner.observe(capture, _told(reading, trust.changed_at, capture))
        added, left, seq = added + told, left + (not told and not capture.held), number
        if len(learner.pages) >= _TOGETHER:
            _keep(writer, learner, seq)
    _keep(writer, learner, seq)
    return CaughtUp(added, left)


def _keep(writer: LearnedWriter, learner: OnlineLearner, seq: int) -> None:
    writer.keep_pages(((page, *known) for page, known in learner.pages.items()), seq)
    learner.pages.clear()


def _cut(reading: LearnedReading, settings: LearnSettings) -> Callable[[str], Periods]:
    """How the time of a site is cut: as it was learned, or as the settings and the name of a new site say."""
    clocks = reading.site_clocks()
    if not reading.lived_time().by_clock:
        return lambda _: periods_of(WATCH_CLOCK, settings)
    return lambda site: periods_of(clocks.get(site) or site_clock(site, settings, None), settings)


def _told(
    reading: LearnedReading, changed_at: Callable[..., float | None], capture: Sighting
) -> Callable[[float], float | None]:
    """When a change happened, by a source that is trusted."""

    def asked(since: float) -> float | None:
        current = next(claims_in_force(reading.claims(capture.page), [capture.time]))
        return changed_at(authority(capture.url), current, since, capture.time)

    return asked
