"""`strandline export`: standard files, or a Parquet dataset that grows."""

from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Collection, Json, Place, Quiet, Site
from strandline.cli.output import answer, moment, tell
from strandline.core.wording import counted
from strandline.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "export",
        epilog="Examples: strandline export ./my-archive --to site.wacz --site example.org; "
        "strandline export ./my-archive --to elections.wacz --collection elections; "
        "strandline export ./my-archive --bag ./deposit --collection elections. A dataset to learn from: "
        "strandline export ./my-archive --dataset ./parquet",
    )(export)


def export(
    folder: Place,
    to: Annotated[Path | None, typer.Option("--to", help="File to write: .wacz, .warc.gz, .cdxj or .parquet.")] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            help="Parquet files by site and month, captures and changes, in a folder or an object store such as "
            "s3://bucket/prefix, for DuckDB, Spark and `learn --engine`; run again, it adds what is new.",
            metavar="FOLDER",
        ),
    ] = None,
    bag: Annotated[
        Path | None,
        typer.Option(
            help="A new folder to deposit: BagIt with checksums, in it a WACZ and its description as RO-Crate.",
            metavar="FOLDER",
        ),
    ] = None,
    site: Site = "",
    collection: Collection = "",
    from_: Annotated[str | None, typer.Option("--from", help="Only captures from this time on.")] = None,
    to_time: Annotated[str | None, typer.Option(help="Only captures up to this time.")] = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write standard files that other tools open, or bring a Parquet dataset up to date."""
    if sum(target is not None for target in (to, dataset, bag)) != 1:
        raise UsageError("name one target: --to FILE, --bag FOLDER, or --dataset FOLDER")
    if dataset is not None:
        from strandline.app.opening import open_archive
        from strandline.exchange.parquet import export_archive

        if site or collection or from_ or to_time:
            raise UsageError(
                "a dataset holds everything: --site, --collection, --from and --to-time go with --to and --bag"
            )
        told = None if quiet or json_ else tell
        done = export_archive(open_archive(folder), dataset, told)
        added = f"{counted(done.captures, 'capture')} and {counted(done.changes, 'change')}"
        answer(done.as_data(), f"{dataset}: {added} added", json_)
        return
    target = to or bag
    assert target is not None
    from strandline.app.opening import open_archive
    from strandline.archive.known_sites import require_site
    from strandline.exchange.deposit import deposit
    from strandline.exchange.moving import Wanted, export

    start, end = moment(from_) if from_ else None, moment(to_time) if to_time else None
    if start is not None and end is not None and start > end:
        raise UsageError(f"nothing lies between --from {from_} and --to-time {to_time}")
    archive = open_archive(folder)
    require_site(archive, site)
    written = (deposit if bag else export)(archive, Wanted(target, site, start, end, collection))
    document = {"event": "exported", "file": str(target), "captures": written}
    answer(document, f"{target}: {counted(written, 'capture')}", json_)
