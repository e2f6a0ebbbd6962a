"""Pictures are found beside the capture they were taken of, and kept once while a page looks the same."""

import pytest
from warcio.archiveiterator import ArchiveIterator

from strandline.access.payload import LostError
from strandline.access.pictures import has_picture, picture_of
from strandline.archive.holdings import holdings
from strandline.core.pictures import Box, with_boxes
from strandline.core.shown import DOCUMENT, TEXT, VIEW, WHOLE_VIEW, Shown, View
from strandline.exchange.rebuilding import reindex
from strandline.python_archive import create_folder as create
from strandline.warc.writer import WarcWriter
from warc.exchanges import ABOUT, START, StillClock, exchange
from warc.pictures import picture

URL = "http://example.org/"
OLD = with_boxes(picture(30, 40), [Box(0, 0, 30, 10, "Six boats left"), Box(0, 10, 30, 10, "Imprint")])
NEW = with_boxes(picture(30, 40, 90), [Box(0, 0, 30, 10, "Seven boats left"), Box(0, 10, 30, 10, "Imprint")])


def shown(text, whole):
    page = f"<main><h1>Harbour</h1><p>{text}</p></main><footer>Imprint</footer>".encode()
    views = [View(DOCUMENT, "text/html", page), View(TEXT, "text/plain", text.encode())]
    if whole:
        views[1:1] = [View(WHOLE_VIEW, "image/png", whole), View(VIEW, "image/png", picture(30, 20))]
    return Shown(1, START, "settled", tuple(views), stands=True)


LOOKS = (*[("Six boats left", whole) for whole in (OLD, OLD, b"", OLD)], ("Seven boats left", NEW))
"""Twice the same, without a picture, as before, and changed."""


def pictured(folder, looks=LOOKS):
    """An archive of a page that was shown some times, an hour apart."""
    archive = create(folder)
    writer = WarcWriter(folder / "archive", ABOUT, StillClock())
    kept = [
        writer.keep(exchange(URL, b"<div id=root></div>", started=START + 3600.0 * n), None, shown(text, whole))
        for n, (text, whole) in enumerate(looks)
    ]
    writer.close()
    reindex(archive)
    return archive, kept


def test_a_picture_is_kept_once_and_found_for_every_look(tmp_path):
    archive, kept = pictured(tmp_path / "archive")
    held = holdings(archive)
    assert [has_picture(held, capture) for capture in kept] == [True, True, False, True, True]
    found = [picture_of(held, capture) for n, capture in enumerate(kept) if n != 2]
    assert found == [OLD, OLD, OLD, NEW]
    with pytest.raises(LostError):
        picture_of(held, kept[2])
    (file,) = (tmp_path / "archive" / "archive").glob("*.warc.gz")
    with file.open("rb") as stream:
        names = [record.rec_headers["WARC-Target-URI"] or "" for record in ArchiveIterator(stream)]
    assert sum(name.startswith("urn:fullPage:") for name in names) == 2, "once for each distinct view"
    assert not archive.verify().problems


def test_a_capture_that_no_browser_showed_has_none(tmp_path):
    writer = WarcWriter(tmp_path, ABOUT, StillClock())
    capture = writer.keep(exchange(URL), None, None)
    writer.close()
    assert not has_picture(None, capture)
