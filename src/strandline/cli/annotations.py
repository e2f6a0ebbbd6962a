"""`strandline tag` and `strandline note`: what people write about pages and changes."""

from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import Json, Place
from strandline.cli.output import answer, as_json, iso, moment, printable
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.archive.folder import Archive
    from strandline.core.keeping.annotations import Annotation

Url = Annotated[str, typer.Argument(help="Address of the page; without it, those of all pages are listed.")]
At = Annotated[
    str,
    typer.Option(
        "--at", help="The time of one capture, or of the change it shows; else it is about the page.", metavar="T"
    ),
]
By = Annotated[str, typer.Option("--by", help="Who writes this.", metavar="NAME")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command(
        "tag",
        epilog="Examples: strandline tag ./my-archive https://example.org/ elections; "
        "strandline tag ./my-archive --all; strandline changes ./my-archive --tag elections",
    )(tag)
    app.command(
        "note",
        epilog="Examples: strandline note ./my-archive https://example.org/ 'Replaces the old price list'; "
        "strandline note ./my-archive https://example.org/",
    )(note)


def tag(
    folder: Place,
    url: Url = "",
    name: Annotated[str, typer.Argument(help="The tag; without it, the tags of the page are listed.")] = "",
    at: At = "",
    by: By = "",
    remove: Annotated[bool, typer.Option("--remove", help="Take the tag back.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All tags, and how often each was given.")] = False,
    json_: Json = False,
) -> None:
    """Give a page, or one change of it, a tag to find it by; or list tags."""
    from strandline.app.opening import open_archive
    from strandline.keeping.annotations import AnnotationWish, tags, untag
    from strandline.keeping.annotations import tag as tag_now

    if remove and not name:
        raise UsageError("name the page and the tag that goes")
    archive = open_archive(folder)
    if everything:
        for text, count in sorted(tags(archive).items()):
            answer({"tag": text, "count": count}, f"{count:6} {text}", json_)
        return
    if not name:
        _list(archive, url, "tag", json_)
        return
    wish = AnnotationWish(url, name, moment(at) if at else None, by)
    if remove:
        gone = untag(archive, wish)
        answer({"event": "untagged", "url": url, "count": gone}, f"{url}: not {name}", json_)
        return
    _tell(tag_now(archive, wish), json_)


def note(
    folder: Place,
    url: Url = "",
    text: Annotated[str, typer.Argument(help="The note; without it, the notes of the page are listed.")] = "",
    at: At = "",
    by: By = "",
    remove: Annotated[str, typer.Option("--remove", help="Take a note (or tag) back by its key.", metavar="KEY")] = "",
    json_: Json = False,
) -> None:
    """Write a note on a page, or on one change of it; or list notes."""
    from strandline.app.opening import open_archive
    from strandline.keeping.annotations import AnnotationWish, add_note, remove_annotation

    archive = open_archive(folder)
    if remove:
        _tell(remove_annotation(archive, remove), json_, "removed: ")
        return
    if not text:
        _list(archive, url, "note", json_)
        return
    _tell(add_note(archive, AnnotationWish(url, text, moment(at) if at else None, by)), json_)


def _list(archive: "Archive", url: str, kind: str, json_: bool) -> None:
    from strandline.keeping.annotations import annotations

    found = annotations(archive, url, kind)
    for one in found:
        _tell(one, json_)
    if not found and not json_:
        print(f"no {kind}s")


def _tell(one: "Annotation", json_: bool, done: str = "") -> None:
    if json_:
        data = one.as_json()
        capture = None if one.capture is None else iso(one.capture)
        as_json(data | {"capture": capture, "time": iso(one.time)})
        return
    of = f" at {iso(one.capture)}" if one.capture is not None else ""
    by = f" by {one.author}" if one.author else ""
    lines = one.text.replace("\n", "\n    ")
    print(printable(f"{done}{one.kind} {one.key}  {one.url}{of}  ({iso(one.time)[:16]}Z{by})\n    {lines}"))
