"""How the tests spread over processes: a file stays together, and what takes longest starts first.

A file is one unit of work, so that what its tests share (a crawled archive, a browser) is made once. Files that share
a server are one unit together: they bear a mark `xdist_group`. Long tests that share nothing are units of their own.
The units of SECONDS start first, the longest of them at the front: the last ones to end are short, and no core waits.
"""

import pytest
from xdist.scheduler import LoadGroupScheduling

from servers import leftovers

SECONDS = {
    "cluster": 200,
    "interface": 100,
    "tests/journeys/test_crawl_crashes.py::test_kill_9_at_any_moment_of_a_crawl": 80,
    "watch": 75,
    "tests/faults/test_crashes.py::test_kill_9": 55,
    "tests/journeys/test_hostile_site.py": 50,
    "tests/house/test_house.py::test_tool_finds_nothing[mypy]": 40,
    "tests/faults/test_watch_crashes.py": 35,
}
"""About how long a unit takes on its own: a mark, a file, or a test that is a unit of its own."""


def unit_of(nodeid: str) -> str:
    """The unit of a test that bears no mark."""
    return nodeid if nodeid in SECONDS else nodeid.partition("::")[0]


def pytest_sessionstart(session):
    """A run that was aborted may have left mounts and folders."""
    if not hasattr(session.config, "workerinput"):
        leftovers.clear()


class LongestFirst(LoadGroupScheduling):
    """Hands out whole files."""

    def _split_scope(self, nodeid: str) -> str:
        scope = super()._split_scope(nodeid)
        return unit_of(nodeid) if scope == nodeid else scope


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False
    return LongestFirst(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """In the order of the table, where there are several processes."""
    if not hasattr(config, "workerinput"):
        return

    def longest_first(item):
        mark = item.get_closest_marker("xdist_group")
        return -SECONDS.get(mark.args[0] if mark else unit_of(item.nodeid), 0)

    items.sort(key=longest_first)
