"""The purse workers share: never more than the budget in any stretch of its time, and nothing is lost."""

import contextlib
import itertools
import random

import pytest

from servers import postgres
from strandline.cluster.shared_budget import HostPurse, SharedPurse
from strandline.core.plan.budget import Allowance
from strandline.learn.known_pages import Hours
from strandline.plan.budget_meter import Purse
from strandline.store.postgres.purse import SharedBook
from strandline.store.postgres.session import Session
from warc.exchanges import StillClock

pytestmark = postgres.GROUP

HOUR = 3600.0
MONDAY = 345_600.0 + 2_900 * 168 * HOUR


@pytest.fixture
def book():
    with contextlib.closing(Session(postgres.running().database())) as session:
        yield SharedBook(session)


def send(purse, clock, tickets, wanted, octets=1.0, unchanged=False):
    """Send up to so many requests at once; how many were."""
    sent = 0
    while sent < wanted and purse.requests(clock.monotonic()) > 0:
        ticket = next(tickets)
        purse.begun(ticket)
        purse.ended(ticket, clock.monotonic(), octets, unchanged)
        sent += 1
    return sent


def most_within(times, span):
    """The most requests in any stretch of time of this length."""
    return max((sum(1 for other in times if time <= other < time + span) for time in times), default=0)


def test_no_hour_ever_holds_more_than_the_budget_whoever_sends(book):
    clock, hours, tickets = StillClock(MONDAY), Hours.since(MONDAY), iter(range(10_000))
    purses = [SharedPurse(Allowance(40, 1.0), hours, clock, book) for _ in range(3)]
    times, rng = [], random.Random(5)
    while clock.time < MONDAY + 4 * HOUR:
        times += [clock.time] * send(rng.choice(purses), clock, tickets, rng.randint(0, 12))
        clock.time += rng.uniform(10.0, 200.0)
    assert most_within(times, HOUR) <= 40
    assert len(times) > 3.4 * 40, "nearly all of it is spent"


def test_who_wants_some_together_saves_for_them_whatever_others_spend(book):
    clock, hours, tickets = StillClock(MONDAY), Hours.since(MONDAY), iter(range(10_000))
    saves, spends = (SharedPurse(Allowance(20, 1.0), hours, clock, book) for _ in range(2))
    times, had = [], []
    while clock.time < MONDAY + 6 * HOUR:
        saves.hold(15.0, clock.monotonic())  # more than is set aside at a time
        if saves.requests(clock.monotonic()) >= 15:
            had.append(clock.time)
            times += [clock.time] * send(saves, clock, tickets, 15)
        times += [clock.time] * send(spends, clock, tickets, 1)
        clock.time += 41.0
    assert len(had) >= 2, "one that always found less than it wanted would never begin"
    assert most_within(times, HOUR) <= 20
    assert len(times) > 15 * len(had), "the other one has what is left"


@pytest.mark.parametrize("alone", [True, False])
def test_of_two_that_want_some_together_one_saves_at_a_time(book, monkeypatch, alone):
    if not alone:  # the control: both save
        monkeypatch.setattr(SharedBook, "may_save", lambda _: True)
        monkeypatch.setattr(SharedBook, "save_no_more", lambda _: None)
    clock, hours, tickets, rng = StillClock(MONDAY), Hours.since(MONDAY), iter(range(10_000)), random.Random(3)
    had, most = [0, 0], 0
    with contextlib.closing(Session(postgres.running().database())) as session:
        books = [SharedBook(session), SharedBook(session)]
        sessions = [contextlib.closing(Session(session.url)) for _ in books]
        with sessions[0] as one, sessions[1] as other:
            purses = [SharedPurse(Allowance(10, 1.0), hours, clock, SharedBook(each)) for each in (one, other)]
            while clock.time < MONDAY + 24 * HOUR:
                clock.time += 17.0
                for which in rng.sample((0, 1), 2):
                    purses[which].hold(7.0, clock.monotonic())
                    if purses[which].requests(clock.monotonic()) >= 7:
                        had[which] += 1
                        send(purses[which], clock, tickets, 7)
                most = max(most, sum(purse.saves for purse in purses))
    assert most == (1 if alone else 2)
    assert (sum(had) >= 20 and min(had) > 2) == alone, had


