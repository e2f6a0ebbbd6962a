"""A report as one HTML page that needs nothing else: to be kept, mailed or printed."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from strandline.alerts.alert import moment
from strandline.report.spans import KINDS, Intended, Report
from strandline.store.reporting import Event

_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:.5em 0 1.5em;width:100%}"
    "th,td{text-align:left;padding:.25em .6em;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:anywhere}"
    "td.n,th.n{text-align:right;white-space:nowrap}h2{margin-top:1.5em}.dim{color:#666}"
    "h3{overflow-wrap:anywhere}.both{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0;flex:1 1 20em;max-width:600px}"
    "img{max-width:100%;border:1px solid #ddd}"
    "@media(prefers-color-scheme:dark){body{background:#151515;color:#ddd}th,td{border-color:#444}.dim{color:#999}}"
)
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_TITLES: Final = {
    "new": "New pages",
    "changed": "Changed pages",
    "gone": "Gone pages",
    "moved": "Moved pages",
    "dead": "Dead links",
}


def report_html(found: Report) -> str:
    """The whole page."""
    about = f"{found.site} in {found.archive}" if found.site else found.archive
    parts = [
        "<!doctype html>",
        f'<html lang="en"><meta charset="utf-8"><title>{escape(about)}</title><style>{_STYLE}</style>',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<h1>{escape(about)}</h1><p>{moment(found.start)} to {moment(found.end)}</p>",
        _sites(found),
        _intended(found.intended),
    ]
    for kind in KINDS:
        parts += [_events(found, kind), _pictures(found) if kind == "changed" else ""]
    parts += [_learning(found), _alarms(found), "</html>", ""]
    return "\n".join(parts)


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers to the right, everything escaped."""
    body = []
    for row in rows:
        cells = (
            f'<td class="n">{cell:g}</td>' if isinstance(cell, int | float) else f"<td>{escape(str(cell))}</td>"
            for cell in row
        )
        body.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _sites(found: Report) -> str:
    heads = ("site", *KINDS, "visits", "unchanged", "errors", "changes", "changes a day", "before")
    rows = [
        (
            *(one.site, one.new, one.changed, one.gone, one.moved, one.dead),
            *(one.visits, one.unchanged, one.errors, one.changes),
            "-" if one.changes_a_day is None else one.changes_a_day,
            "-" if one.changes_a_day_before is None else one.changes_a_day_before,
        )
        for one in found.sites
    ]
    return "<h2>Sites</h2>" + _table(heads, rows)


def _intended(intended: Intended | None) -> str:
    if intended is None:
        return '<p class="dim">No watch ran in this time.</p>'
    share = "" if intended.share is None else f" ({100 * intended.share:.0f} %)"
    return (
        f"<p>{intended.total.planned} visits planned, {intended.made} made{share}, {intended.total.failed} "
        f"failed, in {intended.hours} hours; {intended.total.changed} found a change.</p>"
    )


def _detail(event: Event) -> str:
    return f"{event.sentence} ({event.detail})" if event.sentence else event.detail


def _events(found: Report, kind: str) -> str:
    events = found.events[kind]
    if not events:
        return ""
    rows = [(moment(one.time), one.url, _detail(one), round(one.weight, 3) if one.weight else "") for one in events]
    return f"<h2>{_TITLES[kind]}</h2>" + _table(("time", "page", "", "importance"), rows)


def _pictures(found: Report) -> str:
    """Before and after, inside the page: it needs nothing else."""
    parts = []
    for url, both in found.pictures.items():
        shown = (
            f'<figure><img src="data:image/jpeg;base64,{b64encode(data).decode()}" alt="the page {name} the change">'
            f"<figcaption>{name}</figcaption></figure>"
            for name, data in (("before", both.before), ("after", both.after))
        )
        parts.append(f'<h3>{escape(url)}</h3><div class="both">{"".join(shown)}</div>')
    return "".join(parts)


def _learning(found: Report) -> str:
    parts = []
    if found.shifted:
        rows = [(one.url, one.before, one.after, one.changes_before, one.changes_after) for one in found.shifted]
        heads = ("page", "visits before", "visits now", "changes before", "changes now")
        parts.append(_table(heads, rows))
    for title, rules in (("Rules made", found.made), ("Rules retired", found.retired)):
        if rules:
            parts.append(f"<h3>{title}</h3>" + _table(("site", "rule"), [(one.site, one.rule) for one in rules]))
    return "<h2>What the learning changed</h2>" + "".join(parts) if parts else ""


def _alarms(found: Report) -> str:
    if not found.alarms:
        return ""
    rows = [
        (one.kind, one.subject, moment(one.opened), moment(one.closed) if one.closed else "open", one.explanation)
        for one in found.alarms
    ]
    return "<h2>Alarms</h2>" + _table(("alarm", "about", "opened", "closed", ""), rows)
