"""`strandline demo`: the main job on a bundled living site, in about a minute."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("demo", epilog="Example: strandline demo --seconds 30 --no-serve")(demo)


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            "--archive", help="Folder for the demonstration archive; an earlier demonstration in it is thrown away."
        ),
    ] = Path("demo-archive"),
    seconds: Annotated[float, typer.Option(help="How long to archive the site.", min=2)] = 60.0,
    serve: Annotated[
        bool | None, typer.Option("--serve/--no-serve", help="Serve the result afterwards (default: on a terminal).")
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the interface; 0 picks a free one.", min=0, max=65535)] = 8080,
    json_: Annotated[bool, typer.Option("--json", help="What came of it, machine-readable on stdout.")] = False,
) -> None:
    """Watch a bundled living site for about a minute: what was learned, and what was caught of its changes."""
    from strandline.cli.demonstration import run_demo

    run_demo(folder, seconds, serve, port, json_)
