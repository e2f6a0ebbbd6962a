"""When the pages of each directory change, as the plan believes.

What pages share with their directory and their site is believed before anything about a page itself: the hours of a
directory are there after days of a watch, those of single pages after weeks.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import numpy as np

from strandline.core.keeping.takedowns import Hidden
from strandline.core.plan.strategy import Floats, Rows
from strandline.core.urls import path_segments, surt_key
from strandline.learn.experience import Learned
from strandline.plan.outlook import Outlook
from strandline.plan.planning import Planning

QUIET: Final = 0.3
"""Changes a day of a page below which the hours of its directory are nothing to show. Origin: a guess."""
LIKE_ALL: Final = 0.05
"""Share of its changes that lies at other hours than those of its host, below which a directory's hours are these.
Origin: a guess."""
_FEWEST: Final = 2
"""Pages that make a directory. Origin: a definition."""
_AT_ONCE: Final = 10_000
"""Pages whose hours are held at a time. Origin: a bound on memory."""
_BARS: Final = " ▁▂▃▄▅▆▇█"

Said = Literal["own", "host", "quiet"]


@dataclass(frozen=True, slots=True)
class DirectoryHours:
    """What is believed of the pages of a directory of a host, without those further below."""

    host: str
    directory: str
    """Begins and ends with a slash; empty for all pages of the host."""
    pages: int
    visits: int
    changes: int
    """Visits that found one."""
    per_day: float
    """Changes a day of a page."""
    importance: float
    """Of one of them, in [0, 1]."""
    hours: tuple[float, ...]
    """Share of each hour in the changes of a workday, in the time of the site."""
    day_off: float | None
    """Changes on a day off for one on a workday; None before a day off was watched."""
    said: Said
    """Whether these are hours of its own, about those of its host, or hardly anything changes."""

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        data = asdict(self) | {"hours": [round(share, 4) for share in self.hours]}
        numbers = ("per_day", "importance", "day_off")
        return data | {name: round(data[name], 4) for name in numbers if data[name] is not None}

    @property
    def bars(self) -> str:
        """The hours from 0:00 to 23:00, a bar each."""
        most = max(self.hours, default=0.0) or 1.0
        return "".join(_BARS[round(8 * share / most)] for share in self.hours)


class _Sums:
    """Of the pages of each directory: number, visits, changes, rates, importance, hours of workdays and days off."""

    def __init__(self) -> None:
        self.row_of: dict[tuple[str, str], int] = {}
        self._table: Floats = np.zeros((64, 5 + 48))

    def add(self, directories: list[tuple[str, str]], values: Floats) -> None:
        """Pages of so many directories, a row each."""
        rows = np.array([self.row_of.setdefault(one, len(self.row_of)) for one in directories], dtype=np.int64)
        if len(self.row_of) > len(self._table):
            more = np.zeros((len(self.row_of), self._table.shape[1]))
            self._table = np.concatenate([self._table, more])
        np.add.at(self._table, rows, values)

    def hosts(self) -> dict[str, Floats]:
        """All pages of each host."""
        found: dict[str, Floats] = {}
        for (host, _), row in self.row_of.items():
            found[host] = found.get(host, 0.0) + self._table[row]
        return found

    def several(self) -> Iterator[tuple[tuple[str, str], Floats]]:
        """Directories of several pages."""
        for key, row in self.row_of.items():
            if self._table[row, 0] >= _FEWEST:
                yield key, self._table[row]


def directory_hours(planning: Planning, site: str = "") -> list[DirectoryHours]:
    """Host by host: all of its pages, then its directories of several pages, in the order of their names. Of one site,
    or of all.
    """
    sums = _summed(planning.outlook, site, planning.reading.hidden)
    wholes, learned = sums.hosts(), planning.outlook.learned
    off = 1 in days_seen(learned, np.flatnonzero(learned.captures > 0), 0)
    rows = [*sums.several(), *(((name, ""), whole) for name, whole in wholes.items())]
    return [_told(key, one, wholes[key[0]], off) for key, one in sorted(rows, key=lambda row: row[0])]


def _summed(outlook: Outlook, site: str, hidden: Hidden) -> _Sums:
    pages, learned, sums = outlook.planner.pages, outlook.learned, _Sums()
    of_site = pages.where("site", lambda name: name == site) if site else np.ones(len(pages), dtype=np.bool_)
    for start in range(0, len(pages), _AT_ONCE):
        wanted, directories = [], []
        for row in (np.flatnonzero(of_site[start : start + _AT_ONCE]) + start).tolist():
            url = pages.url(row)
            if not (hidden and hidden.hides(surt_key(url))):
                host, *inside, _ = path_segments(url)
                wanted.append(row)
                directories.append((host, "/".join(("", *inside, ""))))
        rows = np.array(wanted, dtype=np.int64)
        believed = learned.learner.estimate(rows)
        rate = 24.0 * believed.mean_rate
        columns = np.ones(len(rows)), learned.captures[rows], learned.found[rows], rate, rate * believed.mean_importance
        sums.add(directories, np.column_stack([*columns, believed.rate]))
    return sums


def days_seen(learned: Learned, rows: Rows, shift: int) -> list[int]:
    """Which of workdays (0) and days off (1) captures of some pages reach over; what is said of others is a guess."""
    if not len(rows):
        return []
    cycle = learned.learner.cycle
    first, last = (int(end) for end in (np.nanmin(learned.first[rows]), np.nanmax(learned.last[rows])))
    periods = np.arange(first, min(last, first + len(cycle)) + 1) + shift
    return [int(day) for day in np.unique(cycle[periods % len(cycle)] // 24)]


def _told(key: tuple[str, str], one: Floats, whole: Floats, off: bool) -> DirectoryHours:
    pages, visits, changes, rate, matters = one[:5].tolist()
    workday, day_off = one[5:29], one[29:]
    hours = _shares(workday)
    apart = float(np.abs(hours - _shares(whole[5:29])).sum()) / 2.0
    said: Said = "quiet" if rate <= QUIET * pages else "host" if key[1] and apart < LIKE_ALL else "own"
    return DirectoryHours(
        *key,
        pages=int(pages),
        visits=int(visits),
        changes=int(changes),
        per_day=rate / pages,
        importance=matters / max(rate, 1e-12),
        hours=tuple(hours.tolist()),
        day_off=float(day_off.mean() / max(float(workday.mean()), 1e-12)) if off else None,
        said=said,
    )


def _shares(hours: Floats) -> Floats:
    shares: Floats = hours / max(float(hours.sum()), 1e-12)
    return shares
