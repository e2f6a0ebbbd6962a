"""`strandline takedown`: hide or erase what must not be shown, see what is hidden, show it again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import By, Json, Place
from strandline.cli.output import answer, as_json, iso, moment, printable, size
from strandline.core.wording import counted
from strandline.errors import UsageError

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
    folder: Place,
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
    by: By = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it covers and do nothing.")] = False,
    lift: Annotated[str, typer.Option(help="Show again what an act hid: its number or target.", metavar="ACT")] = "",
    list_: Annotated[bool, typer.Option("--list", help="What is taken down now.")] = False,
    history: Annotated[bool, typer.Option("--history", help="Every act of the journal, checked.")] = False,
    json_: Json = False,
) -> None:
    """Take something down: hide it from replay, search, lists, feeds and exports at once, or erase it for good."""
    import time

    from strandline.app.opening import open_archive
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
        answer(done.as_json(), f"act {done.of} is lifted: {done.target} is shown again", json_)
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
    from strandline.keeping.takedowns import block, covered, named_target

    if dry_run:
        number, found = 0, covered(archive, named_target(archive, wish.target))
    else:
        act, found = block(archive, wish)
        number = act.number
    what = f"{counted(found.captures, 'capture')} of {counted(found.pages, 'address', 'addresses')}"
    said = f"act {number}: {found.target} is hidden" if number else f"{found.target} would be hidden"
    answer({"act": number, "target": found.target, **found.as_json()}, f"{said}: {what}, {size(found.bytes)}", json_)


def _targets(file: Path) -> list[str]:
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{file}: cannot be read ({problem})") from None
    return [line for line in lines if line and not line.startswith("#")]


def _erase(archive: "Archive", wishes: "list[Wish]", dry_run: bool, json_: bool) -> None:
    from strandline.keeping.erasing import erase, preview_erasure

    done = (preview_erasure if dry_run else erase)(archive, wishes)
    kept = f"; {counted(done.made_whole, 'capture')} that referred to them made whole" if done.made_whole else ""
    what = f"{counted(done.captures, 'capture')} in {counted(done.records, 'record')}, {size(done.bytes)}{kept}"
    answer(done.as_json(), f"would erase {what}" if dry_run else f"erased {what}", json_)


def _finish(archive: "Archive", json_: bool) -> None:
    from strandline.keeping.erasing import finish

    pages = finish(archive)
    answer({"studied_again": pages}, f"nothing waits; {counted(pages, 'page')} studied again", json_)


def _line(act: "Act") -> str:
    until = f" until {iso(act.until)}" if act.until is not None else ""
    of = f" of act {act.of}" if act.of else ""
    who = f" by {act.by}" if act.by else ""
    why = f": {act.reason}" if act.reason else ""
    return f"{act.number}  {iso(act.time)}  {act.act}{of}  {act.target}{until}{who}{why}"
