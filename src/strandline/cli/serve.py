"""`strandline serve`: the interface and replay."""

from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Host, Place, TokenFile


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("open", epilog="Example: strandline open ./my-archive")(open_)
    app.command("serve", epilog="Example: strandline serve ./my-archive --port 8080 --replay-port 8081")(serve)


def serve(
    folder: Place,
    host: Host = None,
    port: Annotated[
        int | None, typer.Option(help="Port of the interface; 0 picks a free one.", min=0, max=65535)
    ] = None,
    replay_port: Annotated[
        int | None,
        typer.Option(help="Port of archived content (its own origin); 0 picks a free one.", min=0, max=65535),
    ] = None,
    token_file: TokenFile = None,
    json_: Annotated[bool, typer.Option("--json", help="Where it listens, machine-readable on stdout.")] = False,
) -> None:
    """Replay the archive at any time: web interface, Memento, CDX and JSON API."""
    from strandline.app.opening import open_archive
    from strandline.archive.database_names import database_at
    from strandline.cli.serving import run_server

    database = database_at(folder)
    if database:
        from strandline.cli.cluster_serving import run_server as serve_cluster

        serve_cluster(database, host, port, replay_port, token_file)
        return
    run_server(open_archive(folder), host, port, replay_port, token_file, json_)


def open_(
    folder: Annotated[Path, typer.Argument(help="Archive folder; made when there is none.", metavar="DIR")],
    port: Annotated[int, typer.Option(help="Port of the interface; 0 picks a free one.", min=0, max=65535)] = 0,
) -> None:
    """Show an archive in the browser: starts the interface, and the browser with it. Ctrl-C ends it."""
    from strandline.app.opening import open_archive, opened_or_made
    from strandline.archive.database_names import database_at
    from strandline.cli.serving import show_server

    if database_at(folder):
        show_server(open_archive(folder), port)
        return
    with opened_or_made(folder) as archive:
        show_server(archive, port)
