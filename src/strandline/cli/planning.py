"""Commands that decide and measure: next, why, plan, quality."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import Collection, Folder, Json, Site, Url, in_unit
from strandline.cli.output import as_json, iso, moment, print_lines, printable, tell, under
from strandline.core.wording import counted
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.plan.due import Due
    from strandline.plan.planning import Planning

Strategy = Annotated[str | None, typer.Option(help="How pages are chosen (default: setting plan.strategy).")]
Budget = Annotated[str | None, typer.Option(help="Requests or bytes: 500/day, 20/hour, 200MB/day (plan.budget).")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("next", epilog="Example: strandline next ./my-archive --visits 20 --why")(next_)
    app.command("why", epilog="Example: strandline why ./my-archive https://example.org/news/")(why)
    app.command("plan", epilog="Example: strandline plan ./my-archive --for 24h --budget 500/day --format urls")(plan)
    app.command("quality", epilog="Example: strandline quality ./my-archive --site example.org")(quality)


def next_(
    folder: Folder,
    visits: Annotated[
        int | None,
        typer.Option(help="If so many were left of this hour (default: as many as are)."),
    ] = None,
    strategy: Strategy = None,
    why: Annotated[bool, typer.Option("--why", help="Say why each page is wanted.")] = False,
    json_: Json = False,
) -> None:
    """What would be fetched in this hour, in the order of time. Nothing is fetched."""
    from strandline.plan.schedules import due_data

    planning = _planning(folder, strategy=strategy)
    found = planning.next(visits)
    problem = planning.check_budget()
    for remark in (problem, planning.remark):
        if remark:
            tell(f"note: {remark}")
    if json_:
        as_json([due_data(visit) for visit in found])
        return
    if not found:
        tell("note: nothing is left to visit in this hour")
    for visit in found:
        urgency = "new" if visit.urgency >= 1e30 else f"{max(0.0, visit.urgency):.3g}"
        print(printable(f"{iso(visit.due)[:16]}Z  {urgency:>9}  {visit.url}"))
        if why:
            print(printable(f"{'':30}{visit.reason}"))


def why(folder: Folder, url: Url, json_: Json = False) -> None:
    """Every reason for one page: may it be fetched, what was learned of it, when is its turn and why."""
    from strandline.plan.explaining import why as explain

    found = explain(_planning(folder), url)
    if json_:
        due = None if found.due is None else iso(found.due)
        as_json(
            {
                "url": found.url,
                "known": found.known,
                "verdict": found.verdict,
                "due": due,
                "urgency": found.urgency,
                "answers": found.answers,
            }
        )
        return
    print(printable(f"{found.url}\n{found.verdict}\n"))
    for name, answer in found.answers.items():
        for line in under(f"  {name:12}", printable(answer)):
            print(line)


def plan(
    folder: Folder,
    for_: Annotated[str, typer.Option("--for", help="How far ahead, for example 24h or 7days.")] = "24h",
    budget: Budget = None,
    strategy: Strategy = None,
    form: Annotated[str, typer.Option("--format", help="urls, json, browsertrix or heritrix.")] = "urls",
    into: Annotated[
        Path | None,
        typer.Option(help="Write a file for each hour and a crontab there (browsertrix, heritrix)."),
    ] = None,
    json_: Json = False,
) -> None:
    """A schedule that other crawlers can use. With --into visits keep their hours; without, one crawl has them all."""
    from strandline.plan.schedules import FORMATS, HOURLY, schedule_text
    from strandline.settings.units import seconds

    form = "json" if json_ else form
    if form not in FORMATS:
        raise UsageError(f"no format {form!r}; there are {', '.join(FORMATS)}")
    if into is not None and form not in HOURLY:
        raise UsageError(f"--into: only {' and '.join(HOURLY)} are written hour by hour, not {form}")
    hours = in_unit("--for", for_, seconds) / 3600.0
    if not 0 < hours <= 24 * 366:
        raise UsageError(f"--for: a plan covers more than nothing and at most a year, not {for_}")
    visits = list(_planning(folder, budget, strategy).ahead(hours))
    if not visits:
        tell(f"note: at this budget no visit falls into the coming {for_}")
    if into is not None:
        _write_hours(visits, form, into)
        return
    if form in HOURLY and len({int(visit.due // 3600) for visit in visits}) > 1:
        tell("note: one crawl has no hours and fetches a page once; --into FOLDER writes one for each hour")
    print(schedule_text(visits, form), end="")


def _write_hours(visits: "list[Due]", form: str, folder: Path) -> None:
    """The plan hour by hour. Files of an earlier plan go, or they would be fetched as well."""
    from strandline.plan.schedules import CRONTAB, schedule_files

    folder.mkdir(parents=True, exist_ok=True)
    for earlier in (*folder.glob("plan-*Z.yaml"), *folder.glob("plan-*Z.force")):
        earlier.unlink()
    files = schedule_files(visits, form, str(folder.resolve()))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    tell(f"{counted(len(visits), 'visit')} in {counted(len(files) - 1, 'hour')}: see {folder / CRONTAB}")


def quality(
    folder: Folder,
    url: Annotated[str, typer.Argument(help="With --replay: only this page.", show_default=False)] = "",
    site: Site = "",
    collection: Collection = "",
    replay: Annotated[
        bool, typer.Option("--replay", help="Replay pages in a browser, beside what one saw live.")
    ] = False,
    mend: Annotated[
        bool, typer.Option("--mend", help="With --replay: visit pages again that asked for what was not captured.")
    ] = False,
    at: Annotated[str | None, typer.Option("--at", help="As of this time, with evidence for what is shown.")] = None,
    json_: Json = False,
) -> None:
    """How good the archive is: completeness (estimated), coherence, freshness, coverage, and what more would buy."""
    from strandline.archive.known_collections import members_of
    from strandline.cli.quality import quality_data, quality_text
    from strandline.cli.replay_quality import show_replay_quality
    from strandline.report.measuring import measured

    if collection and (site or replay):
        raise UsageError("--collection goes without --site and --replay")
    if replay:
        if at:
            raise UsageError("--replay is about the latest captures: it has no --at")
        show_replay_quality(folder, url, site, mend, json_)
        return
    if mend:
        raise UsageError("--mend goes with --replay")
    if url:
        raise UsageError("a page can be named with --replay only; --site names a site")
    planning = _planning(folder)
    settings = planning.archive.settings
    of = (collection, members_of(settings, collection)) if collection else None
    found = measured(planning, site, moment(at) if at else None, of)
    if planning.remark:
        tell(f"note: {planning.remark}")
    if json_:
        as_json(quality_data(found))
        return
    print_lines(quality_text(found))


def _planning(folder: Path, budget: str | None = None, strategy: str | None = None) -> "Planning":
    """An archive ready to be planned; what a flag got wrong is said in its name."""
    import time
    from dataclasses import replace

    from strandline.app.opening import open_archive
    from strandline.plan.planning import Planning, strategy_names
    from strandline.settings.units import rate

    archive = open_archive(folder)
    if budget is None and strategy is None:
        return Planning(archive, time.time())
    wanted = archive.settings.plan
    if budget is not None:
        in_unit("--budget", budget, rate)
        wanted = replace(wanted, budget=budget)
    if strategy is not None:
        if strategy.removesuffix("-learned") not in (known := strategy_names()):
            raise UsageError(f"--strategy: no strategy {strategy!r}; there are {', '.join(known)}")
        wanted = replace(wanted, strategy=strategy)
    return Planning(archive, time.time(), wanted)
