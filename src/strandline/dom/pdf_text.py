"""The text of a PDF file made into a page, so that it is cut, compared and scored like any other.

    page          a section, in the order of the file
    paragraph     lines up to a short one: text that flows anew after an edit is the same text
    running head  a first or last line that most pages repeat, whatever number it holds: shown once

What a file says of how it was made (when, by which program, its identifiers) is left out: it differs each time it is
made from the same source. Pages after the limits are shown as the digest of their instructions, so that a change there
is still one.

Hostile files: the reader bounds what one stream may unpack to and what a page may call; between instructions the
processor time is looked at. What is encrypted, broken or too costly is no text: it is known by its digest alone.
"""

import logging
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from typing import Any, Final

import xxhash

from strandline.dom.checksums import spoken

MOST_PAGES: Final = 60  # read; of those after them the digest
MOST_LISTED: Final = 2000  # pages of which anything is known
MOST_INSTRUCTIONS: Final = 320_000  # bytes of instructions that are read, in all pages together: 1 to 5 µs each
MOST_UNPACKED: Final = 16 << 20  # bytes one stream may become
LONGEST: Final = 2_000_000  # letters of text
CPU_LIMIT: Final = 2.2  # seconds; two versions have to be read within the time of one study
_TYPES: Final = frozenset({"application/pdf", "application/x-pdf", "application/octet-stream", ""})
_SIGN: Final = b"%PDF-"
_SIGNED: Final = 1024  # bytes in which the sign stands
_SHORT: Final = 0.75  # of the width of most lines: a line that ends a paragraph
_POINT: Final = re.compile(r"(?:[•▪◦–*-]|\(?\w{1,3}[.)]|\d+(?:\.\d+)*\.?)\s")  # how an entry of a list begins
_DIGITS: Final = re.compile(r"\d+")


class _TooCostlyError(Exception):
    """A file takes more time than it is worth."""


def is_pdf(data: bytes, mime: str) -> bool:
    """Whether a document is a PDF file, by its type and its first bytes."""
    return mime in _TYPES and _SIGN in data[:_SIGNED]


def pdf_page(data: bytes) -> bytes | None:
    """The text of a PDF file as HTML in UTF-8; None when it has none, is encrypted, broken or too costly."""
    import pypdf  # noqa: PLC0415 - a fifth of a second, for few documents

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells at length what is wrong with a file
    limits = pypdf.Configuration(
        maximum_declared_stream_length=MOST_UNPACKED,
        array_based_stream_maximum_output_length=MOST_UNPACKED,
        lzw_maximum_output_length=MOST_UNPACKED,
        run_length_maximum_output_length=MOST_UNPACKED,
        zlib_maximum_output_length=MOST_UNPACKED,
        brotli_maximum_output_length=MOST_UNPACKED,
        stream_decoding_work_maximum_length=4 * MOST_UNPACKED,
        stream_parsing_work_maximum_count=300_000,
        xform_maximum_invocations_per_extraction=500,
        page_tree_maximum_entries=10 * MOST_LISTED,
        jbig2dec_binary=None,
    )
    try:
        with pypdf.apply_configuration(limits):
            return _read(pypdf.PdfReader(BytesIO(data)))
    except Exception:  # noqa: BLE001 - a broken file leads the reader to any error there is
        return None


def _read(reader: Any) -> bytes | None:  # noqa: ANN401 - a pypdf.PdfReader
    until = time.thread_time() + CPU_LIMIT
    pages: list[list[str]] = []
    unread: list[str] = []
    instructions = letters = 0
    for number, page in enumerate(reader.pages, 1):
        if number > MOST_LISTED:
            break
        _in_time(until)
        contents = page.get_contents()
        told = contents.get_data() if contents is not None else b""
        instructions += len(told)
        if number > MOST_PAGES or instructions > MOST_INSTRUCTIONS or letters > LONGEST:
            unread.append(f"<p>Page {number}, not read: {spoken(xxhash.xxh3_64_intdigest(told))}</p>")
            continue
        text: str = page.extract_text(visitor_operand_before=lambda *_: _in_time(until))
        letters += len(text)
        pages.append([" ".join(line.split()) for line in text.splitlines() if line.strip()])
    if not any(pages):
        return None  # scanned pictures: nothing to compare
    shown = "".join(
        f'<section class="page">{"".join(f"<p>{escape(one)}</p>" for one in paragraphs(lines))}</section>'
        for lines in without_running_heads(pages)
    )
    title = escape(str((reader.metadata or {}).get("/Title") or ""))[:LONGEST]
    head = f"<head><title>{title}</title></head>" if title else ""
    return f'<html>{head}<body class="pdf"><main>{shown}{"".join(unread)}</main></body></html>'.encode(
        "utf-8", "replace"
    )


def _in_time(until: float) -> None:
    if time.thread_time() > until:
        raise _TooCostlyError


def without_running_heads(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """The lines of pages without the first and last ones that most of them repeat, but for where they come first.

    >>> without_running_heads([["Terms", "One.", "1 of 3"], ["Terms", "Two.", "2 of 3"], ["Terms", "Three.", "3 of 3"]])
    [['Terms', 'One.'], ['Two.'], ['Three.']]
    """
    ends = Counter(key for lines in pages for key in {_head(lines[at]) for at in (0, -1) if lines})
    running = {key for key, count in ends.items() if count >= 3 and 2 * count > len(pages)}
    seen: set[str] = set()
    kept: list[list[str]] = []
    for lines in pages:
        rest = list(lines)
        for at in (0, -1):
            if rest and (key := _head(rest[at])) in running:
                if key in seen or _DIGITS.search(rest[at]):
                    rest.pop(at)
                seen.add(key)
        kept.append(rest)
    return kept


def _head(line: str) -> str:
    return _DIGITS.sub("0", line)


def paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Lines joined to paragraphs, words that were cut at the end of a line joined too.

    >>> list(paragraphs(["1. Terms", "Either side may end this agree-", "ment with a notice of 30 days", "sent."]))
    ['1. Terms', 'Either side may end this agreement with a notice of 30 days sent.']
    """
    widths = sorted(map(len, lines))
    full = _SHORT * widths[int(0.8 * len(widths))] if widths else 0.0
    held = ""
    last = 0
    for line in lines:
        if held and (last < full or _POINT.match(line)):
            yield held
            held = ""
        if held.endswith("-") and held[-2:-1].isalpha() and line[:1].islower():
            held = held[:-1] + line
        else:
            held = f"{held} {line}" if held else line
        last = len(line)
    if held:
        yield held
