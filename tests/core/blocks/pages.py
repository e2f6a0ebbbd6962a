"""Pages for tests, made from words that mean nothing."""

import random

from strandline.core.blocks.tree import BlockTree, Item, PageBlock, item_weight

SYLLABLES = [
    "ba",
    "co",
    "di",
    "fe",
    "gu",
    "ha",
    "ki",
    "lo",
    "mu",
    "ne",
    "pa",
    "ri",
    "so",
    "tu",
    "va",
    "we",
    "xi",
    "yo",
    "zu",
    "ta",
    "re",
    "mo",
]


def word(rng: random.Random) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(1, 4)))


def sentence(rng: random.Random, words: int) -> str:
    return " ".join(word(rng) for _ in range(words)).capitalize() + "."


def paragraphs(seed: int, count: int, shortest: int = 15, longest: int = 90) -> list[str]:
    rng = random.Random(seed)
    return [sentence(rng, rng.randint(shortest, longest)) for _ in range(count)]


def text_page(texts: list[str], heading_every: int = 0) -> bytes:
    parts = []
    for number, text in enumerate(texts):
        if heading_every and number % heading_every == 0:
            parts.append(f"<h2>Section {text.split()[0]}</h2>")
        parts.append(f"<p>{text}</p>")
    return ("<!doctype html><title>Text</title><body>" + "".join(parts) + "</body>").encode()


def block(path: str, *items: Item | str, nth: int = 0, role: str = "main") -> PageBlock:
    listed = tuple(Item("text", item) if isinstance(item, str) else item for item in items)
    weight = sum(item_weight(item) for item in listed)
    lead = next((item.text for item in listed if item.kind == "text"), "")
    return PageBlock(path, nth, role, "", listed, weight, 0, lead)


def page(*blocks: PageBlock) -> BlockTree:
    return BlockTree(tuple(blocks), url="https://page.example/")
