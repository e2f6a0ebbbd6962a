"""How commands speak: data on stdout, everything else on stderr, and nothing that a terminal could take for orders."""

import json
import os
import sys
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from strandline.errors import Interrupted, UsageError


def tell(line: str) -> None:
    """A line for the person at the terminal, not part of the data."""
    print(printable(line), file=sys.stderr)


def as_json(document: object) -> None:
    """One JSON document, or one line of a stream, on stdout. Interrupted when its reader has gone (`| head`): to
    a crawl an OSError would look like trouble with its disk.
    """
    try:
        print(json.dumps(document, ensure_ascii=False, default=str), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at its end
        raise Interrupted("nobody reads the output any more") from None


def answer(document: object, text: str, json_: bool) -> None:
    """What a command says: a document for programs, or a text for people."""
    as_json(document) if json_ else print(printable(text))


def print_lines(lines: Iterable[str]) -> None:
    """Lines for people, on stdout."""
    for line in lines:
        print(printable(line))


def printable(text: str) -> str:
    """Text from the web without control characters: an archived title must not drive a terminal. Bytes of file names
    that are no text stay: they are written with a backslash.
    """
    return "".join("\N{REPLACEMENT CHARACTER}" if c not in "\n\t" and _drives(c) else c for c in text)


def _drives(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return kind[0] == "C" and kind != "Cs"


def under(name: str, text: str) -> list[str]:
    """Lines of a text beside its name, as wide as the terminal; one line when nobody is looking."""
    if not sys.stdout.isatty():
        return [name + text]
    import shutil
    import textwrap

    width = max(shutil.get_terminal_size().columns, 2 * len(name))
    return textwrap.wrap(name + text, width, subsequent_indent=" " * len(name), drop_whitespace=True) or [name]


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Rows of texts under a head, as wide as they need; figures stand to the right.

    >>> print(columns(("site", "pages"), [("a.example", "7")], right=(1,)))
    site       pages
    a.example      7
    """
    wide = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = (
        "  ".join(f"{text:>{wide[at]}}" if at in right else f"{text:{wide[at]}}" for at, text in enumerate(row))
        for row in (head, *rows)
    )
    return "\n".join(line.rstrip() for line in lines)


def iso(time: float) -> str:
    """UTC time as INTERFACE and WARC write it, to the millisecond."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(text: str) -> float:
    """A point in time as people write it: ISO date or date-time (UTC unless it says otherwise), or 14 digits."""
    try:
        if text.isdigit() and 4 <= len(text) <= 14:
            padded = text + "00000101000000"[len(text) :]
            return datetime.strptime(padded, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no date; use 2026-03-01, 2026-03-01T12:00Z or 20260301120000") from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def size(octets: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if octets < 1000:
            return f"{octets:.0f} {unit}" if unit == "B" else f"{octets:.1f} {unit}"
        octets /= 1000
    return f"{octets:.1f} TB"
