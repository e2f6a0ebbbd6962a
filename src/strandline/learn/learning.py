"""Learning from an archive: the whole history at once, kept in the catalog, and what was learned read back.

    learn      studies what is pending, reads first sights and Last-Modified of new captures, then learns patterns,
               rules and classes anew, and keeps them
    Lore       what was learned, for readers: as it was kept, or, when captures came since, as it would be learned now

Nothing is learned twice differently: the same captures and settings give the same knowledge.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from strandline.archive.database_names import named
from strandline.archive.folder import Archive
from strandline.archive.site_clocks import WATCH_CLOCK, site_clock
from strandline.core.beliefs.evidence import TrustBook
from strandline.core.beliefs.features import MODEL_FEATURES
from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.lived_time import LivedTime
from strandline.core.history.series import PageSeries
from strandline.core.mining.classes import ChangeGroups
from strandline.core.mining.learned import LearnedFrom, PageRate, SiteClock, SiteRules, Visits
from strandline.core.mining.patterns import PatternGroup
from strandline.core.mining.site_looks import GatheredLooks
from strandline.core.mining.site_state import SiteState
from strandline.core.urls import site
from strandline.core.wording import counted
from strandline.errors import SettingError, UsageError
from strandline.learn.experience import BELIEFS
from strandline.learn.gathered_rates import GatheredRates
from strandline.learn.packed_looks import LooksShelf, PackedLooks
from strandline.learn.page_columns import PageNumbers
from strandline.learn.patterns import Patterns, gathered, that_matter
from strandline.learn.preparation import Tell, read_captures, weigh
from strandline.learn.rates import Rates, SitePages, learn_rates
from strandline.learn.rules import RuleWish, gathered_rules
from strandline.settings.schema import LearnSettings
from strandline.store.learned import LearnedReading, LearnedWriter
from strandline.store.sightings import PagesToLearn, Sighting
from strandline.study.pending import studying_of

PARTS = ("patterns", "rules", "classes")


@dataclass(slots=True)
class Learned:
    """What came out of the whole history, before it is kept."""

    seq: int
    studied: int
    time: LivedTime
    patterns: Patterns | None = None
    rules: Sequence[SiteRules] | None = None
    states: Mapping[str, SiteState] = field(default_factory=dict)
    rates: Rates | None = None
    clocks: dict[str, SiteClock] = field(default_factory=dict)
    lasts: PageNumbers = field(default_factory=PageNumbers)
    pages: int = 0
    captures: int = 0
    unstudied: int = 0
    first: float | None = None
    last: float | None = None

    def add(self, pages: Iterable[Visits]) -> None:
        """Count what was learned from."""
        for visits in pages:
            begin, end = float(visits.times[0]), float(visits.times[-1])
            self.lasts[visits.page] = end
            self.pages += 1
            self.captures += visits.times.size
            self.unstudied += visits.unstudied
            begin, end = self.time.clock(begin), self.time.clock(end)
            self.first = begin if self.first is None else min(self.first, begin)
            self.last = end if self.last is None else max(self.last, end)

    def about(self, part: str, data: dict[str, Any]) -> LearnedFrom:
        """What a part rests on."""
        numbers = (self.captures, self.pages, self.unstudied)
        data = data | {"hours": _hours(self.time)}
        return LearnedFrom(part, self.seq, self.studied, *numbers, self.first, self.last, data)


def _hours(time: LivedTime) -> list[list[float]]:
    """How hours ran, as JSON gives it back."""
    return [list(piece) for piece in time.pieces]


def same_hours(about: LearnedFrom, time: LivedTime) -> bool:
    """Whether something was learned by the hours that count now."""
    return bool(about.data.get("hours", []) == _hours(time))


Miner = Callable[[LearnedReading, LearnSettings, Sequence[str], Tell], Learned]
"""Learns the named parts from all captures; writes nothing."""


def learn(
    archive: Archive,
    parts: Sequence[str],
    tell: Tell | None = None,
    miner: Miner | None = None,
    weighing: bool = True,
) -> dict[str, Any]:
    """Learn from the whole history and keep it; returns a summary. `miner` does the learning, by default right here.

    Beside a watch it waits for nobody: it learns from what the watch has studied, and hands in what it found. What
    plans believe of pages is learned from the beginning, too, with the next plan; lessons in passing (those without
    `weighing`) leave it alone, since it follows every capture by itself.
    """
    for part in parts:
        if part not in PARTS:
            raise UsageError(f"cannot learn {part!r}; there are {', '.join(PARTS)}")
    wanted = tuple(part for part in PARTS if part in parts or not parts)
    say = tell or (lambda _: None)
    with archive.learning() as (writer, catalog):
        if catalog is not None:
            with studying_of(archive, catalog) as studying:
                studying.finish(lambda done, pending: say(f"{counted(done, 'capture')} studied, {pending} to go"))
        if wanted != ("rules",):
            read_captures(archive.records, writer, say)
        weighed = weigh(archive, writer) if weighing else 0
        learned = (miner or from_history)(writer.reading, archive.settings.learn, wanted, say)
        _keep(writer, learned, archive.settings.learn)
        if weighing and wanted == PARTS:
            writer.forget(*BELIEFS)
    return summary(learned) | {"weighed": weighed}


def from_history(reading: LearnedReading, settings: LearnSettings, parts: Sequence[str], say: Tell) -> Learned:
    """Learn from all captures; writes nothing. Of the captures, those of some pages are held at a time."""
    learned = Learned(reading.newest(), reading.progress(), reading.lived_time())
    lessons = _Lessons(reading, settings, parts, learned)
    for name, pages in reading.pages_to_learn().items():
        lessons.site(name, pages)
        say(f"{name}: {counted(len(pages.numbers), 'page')}")
    lessons.finish()
    return learned


class _Lessons:
    """What is found site by site."""

    def __init__(self, reading: LearnedReading, settings: LearnSettings, parts: Sequence[str], found: Learned) -> None:
        self._reading = reading
        self._settings = settings
        self._found = found
        self._wish = RuleWish(settings.version, settings.recall) if "rules" in parts else None
        self._calendars: dict[Periods, LocalCalendar] = {}
        self._languages = reading.languages() if found.time.by_clock else {}
        self._shelf = LooksShelf() if "classes" in parts else None
        self._looks: dict[str, PackedLooks] = {}
        self._known: dict[str, SitePages] = {}
        self._rules: list[SiteRules] = []
        self._states: dict[str, SiteState] = {}
        if "patterns" in parts:
            found.patterns = Patterns()

    def site(self, name: str, pages: PagesToLearn) -> None:
        """Go through the captures of a site."""
        clock = (
            site_clock(name, self._settings, self._languages.get(name)) if self._found.time.by_clock else WATCH_CLOCK
        )
        self._found.clocks[name] = clock
        rates = GatheredRates(self._shelf) if self._shelf is not None else None
        looks = GatheredLooks(self._wish.period) if self._wish is not None else None
        claimed = self._judged(pages)
        for some in pages.parts():
            visits = list(_gathered(self._reading.visits_of_pages(some)))
            telling = that_matter(visits)
            self._found.add(visits)
            if self._found.patterns is not None:
                claims = self._reading.claims_of_pages(some) if claimed else {}
                self._found.patterns.add(telling, claims, self._calendar(clock))
            if rates is not None:
                rates.add(telling, self._reading.sights_of_pages(some))
            if looks is not None:
                looks.add(visits)
        if rates is not None:
            self._known[name], self._looks[name] = rates.site()
        del rates  # of a large site the addresses take as much memory as what is made of them
        if looks is not None:
            self._mine(name, looks)

    def _judged(self, pages: PagesToLearn) -> bool:
        """Learn who may be believed about a site's pages; whether anybody said anything about them."""
        claimed = False
        if self._found.patterns is not None:
            for some in pages.parts():
                if claims := self._reading.claims_of_pages(some):
                    claimed = True
                    visits = _gathered(self._reading.visits_of_pages(list(claims)))
                    self._found.patterns.judge(that_matter(visits), claims)
        return claimed

    def _mine(self, name: str, looks: GatheredLooks) -> None:
        assert self._wish is not None
        mined = gathered_rules(name, looks, self._wish)
        self._rules.append(by_clock(mined.learned, self._found.time))
        if mined.state is not None:
            self._states[name] = mined.state

    def _calendar(self, clock: SiteClock) -> LocalCalendar:
        cut = periods_of(clock, self._settings)
        if cut not in self._calendars:
            self._calendars[cut] = LocalCalendar(cut)
        return self._calendars[cut]

    def finish(self) -> None:
        """What can be told once all sites were gone through."""
        if self._found.patterns is not None:
            self._found.patterns.share()
        if self._wish is not None:
            self._found.rules, self._found.states = self._rules, self._states
        if self._shelf is not None:
            self._found.rates = learn_rates(self._known, self._looks, max(1, self._settings.classes))


