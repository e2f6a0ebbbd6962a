"""More than one machine: `strandline cluster init|status` and `strandline worker`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strandline.cli.options import AllowAddress, Host, Json, Limit, NewSeeds, Quiet, TokenFile
from strandline.cli.output import as_json, iso, printable, size, tell
from strandline.core.wording import counted
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.cluster.archive import ClusterArchive
    from strandline.settings.schema import Settings

Database = Annotated[
    str,
    typer.Option(help="The shared catalog: postgresql://user@host/name.", envvar="STRANDLINE_DATABASE", metavar="URL"),
]
Store = Annotated[
    str, typer.Option(help="Where WARC files go: s3://bucket/prefix, gs://, az://, file:///folder.", metavar="URL")
]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    cluster = typer.Typer(
        help="An archive on more than one machine: make it ready, see how it stands.",
        epilog="Example: strandline cluster status --database postgresql://archive@db/web",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    cluster.command(
        "init",
        epilog="Example: strandline cluster init --database postgresql://archive@db/web --store s3://warc/web "
        "--seeds seeds.txt --contact https://library.example/bot",
    )(init)
    cluster.command("status", epilog="Example: strandline cluster status --database postgresql://archive@db/web")(
        status
    )
    cluster.command("serve", epilog="Example: strandline cluster serve --database postgresql://archive@db/web")(serve)
    app.add_typer(cluster, name="cluster")
    app.command("worker", epilog="Example: strandline worker --database postgresql://archive@db/web")(worker)


def init(
    database: Database,
    store: Store = "",
    settings: Annotated[
        Path | None, typer.Option(help="A strandline.toml that all workers are to follow.", metavar="FILE")
    ] = None,
    seeds: NewSeeds = None,
    contact: Annotated[str, typer.Option(help="Page where site owners can reach you.")] = "",
    allow_address: AllowAddress = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Any setting: section.key=value.", metavar="KEY=VALUE")
    ] = None,
    moved: Annotated[
        bool, typer.Option("--moved", help="All WARC files were copied to --store: the archive goes on there.")
    ] = False,
    json_: Json = False,
) -> None:
    """Make a database and an object store ready for workers, or change the settings they follow."""
    from strandline.archive.given_seeds import read_seeds
    from strandline.cli.crawling import crawl_settings
    from strandline.cluster.shared import init_cluster
    from strandline.settings.file import read_settings, with_overrides

    if settings is not None and not settings.exists():
        raise UsageError(f"--settings {settings}: there is no such file")
    wanted = read_seeds(tuple(seeds or ()))

    def change(known: "Settings") -> "Settings":
        new = known if settings is None else read_settings(settings)
        new = crawl_settings(new, {"archive.contact": contact or None}, allow_address, set_)
        if wanted:
            listed = ", ".join(f'"{seed}"' for seed in dict.fromkeys((*new.scope.seeds, *wanted)))
            new = with_overrides(new, [f"scope.seeds=[{listed}]"])
        return new

    made = init_cluster(database, store, change, moved)
    if json_:
        as_json({"store": made.store, "seeds": list(made.settings.scope.seeds)})
    else:
        seeded = counted(len(made.settings.scope.seeds), "seed")
        tell(f"Ready: {seeded}, WARC files go to {made.store}. Start workers with:")
        tell("  strandline worker --database ...")


def status(database: Database, json_: Json = False) -> None:
    """Who works, what waits, what was kept."""
    from strandline.app.alerts_listing import alarms
    from strandline.cluster.archive import open_shared

    archive = open_shared(database)
    if json_:
        as_json(cluster_data(archive))
        return
    print_cluster(archive)
    for alarm in alarms(archive):
        about = f"{alarm.kind} {alarm.subject}".strip()
        print(printable(f"ALARM {about} since {iso(alarm.opened)}: {alarm.explanation}"))


def cluster_data(archive: "ClusterArchive") -> dict[str, Any]:
    """Who works, what waits, what was kept, and the open alarms, as JSON."""
    import dataclasses

    from strandline.alerts.alarms import alarm_data
    from strandline.app.alerts_listing import alarms

    return {**dataclasses.asdict(archive.standing()), "alarms": [alarm_data(one) for one in alarms(archive)]}


def print_cluster(archive: "ClusterArchive") -> None:
    """The same for people, without the alarms."""
    found = archive.standing()
    held = f"{counted(found.captures, 'capture')} of {counted(found.pages, 'page')} on {counted(found.hosts, 'host')}"
    print(f"{held}, {size(found.octets)} in all")
    print(f"pages: {found.queued} waiting, {found.leased} being fetched, {found.backed_off} waiting after a failure")
    print(f"hosts: {found.hosts_held} held, {found.hosts_waiting} left alone for now")
    if found.unstudied:
        print(f"{counted(found.unstudied, 'capture waits', 'captures wait')} to be studied")
    if found.hour is not None:
        hour = found.hour
        price = f", at a price of {hour.price:.3g}" if hour.price else ""
        planned = f"{hour.planned} of {hour.visits:.0f} visits planned on {counted(hour.sites, 'site')}{price}"
        print(f"since {iso(hour.start)} {planned}")
    print(f"{counted(len(found.workers), 'worker')}, {found.ended} ended before")
    for one in found.workers:
        print(
            printable(
                f"  {one.worker:>5}  {one.name:30}  {one.captures:>8} captures  {size(one.octets):>9}  "
                f"{one.hosts:>4} hosts  {one.pages:>3} pages now  heard of {one.silent:.0f} s ago"
            )
        )


def serve(
    database: Database,
    host: Host = None,
    port: Annotated[int | None, typer.Option(help="Port of the API; 0 picks a free one.", min=0, max=65535)] = None,
    replay_port: Annotated[
        int | None, typer.Option(help="Port of archived content; 0 picks a free one.", min=0, max=65535)
    ] = None,
    token_file: TokenFile = None,
) -> None:
    """The interface, replay, Memento and CDX from the shared index and the object store, beside the workers."""
    from strandline.cli.cluster_serving import run_server

    run_server(database, host, port, replay_port, token_file)


def worker(
    database: Database,
    store: Annotated[str, typer.Option(help="Must be the cluster's store, when given.", metavar="URL")] = "",
    spool: Annotated[
        Path | None, typer.Option(help="Folder for what is being received and packed; a temporary one by default.")
    ] = None,
    limit: Limit = None,
    time_limit: Annotated[str, typer.Option(help="Stop after this long, for example 2h.")] = "",
    lease: Annotated[
        float, typer.Option(help="Seconds after which a silent worker has lost its hosts; the same for all.", min=1.0)
    ] = 60.0,
    commit_seconds: Annotated[float, typer.Option(help="Seconds between commits.", min=0.05)] = 5.0,
    patience: Annotated[float, typer.Option(help="Seconds the database or the store may be away.", min=0.1)] = 120.0,
    watch: Annotated[
        bool, typer.Option("--watch", help="Never end: visit pages again as planned, within the cluster's plan.budget.")
    ] = False,
    hour_seconds: Annotated[
        float,
        typer.Option(
            help="Seconds an hour of a watch lasts, for demonstrations; the same for all.", min=0.5, max=3600.0
        ),
    ] = 3600.0,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fetch for a cluster, beside any number of workers, until nothing waits. May be stopped or lost at any time."""
    from strandline.cli.clustering import run_worker

    times = (lease, commit_seconds, patience, hour_seconds if watch else 0.0)
    run_worker((database, store), spool, (limit or 0, time_limit, ""), times, json_, quiet)
