"""A skipped directory and how it stood its re-tests.

A skipped directory looks unchanged for as long as it is skipped, so a rule that became wrong would stay for ever.
Each crawl therefore fetches a few pages of what it skips. A test is one crawl: it failed when any of the sampled pages
had changed. A directory is given up when as many failures as were seen lately would have a chance of at most `doubt` if
it stayed quiet with the promised confidence. Samples see only part of a directory, so failures are under-counted: the
test errs towards keeping what is nearly right, never towards keeping what fails each time.
"""

import math
from dataclasses import replace

from strandline.core.quick_dataclass import dataclass

CONFIDENCE = 0.95
"""Share of its tests that a quiet directory is to hold. Origin: a guess."""
DOUBT = 0.05
"""Chance of as many failures below which it is given up. Origin: a guess, the usual level of a test."""
MEMORY = 20
"""Tests that count: a directory that held for years and then wakes up is given up after a few failures, not many.
Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Re-tests of one skipped directory: in how many crawls it was sampled, and in how many a change turned up."""

    tests: int = 0
    failures: int = 0

    def still_holds(self, confidence: float, doubt: float = DOUBT) -> bool:
        """Whether so many failures can be chance, if the directory stays quiet with this confidence."""
        return binomial_tail(self.tests, self.failures, 1.0 - confidence) > doubt


def binomial_tail(trials: int, at_least: int, chance: float) -> float:
    """Probability of at least so many successes.

    >>> binomial_tail(2, 1, 0.5), binomial_tail(3, 0, 0.1), binomial_tail(1, 1, 0.0)
    (0.75, 1.0, 0.0)
    """
    terms = (
        math.comb(trials, hits) * chance**hits * (1.0 - chance) ** (trials - hits)
        for hits in range(at_least, trials + 1)
    )
    return min(1.0, sum(terms))


@dataclass(frozen=True, slots=True)
class Retests:
    """The record of one directory that a method (near, dormant or policy) skips; every step gives a new record.

    >>> quiet = Retests("example.org", "example.org/old", "dormant")
    >>> for crawl in range(1, 5):
    ...     quiet = quiet.tested(float(crawl))
    >>> quiet = quiet.failed_by(4.0, "example.org/old/a.html had changed", now=4.5)
    >>> quiet.tests, quiet.failures, quiet.in_force
    (4, 1, True)
    >>> quiet.tested(5.0).failed_by(5.0, "example.org/old/b.html had changed", now=5.5).in_force
    False
    """

    site: str
    directory: str
    method: str
    tests: int = 0
    failures: int = 0
    recent: int = 0
    """The last tests as bits, the newest lowest; 1: a change was found."""
    last_pass: float = 0.0
    """Start of the pass that tested it last."""
    failed: bool = False
    """Whether that test found a change."""
    retired: float = 0.0
    """When it was given up; 0 while it is in force."""
    why: str = ""

    @property
    def in_force(self) -> bool:
        """Whether it may still be skipped."""
        return not self.retired

    def tested(self, pass_start: float) -> "Retests":
        """A page of it was fetched in a pass; more pages of the same pass are the same test."""
        if self.tests and self.last_pass == pass_start:
            return self
        recent = (self.recent << 1) & ((1 << MEMORY) - 1)
        return replace(self, tests=self.tests + 1, recent=recent, last_pass=pass_start, failed=False)

    def failed_by(self, pass_start: float, why: str, now: float) -> "Retests":
        """A page fetched in a pass had changed: the test failed, and the directory may have to be given up."""
        tested = self.tested(pass_start)
        if tested.failed:
            return tested
        recent = tested.recent | 1
        lately = Trust(min(tested.tests, MEMORY), recent.bit_count())
        holds = lately.still_holds(CONFIDENCE) or self.retired > 0.0
        return replace(
            tested,
            failures=tested.failures + 1,
            recent=recent,
            failed=True,
            retired=self.retired if holds else now,
            why=self.why if holds else f"{why}; {lately.failures} of the last {lately.tests} re-tests failed",
        )

    def told(self) -> str:
        """One phrase for an archivist."""
        if not self.tests:
            return "not re-tested yet"
        times = "once" if self.tests == 1 else f"{self.tests} times"
        return f"re-tested {times}, failed {self.failures}"
