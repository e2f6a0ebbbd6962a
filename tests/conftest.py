"""What holds for all tests: their order over processes, a clean start, and a folder in memory."""

import signal
import tempfile
from pathlib import Path

import hypothesis
import pytest

from order import SECONDS, LongestFirst, unit_of
from servers import leftovers

# No test is a question of time: a busy machine would fail examples that took longer than 200 ms.
hypothesis.settings.register_profile("strandline", deadline=None)
hypothesis.settings.load_profile("strandline")


def pytest_sessionstart(session):
    """A run that was aborted may have left mounts and folders. What a shell starts in the background ignores SIGINT,
    and so would everything that tests start and interrupt.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(session.config, "workerinput"):
        leftovers.clear()


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


@pytest.fixture
def in_memory(tmp_path):
    """A folder where fsync costs nothing: a killed process loses nothing the system has, synced or not."""
    if not Path("/dev/shm").is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)
