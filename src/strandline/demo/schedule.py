"""When the pages of the demonstration site change: drawn once from a seed, so that every change is known.

Site time runs faster than the clock on the wall: one site hour lasts `hour_seconds`. A page's changes are a Poisson
process whose rate follows the hours of the day of its section, so learning has something to find and the truth is
there to compare with.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

HOURS = 24
PARAGRAPHS = 5
"""Of an article."""
DAYS = 120
"""Site days the schedule is drawn for; the site is quiet afterwards."""


def _bump(centre: float, width: float) -> tuple[float, ...]:
    """A shape over the day with mean 1, highest at `centre` o'clock."""
    raw = [math.exp(-0.5 * (min(abs(h + 0.5 - centre), 24 - abs(h + 0.5 - centre)) / width) ** 2) for h in range(HOURS)]
    return tuple(value * HOURS / sum(raw) for value in raw)


FLAT = (1.0,) * HOURS
DAYTIME = _bump(11, 3.5)
NIGHT = _bump(2, 2.5)
EVENING = _bump(19, 2.0)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the site: how many pages, how often each changes, and when."""

    path: str
    title: str
    pages: int
    per_day: float
    """Mean changes of a page in a site day."""
    shape: tuple[float, ...]
    noisy: bool = True
    """Whether its pages carry clock, advertising and most-read lists, which differ at every request."""
    weekend: float = 1.0
    """Rate on Saturdays and Sundays against workdays."""
    rewrites: int = 1
    """Paragraphs, of five, that a change rewrites beside the headline."""

    @property
    def weight(self) -> float:
        """What a change counts: the part of the page it rewrites."""
        return (1 + self.rewrites) / (1 + PARAGRAPHS)


SECTIONS = (
    Section("news", "News", 24, 4.0, DAYTIME, weekend=0.5),
    Section("night-desk", "Night desk", 14, 4.0, NIGHT),
    Section("culture", "Culture", 14, 2.0, EVENING),
    Section("sport", "Sport", 14, 3.0, FLAT, weekend=2.5),
    Section("documents/policies", "Policies", 20, 0.05, DAYTIME, noisy=False),
    Section("documents/minutes", "Minutes", 30, 0.02, DAYTIME, noisy=False),
    Section("archive/1998", "Archive 1998", 25, 0.0, FLAT, noisy=False),
    Section("archive/1999", "Archive 1999", 25, 0.0, FLAT, noisy=False),
)


@dataclass(frozen=True, slots=True)
class PageSchedule:
    """All changes of one page, in site hours, with what each is worth."""

    path: str
    section: Section
    number: int
    changes: tuple[float, ...] = field(repr=False)
    born: float = 0.0
    gone: float = math.inf

    def version(self, hour: float) -> int:
        """Number of changes that have happened by a site hour."""
        return bisect_right(self.changes, hour)

    def weight(self, version: int) -> float:
        """What a version counts: as much as the changes of its section do."""
        return self.section.weight if version > 0 else 0.0

    def last_change(self, hour: float) -> float:
        """Site hour of the last change by `hour`; 0 when there was none."""
        seen = self.version(hour)
        return self.changes[seen - 1] if seen else 0.0


LARGE_SITE = (
    Section("wire", "Wire", 30, 14.0, DAYTIME, rewrites=3),
    Section("news", "News", 50, 5.0, DAYTIME, rewrites=2),
    Section("night-desk", "Night desk", 30, 5.0, NIGHT, rewrites=2),
    Section("culture", "Culture", 30, 3.0, EVENING),
    Section("documents/policies", "Policies", 50, 0.1, DAYTIME, noisy=False),
    Section("documents/minutes", "Minutes", 50, 0.03, DAYTIME, noisy=False),
    Section("archive/1998", "Archive 1998", 40, 0.0, FLAT, noisy=False),
    Section("archive/1999", "Archive 1999", 40, 0.0, FLAT),
)
"""A larger paper, for trials."""


def draw(seed: int, sections: tuple[Section, ...] = SECTIONS) -> dict[str, PageSchedule]:
    """The schedule of every page, by path."""
    rng = np.random.default_rng(seed)
    pages: dict[str, PageSchedule] = {}
    for section in sections:
        for number in range(section.pages):
            path = f"/{section.path}/{number + 1}.html"
            pages[path] = PageSchedule(path, section, number, _changes(section, rng))
    live = Section("live", "Live", 1, 12.0, FLAT)
    for event in range(DAYS // 2):  # a directory comes with each event and goes with it
        born = event * 48.0 + float(rng.uniform(6, 12))
        for number in range(3):
            path = f"/live/event-{event + 1}/{number + 1}.html"
            later = tuple(t for t in (born + 24 * float(x) for x in np.sort(rng.random(12))))
            pages[path] = PageSchedule(path, live, number, later, born, born + 30.0)
    return pages


def _changes(section: Section, rng: np.random.Generator) -> tuple[float, ...]:
    hourly = np.array([section.shape[h % HOURS] for h in range(HOURS * DAYS)]) * section.per_day / HOURS
    weekend = np.arange(HOURS * DAYS) // HOURS % 7 >= 5
    hourly[weekend] *= section.weekend
    counts = rng.poisson(hourly)
    times = np.repeat(np.arange(HOURS * DAYS, dtype=float), counts) + rng.random(int(counts.sum()))
    return tuple(float(t) for t in np.sort(times))
