"""What a document tells, before any script runs, of what scripts would make of it.

    plain      no script at all
    scripted   scripts, and text beside them
    thin       scripts, and less text than they have
    shell      an empty place that scripts would fill, or a word to readers without scripts, and hardly any text

Pages of one kind in one directory are taken for alike; how often a browser shows more of them is learned (worth.py).
"""

import re
from html import unescape
from typing import Final
from zlib import crc32

from strandline.core.quality.hollow import SHELL, hollow, read_by_people
from strandline.core.quick_dataclass import dataclass

PLAIN: Final = "plain"
SCRIPTED: Final = "scripted"
THIN: Final = "thin"
EMPTY: Final = "shell"
KINDS: Final = (PLAIN, SCRIPTED, THIN, EMPTY)

_MOST_BYTES: Final = 1 << 20
"""Bytes of a document that are looked at: what comes later says nothing new. Origin: a bound on time."""
_THIN_TEXT: Final = 250
"""Letters below which a page with scripts says little by itself: about two sentences. Origin: a guess."""
_FULL_TEXT: Final = 1200
"""Letters from which on it does not matter how long the scripts are. Origin: a guess."""
_SCRIPT: Final = re.compile(rb"<script\b([^<>]*)>(.*?)(?:</script\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_SOURCE: Final = re.compile(rb"\bsrc\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_DATA: Final = re.compile(rb"\btype\s*=\s*[\"']?(?:application/(?:ld\+)?json|text/(?:template|x-))", re.IGNORECASE)
_ASKS: Final = re.compile(rb"<noscript\b[^<>]*>.{0,400}?(?:javascript|scripts?)\b", re.IGNORECASE | re.DOTALL)
_FRAME: Final = re.compile(rb"<(?:iframe|frame)\b", re.IGNORECASE)
_TAG: Final = re.compile(rb"<[^<>]*>")
_LETTER: Final = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Signs:
    """What was found in a document."""

    kind: str
    letters: int
    """Of text that is shown without scripts."""
    scripts: int
    main_script: int
    """Mark of the addresses of its scripts: another one means another program. 0 without any."""


def signs_of(document: bytes) -> Signs:
    """The signs of an HTML document.

    >>> signs_of(b"<p>Closed on Monday.</p>").kind
    'plain'
    >>> signs_of(b'<title>App</title><div id="root"></div><script src="app.js"></script>').kind
    'shell'
    """
    document = document[:_MOST_BYTES]
    sources, own, count = [], 0, 0
    for attributes, code in _SCRIPT.findall(document):
        if _DATA.search(attributes):
            continue
        count += 1
        own += len(code)
        sources += [name.partition(b"?")[0] for name in _SOURCE.findall(attributes)]
    letters = len(_LETTER.findall(text_of_document(document)))
    main = crc32(b"\n".join(sorted(sources))) or 1 if sources else 0
    return Signs(_kind(document, letters, count, own), letters, count, main)


def text_of_document(document: bytes) -> str:
    """What is read without scripts, roughly: for counting words, not for reading."""
    return unescape(_TAG.sub(b" ", read_by_people(document)).decode("utf-8", "replace"))


def _kind(document: bytes, letters: int, scripts: int, own: int) -> str:
    if not scripts:
        return SCRIPTED if _FRAME.search(document) else PLAIN
    if hollow(document) == SHELL or (letters < _THIN_TEXT and _ASKS.search(document)):
        return EMPTY
    return THIN if letters < _THIN_TEXT or (letters < _FULL_TEXT and own > 4 * letters) else SCRIPTED
