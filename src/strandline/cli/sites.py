"""`strandline sites` and `strandline site`: what there is, what it costs and brings; changing it while a watch runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import Json, Place, assignments
from strandline.cli.output import as_json, columns, iso, printable, size

if TYPE_CHECKING:
    from strandline.keeping.sites import Site
    from strandline.settings.site_tables import SiteSettings

Name = Annotated[str, typer.Argument(help="A site, a host of one, or an address of it.", metavar="SITE")]
Values = Annotated[
    list[str] | None,
    typer.Argument(
        help="What to set: scope, include, exclude, hops, delay, connections, hours, budget, weight, headers, browser "
        "or seeds; lists with ; between; nothing after = is as for all sites.",
        metavar="[KEY=VALUE]...",
        show_default=False,
    ),
]


_EXAMPLE = "budget=100/day"


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("sites", epilog="Example: strandline sites ./my-archive --weeks 4")(sites)
    group = typer.Typer(
        help="Look at, add, set, pause, resume or remove a site, also while a watch runs.",
        epilog="Example: strandline site add ./my-archive https://example.org/",
        no_args_is_help=True,
    )
    group.command("look", epilog="Example: strandline site look ./my-archive https://example.org/")(look)
    group.command("add", epilog="Example: strandline site add ./my-archive https://example.org/ budget=100/day")(add)
    group.command(
        "set", epilog="Example: strandline site set ./my-archive example.org 'hours=22:00-06:00' delay='5 s'"
    )(set_)
    group.command("pause", epilog="Example: strandline site pause ./my-archive example.org")(pause)
    group.command("resume", epilog="Example: strandline site resume ./my-archive example.org")(resume)
    group.command("remove", epilog="Example: strandline site remove ./my-archive example.org")(remove)
    group.command("show", epilog="Example: strandline site show ./my-archive example.org --weeks 8")(show)
    app.add_typer(group, name="site")


def sites(
    folder: Place,
    weeks: Annotated[int, typer.Option(help="Weeks whose costs and yields are added up.", min=1, max=520)] = 1,
    everything: Annotated[
        bool, typer.Option("--all", help="Those that only give parts to pages of others, too.")
    ] = False,
    json_: Json = False,
) -> None:
    """List the sites of an archive: how each stands, what it costs, and what it brings."""
    import time

    from strandline.app.opening import open_archive, place_of
    from strandline.keeping.sites import all_sites

    archive = open_archive(folder)
    found = all_sites(archive, place_of(archive).settings(), time.time(), weeks)
    shown = [one for one in found if everything or one.state != "parts"]
    if json_:
        for one in shown:
            as_json(one.as_json())
        return
    if not shown:
        print("no sites yet; `strandline site add DIR https://example.org/` takes one in")
        return
    rows = []
    for one in shown:
        total = one.sum()
        figures = (
            str(one.pages),
            str(total.requests),
            size(total.octets),
            str(total.changes),
            f"{total.importance:.2f}",
        )
        rows.append((printable(one.name), one.state, *figures, printable(_told(one))))
    head = ("site", "state", "addresses", "requests", "kept", "changes", "importance", "")
    print(columns(head, rows, right=(2, 3, 4, 5, 6)))
    hidden = len(found) - len(shown)
    if hidden:
        print(f"{hidden} more give parts to pages of these (--all)")


def _told(site: "Site") -> str:
    """What is said of a site, in a few words."""
    said = site.settings
    words = [f"{key} {value}" for key in ("scope", "delay", "budget") if (value := getattr(said, key))]
    words += [f"hours {', '.join(said.hours)}"] if said.hours else []
    words += [f"weight {said.weight:g}"] if said.weight != 1.0 else []
    return "; ".join([*words, *([site.closed] if site.closed and site.state == "active" else [])])


def look(
    folder: Place, url: Annotated[str, typer.Argument(help="Address of a page or site.")], json_: Json = False
) -> None:
    """Look at a site before it is archived: robots, feeds, sitemaps, how far it reaches, what it seems to need."""
    from strandline.app.opening import open_archive, place_of
    from strandline.study.surveying import survey

    found = survey(url, place_of(open_archive(folder)).settings())
    if json_:
        as_json(found.as_data())
        return
    lines = {
        "address": found.url,
        "title": found.title,
        "language": found.language or "not said",
        "robots": f"{'allowed' if found.robots.allowed else 'not allowed'} ({found.robots.said})",
        "pages": ", ".join(f"{count} in its {reach}" for reach, count in found.pages.items()) or "not known",
        "sitemaps": ", ".join(f"{one.url} ({one.addresses})" for one in found.sitemaps) or "none",
        "feeds": ", ".join(found.feeds) or "none",
        "browser": {"no": "not needed", "perhaps": "perhaps needed", "yes": "needed"}[found.browser],
        "login": "asks for one" if found.login else "not needed",
    }
    if found.problem:  # nothing of the page was seen that could tell more
        problem = f"status {found.status}" if found.problem == "status" else found.problem
        lines = {"address": found.url, "robots": lines["robots"], "problem": problem}
        lines |= {"login": "asks for one"} if found.login else {}
    for name, value in lines.items():
        print(printable(f"{name:10} {value}"))


def add(
    folder: Place, url: Annotated[str, typer.Argument(help="Address to start from.")], values: Values = None
) -> None:
    """Take a site in; a watch that runs starts with it at once."""
    from strandline.app.opening import open_archive, place_of
    from strandline.keeping.sites import add_site

    archive = open_archive(folder)
    made = add_site(place_of(archive), url, assignments(values, _EXAMPLE))
    _tell(made, "added")


def set_(folder: Place, name: Name, values: Values = None) -> None:
    """Say how a site is treated; `strandline site show` tells what is said of it."""
    from strandline.app.opening import open_archive, place_of
    from strandline.keeping.sites import set_site

    archive = open_archive(folder)
    _tell(set_site(place_of(archive), name, assignments(values, _EXAMPLE), archive), "set")


def pause(folder: Place, name: Name) -> None:
    """Ask nothing of a site until it is resumed; what waits for it goes on then."""
    _move(folder, name, "paused")


def resume(folder: Place, name: Name) -> None:
    """Go on with a site that was paused or removed."""
    _move(folder, name, "active")


def remove(folder: Place, name: Name) -> None:
    """Take a site out: nothing more is asked of it, what was captured stays."""
    _move(folder, name, "removed")


def _move(folder: Path, name: str, state: str) -> None:
    from strandline.app.opening import open_archive, place_of
    from strandline.keeping.sites import move_site

    archive = open_archive(folder)
    _tell(move_site(place_of(archive), name, state, archive), "resumed" if state == "active" else state)


def _tell(site: "SiteSettings", done: str) -> None:
    from strandline.settings.file import table_lines

    said = "; ".join(table_lines("site", site)[2:])
    print(printable(f"{site.name}: {done}" + (f" ({said})" if said else "")))


def show(
    folder: Place,
    name: Name,
    weeks: Annotated[int, typer.Option(help="Weeks that are told one by one.", min=1, max=520)] = 4,
    json_: Json = False,
) -> None:
    """One site: what is said of it, and each week's costs and yields."""
    import time

    from strandline.app.opening import open_archive, place_of
    from strandline.keeping.sites import site_at
    from strandline.settings.file import table_lines

    archive, now = open_archive(folder), time.time()
    site = site_at(archive, place_of(archive).settings(), name, now, weeks)
    if json_:
        as_json(site.as_json())
        return
    print(printable(f"{site.name}: {site.state}" + (f" ({site.closed})" if site.closed else "")))
    for line in table_lines("site", site.settings)[2:]:
        print(printable(f"  {line}"))
    for seed in site.seeds:
        print(printable(f"  starts at {seed}"))
    print(f"  holds {site.captures} captures of {site.pages} addresses")
    rows = []
    for one in site.weeks:
        end = iso(now - one.week * 7 * 86_400.0)[:10]
        rows.append(
            (end, str(one.requests), str(one.unchanged), str(one.errors), size(one.octets), str(one.changes),
             str(one.important), f"{one.importance:.2f}")
        )  # fmt: skip
    head = ("week until", "requests", "unchanged", "errors", "kept", "changes", "important", "importance")
    if rows:
        print(columns(head, rows, right=tuple(range(1, 8))))
