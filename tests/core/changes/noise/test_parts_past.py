from itertools import pairwise

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.parts_past import past_of
from strandline.core.changes.noise.volatility import NoiseState
from strandline.dom.html import blocks

LINE = "<main><h1>At the weir</h1><p>Boats for hire.</p><p>On air: {} · {} listen</p></main>"


def after_looks(*lines):
    trees = [blocks(LINE.format(*line).encode()) for line in lines]
    noise = NoiseState()
    for old, new in pairwise(trees):
        noise.learn(compare(old, new))
    return noise, next(block.path for block in trees[-1].blocks if any("On air" in text for text in block.texts))


def test_each_part_has_a_past_of_its_own():
    noise, path = after_looks(("Dawn", 4), ("Dawn", 7), ("News", 9), ("News", 2), ("News", 5))
    assert past_of(noise, path, "n# listen 0").changes == 4
    assert past_of(noise, path, "t On air:") == (1, 0.5)
    assert past_of(noise, path, "t Off air:") == (0, 0.0)


def test_the_past_is_kept_with_the_noise():
    noise, path = after_looks(("Dawn", 4), ("News", 7), ("Dusk", 9))
    assert past_of(NoiseState.from_bytes(noise.as_bytes()), path, "t On air:") == past_of(noise, path, "t On air:")
