r"""Experiment `content`: what of a page is its own content, on pages whose main content somebody marked.

The measure is that of the WCXB benchmark: word-level F1 of the text taken against the marked text (words lower-cased,
`\w+`, counted with multiplicity), mean over pages. The trees and networks that are shipped were learned from pages such
as these, so their own figure on them flatters; the one that counts is the cross-validated one: both are learned anew
five times, each time without a fifth of the sites, and judged on that fifth.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from strandline.core.blocks.roles import block_factor
from strandline.dom.html import judged_blocks, main_text
from strandline.lab.experiments.marked_pages import MarkedPage, read_pages, word_f1, words_of
from strandline.lab.experiments.report import Report, Table, Target, at_least

Progress = Callable[[str], None]
QUICK = 8  # every so many-th page
HALF = 0.5  # of the other extractor's CPU
WANTED = 0.86


@dataclass(slots=True)
class Measured:
    """Agreement with the marked text, page by page, and the CPU it took."""

    f1: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def mean(self, pages: Sequence[MarkedPage], kind: str = "") -> float:
        """Mean over the pages of a kind, or all."""
        return float(np.mean([one for one, page in zip(self.f1, pages, strict=True) if kind in ("", page.kind)]))


def measured(pages: Sequence[MarkedPage], take: Callable[[str], str]) -> Measured:
    """What an extractor takes from each page, and the CPU it spends."""
    found = Measured()
    for page in pages:
        start = time.thread_time()
        text = take(page.html)
        found.seconds += time.thread_time() - start
        found.f1.append(word_f1(Counter(words_of(text)), page.words))
    return found


def _shipped(html: str) -> str:
    return main_text(html.encode("utf-8", "replace"), charset="utf-8")


def _whole_blocks(html: str) -> str:
    tree = judged_blocks(html.encode("utf-8", "replace"), charset="utf-8")
    return "\n".join(block.text for block in tree.blocks if block_factor(block) >= 0.3)


def run(data: Path | None, progress: Progress = lambda _: None, quick: bool = False) -> Report:
    """The whole experiment. `quick` takes every eighth page and learns nothing anew."""
    if data is None:
        raise ValueError("this experiment needs pages with marked content: --data FILE-or-FOLDER")
    pages = read_pages(data)[:: QUICK if quick else 1]
    _shipped(pages[0].html)  # compiles, or loads what was compiled
    progress(f"reading {len(pages)} pages")
    results = {"shipped trees": measured(pages, _shipped), "blocks of factor >= .3": measured(pages, _whole_blocks)}
    notes = []
    rival = _trafilatura()
    if rival is None:
        notes.append("trafilatura is not installed (pip install trafilatura): nothing to compare with.")
    else:
        progress("reading the same pages with trafilatura")
        results["trafilatura"] = measured(pages, rival)
    if quick:
        notes.append(
            "The quick form learns nothing anew: what the shipped trees reach on pages they learned from flatters."
        )
    elif find_spec("sklearn") is None:
        notes.append("scikit-learn is not installed (extra `study`): no cross-validation.")
    else:
        from strandline.lab.experiments.content_training import cross_validated  # noqa: PLC0415 - needs the extra `study`

        results["cross-validated by site"] = Measured(cross_validated(pages, progress))
    return Report(
        "What a page's own content is", (_by_kind(pages, results),), (), tuple(_targets(pages, results)), tuple(notes)
    )


def _trafilatura() -> Callable[[str], str] | None:
    if find_spec("trafilatura") is None:
        return None
    extract = import_module("trafilatura").extract
    return lambda html: extract(html) or ""


def _by_kind(pages: Sequence[MarkedPage], results: dict[str, Measured]) -> Table:
    kinds = sorted({page.kind for page in pages})
    counts = Counter(page.kind for page in pages)
    rows: list[tuple[str | int | float | None, ...]] = [
        (kind, counts[kind], *(result.mean(pages, kind) for result in results.values())) for kind in kinds
    ]
    rows.append(("all", len(pages), *(result.mean(pages) for result in results.values())))
    spent = [1000 * result.seconds / len(pages) if result.seconds else None for result in results.values()]
    rows.append(("CPU ms a page", len(pages), *spent))
    note = "The shipped trees learned from such pages: what to expect on other sites is the cross-validated figure."
    return Table("Word F1 by kind of page", ("kind", "pages", *results), tuple(rows), note)


def _targets(pages: Sequence[MarkedPage], results: dict[str, Measured]) -> list[Target]:
    targets = [at_least("shipped trees, all pages", results["shipped trees"].mean(pages), WANTED)]
    fair = results.get("cross-validated by site")
    rival = results.get("trafilatura")
    if fair:
        targets.append(at_least("cross-validated by site, all pages", fair.mean(pages), WANTED))
    if fair and rival:
        targets.append(at_least("cross-validated, against trafilatura", fair.mean(pages), rival.mean(pages)))
    if rival:
        share = results["shipped trees"].seconds / rival.seconds
        targets.append(Target("CPU against trafilatura", f"<= {HALF:g}", f"{share:.2f}", share <= HALF))
    return targets
