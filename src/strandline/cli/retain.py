"""`strandline retain` and `strandline storage`: keep less by rules, and see what takes room."""

from typing import Annotated

import typer

from strandline.cli.options import By, Folder, Json, Place
from strandline.cli.output import as_json, printable, size
from strandline.core.wording import counted


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command(
        "retain", epilog="Example: strandline retain ./my-archive --rule '*: older 1y, keep monthly' (and --apply)"
    )(retain)
    app.command("storage", epilog="Example: strandline storage ./my-archive")(storage)


def retain(
    folder: Folder,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="SITE, collection NAME or *: older AGE, keep daily|weekly|monthly|important; "
            "else keep.retention decides."
        ),
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Drop what the preview shows.")] = False,
    by: By = "",
    json_: Json = False,
) -> None:
    """Keep less: show what rules would drop, and with --apply drop it. Every important version stays."""
    from strandline.app.opening import open_archive
    from strandline.keeping.retention import apply_retention, preview_retention, rules_of

    archive = open_archive(folder)
    preview = preview_retention(archive, rules_of(archive, rule or ()))
    done = apply_retention(archive, preview, by) if apply else None
    if json_:
        given = {"act": done.act, "given_back": done.given_back} if done else {}
        as_json({**preview.as_json(), "applied": apply, **given})
        return
    for one in preview.sites:
        if one.dropped:
            share = f"{one.dropped} of {counted(one.captures, 'capture')}"
            print(printable(f"{one.site}  {share}, {size(one.bytes)}"))
    what = f"{preview.dropped} of {counted(preview.captures, 'capture')}, {size(preview.bytes)}"
    kept = f"{preview.important_dropped} of {counted(preview.important, 'important version')}"
    print(f"{'dropped' if done else 'would drop'} {what}; {kept}")
    if done:
        print(f"the disk has {size(done.given_back)} back (act {done.act})")


def storage(
    folder: Place,
    limit: Annotated[int, typer.Option(help="Sites to list.", min=1)] = 20,
    json_: Json = False,
) -> None:
    """What takes room: by site, kind and year; and when the disk will be full."""
    import time

    from strandline.app.opening import open_archive
    from strandline.archive.storage import storage as measured

    archive = open_archive(folder)
    found = measured(archive, time.time())
    if json_:
        as_json(found.as_json())
        return
    print("in all      " + ", ".join(f"{name} {size(octets)}" for name, octets in sorted(found.files.items())))
    for what in ("site", "kind", "year"):
        rows = found.by(what)[:limit]
        if rows:
            print()
        for name, captures, octets in rows:
            print(printable(f"{name:30}  {size(octets):>10}  {counted(captures, 'capture')}"))
    ahead = found.forecast
    if ahead.free is None or ahead.reserve is None:
        print(f"\n{size(ahead.a_day)} written a day; how much room an object store has, it does not tell")
        return
    room = f"{size(ahead.free)} free, {size(ahead.reserve)} left alone, {size(ahead.a_day)} written a day"
    print(f"\n{room}; " + _until_full(ahead.days, ahead.far))


def _until_full(days: float | None, far: bool) -> str:
    if days is None:
        return "no end in sight"
    return "not full within ten years" if far else f"full in {counted(round(days), 'day')}"