def test_who_has_no_use_for_what_is_set_aside_leaves_it_to_others(book):
    clock, hours, tickets = StillClock(MONDAY + 0.95 * HOUR), Hours.since(MONDAY), iter(range(10_000))
    idle, busy = (SharedPurse(Allowance(10, 1.0), hours, clock, book) for _ in range(2))
    assert idle.requests(clock.monotonic()) == 10
    sent = 0
    for _ in range(3):
        idle.requests(clock.monotonic())
        sent += send(busy, clock, tickets, 10)
        clock.time += 61.0
    assert sent > 0, "it would be set aside again and again"


def test_what_hosts_had_long_ago_is_forgotten(book):
    clock, hours = StillClock(MONDAY), Hours.since(MONDAY)
    purse = HostPurse("a.example", Allowance(5, 1.0), hours, clock, book)
    for hour in range(100):
        clock.time = MONDAY + hour * HOUR
        purse.begun(hour)
    count = "SELECT count(*), min(start) FROM spending WHERE place = 'a.example'"
    lines, first = book._session.run(lambda connection: connection.execute(count).fetchone())
    assert lines == 49 and first == MONDAY + 51 * HOUR


def test_what_an_hour_leaves_is_spent_later_the_same_day_and_never_twice_in_one_day(book):
    clock, hours, tickets = StillClock(MONDAY), Hours.since(MONDAY), iter(range(10_000))
    purse = SharedPurse(Allowance(48, 24.0), hours, clock, book)
    assert send(purse, clock, tickets, 99) == 0, "a tenth of an hour is dealt out ahead: no whole request"
    clock.time += 0.5 * HOUR
    assert send(purse, clock, tickets, 99) == 1
    clock.time += 9.5 * HOUR
    assert send(purse, clock, tickets, 99) == 19
    times = [clock.time] * 19
    for _ in range(60):
        clock.time += HOUR
        times += [clock.time] * send(purse, clock, tickets, 99)
    assert most_within(times, 24 * HOUR) <= 48


def test_what_a_worker_does_not_send_goes_back_within_a_minute(book):
    clock, hours, tickets = StillClock(MONDAY + 0.95 * HOUR), Hours.since(MONDAY), iter(range(10_000))
    one, other = (SharedPurse(Allowance(10, 1.0), hours, clock, book) for _ in range(2))
    assert send(one, clock, tickets, 2) == 2
    assert send(other, clock, tickets, 9) == 0, "the first holds the rest"
    clock.time += 61.0
    assert one.requests(clock.monotonic()) == 8
    one.close()
    clock.time += 1.0
    assert send(other, clock, tickets, 99) == 8
    one.close()
    other.close()
    assert book.usual_cost("", 0.0) == 1.0


def test_bytes_are_settled_when_they_are_known(book):
    clock, hours, tickets = StillClock(MONDAY + 0.95 * HOUR), Hours.since(MONDAY), iter(range(10_000))
    purse = SharedPurse(Allowance(1_000_000, 1.0, in_bytes=True), hours, clock, book)
    sent = 0
    for _ in range(400):
        sent += send(purse, clock, tickets, 5, octets=2_000.0)
        clock.time += 5.0
    purse.close()
    assert 450 < sent <= 520, "answers of 2 kB, not of the 30 kB that were expected at first"
    assert 1_900 < book.usual_cost("", 0.0) < 2_100
    # An answer that is larger than all of the budget is owed, and paid before anything else is sent.
    clock.time = MONDAY + 20.95 * HOUR
    send(purse, clock, tickets, 1, octets=3_000_000.0)
    clock.time += 2 * HOUR
    assert send(purse, clock, tickets, 5, octets=2_000.0) == 0


def test_unchanged_answers_may_count_by_their_bytes(book):
    clock, hours, tickets = StillClock(MONDAY + 0.95 * HOUR), Hours.since(MONDAY), iter(range(10_000))
    purse = SharedPurse(Allowance(10, 1.0), hours, clock, book, "bytes")
    assert send(purse, clock, tickets, 100, octets=300.0, unchanged=True) == 100


