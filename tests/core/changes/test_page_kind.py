"""Where a page's own part begins, against adding up every element of the page."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.roles import ROLE_WEIGHT
from strandline.core.blocks.tree import BlockTree, Item, PageBlock, hashed
from strandline.core.changes.importance import importance
from strandline.core.changes.page_kind import MOST, PageKind, _part
from strandline.core.changes.vidiff import compare
from strandline.core.changes.volatility import NoiseState
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


OWN = "A sentence of the text that only this page has, and which is long enough to count. " * 3
EVERYWHERE = ("About the house and its boats", "Terms of delivery across the bay", "Letters are answered on Mondays")
TEMPLATE = frozenset(map(hashed, EVERYWHERE))


def page(*framing, own=OWN):
    def block(path, *texts):
        items = tuple(Item("text", text) for text in texts)
        return PageBlock(path, 0, "", "", items, sum(map(len, texts)), 0, texts[0])

    return BlockTree((block("html/body/div.own", own), block("html/body/div.frame", *framing)))


def test_what_other_pages_of_the_site_say_is_not_the_page_s_own():
    shown = page(*EVERYWHERE, "Boat 7")
    own, frame = shown.blocks
    alone, beside = PageKind(shown), PageKind(shown, TEMPLATE)
    assert beside.owns(own)
    assert beside.frames(frame)
    assert not beside.owns(frame)
    assert beside.factor(frame, 0.6) == ROLE_WEIGHT["footer"] < alone.factor(frame, 0.6) == 0.6
    assert beside.factor(own, 0.6) == 0.6
    assert not alone.frames(frame)


def test_where_pages_of_a_site_say_the_same_nothing_is_left_out():
    shown = page(*EVERYWHERE, own=EVERYWHERE[0])
    assert not any(map(PageKind(shown, TEMPLATE).frames, shown.blocks))
    assert all(PageKind(shown, TEMPLATE).owns(block) == PageKind(shown).owns(block) for block in shown.blocks)


def test_a_change_of_the_frame_counts_little_and_says_why():
    delta = compare(page(*EVERYWHERE, "Boat 7"), page(*EVERYWHERE, "Harbour closed, no ferries"))
    alone, beside = importance(delta, NoiseState()), importance(delta, NoiseState(), template=TEMPLATE)
    assert 0 < beside.value < 0.5 * alone.value
    assert beside.reasons[0].noise == "on other pages of the site, too"
    edited = compare(page(*EVERYWHERE), page(*EVERYWHERE, own=f"{OWN} A new pier opens."))
    assert importance(edited, NoiseState(), template=TEMPLATE).value == importance(edited, NoiseState()).value > 0


def test_what_stands_above_the_sections_of_a_text_belongs_to_it():
    """All sections of a page have one path: the part that holds most of the text must not leave out its beginning."""
    sections = "".join(f"<section><h2>Part {n}</h2><p>{'A sentence of it. ' * 30}</p></section>" for n in range(8))
    shown = blocks(
        f"<body><div id=c><h1>Lamp Aurora</h1><p>{'€ 89.00, in stock. ' * 4}</p>{sections}</div>"
        f"<div id=d><p>{'Win a trip to Lisbon. ' * 4}</p></div>".encode()
    )
    kind = PageKind(shown)
    own = {block.texts[0]: kind.owns(block) for block in shown.blocks}
    assert own["Lamp Aurora"]
    assert not own[("Win a trip to Lisbon. " * 4).strip()], "it stands behind"
    still = NoiseState()
    for _ in range(4):
        still.learn(compare(shown, shown))
    kind = PageKind(shown, noise=still)
    assert all(kind.owns(block) for block in shown.blocks), "what stood still at every look"


def test_a_short_text_is_what_a_page_with_a_long_menu_is_about():
    menu = "".join(f"<li><a href=/{n}>Department {n}</a>" for n in range(12))
    text = "The reading room is open from nine to five, but for the first Monday of each month, when it is closed. " * 3
    shown = blocks(f"<body><div id=m><ul>{menu}</ul></div><div id=t><p>{text}</p><p>{text}</p></div>".encode())
    kind = PageKind(shown)
    linked = [kind.owns(block) for block in shown.blocks if block.link_weight]
    assert linked and not any(linked)
    assert kind.listing == 0.0
