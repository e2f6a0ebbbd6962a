"""Whether a page is worth a browser: what was seen of it, of pages like it in its directory, and on its site.

A page is *shown* when the chance that a browser shows more of it is at least `Rules.price`, or as a *trial*. The chance
is the mean of a beta distribution for the page, shrunk to that of its kind (signs.py) in its directory, that to its
kind on the site, and that to what its kind promises anywhere:

    m(site) = (w m(kind) + gains) / (w + looks)      m(directory) = (2 m(site) + ...) / (2 + ...)      m(page) likewise

Trials are three looks at each kind in a directory, whose other pages wait for them, later at one page in thirty. Looks
that showed nothing more are wasted; on its own a site may waste two, and three of every hundred of its pages: where no
page needs a browser, that is all it costs. When a directory comes with scripts that were not seen before, what was
learned of it counts for a quarter.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Final

from strandline.core.browsing.signs import EMPTY, PLAIN, SCRIPTED, THIN, Signs
from strandline.core.quick_dataclass import dataclass
from strandline.core.shown import DataAnswer
from strandline.core.urls import directory_of

Supply = list[str | float]
"""The address of an answer that supplies a page, looks in a row at which it did, its digest at the last, and when that
was."""
Looks = list[float]
"""How often pages were looked at in both ways, and how often the browser showed more."""

PROMISE: Final = {PLAIN: (0.002, 20.0), SCRIPTED: (0.05, 2.0), THIN: (0.4, 1.5), EMPTY: (0.93, 3.0)}
"""Chance that a browser shows more of a page of a kind, and how many looks that is worth; a few looks on a site
outweigh it. Origin: a guess."""
_MOST_PAGES: Final = 5_000
"""Pages of a site whose looks are remembered. Origin: a bound on memory."""
_MOST_DIRECTORIES: Final = 2_000
"""Directories of a site that are. Origin: a bound on memory."""
_MOST_SCRIPTS: Final = 8
"""Programs of a directory that are known. Origin: a bound on memory."""
AGREED: Final = 2
"""Looks in a row, at least, that the same answer has to supply a page: addresses with a time or a token in them never
do. Origin: a definition."""
USUAL_PARTS: Final = 6.0
"""Requests for the parts of a page that is shown, before any of its site was: most are shared with other pages and
asked for once an hour. Counts as one page. Origin: a guess."""
_REMEMBERED: Final = 50.0
"""Pages of a site by which the cost of showing one is told. Origin: a guess."""
_KEPT: Final = 0.25
"""What earlier looks count when scripts are new. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Rules:
    """When a browser pays."""

    price: float = 0.25
    """Chance of showing more from which on a page is shown: a browser costs some 40 fetches, but the page is lost to
    study without one. A guess; tests/browser/test_mixed_site.py measures what follows from it."""
    trials: int = 3
    later: float = 1 / 30
    """Part of the pages that are tried although they seem to need no browser."""
    waste: float = 0.03
    free_waste: int = 2
    shrink: float = 2.0
    """Looks that the level above is worth."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a page is shown, and why."""

    show: bool
    chance: float
    trial: bool
    why: str
    wait: bool = False
    """Whether to ask again when the trials of pages like it are over."""


