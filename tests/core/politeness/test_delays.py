import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.capture import Outcome
from strandline.core.politeness import delays
from strandline.core.politeness.delays import (
    LONGEST_WAIT,
    Manners,
    MannersSettings,
    Reply,
    back_off,
    reply_of,
    retry_after,
)

H = "site.example:80"


def manners(**settings) -> Manners:
    return Manners(MannersSettings(**settings), lambda: 0.0)


def once(m: Manners, now: float, seconds: float, reply: Reply = Reply.ANSWERED, ticket: int = 1) -> float:
    """One fetch; the moment at which the host opens again."""
    m.began(H, now, ticket)
    m.ended(H, now + seconds, ticket, seconds, reply)
    return m.ready_at(H, now + seconds)


def test_pause_follows_the_effort_of_the_host():
    assert once(manners(), 100.0, 0.1) == pytest.approx(103.1)
    assert once(manners(), 100.0, 0.9) == pytest.approx(100.9 + 4.5)
    assert once(manners(slow_after=100), 100.0, 20.0) == pytest.approx(150.0)
    assert once(manners(delay=0.0), 100.0, 0.1) == pytest.approx(100.1)
    assert once(manners(delay=7.0), 100.0, 0.1) == pytest.approx(107.1)


def test_one_connection_per_host_and_neighbours_are_free():
    m = manners(delay=0.0)
    assert m.ready(H, 0.0)
    m.began(H, 0.0, 1)
    assert not m.ready(H, 0.1)
    assert m.ready("other", 0.1)
    assert set(m.busy(0.1)) == {H}
    m.ended(H, 0.2, 1, 0.2, Reply.ANSWERED)
    assert m.ready(H, 0.2)
    assert not m.busy(0.2)


def test_a_hanging_fetch_moves_to_the_slow_lane():
    m = manners(delay=0.0)
    for ticket in range(17):
        now = ticket * 0.25
        assert m.ready(H, now), ticket
        m.began(H, now, ticket)
        assert not m.ready(H, now + 0.2)
    assert not m.ready(H, 1000.0)
    assert m.next_ready(1000.0) == math.inf
    m.ended(H, 1000.0, 3, 990.0, Reply.FAILED)
    assert m.ready(H, 1000.0)
    assert manners(slow_after=2.5).ready_at(H, 0.0) == 0.0


def test_hanging_keeps_the_pause_between_starts():
    m = manners()
    m.began(H, 0.0, 1)
    assert m.ready_at(H, 0.0) == 3.0
    m.began(H, 3.0, 2)
    m.ended(H, 3.1, 2, 0.1, Reply.ANSWERED)
    assert m.ready_at(H, 3.1) == pytest.approx(6.1)
    m.ended(H, 5.0, 1, 5.0, Reply.FAILED)
    assert m.ready_at(H, 5.0) == pytest.approx(6.1)


def test_more_connections_when_asked_for():
    m = manners(delay=0.0, per_host=3)
    for ticket in range(3):
        assert m.ready(H, 0.0)
        m.began(H, 0.0, ticket)
    assert not m.ready(H, 0.1)
    assert m.ready_at(H, 0.1) == 0.25


def test_crawl_delay_counts_from_the_end():
    m = manners(delay=0.0)
    m.asked_for_delay(H, 0.0, 20.0)
    assert once(m, 0.0, 0.1) == pytest.approx(20.1)
    m.asked_for_delay(H, 30.0, 0.0)
    assert once(m, 30.0, 0.1) == pytest.approx(30.1)


def overloaded(m: Manners, now: float, told: float | None) -> float:
    """One 503; the seconds the host is left alone for."""
    once(m, now, 0.0, Reply.OVERLOADED)
    m.asked_to_wait(H, now, told)
    return m.ready_at(H, now) - now


def test_a_host_that_never_answered_otherwise_is_believed_at_once():
    assert overloaded(manners(delay=0.0), 0.0, 3600.0) == 3600.0
    m = manners(delay=0.0)
    waits, now = [], 0.0
    for _ in range(4):
        waits.append(overloaded(m, now, None))
        now += waits[-1]
    assert waits == [5.0, 60.0, 360.0, 2160.0]
    assert m.failures(H) == 4


def working(m: Manners) -> Manners:
    for ticket in range(40):
        once(m, 0.0, 0.0, Reply.ANSWERED, ticket)
    return m