def test_a_host_has_a_budget_of_its_own_whichever_worker_asks_it(book):
    clock, hours, tickets = StillClock(MONDAY), Hours.since(MONDAY), iter(range(10_000))
    one, other = (HostPurse("a.example", Allowance(5, 1.0), hours, clock, book) for _ in range(2))
    assert send(one, clock, tickets, 3) == 3
    assert send(other, clock, tickets, 9) == 2
    clock.time += 1.0
    assert send(one, clock, tickets, 9) == 0
    clock.time += 1.1 * HOUR
    assert send(one, clock, tickets, 9) == 5


LARGEST = 90_000.0


def bytes_sent(purses, clock, rng, hours, close=0.0):
    """When how many bytes came, while several workers ask for answers of very different sizes, three at a time; `close`
    is how likely a worker ends after them and another begins.
    """
    sent, tickets, end = [], itertools.count(), clock.time + hours * HOUR
    while clock.time < end:
        number = rng.randrange(len(purses))
        under_way = [next(tickets) for _ in range(min(3, purses[number].requests(clock.monotonic())))]
        for ticket in under_way:
            purses[number].begun(ticket)
        for ticket in under_way:
            octets = LARGEST if rng.random() < 0.1 else rng.uniform(200.0, 4_000.0)
            purses[number].ended(ticket, clock.monotonic(), octets, False)
            sent.append((clock.time, octets))
        if rng.random() < close:
            purses[number].close()
            purses[number] = SharedPurse(purses[number].allowance, purses[number]._hours, clock, purses[number]._book)
        clock.time += rng.uniform(5.0, 60.0)
    return sent


def most_bytes(sent):
    """The most bytes in any stretch of an hour."""
    return max(sum(octets for other, octets in sent if time <= other < time + HOUR) for time, _ in sent)


STATED = 1_000_000 + 3 * LARGEST
"""What an hour may hold: the budget, and what the answers under way have beyond what is expected of them."""


@pytest.mark.parametrize("close", [0.0, 0.2])
def test_no_hour_holds_more_bytes_than_the_budget_and_the_answers_under_way(book, close):
    clock, hours = StillClock(MONDAY), Hours.since(MONDAY)
    purses = [SharedPurse(Allowance(1_000_000, 1.0, in_bytes=True), hours, clock, book) for _ in range(4)]
    sent = bytes_sent(purses, clock, random.Random(7), 5, close)
    assert most_bytes(sent) <= STATED
    assert sum(octets for _, octets in sent) > 4 * 1_000_000, "nearly all of it is spent"


def test_control_workers_that_do_not_settle_what_an_answer_really_cost_spend_more(book, monkeypatch):
    def unsettled(self, ticket, now, octets, unchanged):
        return Purse.ended(self, ticket, now, octets, unchanged)

    monkeypatch.setattr(SharedPurse, "ended", unsettled)
    monkeypatch.setattr(SharedPurse, "price", property(lambda _: 2_000.0))
    clock, hours = StillClock(MONDAY), Hours.since(MONDAY)
    purses = [SharedPurse(Allowance(1_000_000, 1.0, in_bytes=True), hours, clock, book) for _ in range(4)]
    assert most_bytes(bytes_sent(purses, clock, random.Random(7), 5)) > STATED


def test_what_an_answer_cost_beyond_what_was_expected_is_known_to_all_also_after_its_worker(book):
    clock, hours, tickets = StillClock(MONDAY + 0.5 * HOUR), Hours.since(MONDAY), iter(range(10_000))
    one, other = (SharedPurse(Allowance(1_000_000, 1.0, in_bytes=True), hours, clock, book) for _ in range(2))
    assert send(one, clock, tickets, 1, octets=5_000_000.0) == 1
    one.close()
    assert send(other, clock, tickets, 99, octets=2_000.0) == 0
    clock.time += 1.2 * HOUR
    assert send(other, clock, tickets, 5, octets=2_000.0) == 5, "an hour later it is paid"
