"""`strandline schedule`: another crawler follows the plan, and what it fetched is taken in."""

from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Folder, Json, in_unit
from strandline.cli.output import as_json, printable, tell


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "schedule",
        epilog="Example: strandline schedule ./my-archive --crawler heritrix --plans jobs/web/action "
        "--results jobs/web/latest/warcs",
    )(schedule)


def schedule(
    folder: Folder,
    crawler: Annotated[str, typer.Option(help="browsertrix or heritrix.")],
    plans: Annotated[
        Path,
        typer.Option(help="Where it reads what to fetch: the action directory of a Heritrix job, or any folder."),
    ],
    results: Annotated[Path, typer.Option(help="The folder it writes its WARC or WACZ files to.")],
    every: Annotated[str, typer.Option(help="How often to look for results.")] = "30s",
    once: Annotated[bool, typer.Option("--once", help="One look and one plan, then end; for cron.")] = False,
    json_: Json = False,
) -> None:
    """Keep another crawler fed with the plan of each hour, take in what it fetched, and plan on with that."""
    import signal
    import threading

    from strandline.app.opening import open_archive
    from strandline.keeping.feeding import Feeder, Terms
    from strandline.settings.units import seconds

    pause = in_unit("--every", every, seconds)
    feeder = Feeder(open_archive(folder), Terms(crawler, plans, results), lambda line: tell(printable(line)))  # type: ignore[arg-type]
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    while not stopped.is_set():
        done = feeder.look()
        if json_ and (done.files or done.refused or done.plan or once):
            as_json(done.as_json())
        if once:
            return
        stopped.wait(pause)
