"""How long a text stands when it comes, and how long it is away when it left: a notice, or something shown by chance.

A notice that is put up and taken down stands for several looks each time and is away for several. What is shown to some
visitors and not to others is there or not at each look anew: if it is shown with a chance p, it stays for 1 / (1 - p)
looks on average and is away for 1 / p, so that one of the two is two looks at most.
"""

from typing import Final, NamedTuple

STEADY: Final = 2.5
"""Looks that a notice stands, and is away, on average, at least. Origin: derived, what is shown by chance has 2 of one
of the two at most; how much more is a guess."""


class Stay(NamedTuple):
    """What a text did so far. The first time it came counts as a turn, too."""

    turned: int  # the comparison at which it came or left last
    shown: int = 0  # looks at which it stood, until it left last
    away: int = 0  # looks at which it was away, until it came last
    turns: int = 1  # how often it came or left

    @property
    def there(self) -> bool:
        """Whether it is on the page."""
        return self.turns % 2 == 1

    def turn(self, now: int) -> "Stay":
        """The same after it left, or came, at a comparison."""
        looks = max(0, now - self.turned)
        if self.there:
            return Stay(now, self.shown + looks, self.away, self.turns + 1)
        return Stay(now, self.shown, self.away + looks, self.turns + 1)


def is_steady(stay: Stay) -> bool:
    """Whether a text stood, and was away, for several looks each time, and did each at least once.

    >>> came = Stay(turned=4)
    >>> is_steady(came.turn(8)), is_steady(came.turn(8).turn(13)), is_steady(came.turn(5).turn(13))
    (False, True, False)
    """
    stood, gone = stay.turns // 2, (stay.turns - 1) // 2
    return stood > 0 and gone > 0 and stay.shown >= STEADY * stood and stay.away >= STEADY * gone
