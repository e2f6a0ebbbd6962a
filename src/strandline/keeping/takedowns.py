"""Taking down: hide an address, a directory, a domain or a capture at once, see what is hidden, show it again.

A block is one line in the journal (store/takedowns.py): whoever shows the archive leaves out what it names from then
on, while a watch goes on writing. What it covers is counted and told before and after.
"""

from dataclasses import dataclass
from typing import Any

from strandline.access.timestamps import timestamp
from strandline.archive.folder import Archive
from strandline.core.keeping.takedowns import Act, Target, in_force, target_of
from strandline.errors import UsageError
from strandline.store.reading import Span

_LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True)
class Covered:
    """What a take-down covers in the archive as it is now."""

    target: str
    captures: int
    pages: int
    bytes: int
    """As the records are stored."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"captures": self.captures, "pages": self.pages, "bytes": self.bytes}


def named_target(archive: Archive, text: str) -> Target:
    """What somebody wants taken down; a capture may also be named by the id of its record. UsageError says why not."""
    text = text.strip()
    if text.strip("<>").startswith("urn:"):
        text = _named_record(archive, f"<{text.strip('<>')}>")
    try:
        return target_of(text)
    except ValueError as problem:
        known = "an address, a beginning of addresses with * at its end, *.domain, or a capture: 20261101120000/ADDRESS"
        raise UsageError(f"{problem}; name {known}") from None


def _named_record(archive: Archive, record: str) -> str:
    for capture in archive.everything.all_captures():
        if capture.record_id == record:
            return f"{timestamp(capture.time)}/{capture.url}"
    raise UsageError(f"no capture has the record {record}")


def covered(archive: Archive, target: Target) -> Covered:
    """How much a target covers."""
    captures = pages = stored = 0
    for low, high in target.keys:
        last = ""
        for one in archive.everything.index(Span(low, high, target.since, target.until)):
            captures += 1
            pages += one.surt != last
            stored += one.capture.place.length
            last = one.surt
    return Covered(target.text, captures, pages, stored)


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants taken down, and why."""

    target: str
    reason: str
    until: float | None = None
    by: str = ""


def block(archive: Archive, wish: Wish) -> tuple[Act, Covered]:
    """Hide something from now on, until a date or until it is lifted."""
    target = checked(archive, wish)
    found = covered(archive, target)
    act = Act(0, 0.0, "block", target.text, wish.reason.strip(), wish.until, wish.by, detail=found.as_json())
    return archive.journal.add(act), found


def checked(archive: Archive, wish: Wish) -> Target:
    """The target of a wish that makes sense; UsageError says what is missing."""
    if not wish.reason.strip():
        raise UsageError("say why (--reason): the notice readers see tells it, and so does the journal")
    if len(wish.reason) > _LONGEST_REASON:
        raise UsageError(f"a reason has at most {_LONGEST_REASON} characters")
    return named_target(archive, wish.target)


def lift(archive: Archive, what: str, reason: str = "", by: str = "") -> Act:
    """Show again what an act hid: by its number, or by its target. UsageError when nothing of that name is hidden."""
    held = in_force(archive.journal.acts(), 0.0)
    number = int(what) if what.isascii() and what.isdigit() and len(what) < 10 else 0
    found = [act for act in held if act.number == number or act.target == what.strip()]
    if not found:
        raise UsageError(f"nothing is taken down under {what}; `strandline takedown DIR --list` shows what is")
    act = found[-1]
    return archive.journal.add(Act(0, 0.0, "lift", act.target, reason.strip(), None, by, act.number))


def taken_down(archive: Archive, now: float, history: bool = False) -> list[Act]:
    """What is hidden now; with `history` every act, in the order they were made."""
    acts = archive.journal.acts()
    return acts if history else in_force(acts, now)
