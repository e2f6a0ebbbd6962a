"""One compiled pass over HTML bytes: block-level nodes, text runs, links, images and frames as flat arrays.

Walking a parsed page node by node in Python costs several times the parse itself. The parser's own serialisation is
well-formed HTML, and reading well-formed HTML needs no more than a stack, so the walk is done here, in machine code,
over bytes. The same pass reads HTML as it was served (`AS_SERVED`): it then guesses the end tags authors leave out.
That is less exact than a parser and takes linear time on anything, so it serves the visible hash, the survey that
protects the parser from hostile pages, and those hostile pages themselves.

The caller allots one array of integers, `m` (see `strandline.dom.scan`); passing one array instead of many
keeps the small functions below as fast as one large one. In it lie, in this order:

    state                       the constants OUT ... BASE_ITEMS name its places
    found                       what the attributes of the current tag say (`markup_kernels`)
    stack[depth]                packed name, flags, node or -1, link item or -1
    nodes[n]                    parent, end of subtree, flags, first item, end item, id span, class span, role span,
                                packed name
    items[k]                    kind, node, text span, address span, weight, weight inside links, prominence, hash

`text` receives the visible characters with white space collapsed; spans of texts and anchors count its characters,
all other spans count bytes of the page. The hash is over the first words of a text, or an address without its query.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.tree import BEGINNING, LINK_WEIGHT, PICTURE_WEIGHT
from strandline.dom.markup_kernels import (
    ADDRESS,
    CLOSED,
    CONCEALED,
    COUNT,
    FOUND,
    FOUND_SIZE,
    NAME,
    Bytes,
    Ints,
    entity,
    flags_of,
    past_declaration,
    past_raw_text,
    read_attributes,
    read_name,
    scanner,
)
from strandline.dom.tags import (
    BLOCK,
    BREAK,
    CONTAINER,
    FRAME,
    HEADING,
    IMAGE,
    LINK,
    OPTIONAL_END,
    RAW,
    SKIP,
    STRONG,
    VERBATIM,
    VOID,
    packed,
)

AS_SERVED, WITHOUT_HIDDEN = 1, 2  # modes, may be added
TEXT_ITEM, LINK_ITEM, IMAGE_ITEM, FRAME_ITEM = 0, 1, 2, 3
HIDDEN = 1 << 20  # a flag of nodes, beside those of `tags`
BOLD = 7  # prominence of a run that is bold throughout; headings are 1 to 6, 9 is plain
PLAIN = 9

OUT, NODES, ITEMS, DEPTH, DEEPEST, OVER, RUN, CHARS, IN_LINK, IN_STRONG = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
LINKS_OPEN, STRONG_OPEN, VERBATIM_OPEN, SKIPPING, NEWLINES, SPACE, NODE, MODE = 10, 11, 12, 13, 14, 15, 16, 17
ADDRESSES, ATTRIBUTES, LINKS, MOST_ITEMS, BASE_NODES, BASE_ITEMS, LETTERS, HASH = 18, 19, 20, 21, 22, 23, 24, 25

STACK_LIMIT = 2_000
STACK = FOUND + FOUND_SIZE
BASE = STACK + 4 * STACK_LIMIT  # where the nodes begin
NODE_WIDTH, ITEM_WIDTH = 12, 10

_TABLE, _TD, _TH, _P = packed("table"), packed("td"), packed("th"), packed("p")
_DT, _DD = packed("dt"), packed("dd")
_ROWS = (packed("tr"), packed("tbody"), packed("thead"), packed("tfoot"))
_MIX = 0x100000001B3
_SPREAD = -0x61C8864680B583EB  # 2**64 over the golden ratio, as a signed number


@scanner
def prominence_of(m: Ints) -> int:
    """1 to 6 inside a heading, BOLD for a run that is bold throughout, else PLAIN."""
    node = m[NODE]
    if node >= 0:
        at = m[BASE_NODES] + node * NODE_WIDTH
        if m[at + 2] & HEADING:
            return (m[at + 11] & 63) - 27
    return BOLD if m[CHARS] and m[IN_STRONG] == m[CHARS] else PLAIN


@scanner
def spread(mixed: int) -> int:
    """A running hash made fit for comparing by size: every bit depends on all bytes."""
    mixed = (mixed ^ ((mixed >> 32) & 0xFFFFFFFF)) * _SPREAD
    return mixed ^ ((mixed >> 29) & 0x7FFFFFFFF)


@scanner
def end_run(text: Bytes, m: Ints) -> None:
    """Close the text run that is being collected and make it an item."""
    m[SPACE] = m[NEWLINES] = 0
    if m[RUN] < 0:
        return
    at = m[BASE_ITEMS] + m[ITEMS] * ITEM_WIDTH
    m[at], m[at + 1], m[at + 2], m[at + 3] = TEXT_ITEM, m[NODE], m[RUN], m[LETTERS]
    m[at + 4], m[at + 5], m[at + 6], m[at + 7], m[at + 8] = 0, 0, m[CHARS], m[IN_LINK], prominence_of(m)
    m[at + 9] = spread(m[HASH])
    m[ITEMS] += 1
    text[m[OUT]] = 32
    m[OUT] += 1
    m[LETTERS] += 1
    m[RUN] = -1
    m[CHARS] = m[IN_LINK] = m[IN_STRONG] = m[HASH] = 0


@scanner
def put_word(page: Bytes, start: int, end: int, text: Bytes, m: Ints) -> None:
    """Add visible bytes to the current run, with the white space that was waiting before them."""
    out, mixed = m[OUT], m[HASH]
    chars = 0
    if m[RUN] < 0:
        m[RUN] = m[LETTERS]
    elif m[SPACE]:
        text[out] = 32
        out += 1
        chars += 1
    if m[CHARS] < BEGINNING:
        for i in range(start, end):
            mixed = (mixed ^ np.int64(page[i])) * _MIX
        mixed = (mixed ^ 32) * _MIX
    for i in range(start, end):
        byte = page[i]
        text[out] = byte
        out += 1
        if byte & 0xC0 != 0x80:
            chars += 1
    m[SPACE] = m[NEWLINES] = 0
    m[OUT], m[HASH] = out, mixed
    m[LETTERS] += chars
    m[CHARS] += chars
    if m[LINKS_OPEN]:
        m[IN_LINK] += chars
    if m[STRONG_OPEN]:
        m[IN_STRONG] += chars


@scanner
def put_special(page: Bytes, i: int, end: int, text: Bytes, m: Ints) -> int:
    """Add what stands at i, an `&` or the first byte of a no-break space; returns the place after it."""
    if page[i] == 0xC2:
        if i + 1 < end and page[i + 1] == 0xA0:
            m[SPACE] = 1
            return i + 2
        put_word(page, i, i + 1, text, m)
        return i + 1
    value, size = entity(page, i, end)
    if value == 32:
        m[SPACE] = 1
        return i + size
    put_word(page, i, i + 1, text, m)
    if size == 0 or m[MODE] & AS_SERVED:
        return i + 1
    text[m[OUT] - 1] = value
    return i + size


@scanner
def put_text(page: Bytes, i: int, end: int, text: Bytes, m: Ints) -> None:
    """Add the text between two tags to the current run."""
    while i < end:
        byte = page[i]
        if byte <= 32:
            m[SPACE] = 1
            if byte == 10:
                m[NEWLINES] += 1
            i += 1
            continue
        if m[NEWLINES] > 1 and m[VERBATIM_OPEN] and 2 * m[ITEMS] < m[MOST_ITEMS]:
            end_run(text, m)
        start = i
        while i < end and page[i] > 32 and page[i] != 38 and page[i] != 0xC2:
            i += 1
        if i > start:
            put_word(page, start, i, text, m)
        else:
            i = put_special(page, i, end, text, m)


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
    depth = m[DEPTH] - 1
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
    depth = m[DEPTH] - 1
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
def add_address(page: Bytes, m: Ints) -> int:
    """Hash of an address without query and fragment (a whole one, for an inline image), also mixed into the page's."""
    mixed = 0
    i, end = m[FOUND + ADDRESS], m[FOUND + ADDRESS + 1]
    inline = i + 5 < end and page[i] == 100 and page[i + 4] == 58  # data:
    while i < end and (inline or (page[i] != 63 and page[i] != 35)):
        mixed = (mixed ^ np.int64(page[i])) * _MIX
        i += 1
    mixed = spread(mixed)
    m[ADDRESSES] = (m[ADDRESSES] ^ mixed) * _MIX
    return mixed


