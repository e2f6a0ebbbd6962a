"""Commands that make, fill, check and move an archive: init crawl watch import reindex verify versions."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import (
    AllowAddress,
    Browser,
    Contact,
    Delay,
    Folder,
    Json,
    Limit,
    NewSeeds,
    Quiet,
    Scope,
    Seeds,
    Set,
    SizeLimit,
    Url,
    Workers,
    a_number,
)
from strandline.cli.output import answer, as_json, iso, printable, size, tell
from strandline.core.wording import counted
from strandline.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("init", epilog="Example: strandline init ./my-archive --contact https://library.example/bot")(init)
    app.command("crawl", epilog="Example: strandline crawl ./my-archive --seeds https://example.org/ --limit 500")(
        crawl
    )
    app.command("watch", epilog="Example: strandline watch ./my-archive --seeds https://example.org/ --budget 500/day")(
        watch
    )
    app.command(
        "import",
        epilog="Examples: strandline import ./my-archive old/*.warc.gz; strandline import ./my-archive ~/archivebox",
    )(import_files)
    app.command("reindex", epilog="Example: strandline reindex ./my-archive")(reindex)
    app.command("verify", epilog="Example: strandline verify ./my-archive --json")(verify)
    app.command("versions", epilog="Example: strandline versions ./my-archive https://example.org/")(versions)


def init(
    folder: Folder,
    contact: Annotated[str, typer.Option(help="Page where site owners can reach you; sent with every request.")] = "",
    seeds: NewSeeds = None,
    operator: Annotated[str, typer.Option(help="Your name or institution, written into every WARC file.")] = "",
    json_: Json = False,
) -> None:
    """Make an archive: a folder with settings, WARC files, indexes and a catalog."""
    from strandline.archive.folder import create

    archive = create(folder, contact=contact, operator=operator, seeds=tuple(seeds or ()))
    if json_:
        known = archive.settings
        as_json({"archive": str(folder), "contact": known.archive.contact, "seeds": list(known.scope.seeds)})
    tell(f"Made {archive.folder}. Settings are explained in {archive.folder / 'strandline.toml'}.")
    if not contact:
        tell("No contact address yet: before crawling the web, set archive.contact there (or pass --contact).")


def crawl(
    folder: Folder,
    seeds: Seeds = None,
    scope: Scope = None,
    limit: Limit = None,
    workers: Workers = None,
    delay: Delay = None,
    contact: Contact = None,
    skip: Annotated[
        str | None,
        typer.Option(help="Leave out what is expected unchanged: none, policy, near or dormant (needs `learn`)."),
    ] = None,
    browser: Browser = None,
    allow_address: AllowAddress = None,
    time_limit: Annotated[str | None, typer.Option(help="Stop after this long, for example 2h.")] = None,
    size_limit: SizeLimit = None,
    set_: Set = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Crawl what is in scope once. Run again to resume, or to crawl what is due anew."""
    from strandline.cli.crawling import begun, crawl_limits, crawl_settings, run_crawl

    limits = crawl_limits(limit, time_limit, size_limit)
    flags = {
        "scope.scope": scope,
        "fetch.connections": workers,
        "politeness.delay": delay,
        "archive.contact": contact,
        "crawl.skip": skip,
        "capture.browser": browser,
    }
    with begun(folder, seeds) as archive:
        settings = crawl_settings(archive.settings, flags, allow_address, set_)
        run_crawl(archive, settings, seeds or [], limits, as_lines=json_, quiet=quiet)


