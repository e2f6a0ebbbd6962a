"""`strandline report`: what happened in a span of time."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import Json, Place, Site
from strandline.cli.output import as_json, iso, moment, print_lines
from strandline.core.wording import counted
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.report.spans import Report

_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("report", epilog="Example: strandline report ./my-archive --from 2026-11-01 --to 2026-11-08")(report)


def report(
    folder: Place,
    site: Site = "",
    from_: Annotated[
        str | None, typer.Option("--from", help="From this time on; a week before the end by default.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Up to this time; now by default.")] = None,
    form: Annotated[str, typer.Option("--format", help="text, json or html.")] = "text",
    limit: Annotated[int, typer.Option(help="Pages named of each kind in JSON and HTML.", min=0)] = 1000,
    json_: Json = False,
) -> None:
    """New, changed, gone and moved pages, dead links, visits intended and made, and what the learning changed."""
    from strandline.app.opening import open_archive
    from strandline.archive.known_sites import require_site
    from strandline.report.spans import ReportRequest
    from strandline.report.spans import report as made

    form = "json" if json_ else form
    if form not in ("text", "json", "html"):
        raise UsageError(f"no format {form!r}; there are text, json and html")
    wanted = ReportRequest(site, moment(from_) if from_ else None, moment(to) if to else None, limit, form == "html")
    archive = open_archive(folder)
    require_site(archive, site)
    found = made(archive, wanted)
    if form == "json":
        as_json(found.as_data())
    elif form == "html":
        from strandline.report.html_page import report_html

        print(report_html(found), end="")
    else:
        print_lines(_lines(found))


def _lines(found: "Report") -> Iterator[str]:
    yield f"{found.site or found.archive}: {iso(found.start)} to {iso(found.end)}"
    counts = f"{'new':>7}{'changed':>9}{'gone':>7}{'moved':>7}{'dead':>7}{'visits':>8}{'unchanged':>11}"
    yield f"{'site':32}{counts}{'changes/day':>13}{'before':>9}"
    for one in found.sites:
        rates = [_rate(value) for value in (one.changes_a_day, one.changes_a_day_before)]
        yield (
            f"{one.site[:31]:32}{one.new:>7}{one.changed:>9}{one.gone:>7}{one.moved:>7}{one.dead:>7}{one.visits:>8}"
            f"{one.unchanged:>11}{rates[0]:>13}{rates[1]:>9}"
        )
    if found.intended is None:
        yield "no watch ran in this time"
    else:
        made, share = found.intended.made, found.intended.share
        part = "" if share is None else f" ({100 * share:.0f} %)"
        total = found.intended.total
        yield f"{counted(total.planned, 'visit')} planned, {made} made{part}, {total.failed} failed"
    yield from _events(found)
    yield from _learning(found)
    for alarm in found.alarms:
        ended = "still open" if alarm.closed is None else f"until {iso(alarm.closed)}"
        yield f"alarm: {alarm.kind} {alarm.subject} since {iso(alarm.opened)}, {ended}: {alarm.explanation}"


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _events(found: "Report") -> Iterator[str]:
    from strandline.cli.change_texts import short

    for kind, events in found.events.items():
        for event in events[:_SHOWN]:
            weight = f"  importance {event.weight:.2f}" if event.weight else ""
            yield f"{kind + ':':9}{event.url}  {event.detail}{weight}"
            if event.sentence:
                yield f"{'':9}  {short(event.sentence)}"
        total = sum(getattr(site, kind) for site in found.sites)
        if total > _SHOWN:
            yield f"{kind + ':':9}... and {total - _SHOWN} more (see --json)"


def _learning(found: "Report") -> Iterator[str]:
    for one in found.shifted[:_SHOWN]:
        if one.before != one.after:
            found_changes = f"(changes {one.changes_before} -> {one.changes_after})"
            yield f"learned: {one.url} visited {one.before} -> {one.after} times {found_changes}"
    for rule in found.made[:_SHOWN]:
        yield f"learned: rule made on {rule.site}: {rule.rule}"
    for rule in found.retired[:_SHOWN]:
        yield f"learned: rule retired on {rule.site}: {rule.rule}"
