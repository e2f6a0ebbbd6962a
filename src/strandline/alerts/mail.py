"""Alerts as e-mail: one message for everything that waits for an address, with the reasons block by block."""

import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

from strandline.store.outbox import Alert

TOGETHER = 50
"""Alerts in one message."""
_SUBJECT = 120


def mail_of(alerts: Sequence[Alert], sender: str, to: str, now: float) -> EmailMessage:
    """The message that brings these alerts. Its Message-ID is the same for the same alerts."""
    archive = str(alerts[0].document.get("archive", ""))
    message = EmailMessage()
    message["From"], message["To"] = sender, to
    message["Subject"] = plain(f"[{archive}] {_subject(alerts)}")[:_SUBJECT]
    message["Date"] = format_datetime(datetime.fromtimestamp(now, UTC))
    message["Message-ID"] = f"<{alerts[0].key}.{alerts[-1].number}@strandline.invalid>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Strandline-Alerts"] = " ".join(alert.key for alert in alerts)
    message.set_content("\n\n".join(_paragraph(alert.document) for alert in alerts) + "\n")
    return message


def _subject(alerts: Sequence[Alert]) -> str:
    first = alerts[0].document
    if len(alerts) > 1:
        alarms = sum(alert.kind == "alarm" for alert in alerts)
        changes = len(alerts) - alarms
        parts = [f"{changes} change{'s' * (changes != 1)}"] * (changes > 0)
        return ", ".join(parts + [f"{alarms} alarm{'s' * (alarms != 1)}"] * (alarms > 0))
    if alerts[0].kind == "change":
        if first.get("sentence"):
            return f"{first.get('title') or first['url']}: {first['sentence']}"
        return f"{first['url']} changed (importance {first['importance']:.2f})"
    if alerts[0].kind == "alarm":
        return f"alarm {first['event']}: {first['alarm']} {first['subject']}"
    return "a test"


def _paragraph(document: dict[str, Any]) -> str:
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
    return "\n".join(map(plain, lines))


def plain(text: str) -> str:
    """One line without control characters: what a page says must not become a header or an order."""
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text).strip("\r\n")
