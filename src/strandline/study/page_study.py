"""One page's new captures, read in time order: what changed, how much it matters, and what was learned of its noise.

Study comes after the commit and reads captures back, so it can neither delay a crawl nor lose a capture. Most captures
end at the first steps, which need no more than the catalog:

    304, or the digest of the version known      nothing changed
    404 or 410                                   gone, held until a second answer says the same
    a redirect, or no text                       another target or digest is a change; there are no blocks to compare
    a picture (extra `images`)                   a change when it looks otherwise
    other bytes, same visible hash               a change nobody sees
    otherwise                                    cut into blocks, compared, scored, learned from

A page that suddenly has less than half or more than twice its blocks is more often broken than new: the change is held,
the version before stays the one to compare with, and the page is asked for again. When it stays so, it is believed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any, Final

from strandline.core.blocks.levels import PageLevel
from strandline.core.blocks.roles import AdRule, is_advertising
from strandline.core.blocks.site_template import NO_TEMPLATE, Template
from strandline.core.blocks.tree import BlockTree
from strandline.core.capture import GONE, Capture, Kind, identity_of, shows_page
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.pictures import ANOTHER, same_picture
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.index_threshold import IndexGate
from strandline.core.changes.noise.site_noise import SiteNoise
from strandline.core.changes.noise.volatility import NoiseState, Rating
from strandline.core.changes.observation import Observed, PageState, PageStudy, Sighted
from strandline.core.changes.score.importance import BELIEF, BlockReason, importance, study
from strandline.core.changes.score.novelty import NOVELTY_SCALE
from strandline.core.changes.told.sentences import with_sentence
from strandline.core.changes.versions import Sight, block_record, layout_record
from strandline.study.documents import Document, PageReader, UnreadableError

OPAQUE: Final = 1.0 - exp(-10.0 / NOVELTY_SCALE)
"""What a change counts of which no text can be compared (a film, a redirect): ten new words. Origin: a guess."""
BESIDE: Final = 0.05
"""What a change counts of what is seen beside the text of a page: that of a dropped sentence. Origin: a guess."""
MOST_REASONS: Final = 40
"""Changed blocks that are told one by one; a page of thousands would fill the catalog. Origin: a bound on memory."""
_PARTS: Final = (
    "image/", "font/", "audio/", "video/", "text/css", "text/javascript", "application/javascript",
    "application/x-javascript", "application/json", "application/xml", "text/xml", "application/rss+xml",
    "application/atom+xml",
)  # fmt: skip
"""Parts of pages, lists and feeds: pages show what matters of them."""
_LATE: Final = 30.0
"""Times the pause before a second fetch after which an answer no longer counts as one. Origin: a guess."""
_WORTH_ASKING: Final = 1.0
"""New words, by the weight of their block, with fewer of which nobody asks whether they are noise. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class StudyRules:
    """How pages are studied."""

    level: int = 2
    hold: float = 600.0
    """Seconds after which a page whose change is held is asked again."""
    double_fetch: float = 0.0
    """Seconds after which a page is fetched a second time, where it is not known what always differs; 0 for never."""
    site_noise: Callable[[str], SiteNoise] = lambda _: SiteNoise()
    """What is known of the site of an address."""
    advertising: Callable[[str], AdRule] = lambda _: is_advertising
    """The rule for the links and pictures of a page, by its address."""


@dataclass(frozen=True, slots=True)
class PageWork:
    """What is to be studied of one page."""

    page: int
    url: str
    state: PageState | None
    base: Capture | None
    """The capture that `state.base` numbers."""
    captures: tuple[Sighted, ...]
    ratings: Mapping[str, Rating] = field(default_factory=dict)
    skip: frozenset[int] = frozenset()
    """Captures that ended the process that studied them."""
    anew: bool = False
    template: Template = NO_TEMPLATE
    """What the pages of its site have in common."""


def needs_reading(work: PageWork) -> bool:
    """Whether any capture has to be read back: when not, the work is done in microseconds."""
    if work.state is None:
        return any(not _ends_early(one.capture, "", 2) for one in work.captures)
    held = bool(work.state.noise) and NoiseState.from_bytes(work.state.noise).held > 0
    return held or any(not _ends_early(one.capture, work.state.digest, work.state.absent) for one in work.captures)


