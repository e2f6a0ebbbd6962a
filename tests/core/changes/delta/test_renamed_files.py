"""A new release gives all pictures other names, and nothing is new; another picture is."""

import pytest

from strandline.core.changes.delta.renamed_files import renamed_pictures
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.dom.html import blocks

TEXT = "".join(f"<p>{'The harbour has a light that turns all night long. ' * 4}</p>" for _ in range(4))
NAMES = {
    "a digest": ("/static/boat{n}.8d2f03ab.png", "/static/boat{n}.77c1e90f.png"),
    "a release": ("/r/1731890000/boat{n}.png", "/r/1731990000/boat{n}.png"),
    "letters and digits": ("/_next/boat{n}-kq3v9x2mz1.webp", "/_next/boat{n}-m00ab3x9qv.webp"),
}


def page(name, pictures=60):
    shown = "".join(f"<figure><img src='{name.format(n=n)}'></figure>" for n in range(pictures))
    return blocks(f"<body><main>{TEXT}{shown}</main>".encode(), url="https://made.example/")


@pytest.mark.parametrize("kind", NAMES)
def test_other_names_of_the_same_files_say_nothing(kind):
    old, new = map(page, NAMES[kind])
    assert importance(compare(old, new), NoiseState()).value < 0.015


def test_other_pictures_count():
    old, new = page("/photos/boat{n}.png"), page("/photos/lighthouse-{n}.png")
    assert importance(compare(old, new), NoiseState()).value > 0.1
    assert not renamed_pictures(old.blocks, new.blocks)


def test_only_what_left_and_came_was_renamed():
    old, new = page("/static/a{n}.8d2f03ab.png", 2), page("/static/a{n}.77c1e90f.png", 1)
    assert renamed_pictures(old.blocks, new.blocks) == {"/static/a0.8d2f03ab.png", "/static/a0.77c1e90f.png"}
    assert not renamed_pictures(old.blocks, old.blocks)
