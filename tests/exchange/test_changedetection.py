"""The datastore of changedetection.io, in the form of today and in the one before, as a folder and as its backup."""

import json
import zipfile

import brotli
import pytest

from exchange.test_moving import made
from strandline.exchange.changedetection import is_changedetection, read_changedetection

UUID = "066a287b-abf1-403f-9ba3-239fb807c6f2"


def datastore(folder, old=False):
    """One watch with a history of three, the last one packed; HTML for the last two."""
    watch = folder / UUID
    watch.mkdir(parents=True)
    said = {"url": "http://shop.example/a", "uuid": UUID}
    if old:
        (folder / "url-watches.json").write_text(json.dumps({"watching": {UUID: said}}))
    else:
        (folder / "changedetection.json").write_text("{}")
        (watch / "watch.json").write_text(json.dumps(said))
    (watch / "one.txt").write_text("Price: 20 EUR\n")
    (watch / "two.txt").write_text("Price: 30 EUR\n")
    (watch / "three.txt.br").write_bytes(brotli.compress(b"Price: 40 EUR\n" * 90))
    for time in (1700000100, 1700000200):
        (watch / f"{time}.html.br").write_bytes(brotli.compress(b"<p>Price</p>"))
    lines = ["1700000000,one.txt", "1700000100,/datastore/elsewhere/two.txt", "1700000200,three.txt.br"]
    (watch / "history.txt").write_text("\n".join(lines) + "\n")
    return folder


def zipped(folder):
    file = folder.with_suffix(".zip")
    with zipfile.ZipFile(file, "w") as out:
        for one in folder.rglob("*"):
            if one.is_file():
                out.write(one, one.relative_to(folder).as_posix())
    return file


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("form", [lambda folder: folder, zipped])
def test_every_text_is_a_capture_at_its_time_and_changes_are_told(tmp_path, old, form):
    source = form(datastore(tmp_path / "store", old))
    archive = made(tmp_path / "archive")
    brought = archive.bring_in(source)
    assert (brought.kind, brought.captures) == ("changedetection", 3)
    assert dict(brought.left_out) == {"HTML of the last versions, of which older ones have the text only": 2}
    captures = list(archive.captures("http://shop.example/a"))
    assert [(capture.time, capture.mime) for capture in captures] == [
        (1700000000.0 + 100 * number, "text/plain") for number in range(3)
    ]
    archive.study()
    assert len(list(archive.changes())) == 2
    assert archive.verify().ok


def test_html_is_taken_where_every_version_has_it(tmp_path):
    folder = datastore(tmp_path / "store")
    (folder / UUID / "history.txt").write_text("1700000200,three.txt.br\r\n1700000100,two.txt\r\n")
    holding = read_changedetection(folder)
    found = [(version.time, version.content_type, version.body) for version in holding.versions(())]
    assert found == [(time, "text/html; charset=utf-8", b"<p>Price</p>") for time in (1700000100.0, 1700000200.0)]


def test_what_cannot_be_read_is_left_out_and_said(tmp_path):
    folder = datastore(tmp_path / "store")
    watch = folder / UUID
    (watch / "three.txt.br").write_bytes(brotli.compress(b"Price" * 900)[:-5])
    (watch / "two.txt").unlink()
    (watch / "two.txt").symlink_to("/etc/hostname")
    (watch / "picture.png").write_bytes(b"")
    with (watch / "history.txt").open("a") as lines:
        lines.write("1700000300,picture.png\nnonsense\n99999999999999,one.txt\n")
    holding = read_changedetection(folder)
    assert [version.body for version in holding.versions(())] == [b"Price: 20 EUR\n"]
    assert holding.left_out["versions whose file is missing or damaged"] == 2
    assert holding.left_out["versions that are .png files"] == 1


def test_other_folders_and_files_are_none(tmp_path):
    (tmp_path / "not.zip").write_bytes(b"PK\3\4 no")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as out:
        out.writestr("changedetection.json", "{}")
    assert not any(map(is_changedetection, (tmp_path, tmp_path / "not.zip", tmp_path / "other.zip")))
