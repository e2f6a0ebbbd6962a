"""Speed of directory rules and site crawls: time against size, memory, and growth in nodes and versions.

    python benchmarks/bench_near.py [--quick] [--plot FOLDER]

Times are CPU seconds of this process after compiling; ratios beside them say how time grows with size, which does
not depend on the machine. Targets: 16,000 x 800 under .5 s, 10^5 x 52 under .2 s, 10^6 x 52 under 2 s and 200 MiB
beyond the ids; a crawl of 10^5 pages planned under .5 s, of 10^6 under 5 s; adding a version costs one difference.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from strandline.core.changes.directories import SiteIndex
from strandline.core.history.delta_tree import DeltaTree
from strandline.core.mining.near import Thresholds, mine_numbers
from strandline.core.mining.site_rates import SiteRates
from strandline.core.skip.site_level import Answers, SiteCrawl, StopRule, run_crawl
from strandline.lab.experiments.report import Figure, Report, Series, Table, Target
from strandline.lab.simulate.site_generator import GeneratorSettings, generate_site

LIMITS = Thresholds(0.01, 0.1, 0.6)
MINING = (
    (GeneratorSettings(16_000, 10, 8, 50), None),
    (GeneratorSettings(16_000, 10, 8, 800), 0.5),
    (GeneratorSettings(100_000, 10, 8, 52), 0.2),
    (GeneratorSettings(1_000_000, 10, 8, 52), 2.0),
    (GeneratorSettings(1_000_000, 2, 20, 52), None),
)


def mining(settings):
    """CPU seconds of difference, degrees and bitmaps from whole listings; from differences; of the rules."""
    site = generate_site(settings, np.random.default_rng(1))
    tree = DeltaTree((LIMITS.alpha,))
    listed = []
    for pages, digests in site.listings():
        began = time.process_time()
        tree.add_version(site.shape, pages, digests)
        listed.append(time.process_time() - began)
    streamed = DeltaTree((LIMITS.alpha,))
    began = time.process_time()
    for changes in site.changes:
        streamed.add_changes(site.shape, changes)
    by_changes = time.process_time() - began
    began = time.process_time()
    rules = mine_numbers(tree.window(), LIMITS)
    return listed, by_changes, time.process_time() - began, len(rules), tree.memory / 2**20


def mining_table(cases):
    rows, targets = [], []
    for settings, most in cases:
        listed, by_changes, rules, count, memory = mining(settings)
        total = sum(listed) + rules
        size = f"{settings.nodes:,} x {settings.versions}"
        half = len(listed) // 2
        later = np.mean(listed[half:]) / np.mean(listed[1:half])
        per_cell = 1e9 * total / (settings.nodes * settings.versions)
        rows.append(
            (size, settings.nodes // settings.fanout, sum(listed), by_changes, rules, count, per_cell, later, memory)
        )
        if most is not None:
            targets.append(Target(f"mining {size}", f"< {most} s", f"{total:.3f} s", total < most))
        if settings.nodes == 1_000_000:
            targets.append(Target(f"arrays of {size}", "< 200 MiB", f"{memory:.0f} MiB", memory < 200))
    columns = ("nodes x versions", "directories", "listings s", "differences s", "rules s", "rules",
               "ns per node and version", "late/early version", "arrays MiB")  # fmt: skip
    note = "late/early: time of a version in the second half of the history against one in the first; 1 = no growth."
    return Table("Mining", columns, tuple(rows), note), targets


def growth_figure(quick):
    sizes = (25_000, 50_000, 100_000, 200_000) if quick else (25_000, 50_000, 100_000, 200_000, 400_000, 800_000)
    lengths = (26, 52, 104, 208) if quick else (26, 52, 104, 208, 416, 832)

    def cost(settings):
        listed, _, rules, _, _ = mining(settings)
        return sum(listed) + rules

    by_nodes = tuple(cost(GeneratorSettings(nodes, 10, 8, 20)) for nodes in sizes)
    by_versions = tuple(cost(GeneratorSettings(20_000, 10, 8, versions)) for versions in lengths)
    slope = [float(np.polyfit(np.log(x), np.log(y), 1)[0]) for x, y in ((sizes, by_nodes), (lengths, by_versions))]
    figure = Figure(
        "Mining time grows linearly",
        (
            Series("nodes (20 versions)", tuple(x / sizes[0] for x in sizes), tuple(y / by_nodes[0] for y in by_nodes)),
            Series(
                "versions (20,000 nodes)",
                tuple(x / lengths[0] for x in lengths),
                tuple(y / by_versions[0] for y in by_versions),
            ),
        ),
        "times the size",
        "times the CPU time",
        log_x=True,
        log_y=True,
        note=f"exponent: nodes {slope[0]:.2f}, versions {slope[1]:.2f} (1 = linear)",
    )
    return figure, [
        Target(f"growth in {name}", "exponent <= 1.2", f"{one:.2f}", one <= 1.2)
        for name, one in zip(("nodes", "versions"), slope, strict=True)
    ]


def planning_table(cases):
    rows, targets = [], []
    for pages, most in cases:
        site = generate_site(GeneratorSettings(pages * 10 // 9, 10, 8, 2), np.random.default_rng(1))
        rates = SiteRates()
        rates.start(site.shape, site.changes[0].inserted, 0.0)
        changed = np.zeros(site.shape.pages, dtype=bool)
        changed[site.changes[1].updated] = True
        began = time.process_time()
        outlook = rates.outlook(site.shape, 1.0)
        ready = time.process_time()
        crawl = SiteCrawl(site.shape, outlook)
        nothing = np.zeros(site.shape.pages, dtype=np.int64)
        run_crawl(crawl, StopRule(), lambda asked: Answers(changed[asked], nothing[asked]))  # noqa: B023
        done = time.process_time()
        rows.append((pages, site.shape.directories, ready - began, done - ready, 1e6 * (done - began) / pages))
        if most is not None:
            targets.append(
                Target(f"plan a crawl of {pages:,} pages", f"< {most} s", f"{done - began:.3f} s", done - began < most)
            )
    columns = ("pages", "directories", "rates s", "whole crawl, 40 rounds, s", "us per page")
    return Table("Planning a crawl to the last page", columns, tuple(rows)), targets


def numbering_table(count):
    paths = [f"d{n % 97}/e{n % 1009}/page{n}.html" for n in range(count)]
    index = SiteIndex()
    began = time.process_time()
    index.pages(paths)
    new = time.process_time() - began
    began = time.process_time()
    index.pages(paths)
    known = time.process_time() - began
    return Table("Paths to numbers", ("paths", "new s", "known s"), ((count, new, known),))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--plot", type=Path, help="folder for the growth figure")
    options = parser.parse_args()
    mining(GeneratorSettings(500, 10, 5, 4))  # compiles
    planning_table([(500, None)])
    table, targets = mining_table(MINING[:3] if options.quick else MINING)
    figure, growth = growth_figure(options.quick)
    plans, planned = planning_table([(10_000, None), (100_000, 0.5)] + ([] if options.quick else [(1_000_000, 5.0)]))
    numbers = numbering_table(100_000 if options.quick else 1_000_000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report = Report(
        "Directory rules and site crawls: speed",
        (table, plans, numbers),
        (figure,),
        (*targets, *growth, *planned),
        (f"Peak memory of the process, generator included: {peak:.0f} MiB.",),
    )
    print(report.render())
    if options.plot:
        from strandline.lab.plots.site import draw_figure

        options.plot.mkdir(parents=True, exist_ok=True)
        draw_figure(figure, options.plot / f"{figure.slug}.svg")


if __name__ == "__main__":
    main()
