"""What study takes by stages per version, on pages of several kinds; beside another checkout if one is named.

usage: python -m benchmarks study
       STRANDLINE_BEFORE=../before/src python -m benchmarks study     the sources to compare with, as ratios
       STRANDLINE_CAPTURES=16 python -m benchmarks study              so many captures of each page, of 40

Made pages are those of `strandline experiment news`. Real ones come from ../shared/data/pages or $STRANDLINE_DATA. Each
checkout is a process of its own, and they take turns round by round, so that a machine that is busy slows both alike:
shown are the least CPU time of all rounds and the median of the ratios of rounds that followed each other. `record` is
what study hands over to be stored, `words` the reasons and the sentence: an earlier checkout may not tell one.
"""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from strandline.core.blocks.word_numbers import ready as ready_to_compare
from strandline.core.changes.versions import block_record
from strandline.dom.html import blocks, visible_hash
from strandline.dom.scan import ready as ready_to_cut

ROUNDS, CAPTURES = 7, int(os.environ.get("STRANDLINE_CAPTURES", "40"))
STAGES = ("hash", "cut", "compare", "score", "words", "record", "all")
MADE = {
    "front pages": ("link list", "front page", "forum", "blog"),
    "shops": ("product", "shop listing"),
    "texts": ("contract", "article", "event", "documentation"),
    "noise": ("tokens", "two layouts", "related box"),
}
CACHE = type(lru_cache(len))


def part(room: str, name: str) -> Any:
    """A module of `core.changes`; earlier checkouts have no rooms there, and some have not all of the modules."""
    for place in (f"strandline.core.changes.{room}", "strandline.core.changes"):
        found = find_spec(place)
        if found and found.submodule_search_locations and find_spec(f"{place}.{name}"):
            return import_module(f"{place}.{name}")
    return None


compare = part("delta", "vidiff").compare
NoiseState = part("noise", "volatility").NoiseState
study = part("score", "importance").study
SENTENCES = part("told", "sentences")


def sets_of_pages() -> dict[str, list[list[bytes]]]:
    """Versions of pages, by the kind of page."""
    from benchmarks.bench_blocks import real_pages
    from strandline.lab.experiments.news import KINDS

    found = {
        name: [[capture.html for capture in KINDS[kind](1).captures(CAPTURES)] for kind in kinds]
        for name, kinds in MADE.items()
    }
    found["unchanged"] = [[page[0] + b"<!-- %d -->" % number for number in range(CAPTURES)] for page in found["texts"]]
    folder = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "pages"
    if folder.is_dir():
        found["real pages"] = [page[:CAPTURES] for page in real_pages(folder)[::3]]
    return found


class Stopwatch:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(STAGES, 0.0)

    def timed(self, stage: str, work: Callable[[], Any]) -> Any:
        """Do something, and note what it took."""
        start = time.process_time()
        found = work()
        self.spent[stage] += time.process_time() - start
        return found


def studied(page: Sequence[bytes], watch: Stopwatch) -> None:
    """Study the versions of a page as a worker does, reading and storing apart."""
    told = SENTENCES.with_sentence if SENTENCES else lambda _delta, _scored, data: data
    noise, old, shown, scale = NoiseState(), None, 0, 0
    for html in page:
        seen = watch.timed("hash", lambda html=html: visible_hash(html, charset="utf-8"))
        if seen == shown:
            noise.learn_unchanged()
            continue
        shown = seen
        tree = watch.timed("cut", lambda html=html, scale=scale: blocks(html, charset="utf-8", scale=scale))
        scale = tree.scale
        if old is not None:
            delta = watch.timed("compare", lambda old=old, tree=tree: compare(old, tree))
            scored = watch.timed("score", lambda delta=delta: study(delta, noise))
            watch.timed("words", lambda d=delta, s=scored: told(d, s, [reason.as_data() for reason in s.reasons[:40]]))
        watch.timed("record", lambda tree=tree: [block_record(block) for block in tree.blocks])
        old = tree


def measured(pages: Sequence[Sequence[bytes]]) -> dict[str, float]:
    """Milliseconds per version by stage, of this checkout, in one round."""
    forget()
    watch = Stopwatch()
    for page in pages:
        watch.timed("all", lambda page=page: studied(page, watch))
    return {stage: 1e3 * spent / sum(map(len, pages)) for stage, spent in watch.spent.items()}


def forget() -> None:
    """Empty what keeps recent answers: an archive hardly studies the same versions twice. Rules and tables stay."""
    for name, module in list(sys.modules.items()):
        if name.startswith("strandline."):
            for value in vars(module).values():
                if isinstance(value, CACHE) and value.cache_info().maxsize is not None:
                    value.cache_clear()


def settle_in() -> None:
    """Hold on to memory and look for garbage as processes of a watch do; earlier checkouts have it elsewhere."""
    place = "archive" if find_spec("strandline.archive") else "app"
    import_module(f"strandline.{place}.long_run").settle_in()


def answer(file: Path) -> None:
    """Measure a round of the pages of each kind that is asked for, a line each, until nobody asks."""
    settle_in()
    ready_to_cut()
    ready_to_compare()
    sets = pickle.loads(file.read_bytes())
    for line in sys.stdin:
        print(json.dumps(measured(sets[line.strip()])), flush=True)


class Checkout:
    """Sources at work in a process of their own."""

    def __init__(self, sources: str, file: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(file)],
            env={**os.environ, "PYTHONPATH": str(Path(sources).resolve())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def round(self, name: str) -> dict[str, float]:
        """Milliseconds per version by stage, in one more round."""
        process = self._process
        assert process.stdin and process.stdout
        process.stdin.write(f"{name}\n")
        process.stdin.flush()
        found: dict[str, float] = json.loads(process.stdout.readline())
        return found

    def close(self) -> None:
        """No more rounds."""
        self._process.communicate()


def main() -> None:
    before = os.environ.get("STRANDLINE_BEFORE", "")
    sets = sets_of_pages()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pages"
        file.write_bytes(pickle.dumps(sets))
        checkouts = [
            Checkout(sources, file) for sources in filter(None, (str(Path(__file__).parents[1] / "src"), before))
        ]
        print(f"{'ms per version':16}" + "".join(f"{stage:>15}" for stage in STAGES))
        for name in sets:
            rounds = [[one.round(name) for one in checkouts] for _ in range(ROUNDS)]
            shown = [_shown([[took[stage] for took in turn] for turn in rounds]) for stage in STAGES]
            print(f"{name:16}" + "".join(shown), flush=True)
        for one in checkouts:
            one.close()


def _shown(turns: Sequence[Sequence[float]]) -> str:
    """The least of a stage, and the median of its ratios to what it took before."""
    ratios = [now / before[0] for now, *before in turns if before and before[0]]
    return f"{min(turn[0] for turn in turns):8.2f}" + (f"{median(ratios):5.2f} x" if ratios else " " * 7)


if __name__ == "__main__":
    if sys.argv[1:] and Path(sys.argv[1]).is_file():
        answer(Path(sys.argv[1]))
    else:
        main()
