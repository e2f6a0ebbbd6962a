"""Speed of learning: pattern updates, first-sight features against the bare parse, first-sight rates, refit, groups.

    python -m benchmarks learning [--quick]

Times are CPU time of this process after a warm-up. Targets: one capture in a batch <= 20 us; first-sight features
<= 0.2 of the bare parse of the same pages; first-sight mean <= 20 us a page; refit of 100,000 pages <= 1 s.
"""

import argparse
import resource
import time

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from strandline.core.beliefs.features import Directories, model_features, read_address, summary_of
from strandline.core.beliefs.first_sight import refit, site_prior, static_factors
from strandline.core.history.calendar import LocalCalendar, Periods
from strandline.core.history.series import PageSeries, Sighting
from strandline.core.mining.patterns import shared_patterns
from strandline.dom.html import layout
from strandline.lab.experiments.report import Report, Table, Target

START = 1_736_121_600.0


def cpu(work, repeat=3):
    """Least CPU seconds of some runs."""
    times = []
    for _ in range(repeat):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def sightings(count, mean_gap, rng):
    times = START + np.cumsum(rng.exponential(mean_gap, count))
    return [Sighting(float(at), float(amount)) for at, amount in zip(times, rng.beta(1, 8, count), strict=True)]


def pattern_table(captures):
    rng = np.random.default_rng(1)
    rows, targets = [], []
    for name, gap in (("an hour", 3600.0), ("a day", 86_400.0), ("three weeks", 21 * 86_400.0)):
        for count in (24, 120):
            periods = Periods("Europe/Paris", "FR", count=count)
            calendar = LocalCalendar(periods)
            seen = sightings(min(captures, int(4e9 / gap)), gap, rng)
            PageSeries.empty(periods).observe_all(calendar, seen)  # builds the tables of the years
            batch = cpu(lambda: PageSeries.empty(periods).observe_all(calendar, seen)) / len(seen)  # noqa: B023

            def one_by_one():
                series = PageSeries.empty(periods)  # noqa: B023
                for sighting in seen[:2000]:  # noqa: B023
                    series.observe(calendar, sighting)  # noqa: B023

            single = cpu(one_by_one, 1) / min(2000, len(seen))
            rows.append((name, count, len(seen), 1e6 * batch, 1e6 * single))
            if count == 24:
                got = f"{1e6 * batch:.1f} us"
                targets.append(Target(f"one capture in a batch, gaps of {name}", "<= 20 us", got, batch <= 20e-6))
    columns = ("mean gap", "N_T", "captures", "in a batch, us", "one by one, us")
    return Table("Pattern update of one capture", columns, tuple(rows)), targets


def page(paragraphs, rng):
    """A page with the markup of a content management system: about as many tags per text as real front pages."""
    words = [f"word{i}" for i in range(500)]
    parts = ["<html><head><title>Page</title><script>var settings = {};</script></head><body><nav><ul class='menu'>"]
    parts += [f'<li class="item"><a class="nav-link" href="/section/{i}.html">Section {i}</a></li>' for i in range(30)]
    parts.append("</ul></nav><main>")
    for i in range(paragraphs):
        text = " ".join(f"<span>{part}</span>" for part in np.array_split(rng.choice(words, 40), 8))
        parts.append(
            f'<div class="row"><div class="col-sm-9"><article class="card" id="a{i}"><h2 class="title">Heading {i}</h2>'
            f'<div class="body"><p>{text}</p><a class="btn btn-default" href="/a/{i}">more</a></div></article></div>'
            f'<div class="col-sm-3"><figure><img src="/i/{i}.png" alt="" loading="lazy"></figure></div></div>'
        )
    return "".join([*parts, "</main><footer><a href='mailto:x@example.org'>write</a></footer></body></html>"]).encode()


