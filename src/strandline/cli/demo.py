"""`strandline demo`: the main job on a bundled living site, in about a minute."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("demo", epilog="Example: strandline demo --days 2 --no-serve")(demo)


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            "--archive", help="Folder for the demonstration archive; an earlier demonstration in it is thrown away."
        ),
    ] = Path("demo-archive"),
    days: Annotated[
        float,
        typer.Option(help="Days of the site's time to watch; they pass as fast as the machine works.", min=0.1),
    ] = 3.0,
    serve: Annotated[
        bool | None, typer.Option("--serve/--no-serve", help="Serve the result afterwards (default: on a terminal).")
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the interface; 0 picks a free one.", min=0, max=65535)] = 8080,
    json_: Annotated[bool, typer.Option("--json", help="What came of it, machine-readable on stdout.")] = False,
    seconds: Annotated[
        float | None, typer.Option(hidden=True, help="Accepted and without effect: it takes as long as it needs.")
    ] = None,
) -> None:
    """Watch a bundled living site for three days of its time: what was learned, and what was caught of its changes."""
    from strandline.cli.demo_progress import Bar

    with Bar() as bar:
        bar.say("A demonstration: a newspaper that changes by the hour is archived with 12 requests an hour.", 0.01)
        bar.move(0.01, "making ready")
        from strandline.cli.demonstration import DemoRequest, offer, run_demo

        archive = run_demo(DemoRequest(folder, days, json_), bar)
    offer(archive, serve, port)
