"""Where a page's own part begins, against adding up every element of the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.roles import ROLE_WEIGHT
from strandline.core.blocks.tree import BlockTree, Item, PageBlock, hashed
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.page_kind import MOST, PageKind, _part, is_later_page
from strandline.core.changes.score.importance import importance, study
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


CLAUSE = (
    "<p>Either side may end this contract by a notice of {} days in writing. It binds both of them all the same until "
    "that day, and what was paid before for the time after it is given back.</p>"
)
PROSE = "".join(CLAUSE.format(days) for days in (14, 7, 60, 21))
WRAPPED = {
    "a form around everything": "<form id=aspnetForm action=/x><div id=top>Search</div><div>{}</div></form>",
    "names of what holds the page": "<div class='layout-with-sidebar sidebar'><div class=field>{}</div></div>",
    "a kind of page in the names": "<div class='node node-newsletter'><div class=body>{}</div></div>",
    "streamed to its place": "<div><template id=B:2></template></div><div hidden id=S:2><div>{}</div></div>",
    "hidden until scripts run": "<div style='display:none'><div>{}</div></div>",
    "opened by a click": "<p>Ask us anything about the contracts, on weekdays from nine to five, by letter.</p>"
    "<div class=faq-accordion><button>Notice</button><div class=accordion__panel hidden>{}</div></div>",
}


@pytest.mark.parametrize("looks", [1, 10])
@pytest.mark.parametrize("frame", WRAPPED)
def test_a_name_that_holds_the_whole_page_tells_nothing(frame, looks):
    def html(days):
        inside = WRAPPED[frame].format(PROSE.replace("14 days", f"{days} days"))
        return f"<!doctype html><html lang=en><body>{inside}<footer>Imprint and data protection</footer>".encode()

    old, new, noise = blocks(html(14)), blocks(html(90)), NoiseState()
    for _ in range(looks - 1):
        study(compare(old, old), noise)
    assert study(compare(old, new), noise).value >= 0.5


def test_a_box_that_is_named_stands_beside_a_page_of_text():
    box = "<aside class=newsletter><p>{} for you every week, straight to your letter box, free of charge.</p></aside>"
    old, new = (blocks(f"<body><main>{PROSE}</main>{box.format(n)}".encode()) for n in ("14 days", "90 days"))
    assert importance(compare(old, new), NoiseState()).value < 0.015


def test_a_price_counts_where_nothing_but_its_place_is_doubtful():
    """Behind the part that holds most of the text, in a block without a name."""
    text = f"<div class=desc>{PROSE}{PROSE}</div>"
    old, new = (
        blocks(f"<body><div id=a>{text}</div><div class=buy><p>Lamp Aurora</p><p>$ {price}</p></div>".encode())
        for price in ("249.00", "279.00")
    )
    assert importance(compare(old, new), NoiseState()).value > 0.1


@pytest.mark.parametrize(
    ("url", "later"),
    [("/page/785/free-legal-forms", False), ("/page/2/", True), ("/list?p=3&sort=a", True), ("/page-2.html", True)],
)
def test_later_pages_of_lists_are_told_by_the_end_of_their_address(url, later):
    assert is_later_page(f"https://made.example{url}") is later
