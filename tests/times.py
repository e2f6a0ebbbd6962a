"""What the tests cost: with `--times`, the 20 longest with their processor time, and the processor time of all.

Processor time is that of the test's process and of everything it started, servers it shares with others included. On
a busy machine it says what a test costs; seconds on the clock say how long it was waited for. (What ends as somebody
else's child, as the processes of a browser do, is not known any more.)
"""

import os
from collections import Counter
from pathlib import Path

import pytest

LISTED = 20


def spent(pid: int | None = None) -> float:
    """Processor seconds of a process, of all it has waited for, and of all that runs below it."""
    place = Path(f"/proc/{os.getpid() if pid is None else pid}")
    try:
        # The name of a process, in brackets, may hold anything.
        after_name = (place / "stat").read_text().rpartition(")")[2].split()
        children = [
            int(child) for task in (place / "task").iterdir() for child in (task / "children").read_text().split()
        ]
    except (OSError, ValueError):  # it has ended meanwhile, or this is no Linux
        return sum(os.times()[:4]) if pid is None else 0.0
    own = sum(map(int, after_name[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(spent, children))


class Measuring:
    """In the processes that run tests: the processor time of a test goes with its last report."""

    def __init__(self) -> None:
        self._before = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self._before = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call):
        report = yield
        if call.when == "teardown":
            report.user_properties.append(("cpu", max(spent() - self._before, 0.0)))
        return report


class Telling:
    """Where reports come together."""

    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()
        self._cpu: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.when == "teardown":
            self._cpu[report.nodeid] += dict(report.user_properties).get("cpu", 0.0)

    def pytest_terminal_summary(self, terminalreporter) -> None:
        tell = terminalreporter.write_line
        files = Counter()
        for test, seconds in self._cpu.items():
            files[test.partition("::")[0]] += seconds
        terminalreporter.section(f"the {LISTED} longest tests: seconds, of the processor")
        for test, seconds in self._seconds.most_common(LISTED):
            tell(f"{seconds:7.1f} {self._cpu[test]:7.1f}  {test}")
        terminalreporter.section(f"the {LISTED} files that need most of the processor: seconds")
        for file, seconds in files.most_common(LISTED):
            tell(f"{seconds:7.1f}  {file}")
        tell(f"processor time of the tests: {sum(files.values()):.0f} s; with starting and collecting: {spent():.0f} s")
