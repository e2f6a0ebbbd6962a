"""The clock of the demonstration stands still while there is something to do."""

import time

from strandline.demo.clock import SiteClock


def test_it_moves_only_when_the_watch_would_wait():
    clock = SiteClock(1000.0, pace=300.0)
    before = (clock.now(), clock.monotonic())
    time.sleep(0.01)
    assert (clock.now(), clock.monotonic()) == before == (1000.0, 0.0)
    clock.sleep(0.2)
    assert (clock.now(), clock.monotonic()) == (1060.0, 60.0)
