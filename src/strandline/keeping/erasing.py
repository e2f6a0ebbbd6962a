"""Erasing what was taken down: bytes, indexes, histories, words; what is left of pages is studied again.

The decision is one line of the journal, and hides what it names at once. Erasing itself needs the archive for itself
(archive/erasing.py): while a watch runs it waits, and the next command that writes the archive does it first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strandline.archive.database_names import named
from strandline.archive.erasing import ErasePlan, plan_erasure
from strandline.archive.folder import Archive
from strandline.core.keeping.takedowns import Act
from strandline.errors import ArchiveBusy
from strandline.keeping.takedowns import Wish, checked
from strandline.study.again import study_again


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased, or would be."""

    acts: tuple[Act, ...]
    captures: int
    records: int
    """Answers, requests and notes about them."""
    bytes: int
    made_whole: int
    """Captures that stay and referred to what goes; they hold their content themselves from now on."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        names = ("captures", "records", "bytes", "made_whole")
        return {"acts": [act.number for act in self.acts]} | {name: getattr(self, name) for name in names}


def preview_erasure(archive: Archive, wishes: Sequence[Wish]) -> Erasure:
    """What an erasure would take away; nothing is changed."""
    acts = [Act(0, 0.0, "erase", checked(archive, wish).text) for wish in wishes]
    with archive.erasing("takedown", look=True) as place:
        return _told((), plan_erasure(place, acts))


def erase(archive: Archive, wishes: Sequence[Wish]) -> Erasure:
    """Erase things for good. ArchiveBusy while somebody writes the archive: they are hidden, and erased later."""
    targets = [checked(archive, wish).text for wish in wishes]
    acts = [
        archive.journal.add(Act(0, 0.0, "erase", target, wish.reason.strip(), by=wish.by))
        for target, wish in zip(targets, wishes, strict=True)
    ]
    try:
        finish(archive)
    except ArchiveBusy as busy:
        raise ArchiveBusy(
            f"hidden now; it is erased as soon as the archive is free: stop what writes it, then run "
            f"`strandline takedown {named(archive.folder)} --go-on` ({busy})"
        ) from None
    ended = {act.of: act for act in archive.journal.acts() if act.act == "erased"}
    counts = dict(ended[acts[0].number].detail) if acts and acts[0].number in ended else {}
    found = (int(counts.get(name, 0)) for name in ("captures", "records", "bytes", "made_whole"))
    return Erasure(tuple(acts), *found)


def finish(archive: Archive) -> int:
    """Go on with erasures that were cut short or had to wait, and study what is left again; pages studied."""
    with archive.erasing("takedown"):
        pass  # goes on by itself
    return study_again(archive)


def _told(acts: Sequence[Act], plan: ErasePlan) -> Erasure:
    counts = plan.counts()
    return Erasure(tuple(acts), counts["captures"], counts["records"], counts["bytes"], counts["made_whole"])
