"""One compiled pass over HTML bytes: block-level nodes, text runs, links, images and frames as flat arrays.

Walking a parsed page node by node in Python costs several times the parse itself. The parser's own serialisation is
well-formed HTML, and reading well-formed HTML needs no more than a stack, so the walk is done here, in machine code,
over bytes. The same pass reads HTML as it was served (`AS_SERVED`): it then guesses the end tags authors leave out.
That is less exact than a parser and takes linear time on anything, so it serves the visible hash, the survey that
protects the parser from hostile pages, and those hostile pages themselves.

What was found lies in one array of integers, described in `scan_memory`, and in `text`.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.tree import LINK_WEIGHT, PICTURE_WEIGHT
from strandline.core.compiled import compiled_without_counting as scanner
from strandline.dom.markup_kernels import (
    ADDRESS,
    CLOSED,
    CONCEALED,
    COUNT,
    FOUND,
    FOUND_SIZE,
    NAME,
    SHADOW,
    Bytes,
    Ints,
    Place,
    Words,
    flags_of,
    past_declaration,
    past_raw_text,
    read_attributes,
    read_name,
)
from strandline.dom.scan_memory import (
    ADDRESSES,
    AS_SERVED,
    ATTRIBUTES,
    BASE_ITEMS,
    BASE_NODES,
    DEEPEST,
    DEPTH,
    FRAME_ITEM,
    HIDDEN,
    IMAGE_ITEM,
    ITEM_WIDTH,
    ITEMS,
    LETTERS,
    LINK_ITEM,
    LINKS,
    LINKS_OPEN,
    MODE,
    NEWLINES,
    NODE,
    NODE_WIDTH,
    NODES,
    OVER,
    SKIPPING,
    SPACE,
    STACK,
    STACK_LIMIT,
    STRONG_OPEN,
    VERBATIM_OPEN,
    WITHOUT_HIDDEN,
)
from strandline.dom.tags import (
    BLOCK,
    BREAK,
    CONTAINER,
    FRAME,
    IMAGE,
    IN_HEAD,
    LINK,
    OPTIONAL_END,
    RAW,
    SKIP,
    STRONG,
    VERBATIM,
    VOID,
    packed,
)
from strandline.dom.text_kernels import MIX, end_run, prominence_of, put_text, spread

_TABLE, _TD, _TH, _P = packed("table"), packed("td"), packed("th"), packed("p")
_DT, _DD = packed("dt"), packed("dd")
_HEAD, _SVG, _MATH, _TEMPLATE = packed("head"), packed("svg"), packed("math"), packed("template")
_ROWS = (packed("tr"), packed("tbody"), packed("thead"), packed("tfoot"))


@scanner
def pop(text: Bytes, m: Ints) -> None:
    """Close the innermost open element."""
    depth = m[DEPTH] - 1
    m[DEPTH] = depth
    at = STACK + 4 * depth
    flags, node, link = m[at + 1], m[at + 2], m[at + 3]
    if m[SKIPPING] == depth:
        m[SKIPPING] = -1
    if node >= 0:
        end_run(text, m)
        place = m[BASE_NODES] + node * NODE_WIDTH
        m[place + 1], m[place + 4] = m[NODES], m[ITEMS]
        m[NODE] = m[place]
    if link >= 0:
        m[m[BASE_ITEMS] + link * ITEM_WIDTH + 3] = m[LETTERS]
        m[LINKS_OPEN] -= 1
    if flags & STRONG:
        m[STRONG_OPEN] -= 1
    if flags & VERBATIM:
        m[VERBATIM_OPEN] -= 1


@scanner
def matching_depth(m: Ints, name: int, flags: int) -> int:
    """Depth of the open element an end tag closes, or -1. An inline end tag does not reach past a block."""
    depth = int(m[DEPTH]) - 1
    while depth >= 0:
        if m[STACK + 4 * depth] == name:
            return depth
        if m[STACK + 4 * depth + 1] & BLOCK and not flags & (BLOCK | SKIP):
            return -1
        depth -= 1
    return -1


@scanner
def closes(name: int, other: int) -> bool:
    """True when opening `name` ends an open `other`, as HTML lets authors leave the end tag out."""
    if name == other:
        return True
    if name in (_TD, _TH):
        return other in (_TD, _TH)
    if name in (_DT, _DD):
        return other in (_DT, _DD)
    for k in range(4):
        if name == _ROWS[k]:
            return other in (_TD, _TH) or (k > 0 and other in _ROWS)
    return False


@scanner
def implied_depth(m: Ints, name: int, flags: int) -> int:
    """Depth of the open element whose left-out end tag this start tag implies, or -1."""
    depth = int(m[DEPTH]) - 1
    if depth >= 0 and flags & BLOCK and m[STACK + 4 * depth] == _P:
        return depth
    if not flags & OPTIONAL_END:
        return -1
    best = -1
    in_table = name in (_TD, _TH) or name in _ROWS
    while depth >= 0 and m[STACK + 4 * depth] != _TABLE:
        if closes(name, m[STACK + 4 * depth]):
            best = depth
            if not in_table:
                return depth
        elif m[STACK + 4 * depth + 1] & CONTAINER and not in_table:
            return -1
        depth -= 1
    return best


@scanner
def leave_head(text: Bytes, m: Ints) -> None:
    """Close a <head> whose end tag was left out: what comes now has no place in it."""
    depth = m[DEPTH] - 1
    if depth >= 0 and m[SKIPPING] == depth and m[STACK + 4 * depth] == _HEAD:
        pop(text, m)


@scanner
def in_drawing(m: Ints) -> bool:
    """True inside <svg> or <math>, where any element may close itself."""
    return bool(m[SKIPPING] >= 0 and m[STACK + 4 * m[SKIPPING]] in (_SVG, _MATH))


@scanner
def leave_drawing(text: Bytes, m: Ints) -> None:
    """Close a drawing or formula that has no end tag: a part of the page cannot lie in it."""
    depth = m[SKIPPING]
    while in_drawing(m) and m[DEPTH] > depth:
        pop(text, m)


@scanner
def take_text(page: Bytes, start: int, end: int, text: Bytes, m: Ints) -> None:
    """Add the text between two tags, unless it lies in what a reader never sees; it ends a <head> that is open."""
    if m[SKIPPING] >= 0:
        i = start if m[MODE] & AS_SERVED else end
        while i < end and page[Place(i)] <= 32:
            i += 1
        if i < end:
            leave_head(text, m)
    if m[SKIPPING] < 0:
        put_text(page, start, end, text, m)


@scanner
def add_address(page: Bytes, m: Ints) -> int:
    """Hash of an address without query and fragment (a whole one, for an inline image), also mixed into the page's."""
    mixed = np.int64(0)
    i, end = m[FOUND + ADDRESS], m[FOUND + ADDRESS + 1]
    inline = i + 5 < end and page[Place(i)] == 100 and page[Place(i + 4)] == 58  # data:
    while i < end and (inline or (page[Place(i)] != 63 and page[Place(i)] != 35)):
        mixed = (mixed ^ np.int64(page[Place(i)])) * MIX
        i += 1
    whole = spread(int(mixed))
    m[ADDRESSES] = (m[ADDRESSES] ^ whole) * MIX
    return whole


