"""Worlds out of the data an experiment was given: change traces in the documented form, or histories it knows to read.

a file .tsv or .parquet (packed or not)    a change trace: url, time, importance
a folder                                   every change trace in it, or in its `traces`; page lists in `pages`
(`trace_sources`) where there are any
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from strandline.lab.simulate.trace_sources import has_news, news_world
from strandline.lab.simulate.traces import read_trace, trace_world
from strandline.lab.simulate.world import World

_ENDINGS = (".tsv", ".tsv.gz", ".tsv.xz", ".tsv.zst", ".parquet")


def given_worlds(data: Path, progress: Callable[[str], None] = lambda _: None) -> Iterator[World]:
    """One world for each trace; ValueError when there is none."""
    files = [data] if data.is_file() else _traces(data)
    for file in files:
        progress(f"reading {file.name}")
        yield trace_world(file.name.partition(".")[0], *read_trace(file))
    if not files:
        if not has_news(data):
            wanted = "change traces (NAME.tsv[.gz|.xz|.zst], .parquet) here or in traces/, or lists of items in pages/"
            raise ValueError(f"{data}: no {wanted}")
        progress("reading lists of items")
        yield news_world(data)


def _traces(folder: Path) -> list[Path]:
    """The change traces of a folder."""
    place = folder / "traces" if (folder / "traces").is_dir() else folder
    return sorted(file for file in place.iterdir() if file.is_file() and file.name.endswith(_ENDINGS))
