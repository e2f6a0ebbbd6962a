"""How hosts behave towards a crawl: what manners are told, and what is remembered of a host beyond a run."""

from strandline.core.capture import Exchange
from strandline.core.politeness.delays import reply_of, retry_after
from strandline.core.urls import authority
from strandline.crawl.intake import Intake
from strandline.crawl.orders import Orders
from strandline.crawl.parts import Parts
from strandline.crawl.robots import RobotsGate


class HostNotes:
    """Takes in how each exchange went for its host."""

    def __init__(self, parts: Parts, orders: Orders, robots: RobotsGate, intake: Intake) -> None:
        self._parts = parts
        self._orders = orders
        self._robots = robots
        self._intake = intake

    def heed(self, exchange: Exchange) -> None:
        """Tell manners how the host behaved; what it asks of us is remembered beyond this run."""
        place, clock, manners = authority(exchange.request.url), self._parts.clock, self._parts.manners
        now = clock.monotonic()
        reply = reply_of(exchange.outcome, exchange.status)
        scheme = exchange.request.url.partition(":")[0]
        manners.ended(place, now, exchange.request.ticket, exchange.seconds, reply, scheme)
        if exchange.status in (429, 503):
            asked = retry_after(exchange.header("retry-after"), clock.now(), self._orders.longest_wait)
            manners.asked_to_wait(place, now, asked)
        if self._waits_until(place):
            self._intake.tally.hosts_waiting[place] = self._waits_until(place)
            self.note(place, exchange.seconds)

    def _waits_until(self, place: str) -> float:
        """The UTC time until which a host is left alone beyond this run; 0.0 when it is not."""
        clock, manners = self._parts.clock, self._parts.manners
        now = clock.monotonic()
        wait = manners.ready_at(place, now) - now
        return clock.now() + wait if manners.failures(place) and wait > self._orders.patience else 0.0

    def note(self, place: str, seconds: float) -> None:
        """What is remembered about a host: how long it is to be left alone, and its robots.txt."""
        until = self._waits_until(place)
        failures = self._parts.manners.failures(place) if until else 0
        self._intake.batch.hosts += self._robots.host_states(place, until, failures, seconds)
