"""Alerts as e-mail: one message for everything that waits for an address, with the reasons block by block."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape
from typing import Any, Final, NamedTuple

from strandline.store.outbox import Alert

TOGETHER = 50
"""Alerts in one message."""
_SUBJECT = 120
_PRE: Final = "white-space:pre-wrap;font-family:inherit"


class MailPictures(NamedTuple):
    """A page before and after a change, as JPEG."""

    before: bytes
    after: bytes


def mail_of(
    alerts: Sequence[Alert], sender: str, to: str, now: float, pictures: Mapping[str, MailPictures] | None = None
) -> EmailMessage:
    """The message that brings these alerts, with pictures of those whose keys are given. Its Message-ID is the same for
    the same alerts.
    """
    archive = str(alerts[0].document.get("archive", ""))
    message = EmailMessage()
    message["From"], message["To"] = sender, to
    message["Subject"] = plain(f"[{archive}] {_subject(alerts)}")[:_SUBJECT]
    message["Date"] = format_datetime(datetime.fromtimestamp(now, UTC))
    message["Message-ID"] = f"<{alerts[0].key}.{alerts[-1].number}@strandline.invalid>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Strandline-Alerts"] = " ".join(alert.key for alert in alerts)
    message.set_content("\n\n".join(_paragraph(alert.document) for alert in alerts) + "\n")
    if pictures:
        _add_pictures(message, alerts, pictures)
    return message


def _add_pictures(message: EmailMessage, alerts: Sequence[Alert], pictures: Mapping[str, MailPictures]) -> None:
    """The same text once more, as HTML, with the pictures below what they show: all inside the message."""
    parts, files = [], []
    for alert in alerts:
        parts.append(f'<pre style="{_PRE}">{escape(_paragraph(alert.document))}</pre>')
        if (both := pictures.get(alert.key)) is not None:
            for name, data in zip(("before", "after"), both, strict=True):
                cid = f"{alert.key}.{name}@strandline.invalid"
                parts.append(f'<p>{name}:<br><img src="cid:{cid}" alt="the page {name} the change"></p>')
                files.append((cid, f"{name}.jpg", data))
    message.add_alternative(f"<!doctype html><html><body>{''.join(parts)}</body></html>\n", subtype="html")
    page = message.get_payload()[1]  # type: ignore[index]
    for cid, name, data in files:
        page.add_related(data, "image", "jpeg", cid=f"<{cid}>", filename=name, disposition="inline")  # type: ignore[union-attr]


def _subject(alerts: Sequence[Alert]) -> str:
    first = alerts[0].document
    if len(alerts) > 1:
        named = (
            ("change", "changes"),
            ("alarm", "alarms"),
            ("search", "finds of searches"),
            ("digest", "digests"),
            ("test", "tests"),
        )
        counts = [(sum(alert.kind == kind for alert in alerts), kind, many) for kind, many in named]
        return ", ".join(
            f"{n} {'find of a search' if kind == 'search' else kind}" if n == 1 else f"{n} {many}"
            for n, kind, many in counts
            if n
        )
    if alerts[0].kind == "change":
        if first.get("sentence"):
            return f"{first.get('title') or first['url']}: {first['sentence']}"
        return f"{first['url']} changed (importance {first['importance']:.2f})"
    if alerts[0].kind == "alarm":
        return f"alarm {first['event']}: {first['alarm']} {first['subject']}"
    if alerts[0].kind == "search":
        return f"{first['search']}: {first['event']} on {first['url']}"
    if alerts[0].kind == "digest":
        return f"the week, {first['text']}"
    return "a test"


def _paragraph(document: dict[str, Any]) -> str:
    if document.get("kind") == "digest":
        return "\n".join(map(plain, digest_lines(document)))
    lines = [str(document.get("text", ""))]
    lines += [
        f"  {mark} {document[name]}" for mark, name in (("-", "old_text"), ("+", "new_text")) if document.get(name)
    ]
    for block in document.get("blocks", ()):
        named = block.get("topic") or block.get("path") or "the page"
        lines.append(f"  {block.get('contribution', 0.0):6.2f}  {named}: {block.get('why', '')}")
    if document.get("shown"):
        lines += [f"  compare: {document.get('compare', '')}"] if document.get("compare") else []
        lines += [f"  now:     {document['shown']}", f"  before:  {document['before']}"]
        lines += [f"  picture: {document[name]}" for name in ("picture_before", "picture") if document.get(name)]
    return "\n".join(map(plain, lines))


def digest_lines(document: dict[str, Any]) -> list[str]:
    """As mail and commands show it."""
    lines = [str(document["text"])]
    for one in document["changes"]:
        lines += ["", f"{one['title'] or one['url']}", f"  {one['sentence'] or 'changed'}"]
        lines.append(f"  {one['by'][:16].replace('T', ' ')}, importance {one['importance']:.2f}: {one['url']}")
        lines += [f"  {one['compare']}"] if one.get("compare") else []
    return lines


def plain(text: str) -> str:
    """One line without control characters: what a page says must not become a header or an order."""
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text).strip("\r\n")
