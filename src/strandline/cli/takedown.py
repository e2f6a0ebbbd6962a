"""`strandline takedown`: hide or erase what must not be shown, see what is hidden, show it again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from strandline.archive.folder import Archive
    from strandline.core.keeping.takedowns import Act
    from strandline.keeping.takedowns import Wish


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
    erase: Annotated[
        bool,
        typer.Option("--erase", help="Remove it for good: bytes, indexes, histories. No watch may run."),
    ] = False,
    file: Annotated[Path | None, typer.Option(help="Many at once: a file with one target a line.")] = None,
    go_on: Annotated[bool, typer.Option("--go-on", help="Finish erasures that were cut short or had to wait.")] = False,
    until: Annotated[str, typer.Option(help="Hide it until this date only (an embargo).", metavar="DATE")] = "",
    by: Annotated[str, typer.Option(help="Who decides this, for the journal.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it covers and do nothing.")] = False,
    lift: Annotated[str, typer.Option(help="Show again what an act hid: its number or target.", metavar="ACT")] = "",
    list_: Annotated[bool, typer.Option("--list", help="What is taken down now.")] = False,
    history: Annotated[bool, typer.Option("--history", help="Every act of the journal, checked.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")] = False,
) -> None:
    """Take something down: hide it from replay, search, lists, feeds and exports at once, or erase it for good."""
    import time

    from strandline.app.opening import open_archive
    from strandline.cli.output import as_json, moment, printable
    from strandline.errors import UsageError
    from strandline.keeping.takedowns import Wish
    from strandline.keeping.takedowns import lift as lift_now

    if (bool(target) + (file is not None) + bool(lift) + list_ + history + go_on) != 1:
        raise UsageError("name what to take down, or --file, --lift ACT, --list, --history or --go-on")
    archive = open_archive(folder)
    if go_on:
        _finish(archive, json_)
        return
    if lift:
        done = lift_now(archive, lift, reason, by)
        as_json(done.as_json()) if json_ else print(printable(f"act {done.of} is lifted: {done.target} is shown again"))
        return
    if list_ or history:
        _list(archive, history, json_)
        return
    end = moment(until) if until else None
    if end is not None and end <= time.time():
        raise UsageError(f"--until {until} is over")
    if erase and end is not None:
        raise UsageError("--until is for what is hidden; what is erased stays so")
    targets = [target] if file is None else _targets(file)
    wishes = [Wish(one, reason, end, by) for one in targets]
    if erase:
        _erase(archive, wishes, dry_run, json_)
        return
    for wish in wishes:
        _block(archive, wish, dry_run, json_)


def _list(archive: "Archive", history: bool, json_: bool) -> None:
    import time

    from strandline.cli.output import as_json, printable
    from strandline.keeping.takedowns import taken_down

    acts = taken_down(archive, time.time(), history)
    if json_:
        as_json({"acts": [act.as_json() for act in acts], "last": archive.journal.last_seal()})
        return
    for act in acts:
        print(printable(_line(act)))
    if not acts:
        print("nothing is taken down")


def _block(archive: "Archive", wish: "Wish", dry_run: bool, json_: bool) -> None:
    from strandline.cli.output import as_json, printable, size
    from strandline.core.wording import counted
    from strandline.keeping.takedowns import block, covered, named_target

    if dry_run:
        number, found = 0, covered(archive, named_target(archive, wish.target))
    else:
        act, found = block(archive, wish)
        number = act.number
    if json_:
        as_json({"act": number, "target": found.target, **found.as_json()})
        return
    what = f"{counted(found.captures, 'capture')} of {counted(found.pages, 'address', 'addresses')}"
    said = f"act {number}: {found.target} is hidden" if number else f"{found.target} would be hidden"
    print(printable(f"{said}: {what}, {size(found.bytes)}"))


def _targets(file: Path) -> list[str]:
    from strandline.errors import UsageError

    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{file}: cannot be read ({problem})") from None
    return [line for line in lines if line and not line.startswith("#")]


def _erase(archive: "Archive", wishes: "list[Wish]", dry_run: bool, json_: bool) -> None:
    from strandline.cli.output import as_json, size
    from strandline.core.wording import counted
    from strandline.keeping.erasing import erase, preview_erasure

    done = (preview_erasure if dry_run else erase)(archive, wishes)
    if json_:
        as_json(done.as_json())
        return
    kept = f"; {counted(done.made_whole, 'capture')} that referred to them made whole" if done.made_whole else ""
    what = f"{counted(done.captures, 'capture')} in {counted(done.records, 'record')}, {size(done.bytes)}{kept}"
    print(f"would erase {what}" if dry_run else f"erased {what}")


def _finish(archive: "Archive", json_: bool) -> None:
    from strandline.cli.output import as_json
    from strandline.core.wording import counted
    from strandline.keeping.erasing import finish

    pages = finish(archive)
    as_json({"studied_again": pages}) if json_ else print(f"nothing waits; {counted(pages, 'page')} studied again")


def _line(act: "Act") -> str:
    from strandline.cli.output import iso

    until = f" until {iso(act.until)}" if act.until is not None else ""
    of = f" of act {act.of}" if act.of else ""
    who = f" by {act.by}" if act.by else ""
    why = f": {act.reason}" if act.reason else ""
    return f"{act.number}  {iso(act.time)}  {act.act}{of}  {act.target}{until}{who}{why}"
