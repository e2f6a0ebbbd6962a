"""Changes as a feed: Atom 1.0 (RFC 4287) and RSS 2.0, each entry with the reasons block by block.

Pure: an answer to give out, from values. What pages say is escaped twice, once as HTML and once as XML, and characters
that XML does not know are left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from typing import Final, Literal

FeedFormat = Literal["atom", "rss"]
MEDIA_TYPES: Final[dict[FeedFormat, str]] = {
    "atom": "application/atom+xml; charset=utf-8",
    "rss": "application/rss+xml; charset=utf-8",
}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a change matters: a block, what happened to it, and how much that adds."""

    block: str
    why: str
    contribution: float


@dataclass(frozen=True, slots=True)
class Entry:
    """One change, or an alarm."""

    key: str
    """A UUID that never changes."""
    title: str
    link: str
    time: float
    text: str
    reasons: tuple[Reason, ...] = ()
    site: str = ""
    old: str = ""
    """The sentence of the page that was."""
    new: str = ""
    """The sentence of the page that is."""
    links: tuple[tuple[str, str], ...] = ()
    """Where the versions are shown: name and address."""
    pictures: tuple[tuple[str, str], ...] = ()
    """Of the page before and after, as PNG: name and address."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Entries, the newest first, and where the feed itself is."""

    title: str
    key: str
    entries: Sequence[Entry]
    address: str = ""
    """Of the feed itself; empty when it is only a file."""
    updated: float = 0.0
    """When it was made, for a feed without entries."""


def feed(what: Feed, form: FeedFormat = "atom") -> bytes:
    """The feed as a document."""
    return (_atom(what) if form == "atom" else _rss(what)).encode("utf-8")


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("", value), quote=True)


def _content(entry: Entry) -> str:
    """HTML, to be escaped once more."""
    parts = [f"<p>{escape(entry.text)}</p>"]
    parts += [f"<p><del>{escape(entry.old)}</del></p>"] if entry.old else []
    parts += [f"<p><ins>{escape(entry.new)}</ins></p>"] if entry.new else []
    if entry.links:
        named = (f'<a href="{escape(address, quote=True)}">{escape(name)}</a>' for name, address in entry.links)
        parts.append(f"<p>{' · '.join(named)}</p>")
    if entry.pictures:
        shown = (
            f'<img src="{escape(address, quote=True)}" alt="{escape(name, quote=True)}" width="480">'
            for name, address in entry.pictures
        )
        parts.append(f"<p>{' '.join(shown)}</p>")
    if entry.reasons:
        items = [
            f"<li><b>{escape(one.block)}</b>: {escape(one.why)} ({one.contribution:.2f})</li>" for one in entry.reasons
        ]
        parts.append(f"<ul>{''.join(items)}</ul>")
    return "".join(parts)


def _tag(name: str, text: str | None = None, **fields: str) -> str:
    """One line of XML; without a text, or an address of it, none."""
    if text == "" or fields.get("href") == "":
        return ""
    opened = "".join([name, *(f' {field}="{_text(value)}"' for field, value in fields.items())])
    return f"<{opened}/>" if text is None else f"<{opened}>{_text(text)}</{name}>"


def _atom(what: Feed) -> str:
    updated = max((entry.time for entry in what.entries), default=what.updated)
    lines = [
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        _tag("title", what.title),
        _tag("id", f"urn:uuid:{what.key}"),
        _tag("updated", _iso(updated)),
        "<author><name>Strandline</name></author>",
        _tag("generator", "Strandline"),
        _tag("link", rel="self", type="application/atom+xml", href=what.address),
    ]
    for entry in what.entries:
        lines += [
            "<entry>",
            _tag("title", entry.title),
            _tag("id", f"urn:uuid:{entry.key}"),
            _tag("updated", _iso(entry.time)),
            _tag("link", rel="alternate", href=entry.link),
            *(_tag("link", rel="enclosure", type="image/png", href=address) for _, address in entry.pictures[-1:]),
            *([_tag("category", term=entry.site)] if entry.site else []),
            _tag("content", _content(entry), type="html"),
            "</entry>",
        ]
    return _document([*lines, "</feed>"])


def _rss(what: Feed) -> str:
    lines = [
        '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
        "<channel>",
        *(_tag(name, what.title) for name in ("title", "description")),
        _tag("link", what.address or f"urn:uuid:{what.key}"),
        _tag("generator", "Strandline"),
        _tag("atom:link", rel="self", type="application/rss+xml", href=what.address),
    ]
    for entry in what.entries:
        lines += [
            "<item>",
            _tag("title", entry.title),
            _tag("guid", f"urn:uuid:{entry.key}", isPermaLink="false"),
            _tag("pubDate", format_datetime(datetime.fromtimestamp(entry.time, UTC), usegmt=True)),
            _tag("link", entry.link),
            _tag("category", entry.site),
            # Whoever made this part of RSS wants a length; 0 is what is written where it is not known.
            *(_tag("enclosure", url=address, type="image/png", length="0") for _, address in entry.pictures[-1:]),
            _tag("description", _content(entry)),
            "</item>",
        ]
    return _document([*lines, "</channel>", "</rss>"])


def _document(lines: Sequence[str]) -> str:
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *filter(None, lines), ""])


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
