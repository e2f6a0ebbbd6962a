"""What rates need of a site is the same, however many pages are added at a time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.features import PageSummary
from strandline.core.mining.learned import Visits
from strandline.learn.gathered_rates import GatheredRates
from strandline.learn.packed_looks import LooksShelf
from strandline.learn.rates import SitePages

PATHS = ("/", "/a/", "/a/index.html", "/a/b/2024-1.html", "/c.html?n=7")
PAGE = st.tuples(
    st.sampled_from(PATHS),
    st.lists(st.tuples(st.floats(0.0, 1e6), st.booleans()), min_size=1, max_size=4),
    st.one_of(st.none(), st.tuples(st.integers(0, 9000), st.integers(0, 9), st.integers(0, 90))),
)


def visits(number, path, captures):
    times = np.sort(np.array([time for time, _ in captures]))
    changed = np.array([False, *(told for _, told in captures[1:])])
    return Visits(number, f"http://a.example{path}", times, changed, 0.5 * changed, np.zeros(times.size, np.bool_))


@settings(max_examples=60, deadline=None)
@given(st.lists(PAGE, max_size=12), st.integers(1, 5))
def test_a_site_gathered_some_pages_at_a_time_is_the_site_at_once(found, size):
    pages = [visits(number, path, captures) for number, (path, captures, _) in enumerate(found, 1)]
    sights = {number: sight for number, (_, _, sight) in enumerate(found, 1) if sight is not None}
    gathered = GatheredRates(LooksShelf())
    for begin in range(0, len(pages), size):
        some = pages[begin : begin + size]
        gathered.add(some, [(one.page, *sights[one.page]) for one in some if one.page in sights])
    known, looks = gathered.site()
    summaries = {page: PageSummary(text, links, headings) for page, (text, headings, links) in sights.items()}
    wanted = SitePages.of(pages, summaries)
    assert list(known.pages) == list(wanted.pages)
    assert np.array_equal(known.features, wanted.features)
    for name in ("of_page", "parent", "level"):
        assert np.array_equal(getattr(known.directories, name), getattr(wanted.directories, name)), name
    for one, other in zip(known.counts, wanted.counts, strict=True):
        assert np.array_equal(one, other)
    assert [(one.times.tolist(), one.changed.tolist()) for one in looks] == [
        (one.times.tolist(), one.changed.tolist()) for one in pages
    ]
