"""Pages that live, with known truth: each capture says something new, or only rotates, counts, ticks and reorders.

A kind of page is a class. `news` makes something real happen, `noise` whatever happens anyway; `html` is the page then.
They were written down before the score was: a kind names what a reader would call news on such a page.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Captured:
    """One capture of a made page, with the truth about it."""

    html: bytes
    url: str
    real: bool
    """Whether something new was said since the capture before; the first one is no change."""


class LivingPage:
    """A page through time. Kinds override what happens and what is shown."""

    url = "https://made.example/"
    share = 0.5
    """Of the captures that bring something real."""

    def __init__(self, seed: int) -> None:
        """Begin as the seed says."""
        self.rng = random.Random(seed)
        self.now = START
        self.begin()

    def begin(self) -> None:
        """What stands on the page at first."""

    def news(self) -> None:
        """Something real happens."""

    def noise(self) -> None:
        """What happens at every fetch."""

    def body(self) -> str:
        """What is shown."""
        return ""

    def captures(self, count: int) -> Iterator[Captured]:
        """So many captures, an hour or so apart; among the first ten there are some of both sorts."""
        for number in range(count):
            real = number > 0 and (self.rng.random() < self.share if number > 4 else number % 2 == 1)
            if real:
                self.news()
            self.noise()
            yield Captured(f"<!doctype html><title>Made</title><body>{self.body()}".encode(), self.url, real)
            self.now += HOUR + timedelta(minutes=self.rng.randint(0, 20))

    def ago(self, then: datetime) -> str:
        """How long something is past, as pages say it."""
        minutes = max(1, int((self.now - then).total_seconds() // 60))
        if minutes < 60:
            return f"{minutes} minute{'s' * (minutes > 1)} ago"
        if minutes < 1440:
            return f"{minutes // 60} hour{'s' * (minutes >= 120)} ago"
        return f"{minutes // 1440} day{'s' * (minutes >= 2880)} ago"


def listed(titles: list[str]) -> str:
    """A list of links."""
    return "".join(f'<li><a href="/{slug(title)}">{escape(title)}</a></li>' for title in titles)


def slug(title: str) -> str:
    """A title as an address has it."""
    return title.lower().replace(" ", "-")[:40]


def paragraphs(texts: list[str]) -> str:
    """Texts as paragraphs."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


MENU = "<nav><a href=/>Home</a> <a href=/about>About us</a> <a href=/contact>Contact</a> <a href=/help>Help</a></nav>"
