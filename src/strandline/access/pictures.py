"""Pictures of pages: the record behind the document that a browser made of an answer.

A picture that is the same as at the look before is not kept again; the record that stands in its place says which one
it was, and an earlier capture of the page has it.
"""

from typing import Final

from strandline.access.index import Holdings
from strandline.access.memento import key_of
from strandline.access.payload import LostError
from strandline.core.capture import Capture, Place
from strandline.core.pictures import is_picture
from strandline.core.shown import WHOLE_VIEW
from strandline.errors import ArchiveDamaged
from strandline.ports import Record

_LOOK_BACK: Final = 200
"""Captures among which an earlier picture is looked for."""
SAME_FIELD: Final = "strandline-same-picture"


def picture_of(holdings: Holdings, capture: Capture) -> bytes:
    """The picture of the whole page, as PNG; LostError when none was taken, or it is lost."""
    record = _behind(holdings, capture)
    digest = record.headers.get(SAME_FIELD, "")
    if digest and not _is_whole(record):
        earlier = holdings.index.before(key_of(capture.url), capture.time - 0.0005, _LOOK_BACK)
        for one in earlier:
            if one.rendering is not None and one.url == capture.url:
                candidate = _behind(holdings, one)
                if _is_whole(candidate) and candidate.headers.get("warc-payload-digest") == digest:
                    record = candidate
                    break
    data = record.body.read() if _is_whole(record) else b""
    if not is_picture(data):
        raise LostError("No picture of this capture was kept.")
    return data


def has_picture(holdings: Holdings, capture: Capture) -> bool:
    """Whether there should be one; its bytes are not read."""
    try:
        record = _behind(holdings, capture)
    except LostError:
        return False
    record.body.close()
    return _is_whole(record) or SAME_FIELD in record.headers


def _behind(holdings: Holdings, capture: Capture) -> Record:
    """The record after the document a browser made."""
    made = capture.rendering
    if made is None:
        raise LostError("This capture was not shown in a browser.")
    try:
        return holdings.reader.read(Place(capture.place.file, made.offset + made.length, 0))
    except (ArchiveDamaged, FileNotFoundError) as damage:
        raise LostError(f"No picture of this capture can be read: {damage}") from None


def _is_whole(record: Record) -> bool:
    return record.headers.get("warc-target-uri", "").startswith(f"urn:{WHOLE_VIEW}:")
