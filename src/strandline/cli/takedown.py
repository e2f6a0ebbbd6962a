"""`strandline takedown`: hide or erase what must not be shown, see what is hidden, show it again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from strandline.core.keeping.takedowns import Act


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "takedown",
        epilog="Examples: strandline takedown ./my-archive 'https://example.org/private/*' --reason 'Request 17'; "
        "strandline takedown ./my-archive --list; strandline takedown ./my-archive --lift 3",
    )(takedown)


def takedown(
    folder: Annotated[Path, typer.Argument(help="Archive folder, or postgresql://user@host/name.", metavar="DIR")],
    target: Annotated[
        str,
        typer.Argument(
            help="An address; a beginning of addresses, with * at its end; *.domain; or a capture, as "
            "20261101120000/ADDRESS or by the id of its record.",
            metavar="[URL|PREFIX|CAPTURE]",
            show_default=False,
        ),
    ] = "",
    reason: Annotated[str, typer.Option(help="Why; readers see it in the notice, the journal keeps it.")] = "",
    until: Annotated[str, typer.Option(help="Hide it until this date only (an embargo).", metavar="DATE")] = "",
    by: Annotated[str, typer.Option(help="Who decides this, for the journal.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it covers and do nothing.")] = False,
    lift: Annotated[str, typer.Option(help="Show again what an act hid: its number or target.", metavar="ACT")] = "",
    list_: Annotated[bool, typer.Option("--list", help="What is taken down now.")] = False,
    history: Annotated[bool, typer.Option("--history", help="Every act of the journal, checked.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")] = False,
) -> None:
    """Take something down: hide it from replay, search, lists, feeds and exports at once, reversibly."""
    import time

    from strandline.app.opening import open_archive
    from strandline.cli.output import as_json, moment, printable, size
    from strandline.core.wording import counted
    from strandline.errors import UsageError
    from strandline.keeping.takedowns import Wish, covered, named_target, taken_down
    from strandline.keeping.takedowns import block as block_now
    from strandline.keeping.takedowns import lift as lift_now

    if (bool(target) + bool(lift) + list_ + history) != 1:
        raise UsageError("name what to take down, or --lift ACT, --list or --history")
    archive = open_archive(folder)
    if lift:
        done = lift_now(archive, lift, reason, by)
        as_json(done.as_json()) if json_ else print(printable(f"act {done.of} is lifted: {done.target} is shown again"))
        return
    if list_ or history:
        acts = taken_down(archive, time.time(), history)
        if json_:
            seal = archive.journal.last_seal()
            as_json({"acts": [act.as_json() for act in acts], "last": seal})
            return
        for act in acts:
            print(printable(_line(act)))
        if not acts:
            print("nothing is taken down")
        return
    wish = Wish(target, reason, moment(until) if until else None, by)
    if wish.until is not None and wish.until <= time.time():
        raise UsageError(f"--until {until} is over")
    if dry_run:
        number, found = 0, covered(archive, named_target(archive, target))
    else:
        act, found = block_now(archive, wish)
        number = act.number
    if json_:
        as_json({"act": number, "target": found.target, **found.as_json()})
        return
    what = f"{counted(found.captures, 'capture')} of {counted(found.pages, 'address', 'addresses')}"
    said = f"act {number}: {found.target} is hidden" if number else f"{found.target} would be hidden"
    print(printable(f"{said}: {what}, {size(found.bytes)}"))


def _line(act: "Act") -> str:
    from strandline.cli.output import iso

    until = f" until {iso(act.until)}" if act.until is not None else ""
    of = f" of act {act.of}" if act.of else ""
    who = f" by {act.by}" if act.by else ""
    why = f": {act.reason}" if act.reason else ""
    return f"{act.number}  {iso(act.time)}  {act.act}{of}  {act.target}{until}{who}{why}"
