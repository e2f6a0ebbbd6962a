"""Arguments and options that several commands have, the same for each, and how what is typed is read."""

from collections.abc import Callable, Iterable
from math import isfinite
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from strandline.errors import UsageError, usage_errors

T = TypeVar("T")


def a_number(value: float | None) -> float | None:
    """A number that was given, if it is one: "nan" passes all bounds."""
    if value is not None and not isfinite(value):
        raise typer.BadParameter("a finite number is wanted")
    return value


Folder = Annotated[Path, typer.Argument(help="Archive folder.", metavar="DIR", show_default=False)]
Place = Annotated[Path, typer.Argument(help="Archive folder, or postgresql://user@host/name.", metavar="DIR")]
Url = Annotated[str, typer.Argument(help="Address of the page.")]

# What is told, and how
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
PictureForm = Annotated[str, typer.Option("--format", help="svg or png.")]
By = Annotated[str, typer.Option(help="Who decides this, for the journal.")]

# What a list is narrowed to
Site = Annotated[str, typer.Option(help="Only this site (registered domain or host).")]
Collection = Annotated[str, typer.Option(help="Only this collection.", metavar="NAME")]
Tag = Annotated[str, typer.Option(help="Only pages and changes with this tag.", metavar="TAG")]
MinImportance = Annotated[
    float, typer.Option(help="Only changes that matter this much.", min=0, max=1, callback=a_number)
]

# How an archive is crawled
Seeds = Annotated[
    list[str] | None,
    typer.Option(
        help="Address to start from, or a file with one per line; without it, where the archive started before."
    ),
]
NewSeeds = Annotated[list[str] | None, typer.Option(help="Address to start from, or a file of them.")]
Scope = Annotated[str | None, typer.Option(help="How far from a seed: page, prefix, host or domain.")]
Limit = Annotated[int | None, typer.Option(help="Stop after this many captures.", min=1)]
Workers = Annotated[int | None, typer.Option(help="Connections open at the same time.", min=1)]
Delay = Annotated[str | None, typer.Option(help="Pause between requests to one host, in seconds or as '2 s'.")]
Contact = Annotated[str | None, typer.Option(help="Page where site owners can reach you.")]
Browser = Annotated[
    str | None, typer.Option(help="Show pages in a browser: never, auto (where it shows more) or always.")
]
AllowAddress = Annotated[
    list[str] | None, typer.Option(help="Private or loopback block that may be connected to.", metavar="CIDR")
]
SizeLimit = Annotated[str | None, typer.Option(help="Stop after receiving this much, for example 5GB.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Override any setting: section.key=value (see strandline.toml).", metavar="KEY=VALUE"),
]

# How an archive is served
Host = Annotated[str | None, typer.Option(help="Address to listen on; anything but loopback needs a token.")]
TokenFile = Annotated[Path | None, typer.Option(help="File with the access token (or STRANDLINE_TOKEN).")]


def in_unit(flag: str, text: str, unit: Callable[[str], T]) -> T:
    """A value in its unit (settings.units); UsageError names the flag."""
    with usage_errors(f"{flag}: "):
        return unit(text)


def assignments(values: Iterable[str] | None, example: str) -> dict[str, object]:
    """KEY=VALUE as somebody typed it."""
    typed: dict[str, object] = {}
    for text in values or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text!r}: write KEY=VALUE, for example {example}")
        typed[key.strip()] = value
    return typed
