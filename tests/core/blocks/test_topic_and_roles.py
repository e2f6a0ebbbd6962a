"""Topics (paper 003) and automatic block importance."""

import pytest

from core.blocks.pages import block
from strandline.core.blocks.roles import block_factor, block_importances, hint_of, is_advertising, path_step
from strandline.core.blocks.topic import topic, trim
from strandline.core.blocks.tree import Item, PageBlock
from strandline.dom.html import blocks


def test_a_heading_is_the_topic_although_it_comes_second():
    (part,) = blocks(b"<div><p>Some words first</p><h3>Fees and charges</h3><p>More words</p></div>").blocks
    assert topic(part) == "Fees and charges"


def test_bold_text_stands_out_when_there_is_no_heading():
    (part,) = blocks(b"<div><p>Some words first</p><p><b>Opening hours</b></p></div>").blocks
    assert topic(part) == "Opening hours"


def test_without_format_the_first_paragraph_is_trimmed():
    (part,) = blocks(b"<p>The bank may change the fees of the account and the fees of the card at any time</p>").blocks
    assert topic(part, longest=5) == "bank change fees account card"


def test_trim_by_frequency_keeps_words_that_recur():
    assert trim("fees of the card, fees of the account, card lost", 5, frequency=1) == ["fees", "card"]


@pytest.mark.parametrize("text", ["市长今天宣布新的预算" * 200, "x" * 100_000])
def test_a_topic_stays_short_without_blanks(text):
    said = topic(block("p", text))
    assert len(said) == 120
    assert said.endswith("…")
    assert text.startswith(said[:-1])


def test_a_block_of_pictures_is_named_by_them():
    assert topic(block("p", Item("image", "Map of the town", "m.png"))) == "Map of the town"


def test_block_importances_sum_to_one_and_favour_the_main_part():
    main, footer = block("a", "x" * 100), block("b", "x" * 100, role="footer")
    auto = block_importances([main, footer])
    assert sum(auto) == pytest.approx(1.0)
    assert auto[0] > 5 * auto[1]
    assert block_importances([main, footer], "area") == [0.5, 0.5]
    assert block_importances([], "uniform") == []
    with pytest.raises(ValueError, match="auto, area or uniform"):
        block_importances([main], "other")


def test_links_and_names_lower_a_block():
    plain = PageBlock("p", 0, "", "", (), 100, 0)
    assert block_factor(plain) == pytest.approx(0.6)
    assert block_factor(PageBlock("p", 0, "main", "", (), 100, 100)) == pytest.approx(0.15)
    assert block_factor(PageBlock("p", 0, "", "cookie", (), 100, 0)) == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("names", "hint"),
    [("CybotCookiebotDialog", "cookie"), ("share-bar", "share"), ("adSlot", "ads"), ("shadow loading", ""), ("", "")],
)
def test_hints(names, hint):
    assert hint_of(names) == hint


def test_advertising_by_address():
    assert is_advertising("https://ad.doubleclick.net/x")
    assert is_advertising("/ads/banner.gif")
    assert not is_advertising("https://x.example/roads/1")
    assert not is_advertising("data:image/png;base64,iVBORw0KGgo/ads/AAAA=")


def test_steps_of_paths():
    assert path_step("div", "x1", "a/b c") == "div#x1.ab.c"
    assert path_step("li", "item-123456", "") == "li"


@pytest.mark.parametrize("name", ["z" * 1_000_000, "zY" * 500_000, "ab-" * 300_000, "z " * 500_000])
def test_names_that_are_data_are_read_at_once_and_left_out_of_paths(name):
    page = f"<body id='{name}' class='wide {name}'><div class='{name}'><p>Some words</p></div></body>"
    (part,) = blocks(page.encode()).blocks
    assert part.text == "Some words"
    assert len(part.path) < 100


def test_paths_of_parts_that_nest_without_end_stay_short():
    page = "".join(f"<div id=part><p>{'words ' * 70}{n}</p>" for n in range(300))
    found = blocks(page.encode()).blocks
    assert len({part.key for part in found}) == len(found) > 200
    assert max(len(part.path) for part in found) < 1_000
