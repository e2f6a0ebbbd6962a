"""Two versions of a page side by side: files, stored captures, or anything that can be cut into blocks.

For an interface that shows two versions:

    compare_versions(archive, url, start, end) -> (Comparison, older Capture, newer Capture)
    Comparison.blocks()      -> tuple of `ShownBlock` in page order, unchanged blocks too: kind (inserted, deleted,
                                updated, moved, unchanged), importance in [0, 1], noise (why it counts less, or ""),
                                before and after (text), before_html, after_html and html (safe, with ins and del)
    Comparison.as_view()     -> the same with both scores as plain data, for templates and JSON
    Comparison.as_html(), Comparison.as_one_page() -> whole pages: two columns, or the new version highlighted

None of them needs an optional extra.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from strandline.access.payload import LostError
from strandline.archive.folder import Archive
from strandline.archive.given_files import missing
from strandline.archive.holdings import holdings
from strandline.core.blocks.levels import LEVELS, PageLevel
from strandline.core.blocks.roles import AdRule, block_importances, is_advertising
from strandline.core.blocks.topic import topic
from strandline.core.blocks.tree import BlockTree
from strandline.core.capture import Capture
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.pictures import ANOTHER
from strandline.core.changes.delta.vidiff import compare as vidiff
from strandline.core.changes.noise.ratings import RatingBook
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import BlockReason, Importance, importance
from strandline.core.changes.score.item_change import block_told
from strandline.core.changes.told.sentences import Told, told
from strandline.core.changes.told.shown import ShownBlock, one_page, shown_blocks, side_by_side
from strandline.dom import html
from strandline.dom.metadata import page_metadata
from strandline.dom.scan import PageTooCostlyError
from strandline.errors import ArchiveDamaged, UsageError
from strandline.settings.file import quoted, with_overrides
from strandline.settings.schema import Settings
from strandline.store.studies import Change
from strandline.study.documents import Document, UnreadableError
from strandline.study.live_pages import LivePages
from strandline.study.page_study import OPAQUE
from strandline.study.picture_comparison import picture_delta, picture_kind
from strandline.study.worker import ArchiveReader, document, rendered_blocks, study_rules

_PAGE = "text/html"
_FILES = {
    ".txt": "text/plain",
    ".md": "text/plain",
    ".xhtml": "application/xhtml+xml",
    ".xht": "application/xhtml+xml",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".geojson": "application/geo+json",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".xml": "application/xml",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
}
"""What files are by their names; others are taken for HTML. PDF and ZIP files are known by how they begin."""
_OTHER_FORMATS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"WARC/", b"SQLite")
"""How files begin that are no pages, whatever they are called."""


@dataclass(frozen=True)
class Comparison:
    """What changed between two versions, and how much it matters."""

    delta: Delta
    scored: Importance
    recorded: Change | None = None
    """The change that was recorded when the newer capture was studied, if the two follow each other: its scores are the
    scores of this comparison, since what is known of the page's noise may have grown since.
    """
    between: int = 0
    """Captures of the page that lie between the two."""
    sentence: str = ""
    """What is said of it; empty where that follows from the texts."""

    @property
    def importance(self) -> float:
        """What visits are planned by, in [0, 1]."""
        return self.scored.believed if self.recorded is None else self.recorded.importance

    @property
    def impch(self) -> float:
        """The formula of paper 001."""
        return self.scored.impch if self.recorded is None else self.recorded.impch

    @property
    def held(self) -> bool:
        """Whether it is not believed yet."""
        return self.scored.held if self.recorded is None else self.recorded.held

    @property
    def reasons(self) -> tuple[BlockReason, ...]:
        """Why, block by block, the weightiest first."""
        return self.scored.reasons

    @cached_property
    def told(self) -> Told:
        """The difference in a sentence, with the sentences of the page that are other now; as recorded, if it was."""
        if self.sentence:
            return Told(self.sentence)
        kept = self.recorded is not None and any("told" in block for block in self.recorded.blocks[:1])
        return self.recorded.told if self.recorded is not None and kept else told(self.delta, self.scored)

    def as_data(self) -> dict[str, Any]:
        """As `compare --json` prints it."""
        return {
            "url": self.delta.new.url,
            "sentence": self.told.sentence,
            "importance": round(self.importance, 6),
            "impch": round(self.impch, 6),
            "recorded": self.recorded is not None,
            "between": self.between,
            **self.delta.as_data(),
            "reasons": [block_told(reason.as_data()) for reason in self.reasons],
        }

    def as_xml(self) -> str:
        """The operations as XML."""
        return self.delta.as_xml()

    def blocks(self) -> tuple[ShownBlock, ...]:
        """Every block of both versions in page order: kind, importance, reason, noise, texts and HTML."""
        return shown_blocks(self.delta, self.scored)

    def as_view(self) -> dict[str, Any]:
        """Both versions for a template or a program that shows them: the scores, and every block as data."""
        return {
            "url": self.delta.new.url,
            "title": self.delta.new.title,
            "sentence": self.told.sentence,
            "importance": round(self.importance, 6),
            "impch": round(self.impch, 6),
            "recorded": self.recorded is not None,
            "between": self.between,
            "held": self.held,
            "blocks": [block.as_data() for block in self.blocks()],
        }

    def as_html(self) -> str:
        """A page with both versions side by side, changed blocks coloured."""
        return side_by_side(self.delta, self.scored)

    def as_one_page(self) -> str:
        """A page with the new version, what came and what left marked in it."""
        return one_page(self.delta, self.scored)


def compare(old: BlockTree | bytes | str, new: BlockTree | bytes | str, url: str = "", level: int = 2) -> Comparison:
    """Compare two versions of a page, given as HTML or cut into blocks."""
    before = old if isinstance(old, BlockTree) else _cut(old, url, PageLevel(level))
    after = new if isinstance(new, BlockTree) else _cut(new, url, PageLevel(before.level, before.scale))
    return compared(before, after, NoiseState())


def compared(
    old: BlockTree,
    new: BlockTree,
    noise: NoiseState,
    advertising: AdRule = is_advertising,
    language: str = "",
    moments: tuple[float, float] | None = None,
) -> Comparison:
    """Compare two versions, knowing a page's own noise, the language it calls itself, and when they were captured."""
    delta = vidiff(old, new, advertising, language, moments)
    return Comparison(delta, importance(delta, noise, advertising))


