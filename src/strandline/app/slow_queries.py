"""Answers that take long, worked out in a process of their own so that the interface always answers at once.

The process reads one JSON object a line from standard input and writes one a line to standard output:

    {"id": 7, "ask": "why", "url": "https://example.org/"}  gives  {"id": 7, "answer": {...}}
                                                            or     {"id": 7, "problem": "...", "asked": true}
`asked` says that the question itself has no answer: nothing was captured, say.

    quality   measures of all sites, or of one, now          history   the same as they stood over time, and budgets
    next      the visits that come next                      why       every reason for one page
    compare   two versions of a page, block by block         week      change of a page by weekday and hour
    hours     when the pages of each directory change

Of very many pages either the plan or what measures are made of is kept, not both: each takes half a gigabyte of a
million pages. What is believed of the pages is kept between questions, and renewed when something new was captured, but
not more often than every few minutes, and of a large archive so rarely that this takes a twentieth of a core (but every
half an hour, whatever it takes). The process ends with the one that started it: its standard input closes.
"""

import json
import sys
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from strandline.access.quality import Quality
from strandline.app.opening import open_archive
from strandline.archive.long_run import give_back
from strandline.core.capture import Capture
from strandline.core.changes.told.shown import RATED, ShownBlock, marked
from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.series import only_days_looked_at
from strandline.errors import StrandlineError, UsageError
from strandline.learn.learning import Lore
from strandline.learn.patterns import gathered, page_series, that_matter
from strandline.plan.directory_hours import directory_hours
from strandline.plan.explaining import why
from strandline.plan.planning import Planning
from strandline.report.measuring import measured, over_time, worth_of_budgets
from strandline.study.comparing import compare_versions

RENEWED = 180.0
"""Seconds for which beliefs are kept although something new was captured."""
STALE = 1800.0
"""Seconds after which they are renewed anyway, because time has passed."""
REST = 20.0
"""Times the CPU that answers took since beliefs were renewed, for which they are kept. Origin: a guess."""
_INSTANTS = 12
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_LARGE = frozenset(("quality", "history", "next", "why", "hours"))
"""What is worked out of all pages."""
_WEEK_HOURS = 168
_LONGEST_TEXT = 20_000
_ITEMS = 20
"""Texts of a block that are told one by one."""
_DIRECTORIES = 200
"""Directories whose hours are told at a time."""
_BLOCKS = 500
"""Blocks of a comparison that are told at a time."""

Answer = dict[str, Any]


def kept_for(used: float, same: bool) -> float:
    """Seconds for which beliefs are kept when answers took so much CPU since they were renewed; `same` when nothing was
    captured or studied since.

    >>> kept_for(1.0, False), kept_for(32.0, False), kept_for(500.0, False), kept_for(1.0, True)
    (180.0, 640.0, 1800.0, 1800.0)
    """
    return STALE if same else min(STALE, max(RENEWED, REST * used))


