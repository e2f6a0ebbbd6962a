"""What people write about pages and captures: tags, to find them by, and notes, to be read.

    of a page       http and https, with `www` and without, are one page
    of a capture    its time is named, too; a change is that of the capture that shows it

Texts are kept as they were written and bounded; whoever shows them escapes them.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final, Literal

from strandline.core.urls import canonical, surt_key

AnnotationKind = Literal["tag", "note"]
KINDS: Final = ("tag", "note")
LONGEST_TAG: Final = 60
"""Characters of a tag. Origin: a guess."""
LONGEST_NOTE: Final = 10_000
"""Characters of a note. Origin: a guess."""
LONGEST_AUTHOR: Final = 200
"""Characters of a name. Origin: a guess."""
_LINES: Final = re.compile(r"\r\n?|\u2028|\u2029|\x85")
_KEY: Final = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Annotation:
    """One tag or note. Times are UTC epoch seconds."""

    key: str
    """Sixteen hexadecimal digits, drawn at random: the same one in every archive it is moved to."""
    kind: AnnotationKind
    url: str
    text: str
    capture: float | None = None
    """The time of the capture it is about; None when it is about the page."""
    author: str = ""
    """Who wrote it, when that is known."""
    time: float = 0.0

    @property
    def surt(self) -> str:
        """The key under which the page is looked up."""
        return surt_key(self.url)

    def as_json(self) -> dict[str, Any]:
        """For programs, and to be moved."""
        told: dict[str, Any] = {"key": self.key, "kind": self.kind, "url": self.url, "text": self.text}
        return told | {"capture": self.capture, "author": self.author, "time": self.time}


def annotation_of(entry: dict[str, Any]) -> Annotation:
    """An annotation as it was moved; ValueError for what is none."""
    try:
        key, kind, capture = str(entry["key"]), entry["kind"], entry.get("capture")
        if kind not in KINDS or not _KEY.fullmatch(key):
            raise ValueError("not a tag or note")
        text = tag_text(str(entry["text"])) if kind == "tag" else note_text(str(entry["text"]))
        url = canonical(str(entry["url"]))
        written = None if capture is None else float(capture)
        return Annotation(key, kind, url, text, written, author_name(str(entry["author"])), float(entry["time"]))
    except (KeyError, TypeError, IndexError, OverflowError) as problem:
        raise ValueError(f"not a tag or note: {problem}") from None


def tag_text(text: str) -> str:
    """A tag as it is kept: one line, spaces as one; ValueError says why it is none.

    >>> tag_text("  Elections   2026 ")
    'Elections 2026'
    """
    found = _clean(" ".join(text.split()))
    if not any(letter.isalnum() for letter in found):
        raise ValueError("a tag has letters or digits")
    if len(found) > LONGEST_TAG:
        raise ValueError(f"a tag has at most {LONGEST_TAG} characters")
    return found


def note_text(text: str) -> str:
    """A note as it is kept: its lines stay; ValueError says why it is none."""
    found = _clean(_LINES.sub("\n", text)).strip()
    if not found:
        raise ValueError("there is nothing in the note")
    if len(found) > LONGEST_NOTE:
        raise ValueError(f"a note has at most {LONGEST_NOTE} characters")
    return found


def author_name(text: str) -> str:
    """Who writes, in one line."""
    return _clean(" ".join(text.split()))[:LONGEST_AUTHOR]


def _clean(text: str) -> str:
    """Without control characters and what turns the direction of a line: nobody sees them."""
    kept = (c for c in text if c in "\n\t\u200c\u200d" or unicodedata.category(c) not in ("Cc", "Cs", "Cf"))
    return "".join(kept)
