"""`strandline learn --engine`: over Parquet partitions, here or on Dask."""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from strandline.archive.wall_clock import SystemClock
from strandline.cli.learned_texts import learned_in_words
from strandline.cli.output import as_json
from strandline.cli.quality import quality_data, quality_text
from strandline.learn.engine import Mining, engine_tasks, room_of
from strandline.report.engine_learning import learn_on_engine

if TYPE_CHECKING:
    from strandline.archive.folder import Archive


def learn_there(
    archive: "Archive",
    parts: Sequence[str],
    engine: tuple[str, str, int],
    place: tuple[str | None, str],
    output: tuple[bool, Callable[[str], None] | None],
) -> None:
    """Learn on an engine (name, scheduler, workers), over a dataset in so much memory; tell it as JSON or in words."""
    dataset, memory = place
    with closing(engine_tasks(*engine)) as tasks:
        how = Mining(tasks, room_of(memory), dataset)
        found, quality = learn_on_engine(archive, parts, how, SystemClock().now(), output[1])
    if output[0]:
        as_json(found | ({} if quality is None else {"quality": quality_data(quality)}))
        return
    for line in learned_in_words(found):
        print(line)
    if quality is not None:
        print("\n".join(quality_text(quality)))
