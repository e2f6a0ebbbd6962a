"""Cutting a page into blocks: top-down by weight and meaning, then long runs of text by their own content.

Paper 003 cuts by layout alone and reports that it fails on pages that are mostly text, so long runs are cut here too,
at headings and at paragraphs chosen by their content. Every such decision looks only at the paragraph itself or at its
own section. So a paragraph inserted into a long text changes the block it falls into, and at most splits it in two.

Division of a node, from the root down (`LayoutTree.weights`; a rendered page is measured in pixels instead):
    one weighty child and nothing else     go on with the child
    light, and no child with a role        one leaf
    otherwise                              children that are heavy, have a role, or are sizeable containers are divided;
                                           what lies between them forms runs, each a leaf; what its names call a
                                           cookie notice, advertising and the like is no part of a run of the page's
                                           own text, however short it is
Cuts inside a leaf:
    before a heading, when its previous section is not tiny
    after a paragraph of n characters (in powers of two) when the hash of its first words, as a number in [0, 1), is
    below n / scale: so an edit inside a paragraph does not move the cuts
    where a piece is still larger than the level allows, at its paragraph of smallest hash, again and again
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Final

import numpy as np

from strandline.core.blocks.levels import DEFAULT_LEVEL, PageLevel
from strandline.core.blocks.roles import BESIDE, POLICIES, block_role_inside
from strandline.core.blocks.tree import BlockTree, LayoutTree, PageBlock
from strandline.core.quick_dataclass import dataclass

SMALLEST: Final = 120
"""Weight below which a section or child is not worth a block of its own.
Origin: a guess; tried as a whole on 210 pages."""
LIGHT: Final = 800
"""Weight up to which a node is never too heavy. Origin: a guess; tried as a whole on 210 pages."""
SMALL_PAGE: Final = 2 * LIGHT
"""Weight of a page of which all would be one part but for its columns. Origin: a guess."""
MOST_COLUMNS: Final = 6
"""Parts of a page side by side. Origin: a guess."""
COLUMNS: Final = ("div", "tr", "td")
"""What columns are made of, and the rows they stand in."""
SHARE: Final = {1: 0.5, 2: 0.15, 3: 0.05}
"""Part of the page a node may hold undivided, by level. Origin: a guess; tried as a whole on 210 pages."""
LARGEST_TEXT: Final = {1: 0.5, 2: 0.17, 3: 0.08}
"""Part of the page a piece of text may hold, by level. Origin: a guess."""
AREA: Final = {1: 0.30, 2: 0.10, 3: 0.03}
"""Part of the page's area a rendered node may hold undivided, by level. Origin: a guess."""
SCALE_OF_LEVEL: Final = {1: 3.0, 2: 1.0, 3: 0.4}
"""How much longer than at level 2 texts are when they are cut. Origin: a guess."""
_HASH_SPACE: Final = float(1 << 64)
"""Values a hash can have. Origin: a definition."""
HEADING: Final = 6
"""Prominence up to which a text is a heading. Origin: a definition, HTML."""
TITLE: Final = 1
"""Prominence of the page's own. Origin: a definition, HTML."""
MOST_BESIDE: Final = 100
"""Children of a node that are kept apart because of their names. Origin: a bound on time."""
DEEPEST: Final = 100
"""Steps of a path; what lies deeper is told apart by number. Origin: a bound on memory."""

Span = tuple[int, int]
Part = tuple[int, Span | None]  # a node and what it shows as a leaf; None: still to be divided


def partition(layout: LayoutTree, how: PageLevel = PageLevel(DEFAULT_LEVEL), url: str = "") -> BlockTree:  # noqa: B008
    """Cut a page into blocks at a level."""
    cutter = _Cutter(layout, how)
    leaves = cutter.leaves() if layout.ends else []
    pieces = [(node, piece) for node, span in leaves for piece in cutter.pieces(span)]
    seen: dict[str, int] = {}
    blocks = []
    for node, span in pieces:
        place = cutter.place(node)
        nth = seen.get(place.path, 0)
        blocks.append(cutter.block(span, place, nth))
        seen[place.path] = nth + 1
    rendered = layout.sizes is not None
    return BlockTree(tuple(blocks), how.level, cutter.scale, url, layout.title, rendered)


