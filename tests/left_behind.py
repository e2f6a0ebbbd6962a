"""A test that failed keeps what it opened: its traceback holds its variables. Here that ends with it; else files are
found open, and failed for, in whatever test runs when the garbage is collected, and commands go on beside the others.
"""

import contextlib
import gc
import traceback
import warnings

import pytest

from servers import commands

_BEFORE = pytest.StashKey[set]()
_FAILED = pytest.StashKey[list]()


def _all_of(error, seen):
    """The error, and those it came from or holds."""
    if error is None or error in seen:
        return
    seen.append(error)
    for one in (error.__cause__, error.__context__, *getattr(error, "exceptions", ())):
        _all_of(one, seen)


def _let_go(error):
    """Empty the frames it came through; those that still run stay as they are."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        with contextlib.suppress(RuntimeError):
            frame.clear()
            _ = frame.f_locals  # asked for while the failure was told, and kept since; to ask again empties them


class LeftBehind:
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item):
        item.stash[_BEFORE] = commands.under_way()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.failed:
            _all_of(call.excinfo.value, item.stash.setdefault(_FAILED, []))
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        try:
            return (yield)
        finally:
            if errors := item.stash.get(_FAILED, None):
                commands.give_up(commands.under_way() - item.stash[_BEFORE])
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    for error in errors:
                        _let_go(error)
                    gc.collect()
                errors.clear()
