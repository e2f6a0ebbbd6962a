"""What a host asks for is heard and remembered."""

from types import SimpleNamespace

from crawl.scripted import HandClock, answer
from strandline.core.capture import Request
from strandline.core.politeness.delays import LONGEST_WAIT, Manners, MannersSettings
from strandline.crawl.hosts import HostNotes
from strandline.crawl.tally import Tally
from strandline.ports import Batch, HostState


def notes():
    clock = HandClock(0.0)
    parts = SimpleNamespace(clock=clock, manners=Manners(MannersSettings(delay=0), lambda: 0.0))
    robots = SimpleNamespace(host_states=lambda place, until, failures, seconds: [HostState(place, until, failures)])
    intake = SimpleNamespace(tally=Tally(), batch=Batch())
    return HostNotes(parts, SimpleNamespace(patience=10.0, longest_wait=LONGEST_WAIT), robots, intake), intake, clock


def test_a_host_that_asks_to_be_left_alone_is_noted():
    hosts, intake, clock = notes()
    hosts.heed(answer(Request("http://h.example/", 1), b"", 503, b"Retry-After: 100\r\n"))
    assert intake.tally.hosts_waiting == {"h.example": clock.now() + 100}
    assert [(state.authority, state.failures) for state in intake.batch.hosts] == [("h.example", 1)]


def test_a_host_that_answers_is_not():
    hosts, intake, _ = notes()
    hosts.heed(answer(Request("http://h.example/", 1), b"fine"))
    assert not intake.tally.hosts_waiting
    assert not intake.batch.hosts