def _cut(page: bytes | str, url: str, how: PageLevel) -> BlockTree:
    data, charset = (page.encode("utf-8", "surrogatepass"), "utf-8") if isinstance(page, str) else (page, None)
    return html.blocks(data, charset=charset, url=url, level=how.level, scale=how.scale)


# Files and addresses


def page_blocks(name: str, level: int = 2, *, rendered: bool = False, settings: Settings | None = None) -> BlockTree:
    """The blocks of a file, or of a page of the web as it is now."""
    if level not in LEVELS:
        raise UsageError(f"the level is 1, 2 or 3, not {level}")
    url, found = _page(name, settings or Settings())
    if rendered:
        return rendered_blocks(found, url, PageLevel(level))
    return _blocks_of(name, found, url, PageLevel(level))


def _blocks_of(name: str, found: Document, url: str, how: PageLevel) -> BlockTree:
    try:
        return html.blocks(found.data, charset=found.charset, url=url, level=how.level, scale=how.scale)
    except PageTooCostlyError as problem:
        raise UsageError(f"{name}: {problem}") from None


def _page(name: str, settings: Settings) -> tuple[str, Document]:
    url, found = _fetched(name, settings) if "://" in name else ("", _read(name))
    if not found.text:
        raise UsageError(f"{name}: no page ({found.mime or 'unknown type'})")
    return url, found


