"""HTML as it was served, turned into blocks without a browser: the provider of layouts used for every capture.

    bytes -> charset -> lexbor parse -> its serialisation -> one compiled pass (`scan`) -> LayoutTree -> partition

Hostile pages: lexbor takes quadratic time in nesting, in the attributes of one tag and in the options of one list. A
page that could hold too many of them is first read by the compiled pass alone, which is linear. When it does hold them,
that reading is kept and the parser is never called. The time limit is checked between the steps, none of which runs
long on a page that passed.
"""

import re
import time
from codecs import utf_8_decode
from collections.abc import Callable
from functools import lru_cache
from html import unescape
from itertools import repeat
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser

from strandline.core.blocks.content_marks import CONCEALED, KIND_OF_TAG, declared_kinds, name_marks
from strandline.core.blocks.levels import PageLevel
from strandline.core.blocks.page_told import page_told
from strandline.core.blocks.partition import partition
from strandline.core.blocks.roles import (
    DIALOGS,
    LONGEST_NAMES,
    ROLE_OF_ARIA,
    ROLE_OF_TAG,
    hint_of,
    is_shown_later,
    path_step,
)
from strandline.core.blocks.site_template import NO_TEMPLATE, Template
from strandline.core.blocks.tree import KINDS_OF_ITEMS, NEARLY_EMPTY, BlockTree, Item, ItemKind, LayoutTree
from strandline.core.content import charset_of, text_of
from strandline.dom.beside_text import BESIDE, beside_hash, told_between
from strandline.dom.content import content_of, scored
from strandline.dom.defined_tags import with_lines
from strandline.dom.long_texts import split_long_texts
from strandline.dom.scan import NESTING_LIMIT, PageTooCostlyError, ScannedPage, attributes_of, ready, scanned
from strandline.dom.scan_memory import AS_SERVED, HIDDEN
from strandline.dom.side_by_side import with_blanks
from strandline.dom.struck_text import has_strokes, with_strokes
from strandline.dom.tag_places import PageTags
from strandline.dom.tags import CONTAINER, DIALOG, HEADING, packed, unpacked

CPU_LIMIT: Final = 5.0  # seconds a page may take
ATTRIBUTE_LIMIT: Final = 2_000  # attributes of one tag
OPTION_LIMIT: Final = 5_000  # options of one list
_SAFE_TAGS: Final = 10_000  # so few tags cannot nest deep enough to cost a second
_SAFE_SIZE: Final = 40_000  # a page so short holds too few attributes to cost a second
_PIECE: Final = 1 << 14  # bytes that are read as text at a time
_NOSCRIPT: Final = re.compile(rb"<(/?)noscript(?=[\s/>])", re.IGNORECASE)
_NOT_NAMED: Final = (b"", b"", b"")
_ROLES: Final = [(packed(tag), role) for tag, role in ROLE_OF_TAG.items()]
_NEW_ITEM: Final = cast("Callable[[type[Item], tuple[ItemKind, str, str]], Item]", tuple.__new__)
_KINDS_OF_ITEMS: Final = np.array(KINDS_OF_ITEMS, np.object_)


class _Read(NamedTuple):
    """What is known of a page that was read: how many `<` it has, whether something of it may be struck through, or
    have tags that scripts define, and whether no tag has too many attributes.
    """

    page: bytes
    signs: int
    struck: bool
    defined: bool
    safe: bool


_READ_LAST: Final[list[_Read]] = []  # what changed to the eye is cut next


def _read(tags: PageTags) -> _Read:
    return _Read(tags.page, tags.signs, has_strokes(tags), tags.defined, safe=False)


def _known(page: bytes) -> _Read | None:
    return next((one for one in _READ_LAST if one.page == page), None)


def blocks(html: bytes, *, charset: str | None = None, url: str = "", level: int = 2, scale: int = 0) -> BlockTree:
    """The blocks of a page as it was served. `scale` is `BlockTree.scale` of an earlier version, to cut alike."""
    return partition(layout(html, charset=charset), PageLevel(level, scale), url)


