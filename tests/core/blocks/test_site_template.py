"""What the pages of a made-up site have in common is not what any one of them is about."""

from core.blocks.pages import paragraphs
from strandline.core.blocks.site_template import ENOUGH, MOST_PAGES, NO_TEMPLATE, SiteTexts, is_framing
from strandline.core.blocks.tree import hashed
from strandline.dom.html import blocks, main_text

SITE = paragraphs(40, 6, 25, 40)
"""What every page of the site says: a note on deliveries, a company, others' texts; nothing in its form tells it."""


def page(seed):
    own = "".join(f"<p>{text}</p>" for text in paragraphs(seed, 6, 25, 40))
    shared = "".join(f"<p>{text}</p>" for text in SITE)
    links = "".join(f"<a href='/{k}'>Section {k}</a> " for k in range(8))
    return f"<body><div>{links}</div><div><h1>Page {seed}</h1>{own}</div><div>{shared}</div></body>".encode()


def texts(html):
    return [text for block in blocks(html).blocks for text in block.texts]


def learned(*seeds):
    site = SiteTexts()
    for seed in seeds:
        site.learn(seed, texts(page(seed)))
    return site.template


def test_what_every_page_says_is_not_content_once_others_are_known():
    own = paragraphs(1, 6, 25, 40)
    alone = main_text(page(1))
    assert all(text in alone for text in own)
    assert SITE[0] in alone, "a page alone does not show it"
    beside = main_text(page(1), template=learned(2, 3, 4, 5))
    assert all(text in beside for text in own)
    assert not any(text in beside for text in SITE)


def test_a_site_of_which_few_pages_are_known_has_no_template():
    assert learned(*range(ENOUGH - 1)) == NO_TEMPLATE
    assert hashed(SITE[0]) in learned(*range(ENOUGH))


def test_a_text_on_a_few_of_many_pages_is_no_template():
    site = SiteTexts()
    for number in range(MOST_PAGES):
        site.learn(number, ["All rights reserved"] + ["Told of twice"] * (number < ENOUGH))
    assert site.template == {hashed("All rights reserved")}


def test_a_page_counts_once_as_it_is_now_and_old_ones_are_forgotten():
    site = SiteTexts()
    for _ in range(9):
        site.learn(1, ["Said by one page"])
    assert site.template == NO_TEMPLATE
    for number in range(ENOUGH):
        site.learn(number, ["Before"])
    assert hashed("Before") in site.template
    site.learn(0, ["After"])
    assert hashed("Before") not in site.template
    for number in range(MOST_PAGES):
        site.learn(100 + number, ["Anew"])
    assert site.template == {hashed("Anew")}


def test_a_block_with_a_line_of_its_own_among_the_template_is_framing():
    template = frozenset(map(hashed, ("All rights reserved", "Imprint and contact")))
    assert is_framing(("All rights reserved", "Imprint and contact", "Page 7"), template)
    assert not is_framing(("Imprint and contact", "A text that only this page has, and which is longer"), template)
    assert not is_framing((), template)