def _read(name: str) -> Document:
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"{name}: {missing(path)}")
    data = path.read_bytes()
    if data.startswith(_OTHER_FORMATS):
        raise UsageError(f"{name}: no page, but a file of another format")
    if data.startswith((b"%PDF-", b"PK\x03\x04")):
        return document(data, "application/octet-stream")
    kind = _FILES.get(path.suffix.lower(), _PAGE)
    found = document(data, kind)
    if not found.text and kind.endswith("xml"):  # no feed: its texts are read as those of any markup
        return document(data, _PAGE)
    if not found.text and kind != _PAGE:
        raise UsageError(f"{name}: cannot be read as {kind}")
    return found


def _fetched(address: str, settings: Settings) -> tuple[str, Document]:
    with LivePages(settings) as web:
        found = web.get(address)
    return found.url, document(found.data, found.content_type)


def compare_files(old: str, new: str, level: int = 2) -> Comparison:
    """Compare two files: pages, data, or pictures."""
    pictures = [Path(name).read_bytes() for name in (old, new) if Path(name).is_file() and _is_picture(Path(name))]
    if len(pictures) == 2:
        return _compared_pictures(*pictures)
    before = page_blocks(old, level)
    _, found = _page(new, Settings())
    after = _blocks_of(new, found, before.url, PageLevel(level, before.scale))
    language = page_metadata(found.data, found.charset).get("language", "")
    return compared(before, after, NoiseState(), language=language)


def _is_picture(path: Path) -> bool:
    with path.open("rb") as file:
        return picture_kind(file.read(16)) != ""


def _compared_pictures(old: bytes, new: bytes) -> Comparison:
    delta = picture_delta(old, new)
    if delta.empty:
        return Comparison(delta, Importance(0.0, 0.0))
    scored = importance(delta, NoiseState())
    return Comparison(delta, replace(scored, value=OPAQUE, impch=1.0, believed=OPAQUE), sentence=ANOTHER)


def blocks_data(tree: BlockTree) -> dict[str, Any]:
    """As `blocks --json` prints it."""
    weights = block_importances(tree.blocks)
    return {
        "url": tree.url,
        "title": tree.title,
        "level": tree.level,
        "scale": tree.scale,
        "rendered": tree.rendered,
        "blocks": [
            {
                "path": block.path,
                "nth": block.nth,
                "role": block.role,
                "hint": block.hint,
                "importance": round(weight, 6),
                "topic": topic(block),
                "text": block.text,
                "links": sum(item.kind == "link" for item in block.items),
                "images": sum(item.kind == "image" for item in block.items),
            }
            for block, weight in zip(tree.blocks, weights, strict=True)
        ],
    }


# Stored versions


def compare_versions(archive: Archive, url: str, start: float, end: float) -> tuple[Comparison, Capture, Capture]:
    """Compare what a page showed at two times, knowing what was learned of its noise. For two captures of which one
    follows the other the scores are those that were recorded; for others they are worked out now.
    """
    captures = [capture for capture in archive.captures(url) if capture.status == 304 or _is_page(capture)]
    if not captures:
        raise UsageError(f"{url}: no capture that shows the page")
    old, new = _shown(captures, start), _shown(captures, end)
    row = archive.page(url)
    state = archive.studies.state(row.page) if row else None
    noise = NoiseState.from_bytes(state.noise) if state and state.noise else NoiseState()
    noise.ratings.clear()
    for path, rating in RatingBook(archive.studies.all_ratings()).ratings(old.url).items():
        noise.rate_block(path, rating)
    how = PageLevel(state.level, state.scale) if state else PageLevel(archive.settings.study.level)
    reader = ArchiveReader(holdings(archive))
    before, _ = _stored(reader, old, how)
    after, language = _stored(reader, new, PageLevel(before.level, before.scale))
    rule = study_rules(archive.settings.study).advertising(old.url)
    between = sum(old.time < capture.time < new.time for capture in captures)
    recorded = archive.studies.change_between(old.url, old.time, new.time)
    found = compared(before, after, noise, rule, language, (old.time, new.time))
    scored = found.scored if recorded is None else _as_recorded(found.scored, recorded)
    return replace(found, scored=scored, recorded=recorded, between=between), old, new