def judged_blocks(html: bytes, *, charset: str | None = None, url: str = "", level: int = 2) -> BlockTree:
    """As `blocks`, each with how likely its text is the page's own content: half as much work again."""
    return partition(judged_layout(html, charset=charset), PageLevel(level), url)


def judged_layout(html: bytes, *, charset: str | None = None) -> LayoutTree:
    """The layout of a page, and how likely each of its items is its own content."""
    tree = layout(html, charset=charset, described=True)
    tree.content = scored(tree, told=page_told(as_utf8(html, charset)))
    return tree


def main_text(html: bytes, *, charset: str | None = None, template: Template = NO_TEMPLATE) -> str:
    """The text of a page that is its own content rather than what stands around it, a run a line.

    `template` is what the pages of its site have in common (`SiteTexts`), where others of them are known.
    """
    tree = layout(html, charset=charset, described=True)
    return content_of(tree, scored(tree, template, page_told(as_utf8(html, charset))))


def layout(html: bytes, *, charset: str | None = None, described: bool = False) -> LayoutTree:
    """The block-level nodes and visible items of a page as it was served.

    `described`: also what the tags, names and looks of the nodes say, which judging the content needs.
    """
    ready()
    start = time.thread_time()
    page = as_utf8(html, charset)
    known = _known(page)
    survey = scanned(page, AS_SERVED) if _may_be_hostile(page, known) else None
    _check(start)
    if survey and (
        survey.nesting > NESTING_LIMIT or survey.attributes > ATTRIBUTE_LIMIT or _most_options(page) > OPTION_LIMIT
    ):
        tree = _layout_tree(survey, served=True, described=described)
    else:
        parsed = LexborHTMLParser(page)
        _check(start)
        title = parsed.css_first("title")
        known = known or _read(PageTags(page, BESIDE))
        written = (parsed.html or "").encode()
        written = with_blanks(with_lines(written) if known.defined else written)
        tree = _layout_tree(_shown(written, 0, known.struck), served=False, described=described)
        tree.title = " ".join(title.text().split()) if title else ""
        tree.declared = declared_kinds(page) if described else 0
    _check(start)
    return split_long_texts(tree)


def visible_hash(html: bytes, *, charset: str | None = None) -> int:
    """64 bits over the text, the addresses and what a reader sees beside them: equal means nothing visible changed."""
    page = as_utf8(html, charset)
    tags = PageTags(page, BESIDE)
    read = _read(tags)
    shown = _shown(page, AS_SERVED, read.struck, tags.signs)
    _READ_LAST[:] = [read._replace(safe=shown.attributes <= ATTRIBUTE_LIMIT)]
    return shown.visible_hash() ^ beside_hash(tags)


def told_beside(old: bytes, new: bytes, *, charsets: tuple[str, str]) -> str:
    """What readers see beside the text that is another between two pages, in words; empty when nothing is."""
    return told_between(as_utf8(old, charsets[0]), as_utf8(new, charsets[1]))


def _shown(page: bytes, mode: int, struck: bool, signs: int = -1) -> ScannedPage:
    """A page as read without scripts: where scripts would make all of it, what it offers readers without them."""
    page = with_strokes(page) if struck else page  # strokes are no tags: there are as many `<` as before
    scan = scanned(page, mode, signs)
    if len(scan.text) < NEARLY_EMPTY and _NOSCRIPT.search(page):
        offered = scanned(_NOSCRIPT.sub(rb"<\1div", page), mode)
        return offered if len(offered.text) >= NEARLY_EMPTY else scan
    return scan


def as_utf8(html: bytes, charset: str | None) -> bytes:
    """The page in UTF-8, from the charset it was served in, else the one it declares."""
    name = charset or charset_of("text/html", html)
    if name.lower() in ("utf-8", "utf8"):
        if any(one.page is html for one in _READ_LAST):  # it was read before
            return html
        html = html.removeprefix(b"\xef\xbb\xbf")
        return html if _is_utf8(html) else text_of(html, name).encode("utf-8", "replace")
    return text_of(html, name).encode("utf-8", "replace")


