"""`strandline migrate`: from a folder to a cluster, and back."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "migrate",
        epilog="Example: strandline migrate ./my-archive --database postgresql://archive@db/web --store s3://warc/web",
    )(migrate)


def migrate(
    folder: Annotated[Path, typer.Argument(help="Archive folder.", metavar="DIR", show_default=False)],
    database: Annotated[
        str,
        typer.Option(
            help="The cluster's catalog: postgresql://user@host/name.", envvar="STRANDLINE_DATABASE", metavar="URL"
        ),
    ],
    store: Annotated[str, typer.Option(help="Where WARC files go: s3://bucket/prefix, ...", metavar="URL")] = "",
    back: Annotated[bool, typer.Option("--back", help="From the cluster into a new folder.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Move an archive to PostgreSQL and object storage, or back; compared by digest. Cut short, run it again."""
    from strandline.cli.output import as_json, tell
    from strandline.cluster.migrating import to_cluster, to_folder
    from strandline.core.wording import counted

    def say(line: str) -> None:
        if not quiet:
            tell(line)

    captures, files = to_folder(database, folder, say) if back else to_cluster(folder, database, store, say)
    if json_:
        as_json({"captures": captures, "files": files, "verified": True})
    else:
        moved = f"{counted(captures, 'capture')} in {counted(files, 'WARC file')}"
        tell(f"{moved} moved; both sides are the same.")