def _as_recorded(scored: Importance, recorded: Change) -> Importance:
    """Blocks and their texts as they were judged when the change was studied. What is known by now cannot judge it: a
    text that was back then is on the page, or left it again.
    """
    told = {(one["path"], one.get("nth"), one.get("kind")): one for one in recorded.blocks}
    reasons = [_reason_as_told(one, told.get((one.path, one.nth, one.kind), {})) for one in scored.reasons]
    return replace(scored, reasons=tuple(sorted(reasons, key=lambda one: -one.contribution)))


def _reason_as_told(reason: BlockReason, told: Mapping[str, Any]) -> BlockReason:
    if "items" not in told or reason.rating:  # what people said of it since is shown
        return reason
    known = {(one["before"], one["after"]): one for one in told["items"]}
    items = []
    for item in reason.counted.items:
        data = item.as_data()
        one = known.get((data["before"], data["after"]), data)
        items.append(item._replace(kind=one["kind"], counts=one["counts"], why=one["why"]))
    factor, steadiness, novelty = (float(told[name]) for name in ("factor", "steadiness", "novelty"))
    return replace(
        reason,
        factor=factor,
        steadiness=steadiness,
        counted=replace(reason.counted, value=novelty, items=items),
        decisive=float(told["contribution"]) - factor * steadiness * novelty,
    )


def _is_page(capture: Capture) -> bool:
    return (capture.status == 0 or 200 <= capture.status < 300) and not capture.truncated


def _shown(captures: Sequence[Capture], moment: float) -> Capture:
    """What was shown at a moment: the last capture up to it, else the first after it."""
    return next((capture for capture in reversed(captures) if capture.time <= moment), captures[0])


def _stored(reader: ArchiveReader, capture: Capture, how: PageLevel) -> tuple[BlockTree, str]:
    """A version cut into blocks, and the language it calls itself."""
    try:
        found = reader.read(capture)
        if not found.text:
            raise UsageError(f"{capture.url}: no page ({found.mime or 'unknown type'})")
        language = page_metadata(found.data, found.charset).get("language", "")
        return reader.blocks(found, capture.url, how), language
    except LostError as problem:
        raise ArchiveDamaged(f"{capture.url}: {problem}") from None
    except UnreadableError as problem:
        raise UsageError(f"{capture.url}: {problem}") from None


def require_blocks(archive: Archive, address: str, paths: Sequence[str]) -> None:
    """UsageError unless every path is one of a block that changed, or that the page shows now."""
    known = {part["path"] for change in archive.studies.changes_of(address) for part in change.blocks}
    if not known.issuperset(paths):
        latest, _, _ = compare_versions(archive, address, float("inf"), float("inf"))
        known.update(shown.block.path for shown in latest.blocks())
    unknown = [path for path in paths if path not in known]
    if unknown:
        there = ", ".join(sorted(known - {""})[:10]) or "none"
        raise UsageError(f"{address}: no block {unknown[0]!r} on this page; there are {there}")


def known_address(archive: Archive, url: str) -> str:
    """The address of a page as the archive has it; UsageError when it does not."""
    row = archive.page(url)
    if row is None:
        raise UsageError(f"{url} is not in this archive")
    return row.url


def allowing(settings: Settings, blocks: Sequence[str]) -> Settings:
    """Settings with address blocks that may be connected to."""
    named = ", ".join(map(quoted, blocks))
    return with_overrides(settings, [f"fetch.allow_address=[{named}]"], "--allow-address") if blocks else settings