def _ends_early(capture: Capture, digest: str, absent: int) -> bool:
    if capture.status in GONE:
        return absent >= 2 or not digest
    if capture.status == 304 or identity_of(capture) == digest:
        return True
    return not shows_page(capture)


def study_page(
    work: PageWork, reader: PageReader, rules: StudyRules, begins: Callable[[int], None] = lambda _: None
) -> PageStudy:
    """Study a page's captures; `begins` hears the number of each capture before it is looked at."""
    student = _Student(work, reader, rules)
    for one in sorted(work.captures, key=lambda one: one.order):
        if one.seq in work.skip:
            student.problems.append((one.seq, "left out: it ended the process that studied it"))
            continue
        begins(one.seq)
        try:
            student.take(one)
        except UnreadableError as problem:
            student.problems.append((one.seq, str(problem)))
    return student.result()


class _Student:
    """A study under way."""

    def __init__(self, work: PageWork, reader: PageReader, rules: StudyRules) -> None:
        self._work = work
        self._reader = reader
        self._rules = rules
        self._advertising = rules.advertising(work.url)
        self.state = work.state or PageState(level=rules.level)
        self._noise = NoiseState.from_bytes(self.state.noise) if self.state.noise else NoiseState()
        self._noise.ratings.clear()  # what was taken back no longer holds
        for path, rating in work.ratings.items():
            self._noise.rate_block(path, rating)
        self._site = rules.site_noise(work.url)
        self._site.learn(work.page, self._noise)
        self._noise.noisy_elsewhere, self._noise.steady_elsewhere = self._site.noisy, self._site.steady
        self._base = work.base
        self._tree: BlockTree | None = None
        self._said: dict[str, str | int] = {}
        self._changes: list[Observed] = []
        self._versions: list[Sight] = []
        self.problems: list[tuple[int, str]] = []
        self._again = 0.0

    def take(self, one: Sighted) -> None:
        """Study one capture."""
        capture = one.capture
        self._again = 0.0
        try:
            if capture.status in GONE:
                self._gone(one)
            elif not shows_page(capture) or self._says_nothing(capture):
                return
            elif self._same(capture):
                self._unchanged(one)
            elif self._looked_otherwise(capture):
                self._begin_anew(one)
            elif capture.redirect:
                self._opaque(one, f"the address leads to {capture.redirect}")
            else:
                self._look(one)
        finally:
            self.state = replace(self.state, time=capture.time, seq=one.seq)

    def _same(self, capture: Capture) -> bool:
        """Whether the answer itself says that nothing changed. While a change is held, 304 is about that one."""
        if not self.state.base:
            return False
        if capture.status == 304:
            return not self._noise.held
        return identity_of(capture) == self.state.digest

    def _says_nothing(self, capture: Capture) -> bool:
        """Whether a page that a browser showed answered as it did then: without a browser that tells no more."""
        base = self._base
        shown = self.state.base > 0 and base is not None and base.rendering is not None and capture.rendering is None
        return shown and base is not None and base.digest == capture.digest

    def _looked_otherwise(self, capture: Capture) -> bool:
        """Whether a page that was known by its answers is shown in a browser now: another look, no other page."""
        base = self._base
        return self.state.base > 0 and base is not None and base.rendering is None and capture.rendering is not None

    def _begin_anew(self, one: Sighted) -> None:
        """Stand on what a browser shows from now on, without a change: there is nothing to compare it with."""
        document = self._reader.read(one.capture)
        tree = self._cut(document, one.capture.url)
        self._said = self._reader.metadata(document, tree)
        self._store(one, tree, 0.0)
        self._stand_on(one, self._reader.visible_hash(document) or 1)
        self._tree = tree

    def result(self) -> PageStudy:
        """What there is to record."""
        return PageStudy(
            self._work.page,
            replace(self.state, noise=self._noise.as_bytes()),
            tuple(self._changes),
            tuple(self._versions),
            tuple(self.problems),
            self._again,
            self._work.anew,
        )

    # The steps

    def _unchanged(self, one: Sighted) -> None:
        if self.state.absent >= 2:
            self._back(one)
        self._same_twice(one)
        self._noise.learn_unchanged()
        self.state = replace(self.state, seen=one.capture.time, absent=0, doubling=0.0)

    def _back(self, one: Sighted) -> None:
        self._note(one, visible=True, blocks=({"path": "", "why": "the page is back as it was"},))

    def _gone(self, one: Sighted) -> None:
        if not self.state.base or self.state.absent >= 2:
            return
        worth, reasons = OPAQUE, ({"path": "", "why": f"the page is gone ({one.capture.status})"},)
        if old := self._old_tree():
            gone = compare(old, BlockTree((), old.level, old.scale, old.url), self._advertising)
            worth = importance(gone, self._noise, self._advertising, self._work.template).believed
        held = self.state.absent == 0
        self._note(
            one, visible=True, held=held, importance=BELIEF * worth if held else worth, impch=1.0, blocks=reasons
        )
        self.state = replace(self.state, absent=self.state.absent + 1)
        if held:
            self._again = one.capture.time + self._rules.hold

    def _opaque(self, one: Sighted, why: str) -> None:
        """A page without blocks: it is the same, or it is another."""
        if self.state.base:
            counts = one.kind is Kind.PAGE and not one.capture.mime.startswith(_PARTS)
            worth = OPAQUE if counts else 0.0
            self._note(one, visible=counts, importance=worth, impch=float(counts), blocks=({"path": "", "why": why},))
        self._tree = None
        self._stand_on(one, 0)

    def _picture(self, one: Sighted, picture: int) -> None:
        """A picture is compared by what it shows; one that was encoded anew is the same."""
        known = self._known_picture()
        if known and same_picture(known, picture):
            self._invisible(one, picture)
            return
        if self.state.base:
            worth = OPAQUE if one.kind is Kind.PAGE else 0.0  # a part of a page: the page is what is planned for
            told = {"path": "", "why": "another picture", "told": {"sentence": ANOTHER}}
            self._note(one, visible=True, importance=worth, impch=1.0, blocks=(told,))
        self._tree = None
        self._stand_on(one, picture)

    def _known_picture(self) -> int:
        """What the picture to compare with looks like; 0 when it was none, or cannot be had."""
        if self._base is None or not self._is_picture:
            return 0
        try:
            return self.state.visible or self._reader.read(self._base).picture
        except UnreadableError:
            return 0

    @property
    def _is_picture(self) -> bool:
        return self._base is not None and self._base.mime.startswith("image/")

    def _look(self, one: Sighted) -> None:
        document = self._reader.read(one.capture)
        if document.picture:
            self._picture(one, document.picture)
            return
        if not document.text:
            self._opaque(one, f"other content ({document.mime or 'of unknown type'})")
            return
        shown = self._reader.visible_hash(document) or 1
        if self.state.base and shown == self.state.visible:
            self._invisible(one, shown)
            return
        tree = self._cut(document, one.capture.url)
        self._said = self._reader.metadata(document, tree)
        old = self._old_tree()
        if old is None:
            if self.state.base:
                self._note(one, visible=True, importance=OPAQUE, impch=1.0, blocks=({"path": "", "why": "other type"},))
            self._store(one, tree, 0.0)
        else:
            moments = (self._base.time, one.capture.time) if self._base else None
            delta = compare(old, tree, self._advertising, str(self._said.get("language", "")), moments)
            if delta.empty:
                if not self._other_beside(one, document):
                    self._invisible(one, shown)
                    return
                self._store(one, tree, BESIDE)
            elif not self._second_fetch(one, delta) and self._score(one, delta):
                return
        self._stand_on(one, shown)
        self._tree = tree
        self.state = replace(self.state, scale=self.state.scale or tree.scale)

    def _other_beside(self, one: Sighted, document: Document) -> bool:
        """Note what readers see beside the text, if it is another: a field of a form, a formula, what is hidden."""
        if self._base is None or self.state.absent >= 2:
            return False
        if told := self._reader.told_beside(self._reader.read(self._base), document):
            reason = {"path": "", "why": "seen beside the text", "told": {"sentence": told}}
            self._note(one, visible=True, importance=BESIDE, impch=0.0, blocks=(reason,))
        return bool(told)

    def _score(self, one: Sighted, delta: Delta) -> bool:
        """Score a change and store the version; True when the change is held."""
        scored = study(delta, self._noise, self._advertising, self._work.template)
        reasons = with_sentence(delta, scored, [reason.as_data() for reason in scored.reasons[:MOST_REASONS]])
        self._note(
            one, visible=True, held=scored.held, importance=scored.value, impch=scored.impch,
            operations=len(delta.operations), blocks=reasons,
        )  # fmt: skip
        if scored.held:
            self._again = one.capture.time + self._rules.hold
            return True
        self._store(one, delta.new, scored.value)
        self._ask_twice(one, scored.reasons)
        return False

    def _invisible(self, one: Sighted, shown: int) -> None:
        if self.state.absent >= 2:
            self._back(one)
        else:
            self._note(one, visible=False)
        self._same_twice(one)
        tree = self._tree
        self._noise.learn_unchanged()
        self._stand_on(one, shown)
        self._tree = tree

    # Two fetches seconds apart

    def _ask_twice(self, one: Sighted, reasons: Sequence[BlockReason]) -> None:
        """A second fetch tells whether what changed changes at every look, unless that is known, or hardly matters."""
        if not self._rules.double_fetch or self._noise.double_fetches:
            return
        blocks = [reason for reason in reasons if reason.factor * reason.novelty >= _WORTH_ASKING and not reason.rating]
        if self._site.doubts({self._noise.settled(reason.place) for reason in blocks}):
            self._again = one.capture.time + self._rules.double_fetch
            self.state = replace(self.state, doubling=one.capture.time)

    def _is_second(self, one: Sighted) -> bool:
        """Whether a capture came soon after one that asked for it."""
        asked = self.state.doubling
        self.state = replace(self.state, doubling=0.0)
        return asked > 0 and one.capture.time <= asked + (1.0 + _LATE) * self._rules.double_fetch

    def _second_fetch(self, one: Sighted, delta: Delta) -> bool:
        if not self._is_second(one):
            return False
        self._noise.learn_double_fetch(delta)
        self._site.learn(self._work.page, self._noise)
        return True

    def _same_twice(self, one: Sighted) -> None:
        if self._is_second(one):
            self._noise.learn_same_twice()
            self._site.learn(self._work.page, self._noise)

    # What is kept

    def _stand_on(self, one: Sighted, shown: int) -> None:
        """Compare with this capture from now on."""
        self._base = one.capture
        identity = identity_of(one.capture)
        asked = self.state.doubling if self.state.doubling == one.capture.time else 0.0
        self.state = replace(
            self.state, base=one.seq, digest=identity, visible=shown, seen=one.capture.time, absent=0, doubling=asked
        )

    def _known_tree(self) -> BlockTree:
        """The version to compare with, read back when it is not at hand."""
        if self._tree is None:
            if self._base is None:
                raise UnreadableError("the version to compare with is not known")
            self._tree = self._cut(self._reader.read(self._base), self._base.url)
        return self._tree

    def _cut(self, document: Document, url: str) -> BlockTree:
        return self._reader.blocks(document, url, PageLevel(self.state.level, self.state.scale))

    def _old_tree(self) -> BlockTree | None:
        """The version to compare with; None for the first, after one without blocks, or when it is lost."""
        if not self.state.base or not self.state.visible or self._is_picture:
            return None
        try:
            return self._known_tree()
        except UnreadableError as problem:
            self.problems.append((self.state.base, str(problem)))
            return None

    def _note(self, one: Sighted, **what: Any) -> None:  # noqa: ANN401 - the fields of Observed
        observed = Observed(self.state.base, one.seq, self.state.seen, one.capture.time, **what)
        self._changes.append(observed)
        if observed.visible and not observed.held:
            self.state = replace(
                self.state, importance=self.state.importance + observed.importance, changes=self.state.changes + 1
            )

    def _store(self, one: Sighted, tree: BlockTree, value: float) -> None:
        """Keep a version, and its words in the search index when enough has changed since the last one there."""
        first = not self.state.base
        self.state = replace(self.state, begun=min(self.state.begun, one.capture.time))
        gate = IndexGate(0.0 if first else self.state.threshold, self.state.passed_over)
        indexed = gate.admits(value)
        self.state = replace(self.state, passed_over=gate.skipped)
        blocks = tuple(block_record(block) for block in tree.blocks)
        after = one.capture.time if first else self.state.seen
        self._versions.append(Sight(one.seq, after, one.capture.time, layout_record(tree), blocks, indexed, self._said))
