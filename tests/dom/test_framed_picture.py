"""Frames are drawn around what changed; parts are small; what is no picture is left alone."""

import random
import struct
import sys
import zlib
from io import BytesIO

import pytest
from PIL import Image

from strandline.core.pictures import SIGNATURE, Box
from strandline.dom import framed_picture
from strandline.dom.framed_picture import PART_BYTES, PART_HEIGHT, PART_WIDTH, framed_part, with_frames
from warc.pictures import picture

GREEN, RED, GREY = (0x15, 0x80, 0x3D), (0xC2, 0x41, 0x0C), (200, 200, 200)


def opened(data):
    shown = Image.open(BytesIO(data))
    shown.load()
    return shown


def test_a_frame_stands_around_its_text_in_the_colour_of_what_happened():
    box = Box(50, 60, 100, 20, "Seven boats left")
    for mark, colour in (("new", GREEN), ("gone", RED)):
        shown = opened(with_frames(picture(300, 200), [box], mark))
        assert shown.size == (300, 200) and shown.format == "PNG"
        assert shown.getpixel((48, 70)) == colour and shown.getpixel((100, 58)) == colour
        assert shown.getpixel((100, 70)) == GREY and shown.getpixel((20, 20)) == GREY, "nothing is covered"
    untouched = opened(with_frames(picture(300, 200), [], "new"))
    assert untouched.getcolors() == [(60_000, GREY)]


@pytest.mark.parametrize("box", [Box(-50, -60, 20, 20, "x"), Box(1e300, 0, 5, 5, "x"), Box(290, 190, 1e9, 1e9, "x")])
def test_what_lies_outside_the_picture_does_no_harm(box):
    assert opened(with_frames(picture(300, 200), [box], "new")).size == (300, 200)


def test_a_part_is_cut_where_the_change_is_and_made_small():
    shown = opened(framed_part(picture(1366, 9000), [Box(100, 7000, 400, 60, "x")], "new"))
    assert shown.format == "JPEG" and shown.width == PART_WIDTH and shown.height <= PART_HEIGHT + 1
    colours = [colour for count, colour in shown.getcolors(10**6) if colour[1] > 90 and colour[0] < 90]
    assert colours, "the frame is in it"
    small = opened(framed_part(picture(200, 100), [Box(10, 10, 20, 20, "x")], "new"))
    assert small.size == (200, 100), "what is small stays as it is"


def test_a_part_is_bounded_in_bytes_whatever_the_page_looks_like():
    noise = Image.frombytes("RGB", (1366, 1100), random.Random(1).randbytes(1366 * 1100 * 3))
    file = BytesIO()
    noise.save(file, "PNG")
    part = framed_part(file.getvalue(), [], "new")
    assert part is None or len(part) <= PART_BYTES


def test_what_is_see_through_is_white():
    clear = Image.new("RGBA", (60, 40), (0, 0, 0, 0))
    file = BytesIO()
    clear.save(file, "PNG")
    assert opened(with_frames(file.getvalue(), [], "new")).getpixel((5, 5)) == (255, 255, 255)


def test_nothing_is_made_of_what_is_no_picture_or_too_large_or_without_the_extra(monkeypatch):
    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    for broken in (b"", b"GIF89a", picture(30, 40)[:45], SIGNATURE + chunk):
        assert with_frames(broken, [], "new") is None and framed_part(broken, [], "new") is None
    monkeypatch.setattr(framed_picture, "LARGEST", 100)
    assert with_frames(picture(30, 40), [], "new") is None
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert with_frames(picture(30, 40), [], "new") is None
