"""Tags and notes: written by people on pages and on changes, found by everybody, lost by nothing.

They stand in the catalog (store/annotations.py), also while a watch writes it; `reindex` takes them over, a backup has
them, and what is taken down takes them along.
"""

import contextlib
import secrets
import time
from collections import Counter
from dataclasses import dataclass

from strandline.access.takedowns import notice_text
from strandline.access.timestamps import iso, timestamp
from strandline.archive.folder import Archive, web_address
from strandline.core.capture import Capture
from strandline.core.keeping.annotations import Annotation, AnnotationKind, author_name, note_text, tag_text
from strandline.core.urls import surt_key
from strandline.errors import TakenDown, UsageError, usage_errors
from strandline.store.annotations import AnnotationReading, forget_annotations, keep_annotations
from strandline.store.reading import Span

_KEY_BYTES = 8
"""Of a key. Origin: a guess: 2^32 of them are drawn before two are likely to be the same."""
_NEAR = 1.0
"""Seconds between a time somebody names and that of the capture that is meant. Origin: a unit: times are named in
seconds.
"""


@dataclass(frozen=True, slots=True)
class AnnotationWish:
    """What somebody writes, and of what."""

    url: str
    text: str
    at: float | None = None
    """The time of a capture; None for the page."""
    author: str = ""


def tag(archive: Archive, wish: AnnotationWish) -> Annotation:
    """Give a page, or one capture of it, a tag; one it has already is not given twice."""
    with usage_errors():
        text = tag_text(wish.text)
    return _keep(archive, "tag", wish, text)


def add_note(archive: Archive, wish: AnnotationWish) -> Annotation:
    """Write a note on a page, or on one capture of it."""
    with usage_errors():
        text = note_text(wish.text)
    return _keep(archive, "note", wish, text)


def _keep(archive: Archive, kind: AnnotationKind, wish: AnnotationWish, text: str) -> Annotation:
    url, at = _known(archive, wish.url, wish.at)
    author = author_name(wish.author)
    made = Annotation(secrets.token_hex(_KEY_BYTES), kind, url, text, at, author, round(time.time(), 3))
    if not archive.beside(lambda connection: keep_annotations(connection, [made])):
        return next(one for one in annotations(archive, url, kind="tag") if (one.text, one.capture) == (text, at))
    return made


def untag(archive: Archive, wish: AnnotationWish) -> int:
    """Take a tag back from a page, or from one capture of it; returns how many went."""
    with usage_errors():
        text = tag_text(wish.text)
    url, at = _known(archive, wish.url, wish.at)
    gone = [one.key for one in annotations(archive, url, kind="tag") if (one.text, one.capture) == (text, at)]
    if not gone:
        raise UsageError(f"{wish.url} has no tag {text!r}")
    archive.beside(lambda connection: forget_annotations(connection, gone))
    return len(gone)


def remove_annotation(archive: Archive, key: str) -> Annotation:
    """Take a tag or note back by its key."""
    with contextlib.closing(AnnotationReading.open(archive.database)) as reading:
        found = reading.annotation(key.strip())
    if found is None:
        raise UsageError(f"there is no tag or note {key[:40]!r}; `strandline note DIR` lists those there are")
    archive.beside(lambda connection: forget_annotations(connection, [found.key]))
    return found


def annotations(archive: Archive, url: str = "", kind: str = "", tag: str = "") -> list[Annotation]:
    """Tags and notes, the newest first: all, those of a page and its captures, or one tag wherever it is."""
    surt = ""
    if url:
        surt = surt_key(web_address(url))
        hidden = archive.reading.hidden
        act = hidden.why(surt) if hidden else None
        if act is not None:
            raise TakenDown(notice_text(act))
    with contextlib.closing(AnnotationReading.open(archive.database)) as reading:
        return list(reading.annotations(surt, kind, tag))


def tags(archive: Archive) -> Counter[str]:
    """All tags and how often each was given."""
    with contextlib.closing(AnnotationReading.open(archive.database)) as reading:
        return reading.tags()


def _known(archive: Archive, url: str, at: float | None) -> tuple[str, float | None]:
    """A page of the archive, and the time of its capture; UsageError when there is none. TakenDown when it is not
    shown.
    """
    address = web_address(url)
    key = surt_key(address)
    hidden = archive.reading.hidden
    act = hidden.why(key, at) if hidden else None
    if act is not None:
        raise TakenDown(notice_text(act))
    near = Span(key, f"{key}\0") if at is None else Span(key, f"{key}\0", at - _NEAR, at + _NEAR)
    found: Capture | None = None
    for one in archive.reading.index(near):
        if found is None or (at is not None and abs(one.capture.time - at) < abs(found.time - at)):
            found = one.capture
        if at is None:
            break
    if found is None and at is None and archive.page(address) is not None:
        return address, None  # it is known and was not captured yet
    if found is None:
        when = f" at {iso(at)}" if at is not None else ""
        raise UsageError(f"{url}: nothing was captured{when}; what is not in the archive has no tags or notes")
    return found.url, None if at is None else found.time


def shown_capture(one: Annotation) -> str:
    """The capture a tag or note is about, as addresses of replay write it; empty for the page."""
    return timestamp(one.capture) if one.capture is not None else ""
