"""Commands that mine and try out: rules, experiment, simulate."""

from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Json, PictureForm, Quiet
from strandline.cli.output import as_json, tell


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("rules", epilog="Example: strandline rules site.tsv.gz --alpha 0.5 --beta 0.6 --theta 0.6")(rules)
    app.command("experiment", epilog="Example: strandline experiment near --data ../data/trees --quick")(experiment)
    app.command("simulate", epilog="Example: strandline simulate --strategies all --budgets 5,10,20 --seed 1")(simulate)


def rules(
    source: Annotated[Path, typer.Argument(help="Archive folder, or a site history (.tsv, also .gz .xz .zst).")],
    alpha: Annotated[float | None, typer.Option(help="Least degree of change that counts.", min=0, max=1)] = None,
    beta: Annotated[float | None, typer.Option(help="Least frequency of change of a chain.", min=0, max=1)] = None,
    gamma: Annotated[
        float | None, typer.Option(help="Least negative correlation (default: automatic).", min=0, max=1)
    ] = None,
    theta: Annotated[float | None, typer.Option(help="Least confidence of a rule.", min=0, max=1)] = None,
    literal: Annotated[
        bool, typer.Option("--literal", help="Correlation of 0/0 is 0, as the paper prints it.")
    ] = False,
    site: Annotated[str | None, typer.Option(help="Only this site (or host) of an archive.")] = None,
    period: Annotated[
        str | None, typer.Option(help="Length of a version of an archive's site (default: setting learn.version).")
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Every changed page of an archive counts 1, not by the importance of change."),
    ] = False,
    policy: Annotated[
        bool, typer.Option("--policy", help="With --json: sites with evidence, dormant directories and rates.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Folder for a figure per site (needs the extra `study`).")] = None,
    form: PictureForm = "svg",
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Directories that stay quiet when their parents change, beside dormant ones and the policy's rates.

    For an archive also what its crawls left out (crawl --skip), how that stood its re-tests, and what was given up.
    """
    from strandline.cli.rule_texts import rules_in_words, rules_json
    from strandline.lab.laboratory import RulesWanted, found_rules, standings
    from strandline.learn.rules import GivenThresholds

    given = GivenThresholds(alpha, beta, gamma, theta, literal)
    wanted = RulesWanted(source, given, (site or "").lower(), period or "", plain, plot is not None)
    sites, mined = found_rules(wanted, None if quiet else tell)
    stand = standings(wanted)
    if json_:
        as_json(rules_json(sites, policy, stand))
    else:
        for line in rules_in_words(sites, stand):
            print(line)
    if not sites:
        tell("no captures of pages to learn rules from")
    if plot is not None:
        from strandline.lab.learned_figures import draw_rules

        for file in draw_rules(mined, plot, form):
            tell(f"{file} drawn")


def experiment(
    name: Annotated[str, typer.Argument(help="near, patterns, classes, blocks, content, news, quality or scheduling.")],
    data: Annotated[
        Path | None, typer.Option(help="Folder with real data; without it synthetic data are used.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A short form: indicates, does not prove.")] = False,
    plots: Annotated[Path | None, typer.Option(help="Folder for the figures (needs the extra `study`).")] = None,
    form: PictureForm = "svg",
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Re-run a paper's tables and figures beside its own: what agrees, what does not, and why."""
    from strandline.lab.laboratory import run_experiment

    report = run_experiment(name, data, quick, None if quiet else tell)
    print(report.to_json() if json_ else report.render())
    if plots is not None:
        from strandline.lab.figures import draw_report

        for file in draw_report(report, plots, form):
            tell(f"{file} drawn")
    if not report.ok and not quick:
        raise typer.Exit(1)


def simulate(
    archive: Annotated[
        Path | None, typer.Argument(help="Archive whose own history is simulated.", metavar="[DIR]")
    ] = None,
    world: Annotated[
        Path | None, typer.Option(help="TOML recipe of a synthetic world (pages, days, sites, ...).")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Change trace: url, time, importance, [weight] (TSV or Parquet).")
    ] = None,
    strategies: Annotated[str, typer.Option(help="all, or names separated by commas.")] = "all",
    budgets: Annotated[
        str, typer.Option(help="Captures per hour or day, in percent of the pages; or requests: 100/day.")
    ] = "5,10,20,40",
    objectives: Annotated[
        str, typer.Option(help="pool, page, count, content, separated by commas.")
    ] = "pool,page,count",
    coherence: Annotated[float, typer.Option(help="Coherence dial beta.", min=0)] = 0.0,
    days: Annotated[int | None, typer.Option(help="Days of a synthetic world.", min=1, max=36_600)] = None,
    pages: Annotated[int | None, typer.Option(help="Pages of a synthetic world.", min=1, max=10_000_000)] = None,
    sites: Annotated[int | None, typer.Option(help="Sites of a synthetic world.", min=1, max=10_000_000)] = None,
    seed: Annotated[int, typer.Option(help="Seed of a synthetic world.", min=0)] = 0,
    cold: Annotated[
        bool, typer.Option("--cold", help="No strategy is told the true patterns (nor in an archive's history).")
    ] = False,
    signals: Annotated[
        str, typer.Option(help="Sitemaps and feeds tell of changes: part of the changes, part that is right (.8,.5).")
    ] = "",
    bounds: Annotated[bool, typer.Option("--bounds/--no-bounds", help="The best any strategy could do.")] = True,
    results: Annotated[Path | None, typer.Option(help="File of finished cells: a stopped run goes on.")] = None,
    plots: Annotated[Path | None, typer.Option(help="Folder for the figures (needs the extra `study`).")] = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Strategies and bounds side by side, in a world where every change is known."""
    import sys

    from strandline.cli.tables import simulation_table
    from strandline.lab.laboratory import SimulationWish, run_simulation
    from strandline.lab.simulate.grid import to_json

    wish = SimulationWish(
        archive=archive,
        world=world,
        trace=trace,
        strategies=strategies,
        budgets=budgets,
        objectives=objectives,
        coherence=coherence,
        synthetic=(days, pages, sites, seed),
        cold=cold,
        bounds=bounds,
        results=results,
        signals=signals,
    )
    rows = run_simulation(wish, None if quiet or not sys.stderr.isatty() else tell)
    print(to_json(rows) if json_ else simulation_table(rows))
    if plots is not None:
        from strandline.lab.figures import draw_rows

        for file in draw_rows(rows, plots):
            tell(f"{file} drawn")