@scanner
def add_item(page: Bytes, kind: int, m: Ints) -> int:
    """A link, image or frame; returns its number."""
    k = m[ITEMS]
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
    n = m[NODES]
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
    if flags & (VOID | RAW) or (m[FOUND + CLOSED] and m[SKIPPING] >= 0):
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
def start_tag(page: Bytes, i: int, name: int, flags: int, text: Bytes, m: Ints) -> int:
    """Read the start tag whose name ends at i; returns the place after it (after its text, for a script)."""
    i = read_attributes(page, i, m)
    m[ATTRIBUTES] = max(m[ATTRIBUTES], m[FOUND + COUNT])
    if m[MODE] & AS_SERVED and m[OVER] == 0:
        depth = implied_depth(m, name, flags)
        while 0 <= depth < m[DEPTH]:
            pop(text, m)
    open_element(page, name, flags, text, m)
    return past_raw_text(page, i, name) if flags & RAW else i


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
def scan(page: Bytes, keys: NDArray[np.uint64], values: NDArray[np.int32], text: Bytes, m: Ints) -> None:
    """Read a whole page into `m` and `text`; `keys` and `values` are the table of tags."""
    i, size = 0, page.size
    for k in range(FOUND, FOUND + FOUND_SIZE):
        m[k] = 0
    add_node(0, BLOCK | CONTAINER, m)  # the page itself, for what lies outside every element
    while i < size:
        if page[i] != 60:
            start = i
            while i < size and page[i] != 60:
                i += 1
            if m[SKIPPING] < 0:
                put_text(page, start, i, text, m)
            continue
        following = page[i + 1] if i + 1 < size else 0
        if following in (33, 63):
            i = past_declaration(page, i)
        elif following == 47:
            name, i = read_name(page, i + 2)
            while i < size and page[i] != 62:
                i += 1
            i += 1
            end_tag(name, flags_of(name, keys, values), text, m)
        elif 65 <= following <= 90 or 97 <= following <= 122:
            name, i = read_name(page, i + 1)
            i = start_tag(page, i, name, flags_of(name, keys, values), text, m)
        else:
            if m[SKIPPING] < 0:
                put_text(page, i, i + 1, text, m)
            i += 1
    while m[DEPTH] > 0:
        pop(text, m)
    end_run(text, m)
    m[m[BASE_NODES] + 1], m[m[BASE_NODES] + 4] = m[NODES], m[ITEMS]