class SlowAnswers:
    """One archive and what is believed of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._archive = open_archive(folder)
        self._lore: Lore | None = None
        self._planning: Planning | None = None
        self._mark = (0, 0)
        self._renewed = 0.0
        """CPU seconds of this process when beliefs were renewed."""

    def planning(self) -> Planning:
        """Beliefs that are fresh enough."""
        now = time.time()
        kept = self._planning
        if kept is not None:
            mark = (kept.reading.last_capture()[0], kept.reading.progress())
            age = now - kept.now
            if age < kept_for(time.process_time() - self._renewed, mark == self._mark):
                return kept
        made = Planning(open_archive(self._folder), now)
        self._mark = (made.reading.last_capture()[0], made.reading.progress())
        self._planning, self._renewed = made, time.process_time()
        return made

    def quality(self, site: str = "") -> Answer:
        """Measures of each site and of the whole, or of one site."""
        planning = self.planning()
        found = measured(planning, site)
        planning.let_go(measures=True)
        every = found.sites if found.whole is None else [*found.sites, found.whole]
        return {
            "at": planning.now,
            "sites": {one.site: _measures(planning, one) for one in every},
            "visits": asdict(found.visiting),
            "budget": found.budget,
            "gain": found.more.gain,
            "remark": planning.remark,
            "hour": planning.hours.length,
        }

    def history(self, site: str = "") -> Answer:
        """Measures over time, and what other budgets would catch."""
        planning = self.planning()
        ends = [row for row in planning.reading.sites() if site in ("", row.name) and row.first is not None]
        if not ends:
            raise UsageError(f"no captures of {site or 'anything'} yet")
        first = min(row.first for row in ends if row.first is not None)
        last = max(row.last for row in ends if row.last is not None)
        moments = np.linspace(first + (last - first) / _INSTANTS, last, _INSTANTS).tolist() if last > first else [last]
        answer = {
            "at": planning.now,
            "moments": [
                {"time": moment, **_measures(planning, one)}
                for moment, one in zip(moments, over_time(planning, site, moments), strict=True)
            ],
            "budgets": [
                {"requests": day, "worth": worth, "now": factor == 1.0}
                for factor, (day, worth) in zip(_FACTORS, worth_of_budgets(planning, _FACTORS), strict=True)
            ],
        }
        planning.let_go(measures=True)
        return answer

    def next(self, visits: int = 10) -> Answer:
        """The visits that come next."""
        planning = self.planning()
        return {"at": planning.now, "visits": [asdict(one) for one in planning.next(visits)]}

    def hours(self, site: str = "", start: int = 0) -> Answer:
        """When the pages of each directory change, as the plan believes; some directories from a number on."""
        planning = self.planning()
        found = directory_hours(planning, site)
        shown = [one.as_data() for one in found[start : start + _DIRECTORIES]]
        more = start + _DIRECTORIES if len(found) > start + _DIRECTORIES else None
        return {"at": planning.now, "directories": shown, "more": more}

    def why(self, url: str) -> Answer:
        """Every reason for one page."""
        planning = self.planning()
        answer = {"at": planning.now, **asdict(why(planning, url))}
        planning.let_go(measures=True)
        return answer

    def compare(self, url: str, start: float, end: float, after: int = 0, only: bool = False) -> Answer:
        """Two versions, block by block, from the block of a number on; only those that differ, if that is asked for."""
        comparison, old, new = compare_versions(self._archive, url, start, end)
        blocks = comparison.blocks()
        shown = [number for number, block in enumerate(blocks) if not only or block.kind != "unchanged"]
        shown = shown[bisect_left(shown, after) :]
        rows = {block.old.key: number for number, block in enumerate(blocks) if block.old is not None}
        stood = [rows.get(block.key) for block in comparison.delta.old.blocks]
        return {
            "url": new.url,
            "title": comparison.delta.new.title,
            "sentence": comparison.told.sentence,
            "old": _capture(old),
            "new": _capture(new),
            "importance": comparison.importance,
            "impch": comparison.impch,
            "held": comparison.held,
            "recorded": comparison.recorded is not None,
            "between": comparison.between,
            "blocks": [_block(number, blocks[number], stood) for number in shown[:_BLOCKS]],
            "more": shown[_BLOCKS] if len(shown) > _BLOCKS else None,
            "counts": Counter("noise" if block.noise else block.kind for block in blocks),
            "changed": list(dict.fromkeys(one.block.path for one in blocks if one.kind in RATED and one.block.path)),
        }

    def week(self, url: str) -> Answer:
        """Change by weekday (Monday first) and hour, in the time of the site: importance seen per hour observed."""
        lore = self._lore = self._lore or Lore(self._archive)
        page = lore.reading.page(url)
        visits = next(iter(that_matter(gathered(lore.reading.visits_of(page.page)))), None) if page else None
        if page is None or visits is None or visits.times.size < 2:
            raise UsageError(f"{url}: seen less than twice, so there is no pattern yet")
        clock = lore.clock(url)
        calendar = LocalCalendar(Periods(clock.zone, clock.country, Cycle.WEEK, _WEEK_HOURS))
        series = page_series(visits, calendar, lore.trust(), lore.reading.claims(page.page))
        series = only_days_looked_at(series, calendar, visits.times)
        importance, changes = series.importance.sum(axis=0), series.changes.sum(axis=0)
        observed = series.observed.sum(axis=0)
        shares = np.divide(importance, observed, out=np.zeros_like(importance), where=observed > 0)
        return {
            "zone": clock.zone,
            "because": clock.reason,
            "importance": shares.reshape(7, 24).tolist(),
            "changes": changes.reshape(7, 24).tolist(),
            "observed": observed.reshape(7, 24).tolist(),
        }


def _measures(planning: Planning, one: Quality) -> Answer:
    ends = [planning.hours.seconds(end) if np.isfinite(end) else None for end in (one.since, one.until)]
    return {
        "completeness": one.completeness.value,
        "low": one.completeness.low,
        "high": one.completeness.high,
        "coherence": one.coherence,
        "freshness": one.freshness,
        "coverage": one.coverage,
        "pages": one.pages,
        "dead_links": one.dead,
        "without_content": sum(one.hollow.values()),
        "captures": one.captures,
        "since": ends[0],
        "until": ends[1],
    }


def _capture(capture: Capture) -> Answer:
    return {"time": capture.time, "status": capture.status, "revisit": capture.revisit}


def _block(number: int, shown: ShownBlock, stood: list[int | None]) -> Answer:
    """`stood` has the numbers of the blocks in the order of the old version."""
    before, after = shown.before[:_LONGEST_TEXT], shown.after[:_LONGEST_TEXT]
    return {
        "number": number,
        "kind": shown.kind,
        "path": shown.block.path,
        "nth": shown.block.nth,
        "role": shown.block.role,
        "importance": shown.importance,
        "noise": shown.noise,
        "why": shown.reason.why if shown.reason else "",
        "marks": list(marked(before, after)),
        "moved_from": _before(number, stood) if shown.kind == "moved" else None,
        "links": [one.as_data() for one in shown.operations if one.element in ("link", "image", "frame")][:50],
        "items": shown.items(_ITEMS),
        "items_count": len(shown.reason.counted.items) if shown.reason else 0,
    }


def _before(number: int, stood: list[int | None]) -> int | None:
    """The block that another one stood behind in the old version; None when it was the first."""
    place = stood.index(number) if number in stood else 0
    return stood[place - 1] if place > 0 else None


def serve(folder: Path, lines: Callable[[], str], write: Callable[[str], None]) -> None:
    """Answer until there are no more questions."""
    answers = SlowAnswers(folder)
    asks: dict[str, Callable[..., Answer]] = {
        name: getattr(answers, name) for name in ("quality", "history", "next", "why", "compare", "week", "hours")
    }
    while line := lines():
        question = json.loads(line)
        number, name = question.pop("id"), question.pop("ask")
        try:
            said: Answer = {"id": number, "answer": _plain(asks[name](**question))}
        except StrandlineError as problem:
            said = {"id": number, "problem": str(problem), "asked": isinstance(problem, UsageError)}
        except Exception as problem:  # noqa: BLE001 - one bad page must not end the process for all others
            said = {"id": number, "problem": f"unexpected {type(problem).__name__}: {problem}"}
        write(json.dumps(said) + "\n")
        if name in _LARGE:
            del said
            give_back()


def _plain(value: Any) -> Any:  # noqa: ANN401 - anything JSON can hold
    """Without numbers that JSON does not know."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def main() -> None:
    """Run as `python -m strandline.app.slow_queries FOLDER` (or the address of a cluster's database)."""

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    serve(Path(sys.argv[1]), sys.stdin.readline, write)


if __name__ == "__main__":
    main()
