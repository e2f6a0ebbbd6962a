"""Filter lists: an address on a list is advertising, relative ones included; the paper's rule stays."""

import pytest

from strandline.dom.advertising import FilterLists
from strandline.errors import SettingError

adblock = pytest.importorskip("adblock", reason="the extra strandline[ads] is not installed")


def test_a_listed_address_is_advertising(tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text("||tracker.example^\n/banner300x250.\n@@||tracker.example/allowed^\n")
    rule = FilterLists([listed]).rule("https://news.example/front")
    assert rule("https://cdn.tracker.example/x.png")
    assert rule("/img/banner300x250.gif")
    assert rule("https://news.example/advertisement/1.png")  # no list has it, the paper does
    assert not rule("/img/mayor.jpg")


@pytest.mark.parametrize("address", ["http://[x", "//[", "\ud800", "", "http://", "data:image/png;base64,/ads/"])
def test_what_is_no_address_is_no_advertising(tmp_path, address):
    listed = tmp_path / "list.txt"
    listed.write_text("||tracker.example^\n")
    assert not FilterLists([listed]).rule("https://news.example/front")(address)


def test_a_missing_list_is_told(tmp_path):
    with pytest.raises(SettingError, match="filter list"):
        FilterLists([tmp_path / "none.txt"])
