"""Copies of tables that live."""

from copy import deepcopy

import numpy as np

from strandline.core.plan.live_pages import LivePages
from strandline.core.plan.strategy import PageTable


def test_what_is_written_to_a_copy_stays_when_it_grows():
    live = LivePages(PageTable.of(2))
    live.append(PageTable.of(1))
    live.take_news()
    live.write(np.array([2]), weight=3.0)
    other = deepcopy(live)
    other.write(np.array([0]), last_visit=9.0)
    other.append(PageTable.of(1, weight=4.0))
    assert other.table.last_visit[0] == 9.0 and other.table.weight.tolist() == [1.0, 1.0, 3.0, 4.0]
    assert other.take_news().tolist() == [0, 2, 3]
    assert live.table.weight.tolist() == [1.0, 1.0, 3.0] and live.take_news().tolist() == [2]


def test_who_follows_a_table_follows_its_copy():
    live = LivePages(PageTable.of(2))
    live.append(PageTable.of(1))
    holder, table = deepcopy([live, live.table])
    assert holder.table is table
