"""Where a page's own part begins, against adding up every element of the page."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.tree import Item, PageBlock
from strandline.core.changes.page_kind import MOST, PageKind, _part
from strandline.dom.html import blocks

STEPS = st.lists(st.sampled_from(["div", "main", "p", "ul"]), min_size=1, max_size=4)
HELD = st.lists(st.tuples(STEPS, st.integers(40, 400)), max_size=6)


@given(HELD)
def test_the_own_part_is_the_innermost_element_that_holds_most(held):
    def block(steps, weight):
        return PageBlock("/".join(["html", *steps]), 0, "", "", (Item("text", "x" * min(weight, 140)),), weight, 0)

    page = [block(steps, weight) for steps, weight in held]
    weights = [("/".join(["html", *steps]) + "/", weight) for steps, weight in held]
    inside = {path[: end + 1] for path, _ in weights for end, letter in enumerate(path) if letter == "/"}
    holds = {step: sum(weight for path, weight in weights if path.startswith(step)) for step in inside}
    most = MOST * sum(weight for _, weight in weights)
    assert _part(page)[0] == max((step for step in inside if holds[step] >= most), key=len, default="")


def test_a_list_of_links_is_told_from_a_text():
    links = "".join(f"<li><a href='/{n}'>Story number {n} of this very day</a></li>" for n in range(30))
    text = "".join(f"<p>{'A sentence of the text that is long enough to count. ' * 4}</p>" for _ in range(8))
    assert PageKind(blocks(f"<body><main><ul>{links}</ul></main>".encode())).listing == 1.0
    assert PageKind(blocks(f"<body><main>{text}</main>".encode())).listing == 0.0