@dataclass(slots=True)
class SiteLooks:
    """What is known of a site. Plain values, so that it can be kept as JSON."""

    kinds: dict[str, Looks] = field(default_factory=dict)
    directories: dict[str, Looks] = field(default_factory=dict)
    """By kind and directory."""
    pages: dict[str, Looks] = field(default_factory=dict)
    scripts: dict[str, list[int]] = field(default_factory=dict)
    """Marks of scripts that were seen in a directory."""
    seen: int = 0
    """Pages that were decided about."""
    wasted: float = 0.0
    parts: Looks = field(default_factory=lambda: [0.0, 0.0])
    """How many pages were shown, and the requests their parts took; what is long past fades."""
    supplied: dict[str, Supply] = field(default_factory=dict)
    """Pages whose text one JSON answer held when they were last shown."""
    trying: dict[str, int] = field(default_factory=dict)
    """Trials that have begun and are not over, by kind and directory; not kept."""

    def as_data(self) -> dict[str, object]:
        """What `from_data` reads."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_data(cls, data: dict[str, object]) -> "SiteLooks":
        """What was kept; what is missing is as at the start."""
        return cls(**{name: value for name, value in data.items() if name in _FIELDS})  # type: ignore[arg-type]


_FIELDS: Final = ("kinds", "directories", "pages", "scripts", "seen", "wasted", "parts", "supplied")


def chance(looks: SiteLooks, page: str, directory: str, kind: str, rules: Rules) -> float:
    """The chance that a browser shows more of a page than its answer does."""
    mean, weight = PROMISE[kind]
    mean = _shrunk(looks.kinds.get(kind), mean, weight)
    mean = _shrunk(looks.directories.get(f"{kind} {directory}"), mean, rules.shrink)
    return _shrunk(looks.pages.get(page), mean, rules.shrink / 2)


def requests_of(looks: SiteLooks, shown: float) -> float:
    """What a visit of a page costs in requests, when the chance that it is shown is so much: its own, and its parts as
    pages of the site took them.

    >>> requests_of(SiteLooks(parts=[4.0, 24.0]), 1.0), requests_of(SiteLooks(parts=[4.0, 24.0]), 0.0)
    (7.0, 1.0)
    """
    count, asked = looks.parts
    return 1.0 + shown * (USUAL_PARTS + asked) / (1.0 + count)


def took(looks: SiteLooks, asked: int) -> None:
    """A page was shown, and its parts took so many requests."""
    count, before = looks.parts
    kept = min(1.0, _REMEMBERED / (count + 1.0))
    looks.parts = [kept * count + 1.0, kept * before + asked]


def supplies(looks: SiteLooks, page: str, answer: DataAnswer | None, now: float) -> int:
    """A page was shown, and this answer supplied its text, if any did; says how often in a row it was that one."""
    before = looks.supplied.pop(page, None)
    if answer is None:
        return 0
    again = int(before[1]) if before is not None and before[0] == answer.url else 0
    looks.supplied[page] = [answer.url, again + 1, answer.digest, now]
    _bounded(looks.supplied, _MOST_PAGES)
    return again + 1


def _shrunk(found: Looks | None, mean: float, weight: float) -> float:
    return mean if found is None else (weight * mean + found[1]) / (weight + found[0])


def decide(
    looks: SiteLooks, page: str, directory: str, signs: Signs, lot: Callable[[], float], rules: Rules
) -> Decision:
    """Whether a page is shown now; `lot` draws a number in [0, 1)."""
    expected = chance(looks, page, directory, signs.kind, rules)
    told = _told(looks, page, directory, signs.kind, expected)
    key = f"{signs.kind} {directory}"
    under_way = looks.trying.get(key, 0)
    tried = looks.directories.get(key, [0.0, 0.0])[0]
    risked = looks.wasted + sum(looks.trying.values())
    affordable = risked < rules.free_waste + rules.waste * looks.seen and signs.kind != PLAIN
    known = tried >= rules.trials or signs.kind == EMPTY or page in looks.pages
    if known and expected >= rules.price:
        return Decision(True, expected, False, f"shown: {told}")
    if not known and (affordable or expected >= rules.price) and tried + under_way < rules.trials:
        return Decision(True, expected, True, f"shown as one of the first pages of its directory: {told}")
    if affordable and lot() < rules.later:
        return Decision(True, expected, True, f"shown as a sample: {told}")
    return Decision(False, expected, False, f"not shown: {told}", wait=not known and under_way > 0)


def _told(looks: SiteLooks, page: str, directory: str, kind: str, expected: float) -> str:
    """The evidence in words, the nearest first."""
    seen = (
        (looks.pages.get(page), "of this page"),
        (looks.directories.get(f"{kind} {directory}"), f"under {directory}"),
        (looks.kinds.get(kind), "on its site"),
    )
    found = next(((one, where) for one, where in seen if one and one[0] >= 1), None)
    if found is None:
        return f"{_KIND[kind]}; no look in a browser yet, chance of more {expected:.2f}"
    (looked, more), where = found
    return f"{_KIND[kind]}; {more:.0f} of {looked:.0f} looks {where} showed more, chance {expected:.2f}"


_KIND: Final = {
    PLAIN: "the answer has no scripts",
    SCRIPTED: "the answer has scripts and text",
    THIN: "the answer has scripts and little text",
    EMPTY: "the answer is an empty shell",
}


def met(looks: SiteLooks, directory: str, signs: Signs) -> None:
    """A page is about to be decided about. Scripts that are new make what is known of its directory old."""
    looks.seen += 1
    if not signs.main_script:
        return
    known = looks.scripts.setdefault(directory, [])
    if signs.main_script in known:
        return
    if known:
        for key in [key for key in looks.directories if key.endswith(f" {directory}")]:
            looks.directories[key] = [count * _KEPT for count in looks.directories[key]]
        for page in [page for page in looks.pages if directory_of(page) == directory]:
            looks.pages[page] = [count * _KEPT for count in looks.pages[page]]
    known.append(signs.main_script)
    del known[:-_MOST_SCRIPTS]
    _bounded(looks.scripts, _MOST_DIRECTORIES)


def begun(looks: SiteLooks, directory: str, kind: str) -> None:
    """A trial has begun."""
    key = f"{kind} {directory}"
    looks.trying[key] = looks.trying.get(key, 0) + 1


def over(looks: SiteLooks, directory: str, kind: str) -> None:
    """A look is over, whatever came of it; most were no trials."""
    key = f"{kind} {directory}"
    if looks.trying.get(key, 0) > 1:
        looks.trying[key] -= 1
    else:
        looks.trying.pop(key, None)


def learn(looks: SiteLooks, page: str, directory: str, kind: str, pays: bool) -> None:
    """A page was looked at in both ways."""
    places = ((looks.kinds, kind), (looks.directories, f"{kind} {directory}"), (looks.pages, page))
    for known, key in places:
        before = known.pop(key, [0.0, 0.0])
        known[key] = [before[0] + 1, before[1] + pays]
    if not pays:
        looks.wasted += 1
    _bounded(looks.directories, _MOST_DIRECTORIES)
    _bounded(looks.pages, _MOST_PAGES)


def _bounded(known: dict[str, Looks] | dict[str, list[int]] | dict[str, Supply], most: int) -> None:
    """Forget what was met longest ago."""
    while len(known) > most:
        known.pop(next(iter(known)))
