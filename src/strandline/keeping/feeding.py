"""Another crawler, kept fed: it fetches what the plan of this archive wants, and what it fetched is taken in.

    plans/      a file for each hour in which something is due, whole when it has its name: the action directory of a
                Heritrix job, or a folder from which crawls of Browsertrix are started
    results/    what the crawler writes; looked through again and again, files below it too

Heritrix writes a WARC file under a name that ends in `.open` and renames it; Browsertrix packs a crawl into a WACZ when
it is over, and writes the WARC files it is made of until then: of Heritrix WARC files are taken, of Browsertrix WACZ.
A file is taken once nothing was written to it for some seconds, and once; one that is not sound is told of, and looked
at again when it has changed. What was handed over is not handed over again before it came back, or a time has passed.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args

from strandline.archive.folder import Archive
from strandline.archive.given_seeds import known_seeds, read_seeds
from strandline.core.wording import counted
from strandline.errors import ArchiveBusy, ArchiveDamaged, UsageError
from strandline.exchange.moving import take_in
from strandline.plan.due import NEVER, Due
from strandline.plan.planning import Planning
from strandline.plan.schedules import hour_text
from strandline.store.notes import keep_note

Crawler = Literal["browsertrix", "heritrix"]
CRAWLERS: Final[tuple[str, ...]] = get_args(Crawler)
_ENDINGS: Final = {"browsertrix": (".wacz",), "heritrix": (".warc", ".warc.gz")}
_KIND: Final = "fed"
"""Kind of note under which files that were taken in are known."""
_HOUR: Final = 3600.0
"""Seconds. Origin: a unit."""
SETTLED: Final = 10.0
"""Seconds for which nothing was written to a file that is finished. Origin: a guess."""
_BACK: Final = 6 * _HOUR
"""Seconds after which a page that did not come back is handed over again. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Which crawler it is, and where it reads and writes."""

    crawler: Crawler
    plans: Path
    results: Path
    settled: float = SETTLED


@dataclass(slots=True)
class Fed:
    """What one look did."""

    captures: int = 0
    files: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    plan: str = ""
    """The file that was handed over; empty for none."""
    visits: int = 0

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"event": "fed"} | asdict(self)


class Feeder:
    """Keeps one crawler fed."""

    def __init__(self, archive: Archive, terms: Terms, say: Callable[[str], None] = lambda _: None) -> None:
        if terms.crawler not in CRAWLERS:
            raise UsageError(f"no crawler {terms.crawler!r}; there are {', '.join(CRAWLERS)}")
        for folder in (terms.plans, terms.results):
            if not folder.is_dir():
                raise UsageError(f"{folder}: there is no such folder")
        self._archive = archive
        self._terms = terms
        self._say = say
        self._refused: dict[str, bytes] = {}
        """Files that are not sound, as they were."""
        self._handed: dict[str, float] = {}
        """When pages were handed over."""
        self._next = float("-inf")

    def look(self, now: float | None = None) -> Fed:
        """Take in what is new, and hand over the next hour when it has begun."""
        now = time.time() if now is None else now
        done = Fed()
        self._take_results(now, done)
        if now >= self._next:
            self._hand_over(now, done)
            self._next = (now // _HOUR + 1) * _HOUR
        return done

    def _take_results(self, now: float, done: Fed) -> None:
        for name, path, mark in self._finished(now):
            if self._refused.get(name) == mark or self._archive.everything.note(_KIND, name) == mark:
                continue
            try:
                brought = take_in(self._archive, path)
            except ArchiveBusy as busy:
                self._say(f"{name} waits: {busy}")
                return
            except (ArchiveDamaged, UsageError) as problem:
                self._refused[name] = mark
                done.refused.append(name)
                self._say(f"{name} is not taken in: {problem}")
                continue
            self._keep(name, mark)
            done.captures += brought.captures
            done.files.append(name)
            self._say(f"{name}: {counted(brought.captures, 'capture')} taken in")

    def _finished(self, now: float) -> Iterator[tuple[str, Path, bytes]]:
        """Files nobody writes any more, the oldest first: name, path, and what would be other if they were."""
        found = []
        for path in self._terms.results.rglob("*"):
            if path.name.startswith(".") or not path.name.lower().endswith(_ENDINGS[self._terms.crawler]):
                continue
            try:
                facts = path.stat()
            except FileNotFoundError:  # renamed, or removed, in this very moment
                continue
            if path.is_file() and now - facts.st_mtime >= self._terms.settled:
                mark = f"{facts.st_size} {facts.st_mtime_ns}".encode()
                found.append((facts.st_mtime, str(path.relative_to(self._terms.results)), path, mark))
        return ((name, path, mark) for _, name, path, mark in sorted(found))

    def _keep(self, name: str, mark: bytes) -> None:
        self._archive.beside(lambda connection: keep_note(connection, _KIND, name, mark))

    def _hand_over(self, now: float, done: Fed) -> None:
        """Write the plan of the coming hour, whole when it has its name."""
        wanted = [visit for visit in self._coming(now) if self._is_wanted(visit, now)]
        if not wanted:
            return
        stem = f"plan-{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M}Z"
        name, text = hour_text(wanted, self._terms.crawler, stem)
        # Whatever lies in the action directory of Heritrix is taken, half written or not: it is written beside.
        beside = self._terms.plans.parent if self._terms.crawler == "heritrix" else self._terms.plans
        new = beside / f".{name}.new"
        new.write_text(text, encoding="utf-8")
        new.replace(self._terms.plans / name)
        self._handed = {url: at for url, at in self._handed.items() if now - at < _BACK}
        self._handed |= {visit.url: now for visit in wanted}
        done.plan, done.visits = name, len({visit.url for visit in wanted})
        self._say(f"{name}: {counted(done.visits, 'page')} handed over")

    def _coming(self, now: float) -> Iterable[Due]:
        """The visits of the coming hour; those to seeds of an archive that has no pages yet."""
        reading = self._archive.everything
        if next(iter(reading.pages()), None) is not None:
            return Planning(self._archive, now).ahead(1.0)
        seeds = read_seeds(known_seeds(self._archive.settings, reading))
        return [Due(0, url, NEVER, "a seed that was never fetched", now) for url in seeds]

    def _is_wanted(self, visit: Due, now: float) -> bool:
        handed = self._handed.get(visit.url, float("-inf"))
        if now - handed >= _BACK:
            return True
        last = self._archive.everything.captures(visit.url)[-1:]
        return any(capture.time > handed for capture in last)
