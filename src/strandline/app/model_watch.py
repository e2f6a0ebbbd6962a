"""Questions a watch puts to the language model: each change of the pages a question is about, once. Who gets alerts is
told where the model says yes; every such alert is marked as its answer.

A watch never waits for the model: a thread asks, in the order of captures. How far it came is kept in the catalog, so
nothing is asked twice and nothing left out when a watch ends; what was studied before there were questions is not asked
about. When the budget of the day is spent, the rest waits for the next day; a week later it is past.
"""

import json
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final

from strandline.alerts.alert import HISTORY
from strandline.app.model import NOTE, SPENT, Model, ModelAnswer, check_model, tell_of
from strandline.app.opening import place_of
from strandline.archive.events import event
from strandline.archive.folder import Archive, web_address
from strandline.core.keeping.collections import Members
from strandline.core.urls import authority, surt_key
from strandline.errors import SettingError
from strandline.settings.schema import Settings
from strandline.settings.texts import saved
from strandline.store.studies import Change
from strandline.watch.beside import Beside

EVERY: Final = 5.0
"""Seconds between two looks for something to ask. Origin: a guess."""
PAUSE: Final = 60.0
"""Seconds after which a model that did not answer is asked again. Origin: a guess."""
TRIES: Final = 3
"""Times a question is put before its change is given up. Origin: a guess."""
_ANSWERED: Final = "answered"
_NARROWS: Final = ("page", "site", "collection", "min")


@dataclass(frozen=True, slots=True)
class StandingQuestion:
    """A question of the settings, and the changes it is put to."""

    name: str
    question: str
    page: str = ""
    site: str = ""
    collection: str = ""
    least: float = 0.0
    stretches: tuple[tuple[str, str], ...] = ()
    """The SURT keys of the collection."""

    def fits(self, change: Change) -> bool:
        """Whether it is about a change."""
        if change.importance < self.least or self.page not in ("", change.url):
            return False
        if self.site and self.site not in (change.site, authority(change.url)):
            return False
        key = surt_key(change.url) if self.collection else ""
        return not self.collection or any(low <= key < high for low, high in self.stretches)


def standing_questions(settings: Settings) -> tuple[StandingQuestion, ...]:
    """Those of the settings; SettingError says what is wrong with one, or that there is no model to ask."""
    if settings.model.questions:
        check_model(settings.model)
    return tuple(_question(entry, settings) for entry in settings.model.questions)


def _question(entry: str, settings: Settings) -> StandingQuestion:
    name, said = saved(entry)
    words, narrows = said.split(), dict[str, str]()
    while words and words[-1].partition("=")[0] in _NARROWS and "=" in words[-1]:
        key, _, narrows[key] = words.pop().partition("=")
    collection = narrows.get("collection", "")
    members = {one.name: Members(one.sites, one.pages).stretches for one in settings.collection}
    try:
        if not words:
            raise ValueError("there is no question")
        if collection and collection not in members:
            raise ValueError(f"there is no collection {collection!r}")
        return StandingQuestion(
            name,
            " ".join(words),
            web_address(narrows["page"]) if "page" in narrows else "",
            narrows.get("site", ""),
            collection,
            float(narrows.get("min", 0.0)),
            members.get(collection, ()),
        )
    except ValueError as problem:
        raise SettingError(f"model.questions: {name}: {problem}") from None


@dataclass(slots=True)
class Round:
    """What one look came to."""

    asked: int = 0
    told: int = 0
    problem: str = ""
    """Why not everything was asked; empty when it was."""


def ask_of_new(archive: Archive, give_up: Callable[[Change], bool] = lambda _: False) -> Round:
    """Put the questions of the settings to what was studied since the last time. `give_up` says of a change whose
    question was not answered whether to go on without it.
    """
    questions, found = standing_questions(archive.settings), Round()
    with closing(place_of(archive).alarms()) as desk:
        progress, kept = desk.progress(), archive.reading.note(NOTE, _ANSWERED)
        done = int(json.loads(kept)) if kept else progress
        if not questions or not kept:
            if done != progress or not kept:
                desk.keep_note(NOTE, _ANSWERED, progress)
            return found
        recorded = list(desk.changes_recorded(done, progress))
        model, hidden = Model(archive), archive.reading.hidden
        for change in recorded:
            seen = change.visible and not change.held and change.by > time.time() - HISTORY
            if seen and not (hidden and hidden.hides(surt_key(change.url))):
                found.problem = _put(archive, model, [one for one in questions if one.fits(change)], change, found)
                if found.problem == SPENT or (found.problem and not give_up(change)):
                    return found
            desk.keep_note(NOTE, _ANSWERED, change.by_seq)
        if done != progress:
            desk.keep_note(NOTE, _ANSWERED, progress)
    return found


def _put(
    archive: Archive, model: Model, questions: list[StandingQuestion], change: Change, found: Round
) -> str:  # fmt: skip
    """Put questions to one change, and tell where the answer is yes; why one was not answered, if it can be later."""
    answers: list[tuple[Change, ModelAnswer]] = []
    for one in questions if model.may_send(change) else ():
        answer = next(model.answers([change], one.question))
        if answer.problem:
            return answer.problem
        answers.append((change, answer))
    found.asked += len(answers)
    found.told += tell_of(archive, answers)
    return ""


class ModelWatch:
    """Asks beside a watch."""

    def __init__(self, archive: Archive, settings: Settings) -> None:
        """SettingError when there are questions, and they or the model cannot work."""
        standing_questions(settings)
        self._folder = archive.folder
        self.settings = settings
        self._next = float("-inf")
        self._round: Beside[Round] | None = None
        self._failed: dict[int, int] = {}
        self._said = ""

    def beside(self) -> None:
        """Look whether there is something to ask; cheap to call often, never waits."""
        if time.monotonic() < self._next or (self._round is not None and self._round.running):
            return
        self._next = time.monotonic() + EVERY
        if self._round is not None:
            self._heard(self._round)
            self._round = None
        elif self.settings.model.questions:
            self._round = Beside(partial(self._look, self.settings))

    def _look(self, settings: Settings) -> Round:
        return ask_of_new(Archive(self._folder, settings), self._give_up)

    def _give_up(self, change: Change) -> bool:
        tries = self._failed[change.by_seq] = self._failed.get(change.by_seq, 0) + 1
        return tries >= TRIES

    def _heard(self, done: Beside[Round]) -> None:
        try:
            problem = done.result().problem
        except Exception as failure:  # noqa: BLE001 - a model is no reason to end a watch
            problem = str(failure) or type(failure).__name__
        if problem:
            self._next = time.monotonic() + PAUSE
        if problem and problem != self._said:
            event("model", f"the model was not asked: {problem}", "warning")
        self._said = problem
