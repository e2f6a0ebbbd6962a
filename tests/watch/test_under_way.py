"""What was taken on counts until it is here: requests without a plan, and the parts of pages in browsers."""

from dataclasses import replace

from strandline.core.capture import Kind
from strandline.core.plan.budget import Allowance
from strandline.plan.budget_meter import Purse
from strandline.plan.due import Due
from strandline.ports import PLANNED
from strandline.watch.under_way import UnderWay
from watch.test_agenda import HOUR, START, EveryPage, Shop, page


def made(amount=9, room=3.0):
    purse = Purse(Allowance(amount, 1.0), HOUR, 0.0)
    found = UnderWay(lambda: purse)
    found.divide(room, 0.0, 60.0)
    return found, purse


def test_requests_without_a_plan_are_spread_and_count_when_they_are_handed_out():
    found, _ = made()
    assert [found.room(now) for now in (0.0, 19.0, 21.0, 41.0, 60.0, 99.0)] == [1, 1, 2, 3, 3, 3], "never one more"
    found.begins(7, 1.0, planned=False)
    assert found.room(0.0) == 0, "although its answer is not here yet"
    assert not found.ended(7) and found.room(0.0) == 0 and found.room(21.0) == 1
    found.begins(8, 1.0, planned=False)
    assert found.passed_over([8]) == 0
    assert found.room(21.0) == 1, "robots.txt refused it: nothing was asked"
    found.begins(9, 1.0, planned=True)
    assert found.room(21.0) == 1 and found.ended(9), "a planned one takes none of their room"
    found.begins(9, 1.0, planned=True)
    assert found.passed_over([9]) == 1 and not found.ended(9)


def test_an_hour_without_room_has_none_for_the_first_one_either():
    found, _ = made(room=0.0)
    assert found.room(0.0) == found.room(60.0) == 0


def test_a_page_in_a_browser_is_begun_when_it_can_be_paid_to_its_end():
    found, purse = made()
    assert found.pays(7.0, 0.0) and not found.pays(7.0, 0.0, beside=3.0)
    found.begins(1, 7.0, planned=True)
    assert found.payable(0.0) == 3, "its own request is paid when it is sent"
    purse.begun(1)
    assert found.payable(0.0) == 2 and found.pays(1.0, 0.0) and not found.pays(7.0, 0.0)
    for ticket in range(1, 8):
        purse.begun(ticket)
        purse.ended(ticket, 0.0, 100.0, unchanged=False)
    found.ended(1)
    assert found.payable(0.0) == 2


def test_one_that_takes_more_than_a_whole_budget_is_begun_when_nothing_else_was_spent():
    found, purse = made(amount=5)
    assert found.pays(7.0, 0.0)
    purse.begun(1)
    assert not found.pays(7.0, 0.0)


def test_the_host_of_one_that_cannot_be_paid_waits_until_it_can():
    found, purse = made()
    for ticket in range(4):
        purse.begun(ticket)
        purse.ended(ticket, 0.0, 100.0, unchanged=False)
    assert not found.pays(7.0, 1.0, place="app.example")
    assert found.short(1.0) == ["app.example"]
    assert found.short(HOUR + 1.0) == []


class Dear(EveryPage):
    """Takes each page for one that takes seven requests."""

    def cost(self, url):
        return 7.0

    def plan(self, hour, visits, most):
        wanted = [self.catalog.reading.page_numbered(page) for page in sorted(self.known)]
        return [
            Due(row.page, row.url, 0.0, "", START + HOUR * hour, 7.0)
            for row in wanted
            if row.kind is Kind.PAGE and row.due == PLANNED
        ]


def test_a_watch_begins_no_page_that_its_budget_cannot_finish(tmp_path):
    """Whether it is planned or comes by itself: of each seven requests only one is sent here, the parts of none."""
    site = {f"http://h.example/{n or ''}": page(*(f"/{m}" for m in range(1, 9)) if not n else ()) for n in range(9)}
    shop = Shop(tmp_path, site, budget=10)

    def prepare(agenda):
        agenda._parts = replace(agenda._parts, foresight=Dear(agenda._parts.catalog))

    shop.run(3.0, prepare)
    asked = [moment for moment, url in shop.times if url != "http://h.example/robots.txt"]
    assert asked, "pages are begun"
    for moment in asked:
        before = sum(moment - HOUR < other < moment for other, _ in shop.times)
        assert before + 7 <= 10 + 1e-9, "with less than seven left none is"
