"""Keeping less: captures that rules somebody wrote let go are dropped; always shown first, never by itself.

    preview = preview_retention(archive, rules, now)     what would go, in figures; nothing is changed
    done = apply_retention(archive, preview)             that, and nothing else

Rules stand in the settings (`keep.retention`) or are given. What goes is written down before anything is changed, and a
crash goes on with it (archive/erasing.py). Dropped records leave tombstones whose room the file system takes back.
"""

import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from strandline.archive.erasing import ErasePlan, Shelf, go_on
from strandline.archive.folder import Archive
from strandline.archive.known_collections import members_of
from strandline.archive.pictures_kept_once import heirs
from strandline.core.capture import Capture
from strandline.core.keeping.retention import Choice, PageCaptures, Rule, choose, keep_originals, rule_of
from strandline.core.keeping.takedowns import Act
from strandline.errors import ArchiveBusy, UsageError, usage_errors
from strandline.store.retention import RetentionReading
from strandline.warc.erasing import Erased


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """What rules do to one site."""

    site: str
    captures: int
    dropped: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What rules let go, in figures."""

    rules: tuple[str, ...]
    captures: int
    """In the archive now."""
    dropped: int
    bytes: int
    """Of the records that go, as they were written; what the disk has back is a little less."""
    important: int
    """Important versions."""
    important_dropped: int
    """Of these, how many go: none."""
    sites: tuple[SiteFigures, ...]
    plan: ErasePlan = field(repr=False, compare=False)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        names = ("captures", "dropped", "bytes", "important", "important_dropped")
        return {
            "rules": list(self.rules),
            **{name: getattr(self, name) for name in names},
            "sites": [
                {"site": one.site, "captures": one.captures, "dropped": one.dropped, "bytes": one.bytes}
                for one in self.sites
            ],
        }


@dataclass(frozen=True, slots=True)
class Thinned:
    """What was done."""

    act: int
    dropped: int
    bytes: int
    given_back: int
    """Bytes the disk has back."""


def rules_of(archive: Archive, given: Sequence[str] = ()) -> tuple[Rule, ...]:
    """The rules that are given, or those of the settings; UsageError when there are none, or one is no rule."""
    texts = tuple(given) or archive.settings.keep.retention
    if not texts:
        raise UsageError(
            "nothing is dropped without a rule: --rule '*: older 1y, keep weekly', or keep.retention in the settings"
        )
    with usage_errors():
        rules = [rule_of(text) for text in texts]
        return tuple(
            replace(rule, members=members_of(archive.settings, rule.collection)) if rule.collection else rule
            for rule in rules
        )


def preview_retention(archive: Archive, rules: Sequence[Rule], now: float | None = None) -> Preview:
    """What rules would let go; nothing is changed."""
    now = time.time() if now is None else now
    shelf = archive.shelf()
    size = shelf.size()
    with closing(RetentionReading.open(archive.database, everything=True)) as reading:
        pages = list(reading.page_captures())
        choice = choose(pages, [rule for rule in rules if size > rule.above], now, reading.serving())
        choice = _in_finished(shelf, reading, pages, choice)
        plan = _plan(shelf, reading, choice, now)
    counts: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for page in pages:
        counts[page.site] += len(page.captures)
        dropped[page.site] += sum(one.seq in choice.dropped for one in page.captures)
    octets = _bytes_by_site(pages, choice, plan)
    sites = tuple(SiteFigures(site, counts[site], dropped[site], octets[site]) for site in sorted(counts))
    return Preview(
        tuple(rule.text for rule in rules),
        sum(counts.values()),
        len(plan.captures),
        plan.bytes,
        len(choice.important),
        len(choice.important & choice.dropped),
        sites,
        plan,
    )


def _bytes_by_site(pages: Sequence[Any], choice: Choice, plan: ErasePlan) -> Counter[str]:
    """Bytes that go by site: those of the captures, and of requests beside them in proportion."""
    found: Counter[str] = Counter()
    for page in pages:
        found[page.site] += sum(one.size for one in page.captures if one.seq in choice.dropped)
    whole = sum(found.values())
    return Counter({site: round(size * plan.bytes / whole) for site, size in found.items()}) if whole else found


def _in_finished(shelf: Shelf, reading: RetentionReading, pages: Sequence[PageCaptures], choice: Choice) -> Choice:
    """A choice without captures in files that are still being written, and what these refer to."""
    files = set(shelf.files())
    dropped = {seq for seq, file, _, _ in reading.places(choice.dropped) if file in files}
    keep_originals(pages, dropped)
    looks: dict[str, list[tuple[int, Capture]]] = {}
    for one in reading.shown_captures():
        looks.setdefault(one.capture.url, []).append((one.seq, one.capture))
    while needed := _pictured(shelf, looks, dropped):
        dropped -= needed
        keep_originals(pages, dropped)
    return replace(choice, dropped=dropped)


def _pictured(shelf: Shelf, looks: Mapping[str, Sequence[tuple[int, Capture]]], dropped: set[int]) -> set[int]:
    """Captures among those that go whose picture others need, which look the same."""
    shown = ([*zip(*of_page, strict=True)] for of_page in looks.values())
    owners = {heir.owner.place for heir in heirs(shelf, ((some, [n in dropped for n in ns]) for ns, some in shown))}
    return {seq for some in looks.values() for seq, one in some if one.place in owners}


def _plan(shelf: Shelf, reading: RetentionReading, choice: Choice, now: float) -> ErasePlan:
    """Every record of the captures that go: the answers, and the requests that name them."""
    plan = ErasePlan([], now, [], thinning=secrets.token_hex(16))
    places: dict[str, set[int]] = {}
    ids: set[str] = set()
    for _, file, offset, record in reading.places(choice.dropped):
        plan.captures.append((file, offset))
        places.setdefault(file, set()).add(offset)
        ids |= {record} - {""}
    for file in sorted(places):
        plan.records[file] = [
            Erased(head.offset, head.length, head.fields.get("warc-record-id", ""))
            for head in shelf.heads(file)
            if head.offset in places[file] or head.fields.get("warc-concurrent-to", "") in ids
        ]
    return plan


def apply_retention(archive: Archive, preview: Preview, by: str = "") -> Thinned:
    """Drop what a preview showed, and nothing else."""
    plan = preview.plan
    if not plan.captures:
        return Thinned(0, 0, 0, 0)
    with archive.erasing("retain") as place:
        if not set(plan.captures) <= place.eraser.places():
            raise ArchiveBusy("the archive has changed since the preview: look again")
        place.keep_plan(plan)
        reason = "; ".join(preview.rules)
        detail = {"plan": plan.thinning, **plan.counts()}
        archive.journal.add(Act(0, 0.0, "thin", "*", reason, by=by, detail=detail))
        go_on(place, archive.say)  # as after a crash
    ended = next(act for act in reversed(archive.journal.acts()) if act.act == "thinned")
    return Thinned(ended.of, len(plan.captures), plan.bytes, int(ended.detail.get("given_back", 0)))
