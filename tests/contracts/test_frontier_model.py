"""The frontier of every catalog, in any order of calls, beside a plain dictionary."""

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from contracts.stores import EACH, STORES, found, visited
from strandline.ports import Batch, HostState


class Model(RuleBasedStateMachine):
    """Any order of calls leaves the frontier as a plain dictionary would have it."""

    folder: Path
    open: object
    taken = 0
    """Pages taken in all runs: a model that never took any has shown nothing."""

    @initialize(dues=st.lists(st.integers(0, 6), min_size=6, max_size=6))
    def start(self, dues):
        self.folder = Path(self.make())
        self.catalog = self.open(self.folder)
        self.known, self.leased, self.hosts = {}, {}, {}
        self.before, self.now = 0.0, 0.0
        for number, due in enumerate(dues):
            self.add("abc"[number % 3], number, due, 1)

    @rule(
        host=st.sampled_from("abc"),
        name=st.integers(0, 8),
        due=st.integers(0, 10),
        priority=st.integers(0, 3),
    )
    def add(self, host, name, due, priority):
        url = f"http://{host}.example/{name}"
        assert self.catalog.add([found(url, due=float(due), priority=float(priority))]) == (url not in self.known)
        old = self.known.get(url)
        self.known[url] = (float(due), float(priority), 0.0) if old is None else (old[0], min(old[1], priority), old[2])

    @rule(
        limit=st.integers(1, 4),
        step=st.integers(0, 3),
        before=st.integers(0, 12),
        busy=st.sets(st.sampled_from("abc"), max_size=1),
    )
    def take(self, limit, step, before, busy):
        self.now, self.before = self.now + step, float(before)
        free = {}
        for url, (due, priority, not_before) in self.known.items():
            host = url[7]
            if (
                url in self.leased
                or due > before
                or not_before > self.now
                or host in busy
                or self.hosts.get(host, 0) > self.now
            ):
                continue
            free.setdefault(host, []).append((priority, url))
        tasks = self.catalog.take(limit, self.now, self.before, {f"{host}.example" for host in busy})
        assert len(tasks) == min(limit, len(free))
        assert len({task.authority for task in tasks}) == len(tasks)
        for task in tasks:
            assert self.known[task.url][1] == min(free[task.url[7]])[0]
            self.leased[task.url] = task.page
        type(self).taken += len(tasks)

    @rule(due=st.integers(0, 12), wait=st.integers(0, 4))
    def visit(self, due, wait):
        visits = []
        for url, page in self.leased.items():
            not_before = self.now + wait if wait else 0.0
            visits.append(visited(page, due=float(due), not_before=not_before, time=self.now))
            self.known[url] = (float(due), self.known[url][1], not_before)
        self.leased.clear()
        self.catalog.commit(Batch(visits))

    @rule()
    def release(self):
        self.catalog.release(list(self.leased.values()))
        self.leased.clear()

    @rule(host=st.sampled_from("abc"), wait=st.integers(0, 4))
    def back_off(self, host, wait):
        self.hosts[host] = self.now + wait
        self.catalog.commit(Batch(hosts=[HostState(f"{host}.example", not_before=self.now + wait)]))

    @rule()
    def reopen(self):
        self.catalog.close()
        self.leased.clear()
        self.catalog = self.open(self.folder)

    @invariant()
    def counts(self):
        if hasattr(self, "catalog"):
            due = sum(1 for url, (due, *_) in self.known.items() if due <= self.before and url not in self.leased)
            count, soonest = self.catalog.waiting(self.before)
            assert count == due and (soonest == math.inf) == (due == 0)

    def teardown(self):
        if hasattr(self, "catalog"):
            self.catalog.close()


@pytest.mark.parametrize("name", EACH)
def test_the_frontier_agrees_with_a_dictionary(name, tmp_path_factory):
    machine = type(
        "Machine", (Model,), {"open": staticmethod(STORES[name]), "make": lambda self: tmp_path_factory.mktemp("model")}
    )
    few = 25 if name == "sqlite" else 5  # each starts with a new database
    quick = settings(max_examples=few, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
    machine.TestCase.settings = quick
    for _ in range(20):  # a few random lives may all end before anything is taken
        machine.TestCase("runTest").runTest()
        if machine.taken:
            break
    assert machine.taken > 0
