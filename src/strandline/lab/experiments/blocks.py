"""Experiment `blocks`: papers 001 and 003 on real page versions: what changes, how much it matters, what storing costs.

Paper 003 reports that 86 % of its partitions were judged perfect or good by four readers; there are no readers here, so
the partition is compared with the one of the rendered page instead. Paper 001 gives no distribution of its scores.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from strandline.dom.rendered import browser, chromium_path
from strandline.exchange.page_versions import PageVersion, page_versions
from strandline.lab.experiments.block_agreement import agreement
from strandline.lab.experiments.block_study import Study, study_versions
from strandline.lab.experiments.report import Figure, Report, Series, Table, Target

Progress = Callable[[str], None]

QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
QUICK_VERSIONS = 120  # of each file
QUICK_OF_A_PAGE = 20
RENDERED, QUICK_RENDERED = 40, 6


def find_versions(data: Path) -> list[Path]:
    """The files of page versions: the file itself, or those in a folder or its `pages`."""
    if data.is_file():
        return [data]
    for folder in (data, data / "pages"):
        files = sorted(file for file in folder.glob("*.jsonl*") if "items" not in file.name) if folder.is_dir() else []
        if files:
            return files
    raise ValueError(f"{data}: no page versions (NAME.jsonl, .gz, .xz, .zst) here or in pages/")


def run(data: Path | None, progress: Progress = lambda _: None, quick: bool = False) -> Report:
    """The whole experiment. `quick` reads the first versions of each file only: under a minute of CPU."""
    if data is None:
        raise ValueError("this experiment needs page versions: --data FILE-or-FOLDER")
    studies = {}
    for file in find_versions(data):
        name = file.name.partition(".")[0]
        progress(f"reading {name}")
        studies[name] = study_versions(_first(page_versions(file), quick), progress)
    if not any(study.pairs for study in studies.values()):
        raise ValueError(f"{data}: no page has two versions")
    tables = [_changes(studies), _scores(studies), _agreement(studies), _speed(studies), _storage(studies)]
    targets = [*_storage_targets(studies, quick), *_speed_targets(studies)]
    agreed, target = _rendered(studies, progress, QUICK_RENDERED if quick else RENDERED)
    tables += agreed
    targets += target
    notes = [] if agreed else [f"Static and rendered partitions were not compared: {_no_browser() or 'no page shows'}."]
    if quick:
        notes.append(
            "The size of the block index is judged on whole histories only: a page's first version weighs most."
        )
    return Report(
        "Blocks, changes and their importance", tuple(tables), (_distribution(studies),), tuple(targets), tuple(notes)
    )


def _first(versions: Iterator[PageVersion], quick: bool) -> Iterator[PageVersion]:
    """All versions, or the first few of each page of the first few pages."""
    taken = of_page = 0
    url = ""
    for version in versions:
        of_page = of_page + 1 if version.url == url else 1
        url = version.url
        if quick and of_page > QUICK_OF_A_PAGE:
            continue
        taken += 1
        if quick and taken > QUICK_VERSIONS:
            return
        yield version


def _changes(studies: dict[str, Study]) -> Table:
    rows = tuple(
        (
            name,
            study.pages,
            study.versions,
            study.pairs,
            study.same_hash / max(study.pairs, 1),
            study.no_block_change / max(study.pairs, 1),
            study.held,
            float(np.median(study.block_counts)),
            study.empty,
        )
        for name, study in studies.items()
    )
    columns = ("data", "pages", "versions", "byte changes", "same visible hash", "no block changed", "held",
               "median blocks", "pages without blocks")  # fmt: skip
    return Table("Byte changes that show nothing", columns, rows)


def _scores(studies: dict[str, Study]) -> Table:
    rows = []
    for name, study in studies.items():
        for label, values in (("importance", study.importances), ("impch", study.impchs)):
            quantiles = np.quantile(values, QUANTILES).tolist() if values else [None] * len(QUANTILES)
            rows.append((name, label, len(values), *quantiles))
    columns = ("data", "score", "visible changes", *(f"q{round(100 * q)}" for q in QUANTILES))
    return Table("Scores of visible changes", columns, tuple(rows), "One absolute threshold fits no two pages.")


def _agreement(studies: dict[str, Study]) -> Table:
    """Do high scores go with changes that last?"""
    rows = tuple(
        (
            name,
            len(study.judged.real),
            len(study.judged.other),
            study.judged.area(),
            study.judged.alarms(),
            study.judged.seen / len(study.judged.real) if study.judged.real else None,
        )
        for name, study in studies.items()
    )
    columns = ("data", "real changes", "others", "AUC", "others as high as 80 % of the real", "real ones visible")
    note = "Real: a sentence of the document came and stayed, or stood and left for good. A proxy: nobody marked them."
    return Table("Importance against changes that last", columns, rows, note)


def _speed(studies: dict[str, Study]) -> Table:
    rows = []
    for name, study in studies.items():
        bare = study.spent["parse"] / study.versions
        for step in ("parse", "visible hash", "blocks", "diff and importance", "gzip", "compaction"):
            count = study.pairs if step.startswith("diff") else study.versions
            each = study.spent.get(step, 0.0) / max(count, 1)
            rows.append((name, step, 1000 * each, 1 / each if each else None, each / bare))
    return Table("Speed", ("data", "step", "CPU ms a page", "pages/s of CPU", "x bare parse"), tuple(rows))


def _storage(studies: dict[str, Study]) -> Table:
    rows = tuple(
        (
            name,
            study.raw_bytes / 1e6,
            study.gzip_bytes / 1e6,
            study.compact_bytes / study.gzip_bytes,
            study.index_bytes / study.gzip_bytes,
            study.state_bytes / study.pages,
            study.indexed / max(study.pairs, 1),
        )
        for name, study in studies.items()
    )
    columns = ("data", "raw MB", "gzip MB", "compacted / gzip", "block index / gzip", "noise state bytes a page",
               "share of versions indexed")  # fmt: skip
    return Table("Storage", columns, rows, "The last column is the index threshold of paper 001, section 7.")


def _storage_targets(studies: dict[str, Study], quick: bool) -> list[Target]:
    packed = sum(study.gzip_bytes for study in studies.values())
    compacted = sum(study.compact_bytes for study in studies.values()) / packed
    index = sum(study.index_bytes for study in studies.values()) / packed
    rebuilt = sum(study.rebuilt for study in studies.values())
    versions = sum(study.versions for study in studies.values())
    targets = [
        Target("compaction", "<= .20 of gzip", f"{compacted:.3f}", compacted <= 0.20),
        Target("identical rebuild", "100 %", f"{rebuilt} of {versions}", rebuilt == versions),
    ]
    if not quick:
        targets.append(Target("block index", "<= .05 of gzip", f"{index:.4f}", index <= 0.05))
    return targets


def _speed_targets(studies: dict[str, Study]) -> list[Target]:
    versions = sum(study.versions for study in studies.values())
    pairs = sum(study.pairs for study in studies.values())
    bare = sum(study.spent["parse"] for study in studies.values()) / versions
    targets = []
    for step, limit, count in (
        ("blocks", 8.0, versions),
        ("visible hash", 2.5, versions),
        ("diff and importance", 1.5, pairs),
    ):
        ratio = sum(study.spent.get(step, 0.0) for study in studies.values()) / max(count, 1) / bare
        targets.append(Target(step, f"<= {limit:g} x bare parse", f"{ratio:.2f}", ratio <= limit))
    return targets


def _rendered(studies: dict[str, Study], progress: Progress, most: int) -> tuple[list[Table], list[Target]]:
    """Static and rendered partitions of the same pages, side by side."""
    if _no_browser():
        return [], []
    samples = [sample for study in studies.values() for sample in study.samples if sample[1].blocks][:most]
    found = []
    progress(f"rendering {len(samples)} pages")
    with browser() as rendering:
        for html, tree in samples:
            shown = rendering.blocks(html.decode("utf-8", "replace"), url=tree.url)
            if shown.blocks:
                found.append((tree, shown, agreement(tree, shown)))
    if not found:
        return [], []
    rows = tuple(
        (tree.url[:60], len(tree.blocks), len(shown.blocks), each.precision, each.recall, each.f, each.covered)
        for tree, shown, each in found
    )
    columns = ("page", "static blocks", "rendered blocks", "precision", "recall", "F", "characters in both")
    mean = float(np.mean([each.f for _, _, each in found]))
    table = Table("Static against rendered partition (B-cubed over characters)", columns, rows)
    return [table], [Target("static agrees with rendered", "F >= .70", f"{mean:.3f}", mean >= 0.70)]


def _no_browser() -> str:
    """What is missing to show pages to a browser; empty when nothing is."""
    if find_spec("playwright") is None:
        return "playwright is not installed (pip install 'strandline[render]')"
    return "" if chromium_path() else "Chromium was not found"


def _distribution(studies: dict[str, Study]) -> Figure:
    series = []
    levels = tuple(round(level, 2) for level in np.linspace(0, 1, 21).tolist())
    for name, study in studies.items():
        for label, values in (("importance", study.importances), ("impch", study.impchs)):
            if values:
                series.append(Series(f"{name}, {label}", levels, tuple(np.quantile(values, levels).tolist())))
    return Figure("Scores of visible changes", tuple(series), "share of visible changes", "score at most", log_y=True)
