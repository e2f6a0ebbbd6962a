"""The answer of `status` as a table for the terminal."""

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from strandline.alerts.targets import shown
from strandline.archive.database_names import named
from strandline.cli.output import iso, printable, size
from strandline.core.wording import counted

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
        ("archive", f"{named(found.folder)}   {iso(found.time)}", ""),
        ("watch", _watch(found), _STATES.get(found.state, "")),
    ]
    rows += [("", found.why, "")] if found.why else []
    rows += [("budget", _budget(found), "")] if found.watch else []
    rows += [
        ("last hour", _lately(found.hour), ""),
        ("last day", _lately(found.day), ""),
        ("holds", _holds(found), ""),
        ("queue", _queue(found), ""),
        ("learning", _learning(found), ""),
        ("completeness", _completeness(found), ""),
    ]
    if found.hollow:
        kinds = ", ".join(f"{kind} {count}" for kind, count in found.hollow.items())
        rows.append(("no content", f"{counted(sum(found.hollow.values()), 'page')} ({kinds})", "yellow"))
    if found.room is not None:
        style = "red" if found.room.free < found.room.reserve else ""
        rows.append(("disk", f"{size(found.room.free)} free, {size(found.room.reserve)} are left alone", style))
    for queue in found.queues:
        trouble = f": {queue.problem}" if queue.waiting and queue.problem else ""
        lost = f", {queue.given_up + queue.pushed_out} not delivered" if queue.given_up + queue.pushed_out else ""
        text = f"{queue.delivered} delivered, {queue.waiting} waiting{lost} for {shown(queue.target)}{trouble}"
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
    who = f" (process {found.watch.pid} on {found.watch.host})" if found.watch.pid else " (workers of a cluster)"
    return f"{found.state}{since}{when}{who}"


def _budget(found: "Status") -> str:
    assert found.watch is not None
    known = found.watch.document
    parts = [f"{known.get('budget', '?')} by {known.get('strategy', '?')}"]
    if found.state not in ("running", "paused"):
        if "spent_hour" in known:
            spent = f"{known['spent_hour']:.0f} spent in its last hour, {known.get('spent_day', 0):.0f} in its last day"
            parts.append(spent)
        return "; ".join(parts)
    if "spent_hour" in known:
        parts.append(f"{known['spent_hour']:.0f} spent this hour, {known.get('spent_day', 0):.0f} in the last day")
    if "planned" in known:
        parts.append(f"{counted(known['planned'], 'visit')} left of this hour's plan")
    if known.get("looks"):
        parts.append(f"{counted(known['looks'], 'visit')} of it each likely to find nothing new")
    if known.get("left_out"):
        parts.append(f"{counted(known['left_out'], 'visit')} of the hour left out: {known.get('why_left_out', '')}")
    if known.get("longest_gap"):
        parts.append(f"no page is unseen for more than {known['longest_gap'] / 24.0:.3g} days")
    return "; ".join(parts)


def _lately(lately: tuple[int, int, int, int]) -> str:
    captures, unchanged, errors, octets = lately
    wrong = f"{counted(errors, 'answer')} of 400 and more"
    return f"{counted(captures, 'capture')}, {unchanged} unchanged, {wrong}, {size(octets)} kept"


def _holds(found: "Status") -> str:
    latest = f", the latest at {iso(found.last)}" if found.last else ""
    pages, sites = counted(found.pages, "address", "addresses"), counted(found.sites, "site")
    return f"{counted(found.captures, 'capture')} of {pages} on {sites}{latest}"


def _queue(found: "Status") -> str:
    hosts, unstudied = counted(found.hosts_waiting, "host waits", "hosts wait"), counted(found.unstudied, "capture")
    return f"{counted(found.queued, 'page')} due, {hosts}, {unstudied} to study"


def _learning(found: "Status") -> str:
    known = found.learned
    behind = f"; {counted(found.unlearned, 'capture is', 'captures are')} newer" if found.unlearned else ""
    lost = f"; {counted(found.unreadable, 'capture')} could not be studied" if found.unreadable else ""
    return (
        f"hours of {counted(known['series'], 'page')} in {counted(known['groups'], 'group')}, "
        f"{counted(known['rates'], 'rate')}, {counted(known['rules'], 'directory rule')}{behind}{lost}"
    )


def _completeness(found: "Status") -> str:
    if found.completeness is None:
        return "not estimated"
    return f"{found.completeness.value:.2f} ({found.completeness.low:.2f}-{found.completeness.high:.2f}), estimated"
