"""How much a change matters, as two numbers side by side, each with its reasons.

`Importance.impch` is the formula of paper 001 (`impch`). `Importance.value` is what visits are planned by: new words,
without what was learned to be the page's own noise (`volatility`):

    importance = 1 - exp(-x / 30),   x = sum over changed blocks f(b) * v(b) * n(b) + d(b)

with f the block's factor (`roles`), n(b) what is new in it (`novelty`) and d(b) what edits of it add by what they say
(`item_changes`). v is 1 in the page's own part (`page_kind`), where only what a text says, and what became of it
earlier, decides; beside it, v is the block's steadiness (`volatility`).

A page whose number of blocks halves or doubles is more often an error page, a bot wall or half a page than news (106 of
117 cases): such a change is *held*. Until a second fetch shows the same, it counts at its expected worth.
"""

import math
from functools import lru_cache
from typing import Any, Final, Literal

from strandline.core.blocks.roles import AdRule, block_factor, is_advertising
from strandline.core.blocks.site_template import NO_TEMPLATE, Template
from strandline.core.blocks.topic import topic, topic_of
from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.carried import noise_place
from strandline.core.changes.delta.delta import BlockChange, Delta
from strandline.core.changes.delta.impch import impch
from strandline.core.changes.noise.volatility import NoiseState, Rating, steadiness
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.score.item_changes import TOLD
from strandline.core.changes.score.novelty import NEW_FIGURE, NOVELTY_SCALE, Novelty, NoveltyCounter
from strandline.core.quick_dataclass import dataclass
from strandline.core.wording import counted

ChangeKind = Literal["inserted", "deleted", "updated"]

BELIEF: Final = 0.09
"""Share of collapses that turned out to be real: what a held change is expected to be worth.
Origin: measured, 11 of 117 cases on policy pages, docs/changes.md."""
COLLAPSE: Final = 2.0
"""Times fewer, or more, blocks that make a collapse.
Origin: measured, 106 of 117 such cases were no change of the page."""
FEW: Final = 4
"""Blocks more or less that are never a collapse. Origin: a guess."""
UNKNOWN: Final = steadiness((0.0, 0.0))
"""Steadiness of a block of which nothing is known. Origin: derived, from `volatility.steadiness`."""
MATTERS: Final = 1.0
"""Factor of a block that people rated as mattering. Origin: a definition."""
OWN: Final = 0.3
"""Factor of a block from which edits of the page's own text count in full. Origin: a guess."""
NOTABLE: Final = 0.2
"""Share below which a block whose changes count so little is told why. Origin: a guess."""
_DID: Final[dict[ChangeKind, str]] = {"inserted": "appeared", "deleted": "vanished", "updated": "changed"}


@dataclass(frozen=True, slots=True)
class BlockReason:
    """Why one changed block adds what it adds. What it says in words is made when it is asked for."""

    block: PageBlock
    kind: ChangeKind
    factor: float
    steadiness: float
    counted: Novelty
    history: tuple[float, float]  # comparisons of the block's path so far, and changes among them
    decisive: float = 0.0  # what edits add by what they say
    rating: Rating | None = None
    masked: bool = False
    framing: bool = False  # whether the site's other pages show most of it, too

    @property
    def path(self) -> str:
        """Where the block lies."""
        return self.block.path

    @property
    def place(self) -> str:
        """Where its noise is kept."""
        return noise_place(self.block)

    @property
    def nth(self) -> int:
        """Which of the blocks with this path it is."""
        return self.block.nth

    @property
    def role(self) -> str:
        """What the block is for."""
        return self.block.role

    @property
    def topic(self) -> str:
        """What the block is about."""
        return _topic_of(self.block.lead) if self.block.lead else topic(self.block)

    @property
    def novelty(self) -> float:
        """n(b)."""
        return self.counted.value

    @property
    def contribution(self) -> float:
        """f(b) * v(b) * n(b), and what edits add by what they say."""
        return self.factor * self.steadiness * self.counted.value + self.decisive

    @property
    def why(self) -> str:
        """The reason in words."""
        found, (known, times) = self.counted, self.history
        parts = []
        if found.new_words:
            parts.append(f"{counted(found.new_words, 'new word')} ({', '.join(found.examples)})")
        if found.new_pairs:
            parts.append(f"known words in {counted(found.new_pairs, 'new pair')}")
        if found.figures:
            parts.append(counted(found.figures, "other figure"))
        if found.lost_words:
            parts.append(f"{counted(found.lost_words, 'word')} gone")
        if found.linked:
            parts.append(counted(found.linked, "link or picture", "links or pictures"))
        if found.masked:
            texts = "text that differs at every fetch", "texts that differ at every fetch"
            parts.append(counted(found.masked, *texts))
        said = f"{_DID[self.kind]}: {', '.join(parts) or 'no new words'}"
        if self.rating:
            said += f"; rated {self.rating!r}"
        elif self.masked:
            said += "; differs at every fetch"
        elif known >= 1.0:
            said += f"; changed in {times:.0f} of {known:.0f} comparisons"
        return said

    @property
    def noise(self) -> str:
        """The strongest reason why the change counts less than it looks; empty when there is none."""
        items = self.counted.items
        if items and not self.rating and not self.masked and not any([item.counts for item in items]):
            return items[0].why
        if self.factor * self.steadiness >= NOTABLE and not self.counted.returned:
            return ""
        if self.rating:
            return "rated noise" if self.rating == "noise" else ""
        if self.masked:
            return "differs at every fetch"
        block, (known, times) = self.block, self.history
        if 4 * times > known >= 2.0 and self.steadiness < UNKNOWN:
            return f"changed in {times:.0f} of {known:.0f} comparisons"
        if not self.counted.new_words and self.counted.returned:
            return "was shown before"
        if block.hint or block.role not in ("", "main"):
            return f"part of the page: {block.hint or block.role}"
        if self.framing:
            return "on other pages of the site, too"
        return "mostly links" if 2 * block.link_density > 1 else ""

    def as_data(self) -> dict[str, Any]:
        """As `changes --json` shows it."""
        block = self.block
        return {
            "path": block.path,
            "nth": block.nth,
            "kind": self.kind,
            "topic": self.topic,
            "role": block.role,
            "factor": round(self.factor, 4),
            "steadiness": round(self.steadiness, 4),
            "novelty": round(self.novelty, 3),
            "contribution": round(self.contribution, 4),
            "why": self.why,
            "noise": self.noise,
            "items": [item.as_data() for item in self.counted.items[:TOLD]],
        }