def clock_of(reading: LearnedReading, name: str, settings: LearnSettings) -> SiteClock:
    """Where a site keeps its clock; hours that are not those of the clock know no zones."""
    return site_clock(name, settings, reading.spoken(name)) if reading.lived_time().by_clock else WATCH_CLOCK


def by_clock(rules: SiteRules, time: LivedTime) -> SiteRules:
    """The rules of a site with the times of its captures by the clock."""
    if time.by_clock or not rules.captures:
        return rules
    return replace(rules, first=time.clock(rules.first), last=time.clock(rules.last))


def site_visits(reading: LearnedReading, name: str) -> Iterator[Visits]:
    """The captures of a site's pages as columns."""
    return _gathered(reading.visits(name))


def _gathered(captures: Iterable[Sighting]) -> Iterator[Visits]:
    return gathered(captures, lambda one: not one.studied, lambda one: one.differs and not one.changed)


def periods_of(clock: SiteClock, settings: LearnSettings) -> Periods:
    """How a site's time is cut."""
    try:
        return Periods(clock.zone, clock.country, Cycle(settings.cycle), settings.periods)
    except ValueError as problem:
        raise SettingError(f"learn.periods: {problem}") from None


def _keep(writer: LearnedWriter, learned: Learned, settings: LearnSettings) -> None:
    if learned.patterns is not None:
        data = {"cycle": settings.cycle, "periods": settings.periods, "groups": _groups(learned.patterns.groups)}
        series = learned.patterns.to_keep()
        writer.replace_patterns(learned.about("patterns", data), learned.clocks, series, learned.patterns.trust)
    if learned.rates is not None:
        rates = learned.rates
        pages = rates.to_keep(learned.lasts)
        writer.replace_rates(learned.about("classes", _rates_data(rates, settings)), pages)
    if learned.rules is not None:
        data = {"version": settings.version, "recall": settings.recall}
        writer.replace_rules(learned.about("rules", data), learned.rules, learned.states, time.time())


