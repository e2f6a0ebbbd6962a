"""What holds for all tests: rings, their order over processes, a clean start, and a folder in memory."""

import signal
import tempfile
from pathlib import Path

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

from left_behind import LeftBehind
from order import SECONDS, LongestFirst, unit_of
from rings import KINDS, RINGS, kind_of, ring_of, thin_out, wholly_second
from servers import commands, leftovers, own_processes
from times import Measuring, Telling

# No test is a question of time: a busy machine would fail examples that took longer than 200 ms. And none of luck: the
# same examples come in every run, so that what fails is what was changed; `make explore` looks for others.
hypothesis.settings.register_profile("strandline", deadline=None, derandomize=True)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile("strandline")


own_processes.ask(commands.source)


def pytest_addoption(parser):
    parser.addoption("--ring", choices=RINGS, help="only the tests of make test (first) or of make test-all (second)")
    parser.addoption("--times", action="store_true", help="what the tests cost: the longest, and processor time")


def pytest_configure(config):
    if config.getoption("--hypothesis-profile", None) != "explore":
        no_constants_of_ours()
    config.pluginmanager.register(LeftBehind())
    if config.getoption("--times"):
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Telling())
        if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
            config.pluginmanager.register(Measuring())


def no_constants_of_ours():
    """Hypothesis also tries the constants of every module that happens to be loaded: a test would have other examples
    in a ring than by itself, and every process would parse 800 files. There is no setting for it.
    """
    providers._get_local_constants = lambda: providers._local_constants
    assert len(providers._local_constants) == 0, "a test ran before"


def pytest_ignore_collect(collection_path, config):
    """To load a file takes time, too. (None: others may still say no.)"""
    away = config.getoption("--ring") == "first" and collection_path.is_relative_to(config.rootpath)
    return (away and wholly_second(collection_path.relative_to(config.rootpath).as_posix())) or None


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


def fewer_examples(item, ring):
    """A test of random examples is in both rings: with an eighth of them in the first, a sixth in the second."""
    if not getattr(item.obj if isinstance(item, pytest.Function) else None, "is_hypothesis_test", False):
        return False
    thin_out(getattr(item.obj, "__func__", item.obj), 8 if ring == "first" else 6)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Those of the ring, in the order of the table where there are several processes."""
    for item in items:
        if kind := kind_of(item.nodeid):
            item.add_marker(kind)
    if wanted := config.getoption("--ring"):
        rings = {True: [], False: []}
        for item in items:
            marks = {mark.name for mark in item.iter_markers()} & KINDS.keys()
            again = ring_of(item.nodeid, marks) == "first" and fewer_examples(item, wanted)
            rings[again or ring_of(item.nodeid, marks) == wanted].append(item)
        config.hook.pytest_deselected(items=rings[False])
        items[:] = rings[True]
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


@pytest.fixture
def from_nothing():
    """Processes that load all they need themselves, as a user's do."""
    with own_processes.from_nothing():
        yield


@pytest.fixture
def news(tmp_path):
    """An archive with news in it."""
    from made.news import News

    opened = News(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def hook():
    """Somebody who is told over HTTP."""
    from made.receivers import Webhook

    receiver = Webhook()
    yield receiver
    receiver.close()


@pytest.fixture
def outbox(tmp_path, news):
    """Where alerts of the archive with news wait."""
    from made.alerting import DATABASE
    from strandline.store.outbox import Outbox

    opened = Outbox.open(tmp_path / DATABASE)
    opened.begin()
    yield opened
    opened.close()
