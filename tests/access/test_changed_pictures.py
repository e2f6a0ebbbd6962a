"""A change has pictures when both of its captures have one."""

from access.test_pictures import URL, pictured
from strandline.access.changed_pictures import both_pictured
from strandline.archive.holdings import holdings
from warc.exchanges import START


def test_both_captures_need_a_picture_of_their_own_time(tmp_path):
    archive, _ = pictured(tmp_path / "archive")
    held, hour = holdings(archive), 3600.0
    assert both_pictured(held, URL, START + 3 * hour, START + 4 * hour)
    assert both_pictured(held, URL, START, START + hour), "one that is the same as before counts"
    assert not both_pictured(held, URL, START + 2 * hour, START + 3 * hour), "of the third look none was taken"
    assert not both_pictured(held, URL, START + 3 * hour, START + 9 * hour), "nothing was captured then"
    assert not both_pictured(held, "http://nowhere.example/", START, START + hour)
