"""Commands about what was learned: learn, patterns, classes."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Json, PictureForm, Place, Quiet
from strandline.cli.output import as_json, tell
from strandline.core.wording import counted
from strandline.errors import UsageError

Plot = Annotated[Path | None, typer.Option(help="Place for figures (needs the extra `study`).")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command(
        "learn",
        epilog="Example: strandline learn ./my-archive patterns classes. On a Dask cluster: strandline learn "
        "postgresql://archive@db/web --engine dask --scheduler tcp://head:8786 --dataset s3://bucket/web/parquet",
    )(learn)
    app.command("patterns", epilog="Example: strandline patterns ./my-archive https://example.org/ --plot figures")(
        patterns
    )
    app.command("classes", epilog="Example: strandline classes ./my-archive --json")(classes)


def learn(
    folder: Place,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            help="patterns, rules, classes; with --engine also quality; without any: all.", metavar="[PART]..."
        ),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Only add the captures made since, to patterns and rates: fast.")
    ] = False,
    engine: Annotated[
        str,
        typer.Option(
            help="local or dask: learn over Parquet partitions, site by site, in little memory, and measure quality, "
            "too; here, or on Dask workers (extra `cluster`)."
        ),
    ] = "",
    scheduler: Annotated[
        str,
        typer.Option(
            help="Dask scheduler, for example tcp://head:8786; without one Dask starts workers here.", metavar="ADDRESS"
        ),
    ] = "",
    dataset: Annotated[
        str | None,
        typer.Option(
            help="Where the partitions are: a folder that all workers see (default: DIR/parquet), or an object store "
            "such as s3://bucket/prefix; brought up to date first.",
            metavar="FOLDER",
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory a task may sort in (default: 1GB); what is more goes to disk.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Dask workers to start here; 0: one a core.", min=0)] = 0,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn from the whole history when and how often pages change, and keep it in the archive."""
    from strandline.app.opening import open_archive
    from strandline.cli.learned_texts import learned_in_words
    from strandline.learn.incremental import learn_new
    from strandline.learn.learning import learn as learn_all

    archive = open_archive(folder)
    told = None if quiet or json_ else tell
    if engine:
        from strandline.cli.learning_engines import learn_there

        if new:
            raise UsageError("--new adds captures where the archive is: leave out --engine")
        learn_there(archive, parts or (), (engine, scheduler, workers), (dataset, memory or "1GB"), (json_, told))
        return
    if scheduler or dataset or workers or memory:
        raise UsageError("--scheduler, --dataset, --workers and --memory go with --engine")
    if new:
        if parts:
            raise UsageError("--new adds to patterns and rates together: leave out " + ", ".join(parts))
        caught_up = learn_new(archive, told)
        if caught_up is not None:
            if json_:
                as_json({"added": caught_up.added, "left": caught_up.left})
            else:
                added = counted(caught_up.added, "capture")
                print(f"{added} added, {caught_up.left} left until everything is learned anew")
            return
    found = learn_all(archive, parts or (), told)
    if json_:
        as_json(found)
        return
    for line in learned_in_words(found):
        print(line)


def patterns(
    folder: Place,
    url: Annotated[str | None, typer.Argument(help="Only this page.", metavar="[URL]")] = None,
    cycle: Annotated[str | None, typer.Option(help="day, week or month (default: setting learn.cycle).")] = None,
    periods: Annotated[int | None, typer.Option(help="Parts of a cycle (default: setting learn.periods).")] = None,
    directories: Annotated[
        bool, typer.Option("--directories", help="When the pages of each directory change, as the plan believes.")
    ] = False,
    plot: Plot = None,
    form: PictureForm = "svg",
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """When pages change: importance of change per period of their day, and the pages that share their hours."""
    if directories:
        _directories(folder, [url, cycle, periods, plot], json_)
        return
    from strandline.app.opening import open_archive
    from strandline.cli.learned_texts import groups_in_words, pattern_in_words, patterns_in_words
    from strandline.learn.learned_pages import page_patterns, with_cycle
    from strandline.learn.learning import Lore

    _known_form(form)
    lore = with_cycle(Lore(open_archive(folder), say=None if quiet or json_ else tell), cycle, periods)
    found = page_patterns(lore, url)
    if json_:
        as_json({one.url: one.as_data() for one in found})
    elif url is not None:
        for one in found:
            print("\n".join(pattern_in_words(one)))
    else:
        for line in [*patterns_in_words(found), *groups_in_words(lore.groups(), found, lore.trust())]:
            print(line)
    if not found:
        tell("no captures of pages to learn patterns from")
    if plot is not None:
        from strandline.lab.learned_figures import draw_patterns

        busiest = sorted((one for one in found if one.changes or url), key=lambda one: (-one.changes, one.url))
        for file in draw_patterns(lore, [(one.page, one.url) for one in busiest], plot, form):
            tell(f"{file} drawn")


def _directories(folder: Path, others: Sequence[object], json_: bool) -> None:
    from strandline.app.opening import open_archive
    from strandline.cli.learned_texts import directories_in_words
    from strandline.plan.directory_hours import directory_hours
    from strandline.plan.planning import Planning

    if any(one is not None for one in others):
        raise UsageError("--directories goes with no address, --cycle, --periods or --plot")
    found = directory_hours(Planning(open_archive(folder), time.time()))
    if json_:
        as_json([one.as_data() for one in found])
    else:
        for line in directories_in_words(found):
            print(line)


def classes(
    folder: Place,
    tree: Annotated[
        bool, typer.Option("--tree", help="Also a decision tree: class at first sight (needs the extra `study`).")
    ] = False,
    plot: Plot = None,
    form: PictureForm = "svg",
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """How often pages change: groups by rate, and what is expected of pages seen only once."""
    from strandline.app.opening import open_archive
    from strandline.cli.learned_texts import classes_in_words, tree_data, tree_in_words
    from strandline.learn.learned_pages import page_classes
    from strandline.learn.learning import Lore

    _known_form(form)
    lore = Lore(open_archive(folder), say=None if quiet or json_ else tell)
    found = page_classes(lore)
    grown = None
    if tree:
        from strandline.learn.class_trees import archive_tree

        grown = archive_tree(lore)
    if json_:
        as_json(found.as_data() | ({"tree": tree_data(grown)} if grown else {}))
    else:
        for line in [*classes_in_words(found), *(tree_in_words(grown) if grown else ())]:
            print(line)
    if not found.pages:
        tell("no captures of pages to learn classes from")
    elif found.groups is None:
        tell("no page was captured twice yet: what is shown is expected at first sight")
    if plot is not None:
        from strandline.lab.learned_figures import draw_classes

        for file in draw_classes(lore, plot, form):
            tell(f"{file} drawn")


def _known_form(form: str) -> None:
    if form not in ("svg", "png"):
        raise UsageError(f"--format is svg or png, not {form!r}")
