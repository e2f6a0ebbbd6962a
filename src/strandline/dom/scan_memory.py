"""The memory of the compiled pass: one array of integers, `m`, and what lies where in it.

Passing one array instead of many keeps the small functions of `scan_kernels` as fast as one large one. In it lie, in
this order:

    state                       the constants OUT ... BASE_ITEMS name its places
    found                       what the attributes of the current tag say (`markup_kernels`)
    stack[depth]                packed name, flags, node or -1, link item or -1
    nodes[n]                    parent, end of subtree, flags, first item, end item, id span, class span, role span,
                                packed name
    items[k]                    kind, node, text span, address span, weight, weight inside links, prominence, hash

`text` receives the visible characters with white space collapsed; spans of texts and anchors count its characters,
all other spans count bytes of the page. The hash is over the first words of a text, or an address without its query.
"""

from strandline.dom.markup_kernels import FOUND, FOUND_SIZE

AS_SERVED, WITHOUT_HIDDEN = 1, 2  # modes, may be added
TEXT_ITEM, LINK_ITEM, IMAGE_ITEM, FRAME_ITEM = 0, 1, 2, 3
HIDDEN = 1 << 20  # a flag of nodes, beside those of `tags`
BOLD = 7  # prominence of a run that is bold throughout; headings are 1 to 6, 9 is plain
PLAIN = 9

OUT, NODES, ITEMS, DEPTH, DEEPEST, OVER, RUN, CHARS, IN_LINK, IN_STRONG = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
LINKS_OPEN, STRONG_OPEN, VERBATIM_OPEN, SKIPPING, NEWLINES, SPACE, NODE, MODE = 10, 11, 12, 13, 14, 15, 16, 17
ADDRESSES, ATTRIBUTES, LINKS, SPLITS_LEFT, BASE_NODES, BASE_ITEMS, LETTERS, HASH = 18, 19, 20, 21, 22, 23, 24, 25

STACK_LIMIT = 2_000
STACK = FOUND + FOUND_SIZE
BASE = STACK + 4 * STACK_LIMIT  # where the nodes begin
NODE_WIDTH, ITEM_WIDTH = 12, 10