def _is_utf8(html: bytes) -> bool:
    """Whether a page can be read, piece by piece: the whole of it as text would take twice as long to make room for."""
    place, size = 0, len(html)
    try:
        while place < size:
            piece = html[place : place + _PIECE]
            place += len(piece) if piece.isascii() else utf_8_decode(piece, "strict", place + _PIECE >= size)[1]
    except UnicodeDecodeError:
        return False
    return True


def _check(start: float) -> None:
    if time.thread_time() - start > CPU_LIMIT:
        raise PageTooCostlyError(f"the page took more than {CPU_LIMIT:.0f} s of CPU")


def _may_be_hostile(page: bytes, known: _Read | None) -> bool:
    tags = known.signs if known else int(np.count_nonzero(np.frombuffer(page, np.uint8) == ord("<")))
    if tags > _SAFE_TAGS or not tags or len(page) <= _SAFE_SIZE or (known and known.safe):
        return tags > _SAFE_TAGS
    return attributes_of(page) > ATTRIBUTE_LIMIT


def _most_options(page: bytes) -> int:
    """How many options a list of the page has at most."""
    return max(part.count(b"<option") for part in page.lower().split(b"<select"))


def _layout_tree(scan: ScannedPage, *, served: bool, described: bool) -> LayoutTree:
    nodes = np.ascontiguousarray(scan.nodes.T)
    flags = nodes[2]
    roles = _roles(scan.page, nodes)
    names = _Names(scan.page, nodes)
    apart = (flags & (HIDDEN | DIALOG)) != 0
    apart |= np.fromiter(map(bool, roles), np.bool_, len(roles))
    items = np.ascontiguousarray(scan.items.T)
    tree = LayoutTree(
        parents=nodes[0].tolist(),
        ends=nodes[1].tolist(),
        firsts=nodes[3].tolist(),
        lasts=nodes[4].tolist(),
        roles=roles,
        apart=apart.tolist(),
        containers=((flags & CONTAINER) != 0).tolist(),
        items=_items(scan, items, served=served),
        nodes=items[1],
        weights=items[6],
        link_weights=items[7],
        prominence=items[8],
        hashes=items[9].view(np.uint64),
        step=names.step,
        hint=names.hint,
    )
    tree.item_kinds = items[0].astype(np.int8)
    if described:
        tree.kinds = _kinds(nodes[11])
        tree.looks, tree.marks = names.described()
    return tree


