"""`strandline doctor`: what is installed, reachable and configured, and what to do about what is not."""

from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Json
from strandline.cli.output import as_json, printable


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("doctor", epilog="Example: strandline doctor ./my-archive")(doctor)


def doctor(
    folder: Annotated[Path | None, typer.Argument(help="Archive folder to look at as well.", metavar="[DIR]")] = None,
    constants: Annotated[
        bool, typer.Option("--constants", help="List the numbers that were chosen, by stage, with their origins.")
    ] = False,
    json_: Json = False,
) -> None:
    """Say what is installed, reachable and configured, and what to do about what is not."""
    if constants:
        _tell_numbers(json_)
        return
    from strandline.app.doctor import examine

    findings = examine(folder)
    if json_:
        as_json([{"what": f.what, "ok": f.ok, "found": f.found, "advice": f.advice} for f in findings])
    else:
        for finding in findings:
            print(printable(f"{'ok  ' if finding.ok else 'MISS'}  {finding.what}: {finding.found}"))
            if finding.advice and not finding.ok:
                print(printable(f"      {finding.advice}"))
    if any(not f.ok and f.needed for f in findings):
        raise typer.Exit(4)


def _tell_numbers(json_: bool) -> None:
    from strandline.app.chosen_numbers import STAGES, chosen_numbers

    numbers = chosen_numbers()
    if json_:
        as_json([{**number._asdict(), "guess": number.guess} for number in numbers])
        return
    for stage in STAGES:
        own = [number for number in numbers if number.stage == stage]
        print(f"{stage}: {len(own)} numbers, {sum(number.guess for number in own)} guesses")
        for number in own:
            value = number.value if len(number.value) <= 60 else number.value[:59] + "…"
            print(printable(f"  {'?' if number.guess else ' '} {number.module} {number.name} = {value}"))
            print(printable(f"      {number.what} Origin: {number.origin}."))
    print(f"{len(numbers)} numbers, {sum(number.guess for number in numbers)} guesses (marked ?)")
