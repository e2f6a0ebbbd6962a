"""Which changes of a history are real, by what lasts."""

import pytest

from core.blocks.pages import block, page
from strandline.core.blocks.tree import Item
from strandline.lab.experiments.lasting_changes import STAYS, WARM, Judged, real_changes

TERMS = "These terms govern the use of the service and all of its parts in every country"
CLAUSE = "Disputes are heard by an arbitrator whom both sides name"


def version(number, *texts):
    aside = Item("link", f"Headline about event {'abcdefghijklmnopqrstuvwxyz'[number // 9]} in the city today", "/news")
    return page(
        block("body/main/article", TERMS, *texts),
        block("body/main/div", aside.text, aside, f"Read by visitor number {'x' * number} right now"),
    )


def test_a_sentence_that_stays_is_real_and_so_is_one_that_leaves_for_good():
    stays = [version(n, *([CLAUSE] if 5 <= n < 20 else [])) for n in range(30)]
    assert [n for n, real in enumerate(real_changes(stays)) if real] == [5, 20]


def test_what_comes_and_goes_lies_outside_or_is_a_link_is_not_real():
    flickers = [version(n, *([CLAUSE] if n % 4 == 1 else [])) for n in range(30)]
    assert not any(real_changes(flickers)), "headlines beside the text last nine versions each, and do not count"


def test_the_end_of_the_history_is_left_open():
    late = [version(n, *([CLAUSE] if n >= 30 - STAYS + 1 else [])) for n in range(30)]
    assert real_changes(late)[30 - STAYS + 1] is None
    gone = [version(n, *([CLAUSE] if n < 28 else [])) for n in range(30)]
    assert real_changes(gone)[28] is None


def test_figures_by_hand():
    judged = Judged(real=[0.9, 0.5, 0.5, 0.4, 0.1], other=[0.0, 0.0, 0.1, 0.45], seen=5)
    assert judged.area() == pytest.approx((4 + 4 + 4 + 3 + 2.5) / 20)
    assert judged.alarms() == pytest.approx(1 / 4)
    assert Judged().area() is None
    assert Judged().alarms() is None


def test_the_first_comparisons_are_not_judged():
    pages = [version(n, *([CLAUSE] if n >= 15 else [])) for n in range(30)]
    judged = Judged()
    judged.take(pages, [float(n == 15) for n in range(1, 30)], [True] * 29)
    assert judged.real == [1.0]
    assert len(judged.other) == 29 - WARM - 1
    assert (judged.seen, judged.area(), judged.alarms()) == (1, 1.0, 0.0)
