"""Division of a page from the top, against a slow reading of its rules; what is beside the page's text stays apart."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.pages import paragraphs
from strandline.core.blocks.levels import PageLevel
from strandline.core.blocks.partition import LIGHT, SHARE, SMALLEST, partition
from strandline.core.blocks.roles import BESIDE, block_role_inside
from strandline.core.blocks.tree import Item, LayoutTree
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.dom.html import blocks, layout

RULES = "".join(f"<h2>Section {n}</h2><p>{text}</p>" for n, text in enumerate(paragraphs(3, 8)))
NOTICE = "We use cookies to improve what you see and to count visits. Go on and you agree to our policy."
NOTICES = {
    "named by an id": '<div id="cookie-banner"><p>{}</p><button>Accept</button></div>',
    "a paragraph": '<p class="cookie-notice">{}</p>',
    "inside a nameless element": '<div><div class="cookieConsent"><p>{}</p><a href="/privacy">More</a></div></div>',
    "a dialog": '<div role="dialog" class="notice"><p>{}</p></div>',
    "beside a newsletter": '<div class="newsletter">Write to us</div><div class="gdpr"><p>{}</p></div>',
}


@pytest.mark.parametrize("form", NOTICES.values(), ids=NOTICES)
@pytest.mark.parametrize(
    "page", ["{rules}{notice}", "{notice}{rules}", "<main>{rules}</main>{notice}", "<p>A short page.</p>{notice}"]
)
def test_a_short_cookie_notice_that_appears_hardly_counts(form, page):
    long = page if "rules" in page else "<p>{rules}</p>{notice}"  # more than the notice, in one light element
    rules = RULES if long == page else "The reading room is open on every working day from nine to seven. " * 4
    old = blocks(long.format(rules=rules, notice="").encode())
    new = blocks(long.format(rules=rules, notice=form.format(NOTICE)).encode(), scale=old.scale)
    changed = importance(compare(old, new), NoiseState())
    assert {reason.block.hint for reason in changed.reasons} <= BESIDE
    assert 0 < changed.value < 0.03
    text = "Readers bring a card that shows where they live. Who has none may ask at the desk and pay a small sum."
    as_text = blocks(long.format(rules=rules, notice=f"<p>{text}</p>").encode(), scale=old.scale)
    assert importance(compare(old, as_text), NoiseState()).value > 3 * changed.value
    unnamed = blocks(long.format(rules=rules, notice=f"<p>{NOTICE}</p>").encode(), scale=old.scale)
    assert 0 < importance(compare(old, unnamed), NoiseState()).value < 0.03


def test_sections_about_cookies_are_content_in_the_main_part_and_headings_everywhere():
    section = f'<section id="cookies"><h2 id="cookies-we-use">Cookies</h2><p>{NOTICE}</p></section>'
    for page in (f"<main>{RULES}{section}</main>", f'{RULES}<h2 id="cookie-policy">Cookies</h2><p>{NOTICE}</p>'):
        assert {block.hint for block in blocks(page.encode()).blocks} == {""}


def test_the_title_of_a_page_is_no_pop_up():
    page = blocks(f'<div class="text-with-overlay"><h1>Terms</h1></div>{RULES}'.encode())
    assert {block.hint for block in page.blocks} == {""}


def test_text_of_an_element_around_a_notice_is_not_part_of_it():
    page = blocks(f'<body>{RULES}before <p class="cookie">{NOTICE}</p> behind<p>more</p>{RULES}'.encode())
    (notice,) = (block for block in page.blocks if block.hint == "cookie")
    assert notice.texts == (NOTICE,)


def test_notices_that_follow_one_another_are_one_block():
    shares = "".join(f'<p class="share-item"><a href="/{n}">Send to friend {n}</a></p>' for n in range(5))
    page = blocks(f"{RULES}{shares}{RULES}".encode())
    assert [len(block.items) for block in page.blocks if block.hint == "share"] == [10]


def test_a_long_list_is_content_whatever_its_entries_are_called():
    listed = "".join(f"<p class=sponsor>Sponsor number {n}</p><p>gave {n} books</p>" for n in range(101))
    assert {block.hint for block in blocks(f"{listed}{RULES}".encode()).blocks} == {""}


# The rules of the division, read slowly

NAMES = ["", "", "", "class=cookie", "id=share-bar", "class='share x'", "class=menu", "role=main", "hidden"]
TAGS = ["div", "div", "p", "section", "ul", "aside", "h1", "h3"]
WORDS = st.integers(1, 60).map(lambda count: "word " * count)
SOUP = st.recursive(
    WORDS,
    lambda inner: st.tuples(st.sampled_from(TAGS), st.sampled_from(NAMES), st.lists(inner, max_size=4)).map(
        lambda made: f"<{made[0]} {made[1]}>{' '.join(made[2])}</{made[0]}>"
    ),
    max_leaves=14,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(SOUP, max_size=8), st.sampled_from([1, 2, 3]))
def test_the_division_follows_its_rules(parts, level):
    tree = layout("".join(parts).encode())
    made = [
        (block.items, block.role, block.hint)
        for block in partition(tree, PageLevel(level, 1 << 40)).blocks  # no cuts inside texts
    ]
    leaves = list(_Slow(tree, level).leaves(0)) if tree.items else []
    assert _merged(made) == _merged([(tuple(tree.items[a:b]), role, hint) for a, b, role, hint in leaves])


def _merged(parts: list[tuple[tuple[Item, ...], str, str]]) -> list[tuple[tuple[Item, ...], str, str]]:
    """Neighbours that lie alike as one: long leaves are cut further, at headings and by size."""
    found: list[tuple[tuple[Item, ...], str, str]] = []
    for items, role, hint in parts:
        if found and found[-1][1:] == (role, hint):
            found[-1] = found[-1][0] + items, role, hint
        else:
            found.append((items, role, hint))
    return found


class _Slow:
    """Each question answered from the tree itself, nothing kept."""

    def __init__(self, tree: LayoutTree, level: int) -> None:
        self.tree = tree
        self.total = sum(tree.weights.tolist())
        self.heavy = max(LIGHT, self.total * SHARE[level])

    def span(self, node: int) -> tuple[int, int]:
        return self.tree.firsts[node], self.tree.lasts[node]

    def weight(self, node: int) -> int:
        return sum(self.tree.weights[slice(*self.span(node))].tolist())

    def children(self, node: int) -> list[int]:
        return [c for c, parent in enumerate(self.tree.parents) if parent == node and len(set(self.span(c))) == 2]

    def role(self, node: int) -> str:
        above = self.role(self.tree.parents[node]) if node else ""
        return block_role_inside(self.tree.roles[node], above)

    def own_hint(self, node: int) -> str:
        hint = self.tree.hint(node)
        large = 2 * self.weight(node) > self.total
        if hint != "hidden" and (large or (self.role(node) == "main" and hint in ("cookie", "consent"))):
            return ""
        return hint

    def hint(self, node: int) -> str:
        return self.own_hint(node) or (self.hint(self.tree.parents[node]) if node else "")

    def named(self, child: int) -> int | None:
        """The node that calls a child no part of what the page is about."""
        node = child
        while not self.tree.hint(node):
            inner = [n for n in self.tree_below(child) if self.span(n) == self.span(child) and n > node]
            if not inner or inner[0] != node + 1:
                return None
            node = inner[0]
        title = 1 in self.tree.prominence[slice(*self.span(child))].tolist()
        return node if self.own_hint(node) in BESIDE and not title else None

    def tree_below(self, node: int) -> range:
        return range(node + 1, self.tree.ends[node])

    def leaves(self, node: int) -> Iterator[tuple[int, int, str, str]]:
        children = self.children(node)
        if len(children) == 1 and self.span(children[0]) == self.span(node):
            yield from self.leaves(children[0])
            return
        apart = [c for c in children if self.tree.apart[c] or self.named(c) is not None]
        if self.weight(node) <= self.heavy and not apart:
            yield *self.span(node), self.role(node), self.hint(node)
            return
        owner: dict[int, int] = {item: node for item in range(*self.span(node))}
        for child in children:
            named = self.named(child)
            for item in range(*self.span(child)):
                owner[item] = child if self.alone(child) else node if named is None else named
        for item, holder in owner.items():
            if any(self.alone(c) and c == holder for c in children):
                if item == self.tree.firsts[holder]:
                    yield from self.leaves(holder)
            else:
                yield item, item + 1, self.role(holder), self.hint(holder)

    def alone(self, child: int) -> bool:
        sizeable = self.tree.containers[child] and self.weight(child) >= 3 * SMALLEST
        return self.tree.apart[child] or self.weight(child) > self.heavy or sizeable
