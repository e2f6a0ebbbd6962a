"""The demonstration site says when its pages changed."""

import random
import re
from email.utils import parsedate_to_datetime

import pytest

from strandline.demo.site import LivingSite

NOW = 1_800_000_000.0


@pytest.mark.parametrize("begins", [NOW + 72 * 3600.0, NOW - 30 * 3600.0])
def test_no_change_is_told_before_it_happened_even_while_the_site_stands_still(begins):
    site = LivingSite(seed=1, hour_seconds=3600.0, epoch=begins)
    feed = site.answer("/feed.xml", NOW, random.Random(1)).body.decode()
    told = [parsedate_to_datetime(text).timestamp() for text in re.findall("<pubDate>(.*?)</pubDate>", feed)]
    pages = (site.answer(path, NOW, random.Random(1)).last_modified for path in site.pages)
    told += [parsedate_to_datetime(text).timestamp() for text in pages if text]
    assert len(told) > 20
    assert max(told) <= NOW
