"""Experiment `news`: does the score tell news from rotation, order, counters and clocks, also after a hundred captures?

Made pages of eighteen kinds (`living_pages`), whose every capture is known to say something new or not, and, with data,
real front pages: the hourly states of news sites as ordered items, shown with made words, an item the same words
wherever it stands. There a capture is news when an item came that the page never showed; captures after which items
only returned, moved or left are not. Beside the score stands ImpCh, the formula of paper 001, which knows no past.
"""

import json
import lzma
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from strandline.core.blocks.tree import BlockTree
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.dom.html import blocks
from strandline.lab.experiments.lasting_changes import Judged
from strandline.lab.experiments.living_lists import (
    Blog,
    Forum,
    FrontPage,
    LinkList,
    Pagination,
    Results,
    ShopListing,
    Ticker,
)
from strandline.lab.experiments.living_pages import MENU, Captured, LivingPage
from strandline.lab.experiments.living_texts import (
    Application,
    Article,
    Contract,
    Daily,
    Documentation,
    Event,
    Product,
    Related,
    Tokens,
    TwoLayouts,
)  # fmt: skip
from strandline.lab.experiments.made_words import headline
from strandline.lab.experiments.report import Figure, Report, Series, Table, Target, at_least
from strandline.learn.observations import NOISE

KINDS: dict[str, Callable[[int], LivingPage]] = {
    "link list": LinkList,
    "front page": FrontPage,
    "forum": Forum,
    "shop listing": ShopListing,
    "product": Product,
    "contract": Contract,
    "event": Event,
    "results": Results,
    "ticker": Ticker,
    "documentation": Documentation,
    "application": Application,
    "article": Article,
    "daily box": Daily,
    "related box": Related,
    "two layouts": TwoLayouts,
    "tokens": Tokens,
    "pagination": Pagination,
    "blog": Blog,
}
FIRST, LATE = 10, 100  # captures
WANTED = 0.97
SEEDS, QUICK_SEEDS = (1, 2, 3), (1,)
CAPTURES, QUICK_CAPTURES = 160, 120
STATES, QUICK_STATES = 300, 120  # of each real page
DRAWN = (
    "link list", "contract", "product", "front page", "forum", "shop listing",
    "event", "article", "results", "documentation", "blog", "daily box",
)  # fmt: skip
LEAST_DRAWN = 0.001  # scores of 0 have no place on a logarithmic axis

Scored = tuple[bool, float, float]  # whether it is news, importance, ImpCh


def scores(captures: Iterable[Captured]) -> list[Scored]:
    """The scores of successive captures, while the page's noise is learned; held changes are left out."""
    noise, found = NoiseState(), list[Scored]()
    old: BlockTree | None = None
    for capture in captures:
        tree = blocks(capture.html, charset="utf-8", url=capture.url, scale=old.scale if old else 0)
        if old is not None:
            scored = study(compare(old, tree), noise)
            if scored.held:
                continue
            found.append((capture.real, scored.value, scored.impch))
        old = tree
    return found


def area(scored: Iterable[Scored], which: int = 1) -> float | None:
    """Chance that news score higher than what is none; `which` is 1 for importance and 2 for ImpCh."""
    listed = list(scored)
    return Judged([one[which] for one in listed if one[0]], [one[which] for one in listed if not one[0]]).area()


def run(data: Path | None, progress: Callable[[str], None] = lambda _: None, quick: bool = False) -> Report:
    """The whole experiment; real front pages with `--data` only. `quick` takes one page of a kind."""
    seeds, count = (QUICK_SEEDS, QUICK_CAPTURES) if quick else (SEEDS, CAPTURES)
    made: dict[str, list[list[Scored]]] = {}
    for kind, page in KINDS.items():
        progress(f"{kind}: {len(seeds)} x {count} captures")
        made[kind] = [scores(page(seed).captures(count)) for seed in seeds]
    tables = [_table("Made pages", made)]
    targets = [*_targets(made)]
    if data is not None:
        real: dict[str, list[list[Scored]]] = {}
        for url, states in _front_pages(data, QUICK_STATES if quick else STATES):
            progress(f"{url}: {len(states)} states")
            real[url] = [scores(states)]
        tables.append(_table("Real front pages, an hour apart", real))
        everything = [one for pages in real.values() for page in pages for one in page]
        targets.append(at_least("real front pages, pooled", area(everything) or 0.0, WANTED))
        targets.append(at_least("real front pages, late", area(_late(real)) or 0.0, WANTED))
    figures = tuple(figure(kind, made[kind][0]) for kind in DRAWN if kind in made)
    return Report("News against rotation, order, counters and clocks", tuple(tables), figures, tuple(targets))


