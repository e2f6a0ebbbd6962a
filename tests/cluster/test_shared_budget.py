"""The purse workers share: never more than the budget in any stretch of its time, and nothing is lost."""

import contextlib
import random

import pytest

from servers import postgres
from strandline.cluster.shared_budget import HostPurse, SharedPurse
from strandline.core.plan.budget import Allowance
from strandline.learn.known_pages import Hours
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
