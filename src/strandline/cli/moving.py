"""`strandline migrate`: from a folder to a cluster, and back."""

from typing import Annotated

import typer

from strandline.cli.options import Folder, Json, Quiet
from strandline.cli.output import as_json, tell
from strandline.core.wording import counted


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "migrate",
        epilog="Example: strandline migrate ./my-archive --database postgresql://archive@db/web --store s3://warc/web",
    )(migrate)


def migrate(
    folder: Folder,
    database: Annotated[
        str,
        typer.Option(
            help="The cluster's catalog: postgresql://user@host/name.", envvar="STRANDLINE_DATABASE", metavar="URL"
        ),
    ],
    store: Annotated[str, typer.Option(help="Where WARC files go: s3://bucket/prefix, ...", metavar="URL")] = "",
    back: Annotated[bool, typer.Option("--back", help="From the cluster into a new folder.")] = False,
    while_running: Annotated[
        bool,
        typer.Option("--while-running", help="The watch or the workers go on; run it without this when they stopped."),
    ] = False,
    give_up: Annotated[bool, typer.Option("--give-up", help="Note no more what changes, for a move begun.")] = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Move an archive to PostgreSQL and object storage, or back; compared throughout. Cut short, run it again."""
    from strandline.cluster import migrating

    if give_up:
        migrating.give_up(folder, database, back)
        tell("What changes is not noted any more. What was moved is left where it is.")
        return

    def say(line: str) -> None:
        if not quiet:
            tell(line)

    if back:
        done = migrating.to_folder(database, folder, say, while_running)
    else:
        done = migrating.to_cluster(folder, database, store, say, while_running)
    if json_:
        as_json(
            {
                "captures": done.captures,
                "files": done.files,
                "verified": True,
                "finished": done.finished,
                "passes": [
                    {"seconds": round(one.seconds, 3), "rows": one.rows, "bytes": one.octets} for one in done.passes
                ],
                "rows_left": done.rows_left,
                "bytes_left": done.octets_left,
                "stop_seconds": round(done.stop_seconds, 3),
            }
        )
        return
    moved = f"{counted(done.captures, 'capture')} in {counted(done.files, 'WARC file')}"
    if done.finished:
        tell(f"{moved} moved in {done.stop_seconds:.1f} s; both sides are the same.")
    else:
        tell(
            f"{moved}, the same on both sides as of the last pass. Since then: {counted(done.rows_left, 'row')}, "
            f"{counted(done.octets_left, 'byte')} of WARC files. Stop {'all workers' if back else 'the watch'} and run "
            f"the same command without --while-running: about {max(done.stop_seconds, 1.0):.0f} s."
        )
