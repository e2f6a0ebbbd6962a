"""What of a page is its own content: pages of several kinds written for the test, and slow obvious references."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.pages import paragraphs
from strandline.core.blocks.content import GENEROUS, chosen, content_scores
from strandline.core.blocks.roles import block_factor
from strandline.dom.content import shipped_judges
from strandline.dom.html import blocks, judged_blocks, judged_layout, layout, main_text

MENU = "".join(f"<li><a href='/{k}'>Section {k}</a></li>" for k in range(12))
CONSENT = "".join(
    f"<p>These cookies are necessary for part {k} of the website to function, and cannot be switched off. They are set "
    "in response to actions made by you, such as setting your privacy preferences or filling in forms.</p>"
    for k in range(12)
)


def framed(body, title="A page"):
    return (
        f"<html><head><title>{title}</title></head><body><header><a href='/'>The Daily Shore</a></header>"
        f"<nav class='menu'><ul>{MENU}</ul></nav>{body}"
        f"<div id='onetrust-consent-sdk'><div class='ot-pc-content'>{CONSENT}</div></div>"
        "<footer><p>Copyright 2026 The Daily Shore. All rights reserved.</p><a href='/imprint'>Imprint</a></footer>"
        "</body></html>"
    ).encode()


def test_an_article_beside_a_longer_cookie_notice():
    said = paragraphs(1, 8)
    text = main_text(framed(f"<article><h1>Sand moves east</h1>{''.join(f'<p>{one}</p>' for one in said)}</article>"))
    assert all(one in text for one in said)
    assert "cookies are necessary" not in text
    assert "Section 3" not in text
    assert "All rights reserved" not in text


def test_posts_of_a_forum():
    posts = [f"{one} What do others think of it?" for one in paragraphs(2, 9)]
    body = "".join(
        f"<div class='post'><div class='author'>user{k}</div><div class='message'><p>{post}</p></div>"
        f"<div class='actions'><a href='/r{k}'>Reply</a> <a href='/q{k}'>Quote</a></div></div>"
        for k, post in enumerate(posts)
    )
    text = main_text(framed(f"<div class='thread'><h1>Which sieve?</h1>{body}</div>"))
    assert all(post in text for post in posts)
    assert "Section 3" not in text
    assert "cookies are necessary" not in text


def test_blocks_carry_the_score_and_their_factor_follows_it():
    said = paragraphs(3, 12)
    tree = judged_blocks(framed(f"<div class='x1'>{''.join(f'<p>{one}</p>' for one in said)}</div>"))
    own = [block for block in tree.blocks if any(one in block.text for one in said)]
    around = [block for block in tree.blocks if block.role in ("nav", "footer") or "cookies are" in block.text]
    assert own
    assert around
    assert min(block.content for block in own) > 0.5
    assert max(block.content for block in around) < 0.3
    assert min(map(block_factor, own)) > max(map(block_factor, around))


def test_what_scripts_would_make_is_read_from_noscript():
    said = paragraphs(4, 6)
    offered = "".join(f"<p>{one}</p>" for one in said)
    page = f"<body><div id='app'></div><noscript>{offered}</noscript><script>start()</script></body>".encode()
    assert all(one in blocks(page).text for one in said)
    shown = (
        f"<body><main>{offered}</main><noscript><p>This page needs scripts, {said[0]}</p></noscript></body>".encode()
    )
    assert "needs scripts" not in blocks(shown).text
    short = b"<body><div id='app'></div><noscript><p>You need scripts.</p></noscript></body>"
    assert blocks(short).text == ""


@given(st.lists(st.tuples(st.floats(0.001, 1), st.integers(1, 60)), min_size=1, max_size=9))
def test_chosen_is_the_best_of_all_thresholds(runs):
    scores, words = np.array([score for score, _ in runs]), np.array([float(count) for _, count in runs])
    hoped = scores**GENEROUS

    def expected(taken):
        return 2 * (hoped * words)[taken].sum() / (words[taken].sum() + (hoped * words).sum())

    best = max(expected(hoped >= one) for one in hoped)
    assert math.isclose(expected(chosen(scores, words, range(len(runs)))), best, rel_tol=1e-9)


def test_what_is_said_twice_is_taken_once_where_it_is_likeliest():
    scores, words = np.array([0.7, 0.9, 0.8, 0.1]), np.full(4, 20.0)
    assert chosen(scores, words, ("a", "a", "b", "c")).tolist() == [False, True, True, False]
    said = paragraphs(6, 8)
    article = "".join(f"<p>{one}</p>" for one in said)
    text = main_text(framed(f"<div class='narrow'>{article}</div><div class='wide'>{article}</div>"))
    assert [text.count(one) for one in said] == [1] * len(said)


def test_nothing_to_choose_from():
    assert chosen(np.zeros(0), np.zeros(0), ()).tolist() == []
    assert main_text(b"") == ""
    assert content_scores(layout(b"<img src='/a.png'>", described=True), shipped_judges()).tolist() == [-1.0]


def test_layouts_say_what_every_item_is():
    page = judged_layout(b"<p>Text <a href='/a'>more</a> <img src='/b.png'></p>")
    assert page.content is not None
    assert [kind == 0 for kind in page.item_kinds.tolist()] == [score >= 0 for score in page.content.tolist()]
    assert layout(b"<p>Text</p>").content is None
    assert blocks(b"<p>Text</p>").blocks[0].content == -1.0