def figure(kind: str, scored: list[Scored]) -> Figure:
    """The score of each capture of a page, those that say something new apart from the others."""
    series = (Series("something new", *_points(scored, True)), Series("nothing new", *_points(scored, False)))
    note = f"Scores below {LEAST_DRAWN} are drawn there."
    return Figure(f"{kind}: importance of each capture", series, "capture", "importance", "points", False, True, note)


def _points(scored: list[Scored], news: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    chosen = [(float(number), one[1]) for number, one in enumerate(scored, 1) if one[0] is news]
    return tuple(number for number, _ in chosen), tuple(max(LEAST_DRAWN, value) for _, value in chosen)


def _late(kinds: dict[str, list[list[Scored]]]) -> list[Scored]:
    return [one for pages in kinds.values() for page in pages for one in page[LATE:]]


def _table(title: str, kinds: dict[str, list[list[Scored]]]) -> Table:
    rows = []
    for kind, pages in kinds.items():
        first = [one for page in pages for one in page[:FIRST]]
        late = [one for page in pages for one in page[LATE:]]
        every = [one for page in pages for one in page]
        news = [one[1] for one in every if one[0]]
        other = [one[1] for one in every if not one[0]]
        rows.append(
            (
                kind,
                len(news),
                len(other),
                area(first),
                area(late),
                area(late, 2),
                min(news, default=None),
                max((one[1] for one in late if not one[0]), default=None),
                sum(value < NOISE for value in news) / max(1, len(news)),
            )
        )
    columns = ("page", "news", "others", f"AUC, first {FIRST}", f"AUC, after {LATE}", f"ImpCh, after {LATE}",
               "least news", f"most other, after {LATE}", "news below the floor")  # fmt: skip
    return Table(title, columns, tuple(rows), f"The floor, below which nothing is planned for, is {NOISE}.")


def _targets(made: dict[str, list[list[Scored]]]) -> Iterator[Target]:
    for kind, pages in made.items():
        late = area(one for page in pages for one in page[LATE:])
        if late is not None:
            yield at_least(f"{kind}: AUC after {LATE} captures", late, WANTED)
    every = [one for pages in made.values() for page in pages for one in page]
    yield at_least("all made pages together", area(every) or 0.0, WANTED)
    yield at_least(f"all made pages together, after {LATE}", area(_late(made)) or 0.0, WANTED)
    zero = sum(one[0] and one[1] <= 0.0 for one in every)
    yield Target("news that score 0", "none", str(zero), zero == 0)
    low = sum(one[0] and one[1] < NOISE for one in every) / max(1, sum(one[0] for one in every))
    yield Target("news below the floor of planning", "<= 1 %", f"{100 * low:.1f} %", low <= 0.01)
    late_others = [one for one in _late(made) if not one[0]]
    high = sum(one[1] >= NOISE for one in late_others) / max(1, len(late_others))
    yield Target(f"others above it, after {LATE} captures", "<= 1 %", f"{100 * high:.1f} %", high <= 0.01)


# Real front pages


def _front_pages(data: Path, most: int) -> Iterator[tuple[str, list[Captured]]]:
    """The first states of each front page in the files of items."""
    folder = data / "pages" if (data / "pages").is_dir() else data
    files = [data] if data.is_file() else sorted(folder.glob("*items*.jsonl.xz"))
    if not files:
        raise ValueError(f"{data}: no front pages as items (NAME_items.jsonl.xz) here or in pages/")
    for file in files:
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            for url, states in groupby(map(json.loads, lines), key=lambda state: str(state["url"])):
                yield url, list(_shown(url, ([int(item) for item in state["items"]] for state in states), most))


def _shown(url: str, states: Iterable[list[int]], most: int) -> Iterator[Captured]:
    seen: set[int] = set()
    before: list[int] = []
    shown = 0
    for items in states:
        if items == before or not items:
            continue
        listed = "".join(
            f'<li><a href="/{item}">{headline(random.Random(item * 7919 + 17))}</a></li>' for item in items
        )
        new = bool(seen) and not seen.issuperset(items)
        yield Captured(f"<!doctype html><body>{MENU}<ul>{listed}</ul>".encode(), url, new)
        seen.update(items)
        before = items
        shown += 1
        if shown >= most:
            return
