"""Commands about who is told what: alerts alarms feed ask."""

from typing import Annotated

import typer

from strandline.cli.options import Collection, Json, MinImportance, Place, Site, Tag
from strandline.cli.output import as_json, iso, printable, tell
from strandline.core.wording import counted
from strandline.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command(
        "alerts", epilog="Examples: strandline alerts ./my-archive --test; strandline alerts ./my-archive --digest"
    )(alerts)
    app.command("alarms", epilog="Example: strandline alarms ./my-archive --all")(alarms)
    app.command(
        "ask", epilog="Example: strandline ask ./my-archive 'Did a price rise?' --site example.org --since 1d --alert"
    )(ask)
    app.command("feed", epilog="Example: strandline feed ./my-archive --site example.org > changes.atom")(feed)


def alerts(
    folder: Place,
    limit: Annotated[int, typer.Option(help="So many of the newest.", min=1, max=100_000)] = 20,
    test: Annotated[bool, typer.Option("--test", help="Send a test to every target and say what came of it.")] = False,
    digest: Annotated[
        bool, typer.Option("--digest", help="Print the digest of the last seven days; none is sent.")
    ] = False,
    json_: Json = False,
) -> None:
    """What was told to whom: important changes and alarms, and what became of each delivery."""
    from strandline.alerts.mail import digest_lines
    from strandline.app.alerts_listing import last_week, told, try_targets
    from strandline.app.opening import open_archive

    archive = open_archive(folder)
    if digest:
        document = last_week(archive)
        as_json(document) if json_ else print("\n".join(map(printable, digest_lines(document))))
        return
    if test:
        outcomes = try_targets(archive)
        if json_:
            as_json([{"target": name, "taken": taken, "detail": detail} for name, taken, detail in outcomes])
        for name, taken, detail in [] if json_ else outcomes:
            print(printable(f"{name}: {'taken' if taken else 'NOT taken'}: {detail}"))
        if not all(taken for _, taken, _ in outcomes):
            raise typer.Exit(9)
        return
    found = told(archive, limit)
    if json_:
        as_json(found.as_data())
        return
    for alert in reversed(found.alerts):
        print(printable(f"{alert['time']}  {alert['text']}"))
        for one in alert["deliveries"]:
            print(printable(f"    {one['state']} to {one['target']} {one['detail']}".rstrip()))
    if not found.alerts:
        print("No alerts yet.")
    for queue in found.as_data()["targets"]:
        print(printable(f"{queue['target']}: {queue['delivered']} delivered, {queue['waiting']} waiting"))


def alarms(
    folder: Place,
    all_: Annotated[bool, typer.Option("--all", help="Closed ones too, the newest first.")] = False,
    json_: Json = False,
) -> None:
    """What is not as it should be: open alarms, each with the normal it departs from."""
    from strandline.alerts.alarms import alarm_data
    from strandline.app.alerts_listing import alarms as listed
    from strandline.app.opening import open_archive

    found = listed(open_archive(folder), all_)
    if json_:
        as_json([alarm_data(alarm) for alarm in found])
        return
    for alarm in found:
        ended = "" if alarm.closed is None else f" until {iso(alarm.closed)} ({alarm.ending})"
        about = f"{alarm.kind} {alarm.subject}".strip()
        print(printable(f"{about} since {iso(alarm.opened)}{ended}: {alarm.explanation}"))
    if not found:
        print("No alarms." if all_ else "No open alarms.")


def ask(
    folder: Place,
    question: Annotated[str, typer.Argument(help="Answered with yes or no; without one, changes are summarised.")] = "",
    site: Site = "",
    page: Annotated[str, typer.Option(help="Only this page.")] = "",
    since: Annotated[str, typer.Option(help="From this time on: a date, or a span such as 7d.")] = "7d",
    min_importance: MinImportance = 0.0,
    alert: Annotated[bool, typer.Option("--alert", help="Tell the targets of alerts where the answer is yes.")] = False,
    json_: Json = False,
) -> None:
    """Ask a language model about changes: off unless [model] is set up; its answers are marked as its own."""
    from strandline.app.model import Asked, asked_of, tell_of
    from strandline.app.opening import open_archive
    from strandline.archive.known_sites import require_site
    from strandline.cli.change_texts import span_start

    if alert and not question:
        raise UsageError("--alert needs a question: alerts are told where its answer is yes")
    archive = open_archive(folder)
    require_site(archive, site)
    found = []
    for change, answer in asked_of(archive, Asked(question, site, page, span_start(since), min_importance)):
        found.append((change, answer))
        if json_:
            as_json(answer.as_data())
        elif answer.problem:
            print(printable(f"{change.url}: not answered: {answer.problem}"))
        else:
            print(printable(f"{change.url}: {change.told.sentence}"))
            print(printable(f"    The model {answer.model} says: {answer.answer}"))
    if alert:
        tell(f"{counted(tell_of(archive, found), 'alert')} told.")


def feed(
    folder: Place,
    site: Site = "",
    page: Annotated[str, typer.Option(help="Only this page.")] = "",
    collection: Collection = "",
    tag: Tag = "",
    min_importance: Annotated[
        float | None,
        typer.Option(help="Changes from this importance on; as the settings say by default.", min=0, max=1),
    ] = None,
    limit: Annotated[int, typer.Option(help="So many of the newest.", min=1, max=1000)] = 50,
    form: Annotated[str, typer.Option("--format", help="atom or rss.")] = "atom",
    json_: Json = False,
) -> None:
    """The newest changes that matter as an Atom or RSS feed, each with its reasons block by block."""
    import sys
    from dataclasses import asdict

    from strandline.access.feeds import feed as document
    from strandline.alerts.feeds import FeedRequest, change_feed
    from strandline.app.opening import open_archive
    from strandline.archive.known_sites import require_site

    if form not in ("atom", "rss"):
        raise UsageError(f"no format {form!r}; there are atom and rss")
    archive = open_archive(folder)
    require_site(archive, site)
    found = change_feed(archive, FeedRequest(site, page, min_importance, limit, "", collection, tag))
    if json_:
        as_json(asdict(found))
        return
    sys.stdout.buffer.write(document(found, "rss" if form == "rss" else "atom"))
    sys.stdout.flush()
