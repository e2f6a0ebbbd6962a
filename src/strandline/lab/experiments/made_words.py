"""Made words and sentences for made pages: few words are frequent and most are rare, as in a language."""

import random
from itertools import accumulate

_ONSETS = [
    "b",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "sh",
    "st",
    "t",
    "tr",
    "v",
    "w",
]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
_ENDS = ["", "n", "r", "s", "t", "l", "m", "nd", "st", "ck"]
_SMALL = ["the", "of", "and", "in", "to", "for", "with", "on", "at", "from", "by", "as", "after", "over"]
VOCABULARY = 4_000


def _made(rng: random.Random) -> str:
    return "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_ENDS) for _ in range(rng.randint(1, 3)))


_MAKER = random.Random(19)
WORDS = sorted({_made(_MAKER) for _ in range(VOCABULARY)})
_MAKER.shuffle(WORDS)
_WEIGHTS = list(accumulate(1.0 / (rank + 3) for rank in range(len(WORDS))))


def words(rng: random.Random, count: int) -> list[str]:
    """So many words, some of them small ones."""
    drawn = rng.choices(WORDS, cum_weights=_WEIGHTS, k=count)
    return [rng.choice(_SMALL) if place and rng.random() < 0.3 else word for place, word in enumerate(drawn)]


def headline(rng: random.Random) -> str:
    """A title."""
    return " ".join(words(rng, rng.randint(5, 9))).capitalize()


def sentence(rng: random.Random, least: int = 8, most: int = 20) -> str:
    """A sentence."""
    return " ".join(words(rng, rng.randint(least, most))).capitalize() + "."


def paragraph(rng: random.Random) -> str:
    """Some sentences."""
    return " ".join(sentence(rng) for _ in range(rng.randint(2, 4)))


def name(rng: random.Random) -> str:
    """A name of a person, or of a user."""
    return rng.choice(WORDS[200:]).capitalize()