def watch(
    folder: Annotated[Path | None, typer.Argument(help="Archive folder.", metavar="DIR", show_default=False)] = None,
    seeds: Seeds = None,
    budget: Annotated[str | None, typer.Option(help="Requests or bytes: 500/day, 40/hour, 2GB/day.")] = None,
    strategy: Annotated[str | None, typer.Option(help="How pages are chosen.")] = None,
    objective: Annotated[str | None, typer.Option(help="What counts: pool, page, middle, count or content.")] = None,
    coherence: Annotated[
        float | None, typer.Option(help="0: page by page; 1 and more: sites together.", callback=a_number)
    ] = None,
    for_: Annotated[str, typer.Option("--for", help="Stop after this long, for example 48h. Without: never.")] = "",
    hour_seconds: Annotated[
        float, typer.Option(help="For demonstrations: seconds an hour lasts; budgets and patterns follow.", min=0.0)
    ] = 0.0,
    scope: Scope = None,
    limit: Limit = None,
    workers: Workers = None,
    delay: Delay = None,
    contact: Contact = None,
    skip: Annotated[
        str | None,
        typer.Option(help="Plans leave out what is expected unchanged: none, policy, near or dormant (needs `learn`)."),
    ] = None,
    browser: Browser = None,
    allow_address: AllowAddress = None,
    time_limit: Annotated[str | None, typer.Option(help="As --for, but by the clock, and exit code 15.")] = None,
    size_limit: SizeLimit = None,
    log_format: Annotated[str, typer.Option("--log-format", help="Events on stderr: plain, text or json.")] = "plain",
    database: Annotated[
        str, typer.Option(help="Watch as a worker of this cluster: postgresql://user@host/name.", metavar="URL")
    ] = "",
    set_: Set = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Archive continuously under a budget, learning as it goes: what changes when, and what is worth a visit."""
    from strandline.cli.crawling import begun, crawl_limits, crawl_settings, hours_of

    limits = crawl_limits(limit, time_limit, size_limit)
    flags = {
        "scope.scope": scope,
        "fetch.connections": workers,
        "politeness.delay": delay,
        "archive.contact": contact,
        "plan.skip": skip,
        "capture.browser": browser,
        "plan.budget": budget,
        "plan.strategy": strategy,
        "plan.objective": objective,
        "plan.coherence": coherence,
    }
    if database or folder is None:
        from strandline.cli.clustering import watch_cluster

        own = [*(key for key, value in flags.items() if value is not None), *(seeds or ()), *(set_ or ())]
        own += ["--limit, --time-limit, --size-limit"] if any((limit, time_limit, size_limit)) else []
        return watch_cluster(database, folder, own, (hours_of(for_), hour_seconds), json_, quiet)
    hours = hours_of(for_)
    silent = quiet or log_format != "plain"  # a log holds events, and nothing for people
    with begun(folder, seeds) as archive:
        from strandline.cli import watching
        from strandline.watch.watching import WatchRequest

        watching.log_to(log_format, quiet)
        request = WatchRequest(tuple(seeds or ()), hours, hour_seconds, limits=limits)
        watching.watch(
            archive, lambda settings: crawl_settings(settings, flags, allow_address, set_), request, json_, silent
        )


def import_files(
    folder: Folder,
    sources: Annotated[
        list[Path],
        typer.Argument(
            help=".warc[.gz|.zst], .wacz, .cdxj[.gz], page versions .jsonl[.gz|.xz|.zst]; or what another tool left: "
            "ArchiveBox, changedetection.io, a git repository, a folder of WARC files.",
            metavar="SOURCE...",
            show_default=False,
        ),
    ],
    kind: Annotated[
        str,
        typer.Option(
            help="Which tool a folder comes from: archivebox, changedetection, git, warc, cdx.", metavar="TOOL"
        ),
    ] = "",
    url: Annotated[
        list[str] | None,
        typer.Option(
            help="Which page a file of a git repository is: FILE=ADDRESS, or BEGINNING*=ADDRESS.",
            metavar="FILE=ADDRESS",
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Bring in what other tools archived, and say what was left out. Of a file that is not sound nothing is written."""
    from strandline.app.opening import opened_or_made
    from strandline.exchange.moving import take_in

    addresses = dict(_file_and_address(one) for one in url or ())
    with opened_or_made(folder) as archive:
        for source in sources:
            brought = take_in(archive, source, kind, addresses)
            for note in brought.findings:
                tell(f"{source}: {note}")
            if json_:
                found = {"captures": brought.captures, "findings": list(brought.findings)}
                more = {"kind": brought.kind, "left_out": dict(brought.left_out)}
                as_json({"event": "imported", "file": str(source)} | found | more)
                continue
            tool = f" from {brought.kind}" if brought.kind else ""
            print(printable(f"{source}: {counted(brought.captures, 'capture')}{tool}"))
            for what, number in brought.left_out:
                print(printable(f"  left out: {number} {what}"))


def _file_and_address(said: str) -> tuple[str, str]:
    """`FILE=ADDRESS`: addresses may hold an equals sign, so the first one counts."""
    file, found, address = said.partition("=")
    if not (file and found and address.startswith(("http://", "https://"))):
        raise UsageError(f"--url {said}: FILE=ADDRESS is wanted, as in 'data/prices.json=https://example.org/prices'")
    return file, address


def reindex(folder: Folder, json_: Json = False) -> None:
    """Rebuild catalog and indexes from the WARC files alone."""
    from strandline.app.opening import open_archive
    from strandline.exchange.rebuilding import reindex as rebuild_catalog

    report = rebuild_catalog(open_archive(folder))
    for finding in report.findings:
        tell(finding)
    document = {"event": "reindexed", **dataclasses.asdict(report)}
    answer(document, f"{counted(report.captures, 'capture')} in {counted(report.files, 'file')}", json_)


def verify(
    folder: Folder,
    older_than: Annotated[
        str,
        typer.Option(
            help="Leave out files that were found sound more recently, for example 30d: goes on with a large archive.",
            metavar="AGE",
        ),
    ] = "",
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read every byte and compare it with what was written: finds each cut, each flipped bit and each missing file."""
    from strandline.app.auditing import audit_archive
    from strandline.app.opening import open_archive

    def begun(name: str, size: int) -> None:
        if not (quiet or json_):
            tell(f"{name} ({counted(size, 'byte')})")

    audit = audit_archive(open_archive(folder), older_than, begun)
    if json_:
        as_json(audit.as_json())
    else:
        for problem in audit.problems:
            print(printable(f"{problem.file} at {problem.offset}: {problem.problem} {problem.url}"))
        rest = f" {counted(audit.left_out, 'file')} left out, found sound before." if audit.left_out else ""
        said = "All sound." if audit.ok else f"{counted(len(audit.problems), 'problem')}."
        print(f"{said} {counted(audit.captures, 'capture')} checked.{rest}")
    if not audit.ok:
        raise typer.Exit(6)


def versions(folder: Folder, url: Url, json_: Json = False) -> None:
    """The history of one page: its captures, and which of them brought something new."""
    from strandline.app.opening import open_archive
    from strandline.cli.change_texts import metadata_line
    from strandline.cli.crawling import captured_event
    from strandline.cli.studying import study_pending
    from strandline.core.changes.delta.reverts import content_of, returns

    archive = open_archive(folder)
    study_pending(archive, quiet=json_)  # what each version says of itself is read by study
    row = archive.page(url)
    captures = archive.captures(url)
    told = {version.time: dict(version.metadata) for version in archive.studies.versions_of(row.url)} if row else {}
    shown = [(n, one.time, content_of(one)) for n, one in enumerate(captures) if 200 <= one.status < 300 or one.revisit]
    back = returns(shown)
    if json_:
        for number, capture in enumerate(captures):
            more = {"mime": capture.mime, "truncated": capture.truncated, "metadata": told.get(capture.time)}
            again = {"returns_to": iso(back[number]) if number in back else None}
            as_json(captured_event(capture) | {"event": "version"} | more | again)
        return
    known = counted(len(captures), "capture") if captures else "no captures in this archive"
    print(printable(f"{url}: {known}" + (f", {row.evidence} since {iso(row.since)}" if row else "")))
    for number, capture in enumerate(captures):
        returned = f"as at {iso(back[number])} again" if number in back else ""
        what = returned or ("unchanged" if capture.revisit else capture.mime)
        line = f"  {iso(capture.time)}  {capture.status}  {what:24}  {size(capture.place.length):>9}"
        print(printable(f"{line}  {capture.redirect}".rstrip()))
        if said := metadata_line(told.get(capture.time, {})):
            print(printable(f"      {said}"))
