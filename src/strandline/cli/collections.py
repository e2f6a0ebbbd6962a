"""`strandline collections` and `strandline collection`: sites and pages that belong together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import Json, Place, assignments
from strandline.cli.output import answer, as_json, columns, iso, print_lines, printable
from strandline.core.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from strandline.archive.deployment import Place as ArchivePlace
    from strandline.keeping.collections import Collection
    from strandline.settings.collection_tables import CollectionSettings

Name = Annotated[str, typer.Argument(help="The short name of a collection.", metavar="NAME")]
Members = Annotated[
    list[str],
    typer.Argument(
        help="Sites (example.org), pages (https://example.org/a), or beginnings of addresses "
        "(https://example.org/news/*).",
        metavar="MEMBER...",
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Argument(
        help="What to say: title, creator, subject, description, publisher, rights, language, date (Dublin Core), "
        "budget, weight, objective or hours; lists with ; between; nothing after = takes it back.",
        metavar="[KEY=VALUE]...",
        show_default=False,
    ),
]


_EXAMPLE = "title='Elections 2026'"


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("collections", epilog="Example: strandline collections ./my-archive")(collections)
    group = typer.Typer(
        help="Make, describe, fill, put aside or remove a collection of sites and pages.",
        epilog="Example: strandline collection add ./my-archive elections title='Elections 2026'",
        no_args_is_help=True,
    )
    group.command(
        "add", epilog="Example: strandline collection add ./my-archive elections title='Elections 2026' language=de"
    )(add)
    group.command(
        "describe", epilog="Example: strandline collection describe ./my-archive elections rights='CC BY 4.0' weight=2"
    )(describe)
    group.command(
        "assign",
        epilog="Example: strandline collection assign ./my-archive elections example.org 'https://news.example/vote/*'",
    )(assign)
    group.command("unassign", epilog="Example: strandline collection unassign ./my-archive elections example.org")(
        unassign
    )
    group.command("rename", epilog="Example: strandline collection rename ./my-archive elections elections-2026")(
        rename
    )
    group.command("aside", epilog="Example: strandline collection aside ./my-archive elections")(aside)
    group.command("resume", epilog="Example: strandline collection resume ./my-archive elections")(resume)
    group.command("remove", epilog="Example: strandline collection remove ./my-archive elections")(remove)
    group.command("show", epilog="Example: strandline collection show ./my-archive elections")(show)
    app.add_typer(group, name="collection")


def collections(folder: Place, json_: Json = False) -> None:
    """List the collections of an archive: what each is, and what it holds."""
    from strandline.app.opening import open_archive, place_of
    from strandline.keeping.collections import all_collections

    archive = open_archive(folder)
    found = all_collections(archive, place_of(archive).settings())
    if json_:
        for one in found:
            as_json(one.as_json())
        return
    if not found:
        print("no collections yet; `strandline collection add DIR NAME` makes one")
        return
    rows = []
    for one in found:
        said, held = one.settings, one.holding
        last = iso(held.last)[:10] if held.last is not None else ""
        figures = (str(len(said.sites)), str(len(said.pages)), str(held.addresses), str(held.captures), last)
        rows.append((one.name, said.state, *figures, printable(said.title)))
    head = ("collection", "state", "sites", "pages", "captured", "captures", "last", "title")
    print(columns(head, rows, right=(2, 3, 4, 5)))


def add(folder: Place, name: Name, values: Values = None, json_: Json = False) -> None:
    """Make a collection."""
    from strandline.keeping.collections import add_collection

    _done(folder, json_, "added", lambda place: add_collection(place, name, assignments(values, _EXAMPLE)))


def describe(folder: Place, name: Name, values: Values = None, json_: Json = False) -> None:
    """Say what a collection is about, and how its sites are treated."""
    from strandline.keeping.collections import describe_collection

    _done(folder, json_, "described", lambda place: describe_collection(place, name, assignments(values, _EXAMPLE)))


def assign(folder: Place, name: Name, members: Members, json_: Json = False) -> None:
    """Let sites and pages belong to a collection."""
    from strandline.keeping.collections import assign as assign_now

    _done(folder, json_, "assigned", lambda place: assign_now(place, name, members))


def unassign(folder: Place, name: Name, members: Members, json_: Json = False) -> None:
    """Let sites and pages belong to a collection no more; what was captured stays."""
    from strandline.keeping.collections import unassign as unassign_now

    _done(folder, json_, "unassigned", lambda place: unassign_now(place, name, members))


def rename(
    folder: Place, name: Name, new: Annotated[str, typer.Argument(help="Its new name.")], json_: Json = False
) -> None:
    """Give a collection another short name."""
    from strandline.keeping.collections import rename_collection

    _done(folder, json_, "renamed", lambda place: rename_collection(place, name, new))


def aside(folder: Place, name: Name, json_: Json = False) -> None:
    """Put a collection aside: what belongs to no other is not watched any more, what was captured stays."""
    from strandline.keeping.collections import move_collection

    _done(folder, json_, "put aside", lambda place: move_collection(place, name, "aside"))


def resume(folder: Place, name: Name, json_: Json = False) -> None:
    """Take a collection up again."""
    from strandline.keeping.collections import move_collection

    _done(folder, json_, "taken up again", lambda place: move_collection(place, name, "active"))


def remove(folder: Place, name: Name, json_: Json = False) -> None:
    """Forget a collection; its sites, pages, captures, tags and notes stay."""
    from strandline.keeping.collections import remove_collection

    _done(folder, json_, "removed", lambda place: remove_collection(place, name))


def show(folder: Place, name: Name, json_: Json = False) -> None:
    """One collection: what is said of it, what belongs to it, what it holds."""
    from strandline.app.opening import open_archive, place_of
    from strandline.keeping.collections import collection_at

    archive = open_archive(folder)
    found = collection_at(archive, place_of(archive).settings(), name)
    if json_:
        as_json(found.as_json())
        return
    print_lines(_lines(found))


def _lines(found: "Collection") -> "list[str]":
    from strandline.settings.collection_tables import DUBLIN_CORE

    said, held = found.settings, found.holding
    lines = [f"{found.name}: {'put aside' if said.state == 'aside' else said.state}"]
    for key in (*DUBLIN_CORE, "budget", "hours"):
        value = getattr(said, key)
        if value:
            lines.append(f"  {key}: {'; '.join(value) if isinstance(value, tuple) else value}")
    if said.weight != 1.0:
        lines.append(f"  weight: {said.weight:g}")
    lines += [f"  site {one}" for one in said.sites] + [f"  page {one}" for one in said.pages]
    span = ""
    if held.first is not None and held.last is not None:
        span = f" from {iso(held.first)[:10]} to {iso(held.last)[:10]}"
    captures = counted(held.captures, "capture")
    return [*lines, f"  holds {captures} of {counted(held.addresses, 'address', 'addresses')}{span}"]


def _done(folder: Path, json_: bool, done: str, change: "Callable[[ArchivePlace], CollectionSettings]") -> None:
    from strandline.app.opening import open_archive, place_of

    made = change(place_of(open_archive(folder)))
    document = {"event": done, "collection": made.name, "sites": list(made.sites), "pages": list(made.pages)}
    holds = f"{counted(len(made.sites), 'site')}, {counted(len(made.pages), 'page')}"
    answer(document, f"{made.name}: {done} ({holds})", json_)