def _groups(groups: Iterable[PatternGroup]) -> list[dict[str, Any]]:
    return [
        {"number": one.number, "pages": one.pages, "changes": one.changes, "shape": one.shape.tolist()}
        for one in groups
    ]


def _rates_data(rates: Rates, settings: LearnSettings) -> dict[str, Any]:
    groups = rates.groups
    return {
        "classes": settings.classes,
        "cuts": [] if groups is None else groups.cuts.tolist(),
        "rates": [] if groups is None else groups.rates.tolist(),
        "sizes": [] if groups is None else groups.sizes.tolist(),
        "levels": rates.levels,
        "coefficients": dict(zip(MODEL_FEATURES, rates.coefficients.tolist(), strict=True)),
        "moved": rates.moved,
        "base": rates.base,
    }


def summary(learned: Learned) -> dict[str, Any]:
    """What was learned, in numbers."""
    found: dict[str, Any] = {
        "captures": learned.captures,
        "pages": learned.pages,
        "sites": len(learned.clocks),
        "unstudied": learned.unstudied,
        "first": learned.first,
        "last": learned.last,
    }
    if learned.patterns is not None:
        changed = sum(group.pages for group in learned.patterns.groups)  # every page that changed is in one
        trusted = [row["host"] + " " + row["source"] for row in learned.patterns.trust.as_data() if row["trusted"]]
        found["patterns"] = {"changed_pages": changed, "groups": len(learned.patterns.groups), "trusted": trusted}
    if learned.rules is not None:
        rules, dormant = (sum(len(getattr(one, name)) for one in learned.rules) for name in ("rules", "dormant"))
        found["rules"] = {"rules": rules, "dormant": dormant}
    if learned.rates is not None:
        groups = learned.rates.groups
        found["classes"] = {"classes": [] if groups is None else groups.as_data(), "moved": learned.rates.moved}
    return found


