"""`strandline doctor`: what is installed, reachable and configured, and what to do about what is not."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("doctor", epilog="Example: strandline doctor ./my-archive")(doctor)


def doctor(
    folder: Annotated[Path | None, typer.Argument(help="Archive folder to look at as well.", metavar="[DIR]")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")] = False,
) -> None:
    """Say what is installed, reachable and configured, and what to do about what is not."""
    from strandline.app.doctor import examine
    from strandline.cli.output import as_json, printable

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
