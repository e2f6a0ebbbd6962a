"""Pictures: the same one encoded or scaled again is the same, another one is not, and hostile files end in nothing."""

import random
import sys
from io import BytesIO
from itertools import combinations

import pytest

from strandline.core.changes.delta.pictures import same_picture
from strandline.dom.picture_marks import LARGEST, picture_mark

pytest.importorskip("PIL")
from PIL import Image, ImageDraw, ImageFilter


def drawn(seed, size=(480, 320)):
    """A picture of soft areas and shapes, like a photograph of things on a ground."""
    rng = random.Random(seed)
    ground = Image.new("RGB", (6, 4))
    ground.putdata([tuple(rng.randrange(30, 226) for _ in range(3)) for _ in range(24)])
    picture = ground.resize(size, Image.Resampling.BICUBIC)
    pen = ImageDraw.Draw(picture)
    for _ in range(12):
        x, y = rng.randrange(size[0]), rng.randrange(size[1])
        wide, high = rng.randrange(20, 200), rng.randrange(20, 160)
        pen.ellipse((x, y, x + wide, y + high), fill=tuple(rng.randrange(256) for _ in range(3)))
    return picture.filter(ImageFilter.GaussianBlur(1.5))


def encoded(picture, kind="PNG", **how):
    out = BytesIO()
    picture.save(out, kind, **how)
    return out.getvalue()


def mark(picture, kind="PNG", **how):
    return picture_mark(encoded(picture, kind, **how), f"image/{kind.lower()}")


@pytest.mark.parametrize("seed", range(6))
def test_the_same_picture_encoded_or_scaled_again_is_the_same(seed):
    picture = drawn(seed)
    known = mark(picture)
    half, double = picture.resize((240, 160)), picture.resize((960, 640))
    others = [
        *(mark(picture, "JPEG", quality=quality) for quality in (30, 60, 90)),
        *(mark(picture, "WEBP", quality=quality) for quality in (40, 80)),
        mark(picture.quantize(256), "GIF"),
        mark(half, "JPEG", quality=80),
        mark(double),
        mark(picture.convert("RGBA")),
    ]
    assert all(same_picture(known, other) for other in others)


def test_other_pictures_are_others():
    marks = [mark(drawn(seed)) for seed in range(20)]
    assert not any(same_picture(one, other) for one, other in combinations(marks, 2))


def test_one_colour_is_not_another_and_a_shape_that_came_is_seen():
    red, blue = (Image.new("RGB", (64, 64), colour) for colour in ("red", "blue"))
    assert same_picture(mark(red), mark(red, "JPEG", quality=50))
    assert not same_picture(mark(red), mark(blue))
    picture = drawn(3)
    altered = picture.copy()
    ImageDraw.Draw(altered).rectangle((60, 40, 330, 280), fill="white")
    assert not same_picture(mark(picture), mark(altered))


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\nbroken", b"GIF89a", b"<svg/>", b"\xff\xd8\xff" + b"x" * 1000])
def test_nothing_is_known_of_what_is_broken(data):
    assert picture_mark(data, "image/png") == 0


def test_nothing_is_known_of_huge_pictures_or_of_other_kinds():
    wide = encoded(Image.new("1", (LARGEST // 100, 101)))
    assert picture_mark(wide, "image/png") == 0
    assert picture_mark(encoded(drawn(1)), "image/svg+xml") == 0


def test_without_the_extra_nothing_is_known(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert picture_mark(b"\x89PNG", "image/png") == 0