def scale_of(total: int) -> int:
    """Mean length of a piece of text for a page of `total` characters, in coarse steps.

    >>> [scale_of(n) for n in (900, 5_000, 20_000, 30_000, 90_000, 100_000)]
    [60, 125, 500, 1000, 1000, 2000]
    """
    for limit, scale in ((1_500, 60), (6_000, 125), (24_000, 500), (96_000, 1_000), (384_000, 2_000)):
        if total < limit:
            return scale
    return 4_000


def _inside(places: list[int], span: Span) -> list[int]:
    """The sorted places that lie strictly inside a span."""
    return places[bisect_right(places, span[0]) : bisect_left(places, span[1])]


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    role: str
    hint: str
    depth: int = 0


class _Cutter:
    """One partition under way: the layout, its running sums, and the limits of the level."""

    def __init__(self, layout: LayoutTree, how: PageLevel) -> None:
        self.layout = layout
        self._weights_up_to = layout.weights.cumsum()
        self.before: list[int] = [0, *self._weights_up_to.tolist()]
        self.links_before: list[int] = [0, *layout.link_weights.cumsum().tolist()]
        self.prominence: list[int] = layout.prominence.tolist()
        self.text_before: list[int] = []
        self.content_before: list[float] = []
        if layout.content is not None:
            letters = np.where(layout.content >= 0.0, layout.weights, 0)
            self.text_before = [0, *np.cumsum(letters).tolist()]
            self.content_before = [0.0, *np.cumsum(letters * layout.content).tolist()]
        self.total = self.before[-1]
        self.scale = how.scale or scale_of(self.total)
        self.text_scale = self.scale * SCALE_OF_LEVEL[how.level]
        self.heavy = float(max(LIGHT, self.total * SHARE[how.level]))
        self.largest_text = max(self.total * LARGEST_TEXT[how.level], self.text_scale)
        self.sizes = layout.sizes
        if self.sizes:
            self.heavy = self.sizes[0] * AREA[how.level]
        self._places: dict[int, _Place] = {-1: _Place("", "", "")}
        self._columns: dict[int, int] = {}
        self._find_cuts()

    def weight(self, node: int) -> int:
        return self.before[self.layout.lasts[node]] - self.before[self.layout.firsts[node]]

    def leaves(self) -> list[tuple[int, Span]]:
        """(node, range of items) of each undivided part of the page, in page order."""
        found: list[tuple[int, Span]] = []
        todo: list[Part] = [(0, None)]
        while todo:
            node, span = todo.pop()
            if span is not None:
                found.append((node, span))
                continue
            todo.extend(reversed(self._divided(node)))
        return found

    def _divided(self, node: int) -> list[Part]:
        """What a node falls into."""
        layout = self.layout
        while True:
            first, last = layout.firsts[node], layout.lasts[node]
            children = self._children(node)
            if len(children) != 1 or (layout.firsts[children[0]], layout.lasts[children[0]]) != (first, last):
                break
            node = children[0]
        if first == last:
            return []
        place = self.place(node)
        beside = self._beside(children, place.role)
        size = self.sizes[node] if self.sizes else self.weight(node)
        whole = not beside and not any(layout.apart[child] for child in children) and not self._looks_cut(children)
        if size <= self.heavy and whole:
            return [(child, None) for child in children] if self._is_shell(node, children) else [(node, (first, last))]
        parts: list[Part] = []
        usual, kind = (place.hint, place.role), ("", "")  # hint and role of the node, and of the run so far
        for child, span in self._in_order(node, children):
            if child != node and self._stands_alone(child):
                parts.append((child, None))
                continue
            holder, run = parts[-1] if parts else (node, None)
            own, named = node, usual
            if child in beside:
                own, hint = beside[child]
                named = hint, self.place(own).role
            if run and named == kind and not (child != node and layout.cuts and layout.cuts[child]):
                parts[-1] = holder, (run[0], span[1])
            else:
                parts.append((own, span))
            kind = named
        return parts

    def _is_shell(self, node: int, children: list[int]) -> bool:
        """Whether a node of a page so small that sizes tell nothing is there for its parts, as columns are: it holds
        nothing but parts of other names, or that are made of other things; entries of a list look alike. Columns
        without names of their own are numbered. Rows of a table are parts where one of them has columns.
        """
        if self.total > SMALL_PAGE or not 1 < len(children) <= MOST_COLUMNS:
            return False
        layout = self.layout
        steps = [layout.step(child) for child in children]
        if not all(step.startswith(COLUMNS) for step in steps) or any(
            holder == node for holder, _ in self._in_order(node, children)
        ):
            return False
        if len(set(steps)) == len(steps):
            return True
        rows = steps[0] == "tr" and any(self._is_shell(child, self._children(child)) for child in children)
        made_of = [{layout.step(part) for part in self._children(child)} or {""} for child in children]
        if not rows and sum(map(len, made_of)) > len(set().union(*made_of)):
            return False
        self._columns.update((child, number) for number, child in enumerate(children, 1))
        return True

    def _in_order(self, node: int, children: list[int]) -> Iterator[tuple[int, Span]]:
        """All that a node holds, in page order: its children, and as the node itself what lies in none of them."""
        end = self.layout.firsts[node]
        for child in children:
            span = self.layout.firsts[child], self.layout.lasts[child]
            if span[0] > end:
                yield node, (end, span[0])
            yield child, span
            end = span[1]
        if end < self.layout.lasts[node]:
            yield node, (end, self.layout.lasts[node])

    def _beside(self, children: list[int], role: str) -> dict[int, tuple[int, str]]:
        """Children in a part with this role whose names call them no part of what the page is about.

        Each comes with the node that bears the name, and what it is. What holds the title of the page is none of them,
        and a long list of such children is what the page is about.
        """
        layout, found = self.layout, {}
        ends, firsts, lasts = layout.ends, layout.firsts, layout.lasts
        for child in children:
            named, end, first, last = child, ends[child], firsts[child], lasts[child]
            while not (hint := layout.hint(named)):
                named += 1  # what holds all of it may bear the name
                if named >= end or firsts[named] != first or lasts[named] != last:
                    break
            if hint in BESIDE and self._hint(named, role) and not self._holds_title(child):
                found[child] = named, hint
        return found if len(found) <= MOST_BESIDE else {}

    def _holds_title(self, node: int) -> bool:
        return TITLE in self.prominence[self.layout.firsts[node] : self.layout.lasts[node]]

    def _hint(self, node: int, role: str) -> str:
        """What a node's names say it is for, if they speak of a part of the page."""
        hint = self.layout.hint(node)
        if hint == "hidden":
            return hint
        # A name on an element that holds most of the page speaks of the page; cookies in the main part are its subject.
        if 2 * self.weight(node) > self.total or (role == "main" and hint in POLICIES):
            return ""
        return hint

    def _children(self, node: int) -> list[int]:
        """Children of a node that hold anything."""
        ends, firsts, lasts = self.layout.ends, self.layout.firsts, self.layout.lasts
        children = []
        child, end = node + 1, ends[node]
        while child < end:
            if lasts[child] > firsts[child]:
                children.append(child)
            child = ends[child]
        return children

    def _stands_alone(self, child: int) -> bool:
        layout = self.layout
        if layout.apart[child]:
            return True
        if self.sizes:
            return self.sizes[child] >= self.heavy
        weight = self.weight(child)
        return weight > self.heavy or (layout.containers[child] and weight >= 3 * SMALLEST)

    def _looks_cut(self, children: list[int]) -> bool:
        cuts = self.layout.cuts
        return bool(cuts) and any(cuts[child] for child in children[1:])

    def _find_cuts(self) -> None:
        """Where, by the page's content alone, paragraphs and headings begin and texts are cut; all as item numbers."""
        layout = self.layout
        texts = layout.item_kinds == 0
        ends_paragraph = texts.copy()  # a paragraph is a run of text with the links and images that precede it
        ends_paragraph[:-1] |= layout.nodes[:-1] != layout.nodes[1:]
        last_items = ends_paragraph.nonzero()[0]
        starts = last_items + 1  # of every paragraph but the first
        lengths = self._weights_up_to[last_items]
        lengths[1:] -= lengths[:-1].copy()
        self.chances = layout.hashes / _HASH_SPACE
        is_heading = layout.prominence <= HEADING
        after_text = ~is_heading[last_items]  # a heading is never cut from what it heads
        rounded = 1.44 * np.exp2(np.floor(np.log2(np.maximum(lengths, 1))))  # 1.44: the mean stays what it was
        chosen = (self.chances[last_items] < rounded / self.text_scale) & after_text
        self.paragraphs: list[int] = starts[after_text].tolist()
        self.content_cuts: list[int] = starts[chosen].tolist()
        begins = starts[:-1] if starts.size and starts[-1] == len(layout.items) else starts
        self.headings: list[int] = begins[is_heading[begins]].tolist()

    def pieces(self, span: Span) -> list[Span]:
        """A leaf cut at headings and at paragraphs chosen by their content."""
        if self.before[span[1]] - self.before[span[0]] <= SMALLEST:
            return [span]
        cuts = sorted({*_inside(self.content_cuts, span), *self._section_starts(span)})
        pieces: list[Span] = []
        start = span[0]
        for cut in (*cuts, span[1]):
            pieces.extend(self._fitting((start, cut)))
            start = cut
        return pieces

    def _section_starts(self, span: Span) -> list[int]:
        """Headings whose previous section is not tiny."""
        starts = []
        section = span[0]
        for heading in _inside(self.headings, span):
            if self.before[heading] - self.before[section] >= SMALLEST:
                starts.append(heading)
            section = heading
        return starts

    def _fitting(self, span: Span) -> list[Span]:
        """A piece in parts that are no larger than the level allows, as far as its paragraphs let it."""
        done: list[Span] = []
        todo = [span]
        while todo:
            part = todo.pop()
            inner: list[int] = []
            if self.before[part[1]] - self.before[part[0]] > self.largest_text:
                inner = _inside(self.paragraphs, part)
            if not inner:
                done.append(part)
                continue
            middle = (part[0] + part[1]) / 2
            cut = min(inner, key=lambda place: (float(self.chances[place - 1]), abs(place - middle)))
            todo.append((cut, part[1]))
            todo.append((part[0], cut))
        return done

    def place(self, node: int) -> _Place:
        """Path, role and hint of a node, from those of its ancestors."""
        known = self._places.get(node)
        if known is not None:
            return known
        chain = []
        while node not in self._places:
            chain.append(node)
            node = self.layout.parents[node]
        for below in reversed(chain):
            self._places[below] = self._placed(below, self._places[node])
            node = below
        return self._places[node]

    def _placed(self, node: int, above: _Place) -> _Place:
        step = self.layout.step(node)
        if node in self._columns:
            step += f":{self._columns[node]}"
        role = block_role_inside(self.layout.roles[node], above.role)
        path = above.path if above.depth >= DEEPEST else f"{above.path}/{step}" if above.path else step
        return _Place(path, role, self._hint(node, role) or above.hint, above.depth + 1)

    def block(self, span: Span, place: _Place, nth: int) -> PageBlock:
        """The items of a piece as a block."""
        layout, (first, last) = self.layout, span
        items = tuple(layout.items[first:last])
        standing_out = self.prominence.index(min(self.prominence[first:last]), first, last)
        lead = ""
        for kind, text, _ in items[standing_out - first :]:
            if kind == "text":
                lead = text
                break
        weight = self.before[last] - self.before[first]
        in_links = min(self.links_before[last] - self.links_before[first], weight)
        box = layout.boxes(int(layout.nodes[first])) if layout.boxes else None
        return PageBlock(
            place.path, nth, place.role, place.hint, items, weight, in_links, lead, box, self._content(first, last)
        )

    def _content(self, first: int, last: int) -> float:
        """How likely the text between two items is the page's own, by letters; -1 where nobody judged it."""
        if not self.text_before:
            return -1.0
        letters = self.text_before[last] - self.text_before[first]
        return (self.content_before[last] - self.content_before[first]) / letters if letters else -1.0
