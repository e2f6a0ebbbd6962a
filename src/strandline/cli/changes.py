"""Commands about blocks and changes: blocks compare changes search rate compact."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import AllowAddress, Collection, Folder, Json, MinImportance, Quiet, Site, Tag, Url, in_unit
from strandline.cli.output import answer, as_json, iso, moment, print_lines, printable, size, tell
from strandline.core.wording import counted
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.archive.folder import Archive
    from strandline.core.capture import Capture

Since = Annotated[str | None, typer.Option("--since", help="From this time on: a date, or a span such as 7d.")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("blocks", epilog="Example: strandline blocks page.html --level 3")(blocks)
    app.command(
        "compare",
        epilog="Example: strandline compare old.html new.html   or:   "
        "strandline compare ./my-archive https://example.org/ --from 2026-03-01 --to 2026-03-08",
    )(compare)
    app.command("changes", epilog="Example: strandline changes ./my-archive --since 7d --min-importance 0.1")(changes)
    app.command(
        "search",
        epilog="Examples: strandline search ./my-archive 'opening hours' --since 2026-01-01; "
        "strandline search ./my-archive '\"notice period\"' --over-time",
    )(search)
    app.command("rate", epilog="Example: strandline rate ./my-archive https://example.org/ noise --block html/body/p")(
        rate
    )
    app.command(
        "label",
        epilog="Example: strandline label ./my-archive https://example.org/ 'opening hours' --block html/body/main",
    )(label)
    app.command("compact", epilog="Example: strandline compact ./my-archive --older-than 30d")(compact)


def blocks(
    page: Annotated[str, typer.Argument(help="A file, or the address of a page.", metavar="FILE-or-URL")],
    level: Annotated[int, typer.Option(help="1 few and large blocks, 2, or 3 many and small.", min=1, max=3)] = 2,
    rendered: Annotated[bool, typer.Option("--rendered", help="As a browser shows the page.")] = False,
    allow_address: AllowAddress = None,
    json_: Json = False,
) -> None:
    """Cut a page into the blocks a reader perceives, each with its topic."""
    from strandline.cli.change_texts import block_lines
    from strandline.settings.schema import Settings
    from strandline.study.comparing import allowing, blocks_data, page_blocks

    settings = allowing(Settings(), allow_address or [])
    found = blocks_data(page_blocks(page, level, rendered=rendered, settings=settings))
    if json_:
        as_json(found)
        return
    print_lines(block_lines(found))


def compare(
    first: Annotated[str, typer.Argument(help="Archive folder, or the older file.", metavar="DIR-or-FILE")],
    second: Annotated[str, typer.Argument(help="Address of the page, or the newer file.", metavar="URL-or-FILE")],
    from_: Annotated[str | None, typer.Option("--from", help="The version shown at this time.", metavar="T")] = None,
    to: Annotated[str | None, typer.Option("--to", help="The version shown at this time.", metavar="T")] = None,
    level: Annotated[int, typer.Option(help="Blocks of files: 1 few and large, 2, or 3.", min=1, max=3)] = 2,
    xml: Annotated[bool, typer.Option("--xml", help="The operations as XML.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write both versions side by side.")] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            help="Write the pictures of both into this folder, what changed framed (before.png, after.png).",
            metavar="FOLDER",
        ),
    ] = None,
    part: Annotated[
        bool, typer.Option("--part", help="With --pictures: only the part that shows most of it, small, as JPEG.")
    ] = False,
    json_: Json = False,
) -> None:
    """Say what changed between two versions of a page and how much it matters, block by block."""
    from strandline.app.opening import is_archive, open_archive
    from strandline.cli.change_texts import comparison_lines
    from strandline.study.comparing import compare_files, compare_versions

    if is_archive(Path(first)) or ("://" in second and not Path(first).exists()):
        archive = open_archive(Path(first))
        early = moment(from_) if from_ else float("-inf")
        late = moment(to) if to else float("inf")
        found, old, new = compare_versions(archive, second, early, late)
        extra: dict[str, object] = {"from": iso(old.time), "to": iso(new.time)}
        same = "the same capture at both times: nothing to compare" if old == new else f"and {iso(new.time)}"
        tell(f"{old.url}: {iso(old.time)} {same}")
        if pictures is not None:
            _write_pictures(archive, (old, new), pictures, part)
    elif from_ or to or pictures:
        raise UsageError(f"--from, --to and --pictures need an archive folder; {first} is none")
    else:
        found, extra = compare_files(first, second, level), {"from": first, "to": second}
    if html is not None:
        if not html.absolute().parent.is_dir():
            raise UsageError(f"{html}: there is no such folder")
        html.write_text(found.as_html(), encoding="utf-8")
        tell(f"Side by side: {html}")
    if xml:
        print(found.as_xml(), end="")
    elif json_:
        as_json(found.as_data() | extra)
    else:
        print_lines(comparison_lines(found))


def _write_pictures(archive: "Archive", versions: "tuple[Capture, Capture]", folder: Path, part: bool) -> None:
    from strandline.study.framed_pictures import framed_pictures

    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder")
    old, new = versions
    found = framed_pictures(archive, new.url, old.time, new.time, "part" if part else "whole")
    if found is None:
        raise UsageError(
            f"{new.url}: no two pictures to show. A browser takes them with capture.screenshots; framing them needs "
            "strandline[images]"
        )
    for name, data in (("before", found.before), ("after", found.after)):
        path = folder / f"{name}.{'jpg' if part else 'png'}"
        path.write_bytes(data)
        tell(f"Picture: {path}")


def changes(
    folder: Folder,
    since: Since = None,
    min_importance: MinImportance = 0.0,
    site: Site = "",
    collection: Collection = "",
    tag: Tag = "",
    relearn: Annotated[
        str | None, typer.Option(help="Study the history of this page again first.", metavar="URL")
    ] = None,
    level: Annotated[int, typer.Option(help="With --relearn: cut it at this level from now on.", min=0, max=3)] = 0,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """List every observed change: when, how much it matters, and why."""
    from strandline.app.opening import open_archive
    from strandline.archive.known_collections import narrowed
    from strandline.archive.known_sites import require_site
    from strandline.cli.change_texts import change_data, change_lines, span_start
    from strandline.cli.studying import study_pending
    from strandline.study.pending import relearn as study_again
    from strandline.study.searching import Returns

    if level and not relearn:
        raise UsageError("--level goes with --relearn: name the page that is to be cut at another level")
    archive = open_archive(folder)
    start = span_start(since) if since else None
    require_site(archive, site)
    narrow = narrowed(archive.settings, collection, tag)
    study_pending(archive, quiet or json_)
    if relearn:
        study_again(archive, relearn, level)
    hidden = shown = 0
    back = Returns(archive.studies)
    for change in archive.studies.changes(site, start, min_importance, narrow):
        if json_:
            as_json(change_data(change, back.of(change)))
        elif change.visible:
            shown += 1
            print_lines(change_lines(change, back.of(change)))
        else:
            hidden += 1
    if not json_:
        rest = f" {hidden} more changed bytes and showed nothing." if hidden else ""
        print(f"{counted(shown, 'change')}.{rest}")


_DOUBTS = {
    "": "",
    "open_quote": " A quote is not closed: all words after it were looked for one after the other.",
    "nothing_wanted": " Name a word that should be there, beside those that should not.",
}


def search(
    folder: Folder,
    words: Annotated[
        str, typer.Argument(help="Words that all occur in a block; may be empty with --topic or --label.")
    ] = "",
    topic: Annotated[str, typer.Option(help="Words of the block's topic.")] = "",
    since: Since = None,
    until: Annotated[str | None, typer.Option(help="Shown at this time or before.")] = None,
    site: Site = "",
    collection: Collection = "",
    tag: Tag = "",
    label: Annotated[str, typer.Option(help="What the block is called: by you, or main, nav, footer, menu, ...")] = "",
    limit: Annotated[int, typer.Option(help="Results at most.", min=1, max=100_000)] = 50,
    times: Annotated[
        bool, typer.Option("--over-time", help="When it appeared on pages and vanished, in the order of time.")
    ] = False,
    save: Annotated[
        str, typer.Option(help="Save the words under this name: who gets alerts hears of them.", metavar="NAME")
    ] = "",
    forget: Annotated[str, typer.Option(help="Take a saved search out.", metavar="NAME")] = "",
    saved: Annotated[bool, typer.Option("--saved", help="List saved searches.")] = False,
    json_: Json = False,
) -> None:
    """Find blocks by their words, and when they appeared on a page and vanished from it."""
    import dataclasses

    from strandline.app.opening import open_archive
    from strandline.archive.known_collections import narrowed
    from strandline.archive.known_sites import require_site
    from strandline.cli.change_texts import found_data, found_lines, short, span_start
    from strandline.cli.studying import study_pending
    from strandline.core.blocks.queries import doubt
    from strandline.study.searching import Wanted, found_blocks, over_time

    archive = open_archive(folder)
    if save or forget or saved:
        _saved_searches(archive, (save, words), forget, json_)
        return
    if not any(letter.isalnum() for letter in words + topic + label):
        raise UsageError("name words to look for, a --topic, or a --label")
    start = span_start(since) if since else float("-inf")
    end = span_start(until) if until else float("inf")
    require_site(archive, site)
    narrow = narrowed(archive.settings, collection, tag)
    study_pending(archive, quiet=json_)
    found, wanted = None, Wanted(words, topic, start, end, site, label, narrow)
    if times:
        for turn in over_time(found_blocks(archive, wanted, max(limit, 1000))):
            at, pages = iso(turn.time), counted(turn.pages, "page")
            line = f"{at}  {turn.event:8}  {turn.url}   on {pages} now   {short(turn.text, 80)}"
            answer(dataclasses.asdict(turn) | {"time": at}, line, json_)
        return
    for found in found_blocks(archive, wanted, limit):
        if json_:
            as_json(found_data(found))
        else:
            print_lines(found_lines(found))
    if found is None and not json_:
        print(f"Nothing found.{_DOUBTS[doubt(words) or doubt(topic)]}")


def _saved_searches(archive: "Archive", save: tuple[str, str], forget: str, json_: bool) -> None:
    from strandline.app.opening import place_of
    from strandline.keeping.searches import forget_search, save_search, searches_of

    place = place_of(archive)
    if save[0]:
        save_search(place, *save)
    if forget:
        forget_search(place, forget)
    for name, words in searches_of(place.settings()).items():
        answer({"search": name, "words": words}, f"{name}: {words}", json_)


def rate(
    folder: Folder,
    url: Annotated[str, typer.Argument(help="Address of the page; without it, what was said so far is listed.")] = "",
    rating: Annotated[str, typer.Argument(help="noise, matters, or undo.", metavar="noise|matters|undo")] = "",
    block: Annotated[str, typer.Option(help="Path of one block; without it, the blocks of the last change.")] = "",
    json_: Json = False,
) -> None:
    """Say that changes of a block, or the last change of a page, are noise, or that they matter. It holds for the same
    part of the site's other pages, too; `undo` takes it back.
    """
    from strandline.app.opening import open_archive
    from strandline.study.rating import rate as keep
    from strandline.study.rating import unrate

    archive = open_archive(folder)
    if not rating:
        _list_ratings(archive, url, json_)
        return
    if rating not in ("noise", "matters", "undo"):
        raise UsageError(f"a rating is noise or matters, or undo, not {rating!r}")
    if rating == "undo":
        paths = unrate(archive, url, block)
    else:
        paths = keep(archive, url, "noise" if rating == "noise" else "matters", [block] if block else ())
    if json_:
        as_json({"event": "rated", "url": url, "rating": rating, "blocks": list(paths)})
    else:
        for path in paths:
            print(printable(f"{rating}: {path}"))


def _list_ratings(archive: "Archive", url: str, json_: bool) -> None:
    """What was said: everywhere, or what holds on one page and where it was said."""
    from strandline.study.rating import given_ratings, taught

    rows = (
        [(path, one.rating, one.by, one.reach) for path, one in taught(archive, url).items()]
        if url
        else [(one.path, one.rating, one, "page") for one in given_ratings(archive)]
    )
    if not rows:
        tell("nothing was said to be noise, or to matter")
    for path, rating, said, reach in rows:
        document = {"url": said.url, "block": path, "rating": rating, "time": iso(said.time), "reach": reach}
        answer(document, f"{rating:8} {path}   said {iso(said.time)[:16]}Z on {said.url}", json_)


def label(
    folder: Folder,
    url: Url = "",
    name: Annotated[str, typer.Argument(help="What to call the block; empty takes its label back.")] = "",
    block: Annotated[str, typer.Option(help="Path of the block (see: strandline blocks).")] = "",
    json_: Json = False,
) -> None:
    """Call a block of a page something, to find it by: `search --label`. Without a block, list what was called so."""
    from strandline.app.opening import open_archive
    from strandline.study.labelling import given_labels
    from strandline.study.labelling import label as keep

    archive = open_archive(folder)
    if block:
        keep(archive, url, block, name)
        document = {"event": "labelled", "url": url, "block": block, "label": name}
        answer(document, f"{name or 'no label'}: {block}", json_)
        return
    if name:
        raise UsageError("name the block with --block (see strandline blocks)")
    for page, path, called, time in given_labels(archive, url):
        document = {"url": page, "block": path, "label": called, "time": iso(time)}
        answer(document, f"{called}  {page}  {path}", json_)


def compact(
    folder: Folder,
    older_than: Annotated[str, typer.Option(help="Only files that were not written to for this long.")] = "30d",
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rewrite cold WARC files as differences, byte-exact: each is rebuilt and compared before the old one goes."""
    from strandline.app.opening import open_archive
    from strandline.exchange.compacting import compact_archive
    from strandline.settings.units import seconds

    age = in_unit("--older-than", older_than, seconds)
    done = compact_archive(open_archive(folder), age, None if quiet or json_ else tell)
    if json_:
        as_json(done.as_json())
        return
    for one in done.left:
        print(printable(f"{one.file} is left as it is: {one.left}"))
    share = f" ({done.after / done.before:.0%})" if done.before else ""
    sizes = f"{size(done.before)} -> {size(done.after)}{share}"
    if not done.files:
        print(f"Nothing to compact: {counted(done.kept, 'file')} looked at.")
        return
    print(f"{counted(len(done.files), 'file')} compacted, {sizes}; {done.kept} left as they were.")