@scanner
def add_item(page: Bytes, kind: int, m: Ints) -> int:
    """A link, image or frame; returns its number."""
    k = int(m[ITEMS])
    at = m[BASE_ITEMS] + k * ITEM_WIDTH
    m[at], m[at + 1], m[at + 4], m[at + 5] = kind, m[NODE], m[FOUND + ADDRESS], m[FOUND + ADDRESS + 1]
    m[at + 2], m[at + 3], m[at + 6], m[at + 7], m[at + 8] = (
        m[FOUND + NAME],
        m[FOUND + NAME + 1],
        PICTURE_WEIGHT,
        0,
        prominence_of(m),
    )
    m[at + 9] = add_address(page, m)
    m[ITEMS] = k + 1
    return k


@scanner
def add_node(name: int, flags: int, m: Ints) -> int:
    """A block-level element; returns its number."""
    n = int(m[NODES])
    at = m[BASE_NODES] + n * NODE_WIDTH
    m[at], m[at + 1], m[at + 2] = m[NODE], n + 1, flags
    m[at + 3] = m[at + 4] = m[ITEMS]
    for k in range(6):
        m[at + 5 + k] = m[FOUND + k]
    m[at + 11] = name
    if m[FOUND + CONCEALED]:
        m[at + 2] |= HIDDEN
    m[NODES] = n + 1
    m[NODE] = n
    return n


@scanner
def add_linked(page: Bytes, flags: int, m: Ints) -> int:
    """The link, image or frame a start tag stands for; returns the number of a link, else -1."""
    if not flags & (LINK | IMAGE | FRAME) or m[FOUND + ADDRESS + 1] <= m[FOUND + ADDRESS]:
        return -1
    if not flags & LINK:
        add_item(page, IMAGE_ITEM if flags & IMAGE else FRAME_ITEM, m)
        return -1
    link = add_item(page, LINK_ITEM, m)
    at = m[BASE_ITEMS] + link * ITEM_WIDTH
    m[at + 2] = m[at + 3] = m[LETTERS]
    m[at + 6] = m[at + 7] = LINK_WEIGHT
    m[LINKS] += 1
    return link


@scanner
def push(m: Ints, name: int, flags: int, node: int, link: int) -> None:
    """Remember an open element."""
    at = STACK + 4 * m[DEPTH]
    if m[SKIPPING] >= 0:
        flags &= ~(STRONG | VERBATIM)
    m[at], m[at + 1], m[at + 2], m[at + 3] = name, flags, node, link
    if link >= 0:
        m[LINKS_OPEN] += 1
    if flags & STRONG:
        m[STRONG_OPEN] += 1
    if flags & VERBATIM:
        m[VERBATIM_OPEN] += 1
    m[DEPTH] += 1
    m[DEEPEST] = max(m[DEEPEST], m[DEPTH])


