"""A little of everything that calls kernels, on made-up pages: what `scripts/kernels` learns arguments from."""

import contextlib
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from typer.main import get_command

from strandline.cli.main import app
from strandline.core.blocks.word_numbers import ready
from strandline.core.history.delta_tree import compare_listings
from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import KnownPatterns
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.timing_wheel import Chains, TimingWheel
from strandline.dom.html import main_text
from strandline.lab.simulate.bounds import clairvoyant_bound, known_pattern_bound
from strandline.lab.simulate.grid import KNOWN, Request, contender
from strandline.lab.simulate.run import measure, run
from strandline.lab.simulate.world import Items, Recipe, World, synthetic_world
from strandline.watch.watch_plan import warm_up


def run_everything(folder: Path) -> None:
    """Bring in, study, learn and plan a small archive in a folder; simulate a small world."""
    ready()
    main_text(b"<main><h1>Tide</h1><p>The harbour <a href='/'>opens</a> at four.</p><img src='/a.png'></main>")
    warm_up()
    _archive(folder)
    _plans()
    _simulations()


def _archive(folder: Path) -> None:
    pages = [
        (f"http://a.example/{name}", name.startswith("n")) for name in ("", "new/1.html", "old/1.html", "old/2.html")
    ]
    html = "<html><body><h1>Tide {n}</h1><p>The harbour <a href='/old/{n}.html'>opens</a> at {n}.</p></body></html>"
    rows = [
        {"url": url, "time": 1.76e9 + 86_400.0 * day, "html": html.format(n=day if lives else 0)}
        for day in range(8)
        for url, lives in pages
    ]
    (folder / "versions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    archive = folder / "archive"
    _command(archive, "init", "--contact", "mailto:a@example.org")
    _command(archive, "import", str(folder / "versions.jsonl"))
    for name in ("learn", "next", "quality", "rules", "patterns", "classes"):
        _command(archive, name)
    _command(archive, "plan", "--for", "2h")


def _command(archive: Path, name: str, *rest: str) -> None:
    """What a user types, in this process."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        get_command(app).main([name, str(archive), *rest], standalone_mode=False)


def _plans() -> None:
    wheel = TimingWheel(3, slots=8)
    wheel.put(np.array([0, 1, 2]), np.array([5.0, 2.0, 30.0]))
    wheel.due(9)
    wheel.due(1)
    wheel.take_out(np.array([2]))
    chains = Chains()
    chains.add(np.array([0, 1, 0]))
    chains.of(0)
    compare_listings(np.array([1, 2], np.uint64), np.array([1, 3], np.uint64))


def _simulations() -> None:
    world = _with_items(synthetic_world(Recipe(pages=6, days=2)))
    for name in (KNOWN, "priced-plan"):
        measure(world, run(world, contender(name, world, "pool", Request()), Budget(2)), queries=2)
    large = PricedPlan(
        KnownPatterns(world.patterns.rate, world.patterns.importance, world.patterns.cycle),
        PricedPlanSettings(scan_up_to=1),
    )
    run(world, large, Budget(2))
    clairvoyant_bound(world, 2, "pool", rounds=2)
    known_pattern_bound(world, 2, "pool", rounds=2)


def _with_items(world: World) -> World:
    """Every version of a page lists an item of its own."""
    versions = len(world.time) + len(world)
    items = Items(
        np.arange(versions + 1), np.arange(versions), np.ones(versions), np.zeros(versions),
        world.start[:-1] + np.arange(len(world)),
    )  # fmt: skip
    return replace(world, items=items)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        run_everything(Path(made))
