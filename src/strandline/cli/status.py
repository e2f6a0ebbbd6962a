"""`strandline status`: how an archive stands, once or live."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import Json
from strandline.cli.output import as_json
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.archive.folder import Archive


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("status", epilog="Example: strandline status ./my-archive --live")(status)


def status(
    folder: Annotated[
        Path | None, typer.Argument(help="Archive folder, or a cluster's database.", metavar="DIR", show_default=False)
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Follow it on the terminal until Ctrl-C.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Without the estimate of completeness.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit code 9 unless a watch runs, paused or not, or a worker of a cluster.")
    ] = False,
    metrics: Annotated[bool, typer.Option("--metrics", help="In the text format of Prometheus.")] = False,
    database: Annotated[
        str, typer.Option(help="How a cluster stands: postgresql://user@host/name.", metavar="URL")
    ] = "",
    json_: Json = False,
) -> None:
    """How the archive stands, also while a watch runs: rates, budget, queue, learning, completeness, alarms, errors."""
    from strandline.app.opening import open_archive
    from strandline.app.status import estimated_completeness
    from strandline.app.status import status as stand
    from strandline.archive.database_names import database_at

    database = database or database_at(folder)
    if database:
        return _shared(database, quick, check, metrics, json_)
    if folder is None:
        raise UsageError("an archive folder is missing (or --database, to see how a cluster stands)")
    archive = open_archive(folder)
    if live and sys.stdout.isatty() and not (json_ or metrics):
        _follow(archive, quick)
        return
    found = stand(archive, None if quick else estimated_completeness(archive))
    if metrics:
        from strandline.app.status_metrics import status_metrics

        print(status_metrics(found), end="")
    elif json_:
        as_json(found.as_data())
    else:
        from rich.console import Console

        from strandline.cli.status_table import status_table

        Console(highlight=False).print(status_table(found))
    if check and found.state not in ("running", "paused"):
        raise typer.Exit(9)


def _shared(database: str, quick: bool, check: bool, metrics: bool, json_: bool) -> None:
    """How a cluster stands: as an archive in a folder, and who works on it."""
    from strandline.app.status import estimated_completeness
    from strandline.app.status import status as stand
    from strandline.app.status_metrics import status_metrics
    from strandline.cli.cluster import cluster_data, print_cluster
    from strandline.cluster.archive import open_shared

    archive = open_shared(database)
    completeness = None if quick else estimated_completeness(archive)
    found = stand(archive, completeness, **({"errors": 0} if metrics else {}))
    if metrics:
        print(status_metrics(found), end="")
    elif json_:
        as_json({**cluster_data(archive), **found.as_data()})
    else:
        from rich.console import Console

        from strandline.cli.status_table import status_table

        Console(highlight=False).print(status_table(found))
        print()
        print_cluster(archive)
    if check and found.state != "running":
        raise typer.Exit(9)


def _follow(archive: "Archive", quick: bool) -> None:
    import threading
    import time

    from rich.console import Console
    from rich.live import Live

    from strandline.app.opening import open_archive
    from strandline.app.status import estimated_completeness
    from strandline.app.status import status as stand
    from strandline.cli.status_table import status_table

    known = [None if quick else estimated_completeness(archive)]

    def estimate() -> None:
        while not quick:
            time.sleep(60.0)
            known[0] = estimated_completeness(open_archive(archive.folder))

    threading.Thread(target=estimate, daemon=True, name="completeness").start()
    console = Console(highlight=False)
    with (
        suppress(KeyboardInterrupt),  # the way to end it
        Live(status_table(stand(archive, known[0])), console=console, auto_refresh=False) as shown,
    ):
        while True:
            time.sleep(1.0)
            shown.update(status_table(stand(archive, known[0])), refresh=True)
