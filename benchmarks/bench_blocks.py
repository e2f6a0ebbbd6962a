"""Blocks, visible hash, comparison and importance as ratios to the bare lexbor parse of the same pages.

usage: python -m benchmarks blocks; pages come from ../shared/data/pages or $STRANDLINE_DATA, else they are made.

Times are the least CPU time of several rounds. Comparison and score are judged twice: on typical pairs, those in which
at most a tenth of the blocks differ, and on all pairs together; heavy pairs are shown beside them.
"""

import math
import os
import random
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from strandline.core.blocks.word_numbers import ready as ready_to_compare
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.dom.html import blocks, visible_hash
from strandline.dom.scan import ready as ready_to_cut
from strandline.exchange.page_versions import page_versions

ROUNDS, OF_A_PAGE, MOST_PAGES = 3, 30, 12
TYPICAL = 0.1  # share of blocks that differ in a typical pair, at most
TARGETS = {"visible hash": 2.5, "blocks": 8.0, "diff and importance": 1.5}


def made_pages() -> list[list[bytes]]:
    """Three pages with scripts, menus and text, a few words changed from version to version."""
    rng = random.Random(1)
    pages = []
    for _ in range(3):
        texts = [" ".join(f"w{rng.randrange(4000)}" for _ in range(60)) for _ in range(80)]
        versions = []
        for number in range(OF_A_PAGE):
            if number % 3 == 0:
                texts[rng.randrange(80)] = f"new text {number} " + " ".join(
                    f"w{rng.randrange(4000)}" for _ in range(50)
                )
            menu = "".join(f"<li class='item'><a href='/p{k}?t={number}'>Page {k}</a></li>" for k in range(150))
            body = "".join(f"<div class='para'><p>{text}</p></div>" for text in texts)
            script = f"<script>var token = {number};{'x();' * 8000}</script>"
            versions.append(f"<body><nav><ul>{menu}</ul></nav><main>{body}</main>{script}</body>".encode())
        pages.append(versions)
    return pages


def real_pages(folder: Path) -> list[list[bytes]]:
    """The first versions of some pages of each file."""
    pages = []
    for file in sorted(folder.glob("*.jsonl*")):
        if "items" in file.name:
            continue
        found: dict[str, list[bytes]] = {}
        for version in page_versions(file):
            if version.url not in found and len(found) == MOST_PAGES:
                break
            kept = found.setdefault(version.url, [])
            if len(kept) < OF_A_PAGE:
                kept.append(version.body)
        pages += list(found.values())
    return pages


def cpu(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


def fastest(steps: Sequence[Callable[[], object]]) -> float:
    """Sum over the steps of the least CPU time each took."""
    return sum(min(cpu(step) for _ in range(ROUNDS)) for step in steps)


def comparisons(page: Sequence[bytes]) -> tuple[list[float], list[float]]:
    """For each pair of successive versions: least CPU time of comparison and score, share of blocks that differ.

    Every round cuts the versions anew, because blocks keep their words once they were asked for them.
    """
    spent = [math.inf] * (len(page) - 1)
    differing = [0.0] * (len(page) - 1)
    for _ in range(ROUNDS):
        noise, scale, trees = NoiseState(), 0, []
        for html in page:
            tree = blocks(html, charset="utf-8", scale=scale)
            scale = tree.scale
            _ = [block.digest for block in tree.blocks]
            trees.append(tree)
        for number, (old, new) in enumerate(pairwise(trees)):
            took = cpu(lambda old=old, new=new, noise=noise: study(compare(old, new), noise))
            spent[number] = min(spent[number], took)
            kept = {block.digest for block in old.blocks} & {block.digest for block in new.blocks}
            differing[number] = 1.0 - len(kept) / max(len(old.blocks), len(new.blocks), 1)
    return spent, differing


def main() -> None:
    ready_to_cut()
    ready_to_compare()
    folder = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "pages"
    pages = real_pages(folder) if folder.is_dir() else made_pages()
    versions = [html for page in pages for html in page]
    print(
        f"{len(versions)} versions of {len(pages)} pages, {sum(map(len, versions)) / len(versions) / 1e3:.0f} kB each"
    )
    parsed = [[fastest([lambda html=html: LexborHTMLParser(html)]) for html in page] for page in pages]
    bare = sum(map(sum, parsed)) / len(versions)
    print(f"{'bare parse':34}{1e3 * bare:8.2f} ms")
    each = fastest([lambda html=html: visible_hash(html, charset="utf-8") for html in versions]) / len(versions)
    show("visible hash", each, bare, TARGETS["visible hash"])
    each = fastest([lambda html=html: [b.digest for b in blocks(html, charset="utf-8").blocks] for html in versions])
    show("blocks", each / len(versions), bare, TARGETS["blocks"])
    pairs: list[tuple[float, float, float]] = []  # share of blocks that differ, time of the comparison, of the parse
    for page, times in zip(pages, parsed, strict=True):
        pairs += [(share, took, parse) for took, share, parse in zip(*comparisons(page), times[1:], strict=True)]
    for name, found, limit in (
        ("typical pairs", [pair for pair in pairs if pair[0] <= TYPICAL], TARGETS["diff and importance"]),
        ("heavy pairs", [pair for pair in pairs if pair[0] > TYPICAL], None),
        ("all pairs", pairs, TARGETS["diff and importance"]),
    ):
        if found:
            took, parse = (sum(column) / len(found) for column in list(zip(*found, strict=True))[1:])
            show(f"diff and importance, {name}", took, parse, limit)
            print(f"{'':34}{len(found)} pairs, {sum(pair[0] for pair in found) / len(found):.1%} of the blocks differ")


def show(name: str, each: float, bare: float, limit: float | None) -> None:
    ratio = each / bare
    verdict = "" if limit is None else f", {'within' if ratio <= limit else 'OVER'} {limit:g}"
    print(f"{name:34}{1e3 * each:8.2f} ms{ratio:8.2f} x{verdict}")


if __name__ == "__main__":
    main()
