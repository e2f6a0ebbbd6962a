"""When a watch ends by itself."""

from strandline.crawl.orders import Limits
from strandline.watch.watching import WatchRequest


def test_the_earlier_of_two_ends_counts():
    both = WatchRequest(hours=2.0, limits=Limits(captures=7, seconds=60.0, octets=9))
    assert both.until(3600.0) == Limits(7, 60.0, 9)
    assert both.until(5.0) == Limits(7, 10.0, 9), "two hours of five seconds"


def test_one_end_or_none():
    assert WatchRequest(hours=2.0).until(3600.0) == Limits(seconds=7200.0)
    assert WatchRequest(limits=Limits(seconds=60.0)).until(3600.0) == Limits(seconds=60.0)
    assert WatchRequest().until(3600.0) == Limits()