def test_one_page_does_not_speak_for_its_neighbours_but_three_that_agree_do():
    m = working(manners(delay=0.0))
    assert overloaded(m, 0.0, 3600.0) == 0.5
    assert overloaded(m, 10.0, 3590.0) == 0.5
    assert overloaded(m, 20.0, 3580.0) == 3580.0
    m = working(manners(delay=0.0))
    odd = [120.0, LONGEST_WAIT, 0.0, LONGEST_WAIT, 0.0, 3600.0, 4.0, 1200.0]
    assert [overloaded(m, 100.0 * n, told) for n, told in enumerate(odd)] == [0.5, 0.5, 0.0, 0.5, 0.0, 0.5, 4.0, 0.5]
    m = working(manners(delay=0.0))
    assert [overloaded(m, 1000.0 * n, None) for n in range(3)] == [0.5, 0.5, 360.0]


def test_many_different_waits_in_a_row_are_believed_in_the_end():
    m = working(manners(delay=0.0))
    waits = [overloaded(m, 1e6 * n, 600.0 + 7000.0 * (n % 2)) for n in range(16)]
    assert waits == [0.5] * 15 + [7600.0]
    assert once(m, 1e8, 0.0) == 1e8
    assert m.failures(H) == 0


def test_unreachable_hosts_wait_longer_and_longer_up_to_a_day():
    m = manners(delay=0.0)
    waits = []
    now = 0.0
    for ticket in range(9):
        opens = once(m, now, 0.0, Reply.UNREACHABLE, ticket)
        waits.append(opens - now)
        now = opens
    assert waits == [5.0, 60.0, 360.0, 2160.0, 12960.0, 77760.0, LONGEST_WAIT, LONGEST_WAIT, LONGEST_WAIT]


def test_silence_counts_late_and_broken_pages_and_our_own_faults_never():
    m = manners(delay=0.0)
    for ticket in range(9):
        assert once(m, 0.0, 0.0, Reply.SILENT, ticket) == 0.0
    assert once(m, 0.0, 0.0, Reply.SILENT) == 5.0
    assert once(m, 5.0, 0.0, Reply.FAILED) == 5.0
    assert once(m, 5.0, 0.0, Reply.SILENT) == 5.0
    for reply in (Reply.OURS, Reply.FAILED):
        m = manners(delay=0.0)
        for ticket in range(50):
            assert once(m, 0.0, 0.0, reply, ticket) == 0.0


def test_jitter_stretches_by_a_tenth_at_most():
    assert back_off(1, 0.999) < 5.5
    assert Manners(MannersSettings(delay=0.0), lambda: 0.5).ready(H, 0.0)
    m = Manners(MannersSettings(delay=0.0), lambda: 0.5)
    assert once(m, 0.0, 0.0, Reply.UNREACHABLE) == pytest.approx(5.25)


def test_rest_is_capped_and_hosts_without_a_record_are_forgotten(monkeypatch):
    monkeypatch.setattr(delays, "_MOST_KNOWN", 10)
    m = manners()
    m.rest(H, 0.0, 1e12)
    assert m.ready_at(H, 0.0) == LONGEST_WAIT
    for i in range(1000):
        m.began(f"h{i}", 0.0, i)
        m.ended(f"h{i}", 0.1, i, 0.1, Reply.ANSWERED)
    assert m.next_ready(0.1) == pytest.approx(3.1)
    assert len(m.busy(4.0)) == 1
    assert len(m._hosts) <= 11


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0", 0.0), (" 30 ", 30.0), ("86401", LONGEST_WAIT), ("99999999999999999999", LONGEST_WAIT), ("-1", 0.0),
     ("1.5", None), ("", None), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("\x00", None), ("²", None),
     ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WAIT), ("Fri, 99 Dec 2026 99:99:99 GMT", None), ("-", None)],
)  # fmt: skip
def test_retry_after_takes_what_makes_sense(value, seconds):
    assert retry_after(value, 1_800_000_000.0) == seconds


@given(st.text(max_size=40))
def test_retry_after_never_raises(value):
    seconds = retry_after(value, 0.0)
    assert seconds is None or 0 <= seconds <= LONGEST_WAIT


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_says_something_about_the_host(outcome):
    assert reply_of(outcome, 0) in Reply


def test_replies():
    assert reply_of(Outcome.ANSWERED, 404) is Reply.ANSWERED
    assert reply_of(Outcome.ANSWERED, 429) is Reply.OVERLOADED
    assert reply_of(Outcome.TRUNCATED, 200) is Reply.ANSWERED
    assert reply_of(Outcome.TIMEOUT, 0) is Reply.SILENT
    assert reply_of(Outcome.TIMEOUT, 200) is Reply.FAILED
    assert reply_of(Outcome.PROTOCOL, 0) is Reply.FAILED
    assert reply_of(Outcome.CONNECT, 0) is Reply.UNREACHABLE
    assert reply_of(Outcome.OFFLINE, 0) is Reply.OURS


