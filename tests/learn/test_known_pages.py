"""Hours that pages live by, and the numbers of their groups."""

import numpy as np
import pytest

from strandline.learn.known_pages import Groups, Hours, Known, path_of

NOW = 1_763_000_000.0
DAY = 86_400.0


def pages(count):
    return [
        Known(n, f"https://www.{n % 3}.org/{n % 4}/{n}.html", f"{n % 3}.org", f"www.{n % 3}.org") for n in range(count)
    ]


def test_hours_begin_on_a_monday_and_may_be_shorter():
    hours = Hours.since(NOW)
    assert hours.start % DAY == 0
    assert (hours.start / DAY + 3) % 7 == 0  # 1970-01-01 was a Thursday
    assert hours.seconds(hours.at(NOW)) == pytest.approx(NOW)
    short = Hours.since(NOW, 5.0)
    assert 0 <= short.at(NOW) < 168
    assert short.at(NOW + 60.0) - short.at(NOW) == pytest.approx(12.0)
    with pytest.raises(ValueError, match="hour must last"):
        Hours.since(NOW, 0.0)


def test_groups_keep_their_numbers_when_pages_are_added():
    few, many = Groups.of(pages(10)), Groups.of(pages(44))
    assert np.array_equal(few.site, many.site[:10])
    assert np.array_equal(few.directory, many.directory[:10])
    assert path_of("https://example.org") == "/"
