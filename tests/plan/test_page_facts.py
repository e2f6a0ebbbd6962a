"""How pages stand, noted in passing."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.quality.hollow import MARK, SAME, SHARED_BY, SHARED_PART, SHELL
from strandline.plan.page_facts import FactsNoted, shared_pages
from strandline.store.standing import Standing


def standing(page, **facts):
    known = {
        "url": f"http://a.example/{page}", "host": "a.example", "site": "a.example", "kind": "page", "via": "link",
        "hops": 1, "due": 0.0, "not_before": 0.0, "attempts": 0, "evidence": "present", "since": 0.0, "outcome": "",
        "detail": "", "visited": 1.0, "weight": 1.0, "weight_given": False, "captures": 1, "host_not_before": 0.0,
    }  # fmt: skip
    return Standing(page=page, **{**known, **facts})


def test_facts_are_those_of_the_pages_in_the_order_of_rows():
    pages = [
        standing(3, weight=2.0),
        standing(5, evidence="absent", since=77.0, dead=True),
        standing(9, detail=f"{MARK}{SHELL}"),
    ]
    facts = FactsNoted()
    assert list(facts.passing(pages)) == pages, "whoever looks through them sees all"
    found = facts.in_rows({9: 0, 3: 1, 5: 2}.__getitem__, [])
    assert found.page.tolist() == [9, 3, 5]
    assert found.weight.tolist() == [1.0, 2.0, 1.0]
    assert np.isnan(found.gone[:2]).all() and found.gone[2] == 77.0, "since others are there it tells nothing"
    assert found.dead.tolist() == [False, False, True]
    assert found.hollow == [SHELL, "", ""]
    assert len(facts.in_rows(int, []).page) == 0, "what was told is not held twice"


def test_pages_that_show_the_same_are_told_but_not_over_what_they_say_themselves():
    facts = FactsNoted()
    list(facts.passing(standing(page, detail=f"{MARK}{SHELL}" if page == 2 else "") for page in range(8)))
    same = [(page, "a.example", "sha1:x" if page < 6 else f"sha1:{page}") for page in range(8)]
    assert facts.in_rows(int, same).hollow == [SAME, SAME, SHELL, SAME, SAME, SAME, "", ""]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=40))
def test_shared_pages_are_those_counted_one_by_one(shown):
    pages = [(10 * page, *content) for page, content in enumerate(shown)]
    counts, sites = Counter(shown), Counter(site for site, _ in shown)
    many = {one for one, count in counts.items() if count >= max(SHARED_BY, SHARED_PART * sites[one[0]])}
    assert shared_pages(pages).tolist() == [page for page, *content in pages if tuple(content) in many]