def _items(scan: ScannedPage, columns: NDArray[np.int64], *, served: bool) -> list[Item]:
    shown, page = scan.text.decode("utf-8", "replace"), scan.page
    starts, ends, address_starts, address_ends = columns[2:6].tolist()
    texts = [shown[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    for k in (columns[0] > 1).nonzero()[0].tolist():  # images and frames are named in the page, not in the text
        texts[k] = _value(page, starts[k], ends[k])
    if served and "&" in shown:
        texts = [unescape(text) if "&" in text else text for text in texts]
    addresses = [""] * len(texts)
    for k in columns[5].nonzero()[0].tolist():  # texts have none
        addresses[k] = _text(page[address_starts[k] : address_ends[k]])
    kinds: list[ItemKind] = _KINDS_OF_ITEMS[columns[0]].tolist()
    return list(map(_NEW_ITEM, repeat(Item), zip(kinds, texts, addresses, strict=True)))


def _value(page: bytes, start: int, end: int) -> str:
    """An attribute's value."""
    return _text(page[start:end])


def _text(value: bytes) -> str:
    """An attribute's value as it is meant."""
    text = value.decode("utf-8", "replace").strip()
    return unescape(text) if "&" in text else text


def _kinds(tags: NDArray[np.int64]) -> NDArray[np.int64]:
    """The kind of tag of each node."""
    found, places = np.unique(tags, return_inverse=True)
    return np.array([KIND_OF_TAG.get(unpacked(number), -1) for number in found.tolist()], np.int64)[places]


def _roles(page: bytes, nodes: NDArray[np.int64]) -> list[str]:
    roles = [""] * len(nodes[11])
    for tag, role in _ROLES:
        for node in (nodes[11] == tag).nonzero()[0].tolist():
            roles[node] = role
    for node in nodes[10].nonzero()[0].tolist():
        named = ROLE_OF_ARIA.get(_value(page, int(nodes[9, node]), int(nodes[10, node])).lower())
        roles[node] = named if named is not None else roles[node]
    return roles


class _Names:
    """Names of nodes, read from the page only for the nodes that are asked for."""

    def __init__(self, page: bytes, nodes: NDArray[np.int64]) -> None:
        self._page = page
        self._nodes = nodes
        self._flags: list[int] = nodes[2].tolist()
        self._named: list[int] = (nodes[6] | nodes[8] | nodes[10]).tolist()  # 0 without id, class and role
        self._known: dict[int, tuple[bytes, bytes, bytes]] = {}  # asked for before

    def described(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """A number for each combination of tag and classes, and what the names of each node speak of."""
        page, numbers = self._page, dict[tuple[int, bytes], int]()
        spoken: dict[tuple[bytes, bytes], int] = {(b"", b""): 0}
        looks, marks = [], []
        for a, b, c, d, tag in zip(*self._nodes[[5, 6, 7, 8, 11]].tolist(), strict=True):
            classes = page[c:d][:LONGEST_NAMES] if d else b""
            identifier = page[a:b][:LONGEST_NAMES] if b else b""
            looks.append(numbers.setdefault((tag, classes), len(numbers)))
            named = spoken.get((identifier, classes))
            if named is None:
                named = name_marks(f"{_text(identifier)} {_text(classes)}")
                spoken[identifier, classes] = named
            marks.append(named)
        concealed = np.where((self._nodes[2] & (HIDDEN | DIALOG)) != 0, CONCEALED, 0)
        return np.array(looks, np.int64), np.array(marks, np.int64) | concealed

    def step(self, node: int) -> str:
        """Step of the path of a node; the page itself is none."""
        if not node:
            return ""
        identifier, classes, _ = self._given(node) if self._named[node] else _NOT_NAMED
        return _step(int(self._nodes[11, node]), identifier, classes)

    def hint(self, node: int) -> str:
        """What the names of a node say it is for, else whether it is hidden; those of a heading repeat its words."""
        flags = self._flags[node]
        if not self._named[node] and not flags & (HIDDEN | DIALOG):
            return ""
        hint = _hint_of(*self._given(node)) if self._named[node] and not flags & HEADING else ""
        if hint or not flags & (HIDDEN | DIALOG):
            return hint
        return "" if self._named[node] and is_shown_later(_text(b" ".join(self._given(node)))) else "hidden"

    def _given(self, node: int) -> tuple[bytes, bytes, bytes]:
        """Id, classes and role of a node, as far as they are read."""
        given = self._known.get(node)
        if given is None:
            page = self._page
            a, b, c, d, e, f = self._nodes[5:11, node].tolist()
            given = page[a:b][:LONGEST_NAMES], page[c:d][:LONGEST_NAMES], page[e:f][:LONGEST_NAMES]
            self._known[node] = given
        return given


_tag = lru_cache(maxsize=1 << 10)(unpacked)


@lru_cache(maxsize=1 << 12)
def _step(tag: int, identifier: bytes, classes: bytes) -> str:
    """`path_step` for names as they stand in the page."""
    return path_step(_tag(tag), _text(identifier), _text(classes))


@lru_cache(maxsize=1 << 12)
def _hint_of(identifier: bytes, classes: bytes, role: bytes) -> str:
    """`hint_of` for names as they stand in the page; the role of a dialog says as much as a name."""
    spoken = _text(role).lower()
    return hint_of(" ".join((_text(identifier), _text(classes), spoken if spoken in DIALOGS else "")))