class Lore:
    """What is known about how an archive's pages change."""

    def __init__(self, archive: Archive, settings: LearnSettings | None = None, say: Tell | None = None) -> None:
        self.archive = archive
        self.settings = settings or archive.settings.learn
        self._say = say or (lambda _: None)
        self.reading = LearnedReading.open(archive.database)
        self._now: dict[str, Learned] = {}

    def kept(self, part: str) -> LearnedFrom | None:
        """What a part was learned from, when that is all there is to learn from and the settings are the same."""
        about = self.reading.learned_from(part)
        if about is None or about.seq < self.reading.newest() or about.studied < self.reading.progress():
            return None
        if not same_hours(about, self.reading.lived_time()):
            return None
        named = {"patterns": ("cycle", "periods"), "classes": ("classes",), "rules": ("version", "recall")}[part]
        same = all(about.data[name] == getattr(self.settings, name) for name in named)
        return about if same else None

    def now(self, part: str) -> Learned:
        """A part learned afresh; nothing is kept."""
        if part not in self._now:
            if self.reading.newest():
                self._say(f"{part}: learned now and not kept; `strandline learn {named(self.archive.folder)}` keeps it")
            self._now[part] = from_history(self.reading, self.settings, (part,), lambda _: None)
        return self._now[part]

    def series(self) -> Iterator[tuple[int, str, PageSeries, int | None]]:
        """Page, address, series and pattern group of every page, by address."""
        if self.kept("patterns"):
            yield from self.reading.all_series()
            return
        learned = self.now("patterns")
        assert learned.patterns is not None
        numbers, known = learned.patterns.numbers(), dict(learned.patterns.series.items())
        for page, url in self.reading.addresses():
            if page in known:
                yield page, url, known[page], numbers.get(page)

    def series_of(self, url: str) -> tuple[int, str, PageSeries, int | None] | None:
        """The same of one page; None when there is nothing to learn from."""
        if not self.kept("patterns"):
            return next((row for row in self.series() if row[1] == url), None)
        page = self.reading.page(url)
        known = None if page is None else self.reading.series(page.page)
        return None if page is None or known is None else (page.page, url, *known)

    def groups(self) -> list[dict[str, Any]]:
        """Pattern groups: number, pages, changes, shape."""
        about = self.kept("patterns")
        if about is not None:
            groups: list[dict[str, Any]] = about.data["groups"]
            return groups
        learned = self.now("patterns").patterns
        return _groups(learned.groups) if learned else []

    def trust(self) -> TrustBook:
        """Who may be believed about times."""
        if self.kept("patterns"):
            return self.reading.trust()
        learned = self.now("patterns").patterns
        return learned.trust if learned else TrustBook()

    def rates(self) -> Iterator[tuple[int, str, PageRate]]:
        """Page, address and rate of every page."""
        if self.kept("classes"):
            yield from self.reading.all_rates()
            return
        learned = self.now("classes")
        assert learned.rates is not None
        for page, url in self.reading.addresses():
            if page in learned.rates.pages:
                yield page, url, learned.rates.pages[page]

    def rates_data(self) -> dict[str, Any]:
        """Classes, levels of sites and the table behind first sight."""
        about = self.kept("classes")
        if about is not None:
            return about.data
        rates = self.now("classes").rates
        assert rates is not None
        return _rates_data(rates, self.settings)

    def change_groups(self) -> ChangeGroups | None:
        """The classes pages fall into; None while no page was seen twice."""
        data = self.rates_data()
        if not data["rates"]:
            return None
        return ChangeGroups(np.array(data["cuts"]), np.array(data["rates"]), np.array(data["sizes"]))

    def rules(self, only: str = "") -> list[SiteRules]:
        """Directory rules of all sites, or of one."""
        if self.kept("rules"):
            return list(self.reading.site_rules(only))
        return [one for one in self.now("rules").rules or [] if not only or one.site == only]

    def clock(self, url: str) -> SiteClock:
        """Where the site of a page keeps its clock."""
        return clock_of(self.reading, site(url), self.settings)

    def with_settings(self, **changed: object) -> "Lore":
        """The same archive, learned otherwise."""
        settings: LearnSettings = replace(self.settings, **changed)  # type: ignore[arg-type]
        return Lore(self.archive, settings, self._say)