@scanner
def open_element(page: Bytes, name: int, flags: int, text: Bytes, m: Ints) -> None:
    """Take in a start tag whose attributes have been read."""
    concealed = m[FOUND + CONCEALED] and (m[MODE] & WITHOUT_HIDDEN or not flags & BLOCK)
    unseen = m[SKIPPING] >= 0 or flags & SKIP or concealed
    node = link = -1
    if not unseen:
        if flags & BLOCK:
            end_run(text, m)
            node = add_node(name, flags, m)
        elif flags & BREAK:
            m[SPACE] = 1
            m[NEWLINES] += 1
            if m[NEWLINES] > 1:
                end_run(text, m)
        link = add_linked(page, flags, m)
    if flags & (VOID | RAW) or (m[FOUND + CLOSED] and (m[SKIPPING] >= 0 or name in (_SVG, _MATH))):
        if node >= 0:
            m[NODE] = m[m[BASE_NODES] + node * NODE_WIDTH]
    elif m[DEPTH] >= STACK_LIMIT:
        m[OVER] += 1
        m[DEEPEST] = max(m[DEEPEST], m[DEPTH] + m[OVER])
    else:
        if unseen and m[SKIPPING] < 0:
            m[SKIPPING] = m[DEPTH]
        push(m, name, flags, node, link)


@scanner
def start_tag(page: Bytes, i: int, name: int, flags: int, text: Bytes, m: Ints) -> tuple[int, bool]:
    """Read the start tag whose name ends at i; returns the place after it, and whether raw text follows."""
    i = read_attributes(page, i, m)
    m[ATTRIBUTES] = max(m[ATTRIBUTES], m[FOUND + COUNT])
    if name == _TEMPLATE and m[FOUND + SHADOW]:  # what a browser shows in place of the element around it
        flags &= ~(SKIP | IN_HEAD)
    if m[MODE] & AS_SERVED and m[OVER] == 0:
        if not flags & IN_HEAD:
            leave_head(text, m)
        if flags & (BLOCK | IMAGE):
            leave_drawing(text, m)
        depth = implied_depth(m, name, flags)
        while 0 <= depth < m[DEPTH]:
            pop(text, m)
    raw = bool(flags & RAW) and not (m[FOUND + CLOSED] and in_drawing(m))
    open_element(page, name, flags, text, m)
    return i, raw


@scanner
def end_tag(name: int, flags: int, text: Bytes, m: Ints) -> None:
    """Close what an end tag closes."""
    if flags & VOID:
        return
    if m[OVER] > 0:
        m[OVER] -= 1
        return
    depth = matching_depth(m, name, flags)
    while 0 <= depth < m[DEPTH]:
        pop(text, m)


@scanner
def scan(page: Bytes, words: Words, keys: NDArray[np.uint64], values: NDArray[np.int32], text: Bytes, m: Ints) -> None:
    """Read a whole page into `m` and `text`; `keys` and `values` are the table of tags."""
    i, size = 0, page.size
    for k in range(FOUND, FOUND + FOUND_SIZE):
        m[k] = 0
    add_node(0, BLOCK | CONTAINER, m)  # the page itself, for what lies outside every element
    while i < size:
        if page[Place(i)] != 60:
            start = i
            while i < size and page[Place(i)] != 60:
                i += 1
            take_text(page, start, i, text, m)
            continue
        following = page[Place(i + 1)] if i + 1 < size else 0
        if following in (33, 63):
            i = past_declaration(page, i)
        elif following == 47:
            name, i = read_name(page, i + 2)
            while i < size and page[Place(i)] != 62:
                i += 1
            i += 1
            end_tag(name, flags_of(name, keys, values), text, m)
        elif 65 <= following <= 90 or 97 <= following <= 122:
            name, i = read_name(page, i + 1)
            i, raw = start_tag(page, i, name, flags_of(name, keys, values), text, m)
            if raw:
                i = past_raw_text(page, words, i, name)
        else:
            take_text(page, i, i + 1, text, m)
            i += 1
    while m[DEPTH] > 0:
        pop(text, m)
    end_run(text, m)
    m[m[BASE_NODES] + 1], m[m[BASE_NODES] + 4] = m[NODES], m[ITEMS]


@scanner
def most_attributes(page: Bytes, words: Words, keys: NDArray[np.uint64], values: NDArray[np.int32], m: Ints) -> int:
    """How many attributes a tag of the page has at most. `m` needs no more room than the stack begins at."""
    i, most = 0, 0
    while i + 1 < page.size:
        following = page[Place(i + 1)]
        if page[Place(i)] != 60:
            i += 1
        elif following in (33, 63):
            i = past_declaration(page, i)
        elif 65 <= following <= 90 or 97 <= following <= 122:
            name, i = read_name(page, i + 1)
            i = read_attributes(page, i, m)
            most = max(most, int(m[FOUND + COUNT]))
            if flags_of(name, keys, values) & RAW:
                i = past_raw_text(page, words, i, name)
        else:
            i += 1
    return most
