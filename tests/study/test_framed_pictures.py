"""Both pictures of a change are framed as in the comparison; without two of them, or where one is taken down, none."""

from io import BytesIO

import pytest
from PIL import Image
from typer.testing import CliRunner

from access.test_pictures import URL, pictured
from strandline.access.timestamps import timestamp
from strandline.cli.main import app
from strandline.core.pictures import Box, with_boxes
from strandline.errors import TakenDown
from strandline.keeping.takedowns import Wish, block
from strandline.study.framed_pictures import framed_pictures
from warc.exchanges import START
from warc.pictures import picture

HOUR = 3600.0
GREEN, RED = (0x15, 0x80, 0x3D), (0xC2, 0x41, 0x0C)
TALL = tuple(
    with_boxes(picture(300, 900, grey), [Box(20, 700, 200, 20, text), Box(20, 800, 200, 20, "Imprint")])
    for grey, text in ((200, "Six boats left"), (90, "Seven boats left"))
)
LOOKS = (("Six boats left", TALL[0]), ("Seven boats left", TALL[1]))


def _at(data, place):
    return Image.open(BytesIO(data)).convert("RGB").getpixel(place)


def test_what_changed_is_framed_in_both_and_what_stayed_is_not(tmp_path):
    archive, _ = pictured(tmp_path / "archive", LOOKS)
    archive.study()
    made = framed_pictures(archive, URL, START, START + HOUR)
    assert _at(made.before, (18, 710)) == RED and _at(made.after, (18, 710)) == GREEN
    assert _at(made.before, (18, 810)) == (200,) * 3 and _at(made.after, (18, 810)) == (90,) * 3
    part = framed_pictures(archive, URL, START, START + HOUR, "part")
    assert Image.open(BytesIO(part.after)).size == (300, 500)
    assert framed_pictures(archive, URL, START, START) is None, "one version is no change"


def test_a_look_without_a_picture_has_none(tmp_path):
    archive, _ = pictured(tmp_path / "archive", (("Six boats left", b""), *LOOKS[1:]))
    archive.study()
    assert framed_pictures(archive, URL, START, START + HOUR) is None


@pytest.mark.parametrize("what", ["capture", "page"])
def test_what_is_taken_down_has_none(tmp_path, what):
    archive, kept = pictured(tmp_path / "archive", (*LOOKS, ("Seven boats left for good", TALL[0])))
    archive.study()
    target = f"{timestamp(kept[1].time)}/{URL}" if what == "capture" else URL
    block(archive, Wish(target, "somebody asked"))
    if what == "page":
        with pytest.raises(TakenDown):
            framed_pictures(archive, URL, START, START + HOUR)
    else:
        assert framed_pictures(archive, URL, START, START + HOUR) is None, "what is left is one version"


def test_the_command_writes_both_or_says_why_not(tmp_path):
    archive, _ = pictured(tmp_path / "archive", LOOKS)
    folder = tmp_path / "out"
    words = ["compare", str(archive.folder), URL, "--pictures", str(folder)]
    assert CliRunner().invoke(app, words).exit_code != 0, "there is no such folder"
    folder.mkdir()
    assert CliRunner().invoke(app, words).exit_code == 0
    assert CliRunner().invoke(app, [*words, "--part"]).exit_code == 0
    assert sorted(one.name for one in folder.iterdir()) == ["after.jpg", "after.png", "before.jpg", "before.png"]
    bare, _ = pictured(tmp_path / "bare", (("Six", b""), ("Seven", b"")))
    words[1] = str(bare.folder)
    found = CliRunner().invoke(app, words)
    assert found.exit_code != 0 and "no two pictures" in str(found.exception or found.output)
