"""The answer of `status` as a table for the terminal."""

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from strandline.cli.output import iso, printable, size

if TYPE_CHECKING:
    from strandline.app.status import Status

_STATES = {"running": "green", "paused": "yellow", "killed": "red"}


def status_table(found: "Status") -> Table:
    """Two columns: what, and how it is."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, text, style in _rows(found):
        table.add_row(name, Text(printable(text), style=style))
    return table


def _rows(found: "Status") -> list[tuple[str, str, str]]:
    rows = [
        ("archive", f"{found.folder}   {iso(found.time)}", ""),
        ("watch", _watch(found), _STATES.get(found.state, "")),
    ]
    rows += [("", found.why, "")] if found.why else []
    rows += [("budget", _budget(found), "")] if found.watch else []
    rows += [
        ("last hour", _lately(found.hour), ""),
        ("last day", _lately(found.day), ""),
        ("holds", f"{found.captures} captures of {found.pages} pages on {found.sites} sites{_last(found)}", ""),
        (
            "queue",
            f"{found.queued} pages due, {found.hosts_waiting} hosts wait, {found.unstudied} captures to study",
            "",
        ),
        ("learning", _learning(found), ""),
        ("completeness", _completeness(found), ""),
    ]
    if found.room is not None:
        style = "red" if found.room.free < found.room.reserve else ""
        rows.append(("disk", f"{size(found.room.free)} free, {size(found.room.reserve)} are left alone", style))
    for queue in found.queues:
        trouble = f": {queue.problem}" if queue.waiting and queue.problem else ""
        lost = f", {queue.given_up + queue.pushed_out} not delivered" if queue.given_up + queue.pushed_out else ""
        text = f"{queue.delivered} delivered, {queue.waiting} waiting{lost} for {_short(queue.target)}{trouble}"
        rows.append(("alerts", text, "yellow" if trouble else ""))
    for alarm in found.alarms:
        text = f"{alarm.kind} {alarm.subject}".strip() + f" since {iso(alarm.opened)}: {alarm.explanation}"
        rows.append(("alarm", text, "red"))
    rows += [("alarms", "none", "")] if not found.alarms else []
    rows += [("error", f"{iso(one.time)}  {one.url}  {one.problem}", "dim") for one in found.failures]
    return rows


def _watch(found: "Status") -> str:
    if found.watch is None:
        return "none"
    since = f" since {iso(found.watch.started)}" if found.state in ("running", "paused") else ""
    when = "" if since else f", last heard of at {iso(found.watch.updated)}"
    return f"{found.state}{since}{when} (process {found.watch.pid} on {found.watch.host})"


def _budget(found: "Status") -> str:
    assert found.watch is not None
    known = found.watch.document
    parts = [f"{known.get('budget', '?')} by {known.get('strategy', '?')}"]
    if "spent_hour" in known:
        parts.append(f"{known['spent_hour']:.0f} spent this hour, {known.get('spent_day', 0):.0f} in the last day")
    if "planned" in known:
        parts.append(f"{known['planned']} visits left of this hour's plan")
    return "; ".join(parts)


def _lately(lately: tuple[int, int, int, int]) -> str:
    captures, unchanged, errors, octets = lately
    return f"{captures} captures, {unchanged} unchanged, {errors} answers of 400 and more, {size(octets)} kept"


def _last(found: "Status") -> str:
    return f", the latest at {iso(found.last)}" if found.last else ""


def _learning(found: "Status") -> str:
    known = found.learned
    behind = f"; {found.unlearned} captures are newer" if found.unlearned else ""
    lost = f"; {found.unreadable} captures could not be studied" if found.unreadable else ""
    return (
        f"{known['series']} pages with a pattern in {known['groups']} groups, {known['rates']} rates, "
        f"{known['rules']} directory rules{behind}{lost}"
    )


def _completeness(found: "Status") -> str:
    if found.completeness is None:
        return "not estimated"
    return f"{found.completeness.value:.2f} ({found.completeness.low:.2f}-{found.completeness.high:.2f}), estimated"


def _short(target: str) -> str:
    return "/".join(target.split("/")[:3]) + "/..." if "://" in target else target
