"""Studying what was captured: pending captures are compared in worker processes, and what they show is recorded.

Captures are taken in rounds, in the order they were recorded. A round is recorded in one transaction together with how
far it went, so whatever ends this process, the next one goes on where it stood. A page whose captures turn out to be
older than what was studied of it (an import of older files) is studied anew from its first capture.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

from strandline.core.blocks.levels import LEVELS, PageLevel
from strandline.core.blocks.tree import BlockTree
from strandline.core.capture import Capture
from strandline.core.changes.noise.ratings import RatingBook
from strandline.core.changes.observation import PageState, PageStudy, Sighted
from strandline.engines.workers import Fallen, Limits, Workers
from strandline.errors import SettingError
from strandline.settings.schema import StudySettings
from strandline.store.studies import StudyReading
from strandline.study.documents import Document, UnreadableError
from strandline.study.page_study import PageWork, StudyRules, needs_reading, study_page
from strandline.study.site_templates import SiteTemplates

ROUND: Final = 500
"""Captures that are studied and recorded together. Origin: a guess."""
TRIES: Final = 2
"""Times a capture may end its worker before it is left out. Origin: a guess."""
_LOOK: Final = 2.0
"""Seconds between two looks for something new, beside a crawl. Origin: a guess."""
SECOND_LOOK: Final = 30.0
"""Seconds after which a watch fetches a page a second time to see whether what changed differs at every fetch, unless
study.double_fetch says otherwise.
Origin: a guess."""
_WORKER: Final = "strandline.study.worker"


@dataclass(frozen=True, slots=True)
class StudyContext:
    """What a worker needs to know."""

    folder: Path
    settings: StudySettings


class Studies(Protocol):
    """What is to be studied, and where what was found is kept."""

    @property
    def reading(self) -> StudyReading:
        """Pending captures, and what is known of their pages."""

    def record(self, studies: Iterable[PageStudy], up_to: int) -> None:
        """Keep a round: all captures it began with, up to this number, are done with."""


class Studied(Protocol):
    """A catalog whose captures can be studied."""

    @property
    def studies(self) -> Studies:
        """What is to be studied."""


class Studying:
    """Study under way on an archive that is open for writing. `step` does a little and returns, `finish` does all."""

    def __init__(self, folder: Path, settings: StudySettings, catalog: Studied, look: float = _LOOK) -> None:
        """`look` is the seconds between two looks for something new, beside a crawl."""
        if settings.level not in LEVELS:
            raise SettingError(f"study.level is 1, 2 or 3, not {settings.level}")
        self._context = StudyContext(folder, replace(settings, filter_lists=_absolute(settings.filter_lists)))
        self._studies = catalog.studies
        self._up_to = 0
        """Last capture of the round under way; 0 between rounds."""
        self._done: list[PageStudy] = []
        self._falls: Counter[int] = Counter()
        self._templates = SiteTemplates()
        self._started = False
        self._every = look
        self._look = time.monotonic() + look
        self.studied = 0
        """Captures studied so far."""
        self.rounds = 0
        """Rounds recorded so far."""

    @cached_property
    def _workers(self) -> Workers[PageWork, PageStudy]:
        self._started = True
        settings = self._context.settings
        limits = Limits(settings.page_time, settings.page_memory, self._waits)
        return Workers(f"{_WORKER}:study", self._preparation, max(1, settings.workers), limits)

    _waits = 0.0
    """Seconds a worker process may wait for the captures it reads."""

    @property
    def _preparation(self) -> tuple[str, object]:
        """What a worker process does first, and with what."""
        return f"{_WORKER}:prepare", self._context

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._started:
            self._workers.close()

    def step(self, timeout: float = 0.0) -> bool:
        """Go on for at most `timeout` seconds; False when nothing is left to study."""
        if not self._up_to and not self._begin():
            return False
        if self._collected(timeout):
            self._studies.record(self._done, self._up_to)
            self._templates.end(self._done)
            self._up_to, self._done = 0, []
            self.rounds += 1
        return True

    def _collected(self, timeout: float) -> bool:
        """Take what the workers answered; True when they have answered everything."""
        if self._started and self._workers.busy:
            for answer in self._workers.poll(timeout):
                if isinstance(answer, Fallen):
                    self._fallen(answer)
                else:
                    self._done.append(answer)
        return not self._started or not self._workers.busy

    def relearn(self, url: str, page: int, level: int) -> None:
        """Cut a page at this level from now on, and study its whole history again."""
        self.finish()
        reading = self._studies.reading
        captures = tuple(reading.captures_of(page, reading.progress()))
        self._workers.add(
            PageWork(
                page,
                url,
                PageState(level=level),
                None,
                captures,
                RatingBook(reading.all_ratings()).ratings(url),
                anew=True,
            )
        )
        while not self._collected(1.0):
            pass
        self._studies.record(self._done, 0)
        self._done = []

    def beside(self) -> None:
        """Go on without waiting, for a caller with other things to do: cheap to call often."""
        if self._up_to or time.monotonic() >= self._look:
            self._look = time.monotonic() + self._every
            self.step()

    def finish(self, progress: Callable[[int, int], None] = lambda _done, _pending: None) -> int:
        """Study everything that is pending; `progress` hears captures done and still pending. Returns how many."""
        while self.step(1.0):
            if not self._up_to:
                progress(self.studied, self._studies.reading.waiting())
        return self.studied

    def _begin(self) -> bool:
        """Start a round; False when nothing is pending."""
        reading = self._studies.reading
        pending = list(reading.pending(ROUND))
        if not pending:
            return False
        self._up_to = pending[-1].seq
        self.studied += len(pending)
        pages: dict[int, list[Sighted]] = {}
        for one in pending:
            pages.setdefault(one.page, []).append(one)
        for work in self._works(pages, reading):
            if needs_reading(work):
                self._workers.add(work)
            else:
                settings = self._context.settings
                rules = StudyRules(settings.level, settings.hold, settings.double_fetch)
                self._done.append(study_page(work, _NoReader(), rules))
        return True

    def _works(self, pages: dict[int, list[Sighted]], reading: StudyReading) -> Iterable[PageWork]:
        book = RatingBook(reading.all_ratings())
        self._templates.begin([(page, captures[0].capture.url) for page, captures in pages.items()], reading)
        for page, captures in pages.items():
            url = captures[0].capture.url
            state = reading.state(page)
            ratings, template = book.ratings(url), self._templates.of(page)
            if state and min(one.order for one in captures) < (state.time, state.seq):
                again = tuple(reading.captures_of(page, self._up_to))
                fresh = PageState(level=state.level)
                yield PageWork(page, url, fresh, None, again, ratings, anew=True, template=template)
                continue
            base = reading.capture(state.base) if state and state.base else None
            yield PageWork(page, url, state, base, tuple(captures), ratings, template=template)

    def _fallen(self, fallen: Fallen[PageWork]) -> None:
        """A capture ended its worker: once more, then without it."""
        work, step = fallen.work, fallen.step
        self._falls[step] += 1
        if self._falls[step] < TRIES:
            self._workers.add(work)
        elif step:
            self._workers.add(replace(work, skip=work.skip | {step}))
        else:  # not even its first capture was begun
            state = work.state or PageState(level=self._context.settings.level)
            problems = tuple((one.seq, fallen.why) for one in work.captures)
            self._done.append(PageStudy(work.page, state, problems=problems))


class _NoReader:
    """For work that needs no reading."""

    def read(self, capture: Capture) -> Document:
        raise UnreadableError(f"{capture.url} was not to be read")

    def visible_hash(self, document: Document) -> int:
        raise UnreadableError(f"a document of {len(document.data)} bytes was not to be read")

    def told_beside(self, old: Document, new: Document) -> str:
        raise UnreadableError(f"documents of {len(old.data)} and {len(new.data)} bytes were not to be read")

    def blocks(self, document: Document, url: str, how: PageLevel) -> BlockTree:
        raise UnreadableError(f"{url} was not to be cut at level {how.level}: {len(document.data)} bytes")

    def metadata(self, document: Document, tree: BlockTree) -> dict[str, str | int]:
        raise UnreadableError(f"{tree.url} was not to be read: {len(document.data)} bytes")


def _absolute(files: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(Path(file).absolute()) for file in files)
