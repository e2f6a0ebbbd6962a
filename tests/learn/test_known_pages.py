"""Hours that pages live by, and the numbers of their groups."""

import numpy as np
import pytest

from strandline.lab.simulate.traces import groups_of
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


def test_pages_have_the_neighbours_that_plans_were_measured_with():
    """Addresses that end in a slash, as most sites have them now, once made every page a directory of its own."""
    paths = ["", "2024/05/vote/", "2024/05/rain/", "2024/05/", "docs/index.html", "docs/a.html", "forum/?topic=4"]
    urls = [f"https://{host}/{path}" for host in ("a.org", "b.org") for path in paths]
    groups = Groups.of([Known(n, url, url[8:13], url[8:13]) for n, url in enumerate(urls)])
    assert groups.directory[1] == groups.directory[2] != groups.directory[3]
    assert groups.directory[0] != groups.directory[len(paths)]  # of two sites
    site, directory = groups_of(urls)
    assert np.array_equal(site, groups.site)
    assert np.array_equal(directory, groups.directory)