class SlowManners:
    """The obvious reference: every host looked at on every question."""

    def __init__(self, per_host, hanging, hang_after):
        self.limits = per_host, hanging, hang_after
        self.running: dict[tuple[str, int], float] = {}
        self.last_start: dict[str, float] = {}
        self.open_at: dict[str, float] = {}

    def ready(self, host, now):
        per_host, hanging, hang_after = self.limits
        ages = [now - began for (name, _), began in self.running.items() if name == host]
        prompt = sum(age < hang_after for age in ages)
        return prompt < per_host and len(ages) < per_host + hanging and now >= self.open_at.get(host, 0)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 8), st.booleans()), max_size=60),
    st.integers(1, 2),
)
def test_same_answers_as_looking_at_everything(events, per_host):
    m = manners(delay=2.0, per_host=per_host, hanging=2, slow_after=5.0)
    slow = SlowManners(per_host, 2, 5.0)
    now, ticket = 0.0, 0
    for host, step, start in events:
        now += step
        for name in "abc":
            assert m.ready(name, now) == slow.ready(name, now), (name, now)
        assert set(m.busy(now)) == {name for name in "abc" if not slow.ready(name, now)}
        if start and slow.ready(host, now):
            ticket += 1
            m.began(host, now, ticket)
            slow.running[host, ticket] = now
            slow.open_at[host] = max(slow.open_at.get(host, 0), now + 2)
        elif not start and (mine := [key for key in slow.running if key[0] == host]):
            began = slow.running.pop(mine[0])
            m.ended(host, now, mine[0][1], now - began, Reply.ANSWERED)
            if now - began <= 5.0:
                slow.open_at[host] = max(slow.open_at[host], now + 2)


def test_the_cost_does_not_grow_with_the_hosts():
    m = manners(delay=1000.0)
    for i in range(100_000):
        m.began(f"host{i}", float(i) / 1e6, i)
        m.ended(f"host{i}", float(i) / 1e6, i, 0.0, Reply.ANSWERED)
    # Each question looks at the top of one heap: 100,000 of them here end at once, or this test would not.
    for i in range(100_000):
        assert not m.ready(f"host{i}", 1.0)
    assert m.next_ready(1.0) == 1000.0
    assert len(m._heap) <= 200_000


def test_a_scheme_that_fails_while_the_other_speaks_says_nothing_of_the_host():
    m = manners(delay=0.0)
    for now in range(6):
        m.began(H, 100.0 * now, now)
        m.ended(H, 100.0 * now, now, 0.1, Reply.UNREACHABLE, "https")
        assert m.ready_at(H, 100.0 * now) == (5.0 if now == 0 else 100.0 * now), "once: nobody has spoken yet"
        m.ended(H, 100.0 * now + 6.0, 1000 + now, 0.1, Reply.ANSWERED, "http")
        assert m.ready(H, 100.0 * now + 6.0) and m.failures(H) == 0
    m.ended(H, 1000.0, 1, 0.1, Reply.UNREACHABLE, "http")
    assert m.failures(H) == 1 and not m.ready(H, 1004.0), "the other one has failed all the time"


def test_a_host_that_goes_down_is_left_alone_whatever_spoke_before():
    m = manners(delay=0.0)
    m.ended(H, 0.0, 1, 0.1, Reply.ANSWERED, "http")
    for now, wait in ((10.0, 5.0), (20.0, 60.0), (100.0, 360.0)):
        m.ended(H, now, 1, 0.1, Reply.UNREACHABLE, "https")
        assert m.ready_at(H, now) == now + wait
    m.ended(H, 500.0, 1, 0.1, Reply.ANSWERED, "http")
    assert m.failures(H) == 0


def test_where_hours_are_short_hosts_that_fail_are_waited_for_as_much_shorter():
    assert once(manners(delay=0.0), 100.0, 0.1, Reply.UNREACHABLE) == pytest.approx(105.1)
    assert once(manners(delay=0.0, pace=0.001), 100.0, 0.1, Reply.UNREACHABLE) == pytest.approx(100.105)
    told = manners(delay=0.0, pace=0.001)
    told.began(H, 0.0, 1)
    told.ended(H, 0.1, 1, 0.1, Reply.OVERLOADED)
    told.asked_to_wait(H, 0.1, 120.0)
    assert told.ready_at(H, 0.1) == pytest.approx(120.1), "what a host asks for is not shortened"