_topic_of = lru_cache(maxsize=1 << 9)(topic_of)  # restless blocks keep their headings


@dataclass(frozen=True, slots=True)
class Importance:
    """Both scores of a change, in [0, 1], and what they are made of, the weightiest block first."""

    value: float
    impch: float
    reasons: tuple[BlockReason, ...] = ()
    held: bool = False
    believed: float = 0.0  # what `value` is once a held change is believed; the same when it is not held


def importance(
    delta: Delta, noise: NoiseState, advertising: AdRule = is_advertising, template: Template = NO_TEMPLATE
) -> Importance:
    """How much a change matters. Reads the noise state and does not change it: see `study`.

    `template` is what the pages of the site have in common, as far as others of them are known.
    """
    reasons = _reasons(delta, noise, advertising, template) if any(change.content for change in delta.changes) else []
    reasons.sort(key=lambda one: -one[0])
    believed = 1.0 - math.exp(-sum([contribution for contribution, _ in reasons]) / NOVELTY_SCALE)
    blocks = len(delta.new.blocks)
    held = is_collapse(delta) and not _confirms(noise.held, blocks)
    value = believed
    if held:  # seen again, but still not believed: it was counted the first time
        value = 0.0 if noise.held == blocks + 1 else BELIEF * believed
    return Importance(value, impch(delta), tuple([reason for _, reason in reasons]), held, believed)


def study(
    delta: Delta, noise: NoiseState, advertising: AdRule = is_advertising, template: Template = NO_TEMPLATE
) -> Importance:
    """Score a change, then learn from it.

    A held change teaches nothing: the caller fetches again and compares with the same old version.
    """
    scored = importance(delta, noise, advertising, template)
    if scored.held:
        noise.held = len(delta.new.blocks) + 1
    else:
        noise.held = 0
        noise.learn(delta)
    return scored


def is_collapse(delta: Delta) -> bool:
    """True when the page has less than half, or more than twice, as many blocks as before."""
    before, after = len(delta.old.blocks), len(delta.new.blocks)
    return before > 0 and abs(before - after) >= FEW and (after * COLLAPSE < before or before * COLLAPSE < after)


def _confirms(held: int, blocks: int) -> bool:
    """True when a page of so many blocks is the collapse that was held before, seen again; an empty page never is."""
    return held > 0 and blocks > 0 and held <= COLLAPSE * (blocks + 1) and blocks + 1 <= COLLAPSE * held


def _reasons(
    delta: Delta, noise: NoiseState, advertising: AdRule, template: Template
) -> list[tuple[float, BlockReason]]:
    """Why each changed block adds what it adds, behind that."""
    kind = PageKind(delta.new if delta.new.blocks else delta.old, template, noise, delta.old)
    counter = NoveltyCounter(delta, noise, advertising, kind)
    reasons: list[tuple[float, BlockReason]] = []
    for change, found in counter.novelties():
        reason = _reason(change, found, noise, kind)
        contribution = reason.contribution
        reasons.append((contribution, reason))
        counter.left -= contribution
    return reasons


def _reason(change: BlockChange, counted: Novelty, noise: NoiseState, page: PageKind) -> BlockReason:
    block = change.block
    history = noise.history(noise_place(block))
    factor, own = page.factor(block, block_factor(block)), page.owns(block)
    if own:
        steady, decisive = 1.0, counted.anywhere + counted.decisive * (1.0 if factor >= OWN else factor)
    else:
        steady = steadiness(history, block.linked)
        # Headlines beside a text rotate: only a double fetch tells them from the news of a front page.
        told = 1.0 if noise.is_checked(block) else 1.0 - block.linked
        steady = max(steady, told * counted.fresh * UNKNOWN, counted.content * UNKNOWN)
        decisive = max(counted.anywhere, counted.decisive * factor * steadiness(history, block.linked))
    rating = noise.rating(block.path) if noise.ratings else None
    masked = noise.is_masked(block)
    if rating == "noise" or (masked and rating is None):
        steady = decisive = 0.0
    elif rating == "matters":
        factor, steady = MATTERS, 1.0
        decisive = counted.decisive + NEW_FIGURE * sum(not item.counts for item in counted.items)
    kind: ChangeKind = "inserted" if change.old is None else "deleted" if change.new is None else "updated"
    return BlockReason(block, kind, factor, steady, counted, history, decisive, rating, masked, page.frames(block))