def feature_table(pages):
    rng = np.random.default_rng(2)
    rows, targets = [], []
    for paragraphs in (10, 100, 600):
        made = [page(paragraphs, rng) for _ in range(max(3, pages // paragraphs))]
        trees = [layout(html) for html in made]
        paths = [f"/section/{i}/2024/page-{i}.html" for i in range(len(made))]

        def bare():
            for html in made:  # noqa: B023
                LexborHTMLParser(html)

        def features():
            counts = [summary_of(tree) for tree in trees]  # noqa: B023
            addresses = [read_address(path) for path in paths]  # noqa: B023
            columns = [[getattr(c, name) for c in counts] for name in ("text_bytes", "headings", "links")]
            static_factors(model_features(addresses, *columns))

        parse, ours = cpu(bare) / len(made), cpu(features) / len(made)
        rows.append((len(made[0]), 1e6 * parse, 1e6 * ours, ours / parse))
        if paragraphs > 10:
            name = f"features of a page of {len(made[0]) // 1024} KiB"
            targets.append(Target(name, "<= 0.2 of the parse", f"{ours / parse:.3f}", ours <= 0.2 * parse))
    columns = ("bytes", "bare parse, us", "features, us", "ratio")
    note = "About 30 us do not depend on the page; on pages of a few KiB they weigh as much as the parse."
    return Table("First-sight features of a parsed page", columns, tuple(rows), note), targets


def rate_table(pages):
    rng = np.random.default_rng(3)
    paths = [f"/s{i % 40}/t{i % 900}/page-{i}.html" for i in range(pages)]
    sizes, few = rng.lognormal(8, 1, pages), rng.poisson(5, pages)
    found, watched = rng.poisson(0.5, pages).astype(float), rng.uniform(10, 200, pages)

    def at_first_sight():
        addresses = [read_address(path) for path in paths]
        features = model_features(addresses, sizes, few, few)
        site_prior(Directories(addresses), static_factors(features), (found, watched), 0.005)

    addresses = [read_address(path) for path in paths]
    features, directories = model_features(addresses, sizes, few, few), Directories(addresses)
    static = static_factors(features)
    first = cpu(at_first_sight) / pages
    daily = cpu(lambda: site_prior(directories, static, (found, watched), 0.005)) / pages
    weekly = cpu(lambda: refit(features, (found, watched), np.full(pages, 0.005)))
    rows = (
        ("first sight, address to rate", 1e6 * first),
        ("daily refresh", 1e6 * daily),
        ("refit", 1e6 * weekly / pages),
    )
    targets = [
        Target("first-sight mean of a page", "<= 20 us", f"{1e6 * first:.1f} us", first <= 20e-6),
        Target(f"refit of {pages:,} pages", f"<= {pages / 1e5:g} s", f"{weekly:.2f} s", weekly <= pages / 1e5),
    ]
    return Table(f"First-sight rates of {pages:,} pages", ("step", "us a page"), rows), targets


def group_table(pages):
    rng = np.random.default_rng(4)
    periods = Periods()
    shapes = rng.dirichlet(np.full(24, 2.0), 6) * 24
    series = {}
    for i in range(pages):
        one = PageSeries.empty(periods)
        one.observed[:3] = 60.0
        one.changes[:3] = rng.poisson(shapes[i % 6] * rng.uniform(0.5, 6), (3, 24))
        series[str(i)] = one
    began = time.process_time()
    groups = shared_patterns(series)
    spent = time.process_time() - began
    return Table("Shared patterns", ("pages", "groups found (6 made)", "s"), ((pages, len(groups), spent),))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer captures and pages")
    options = parser.parse_args()
    layout(page(3, np.random.default_rng(0)))  # compiles
    pattern, first = pattern_table(4_000 if options.quick else 40_000)
    features, second = feature_table(1_000 if options.quick else 6_000)
    rates, third = rate_table(10_000 if options.quick else 100_000)
    groups = group_table(300 if options.quick else 5_000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    state = PageSeries.empty(Periods()).importance.nbytes * 3
    notes = (f"State of a page: {state} bytes (24 periods). Peak memory of the process: {peak:.0f} MiB.",)
    print(Report("Learning: speed", (pattern, features, rates, groups), (), (*first, *second, *third), notes).render())


if __name__ == "__main__":
    main()
