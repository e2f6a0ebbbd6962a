"""Learning from an archive on an engine: exported, mined, kept as `strandline learn` keeps it, and measured."""

import contextlib
from collections.abc import Sequence
from typing import Any, Final

from strandline.archive.folder import Archive
from strandline.engines.mining_dataset import Dataset
from strandline.errors import UsageError
from strandline.exchange.parquet import export_archive
from strandline.learn.dataset_places import place_at
from strandline.learn.engine import Mined, Mining, Tell, mine
from strandline.learn.learning import PARTS, Learned, learn
from strandline.learn.tasks import Wish
from strandline.plan.all_looks import AllLooks
from strandline.plan.planning import Planning
from strandline.report.measuring import Measured, measured
from strandline.settings.schema import LearnSettings
from strandline.store.learned import LearnedReading

QUALITY: Final = "quality"
EVERYTHING: Final = (*PARTS, QUALITY)
FOLDER: Final = "parquet"
"""Where an archive's dataset lies unless another place is named."""


def learn_on_engine(
    archive: Archive, parts: Sequence[str], how: Mining, now: float, tell: Tell | None = None
) -> tuple[dict[str, Any], Measured | None]:
    """Learn from an archive's whole history and keep it; returns the summary, and quality when it was asked for."""
    for part in parts:
        if part not in EVERYTHING:
            raise UsageError(f"cannot learn {part!r}; there are {', '.join(EVERYTHING)}")
    wanted = tuple(part for part in EVERYTHING if part in parts or not parts)
    dataset = how.dataset or archive.folder / FOLDER
    if how.dataset is None and not archive.folder.is_dir():
        raise UsageError("a cluster has no folder of its own: name one for the Parquet files with --dataset")
    planning: Planning | None = None
    found: Mined | None = None

    def miner(known: LearnedReading, settings: LearnSettings, parts: Sequence[str], say: Tell) -> Learned:
        nonlocal planning, found
        export_archive(archive, dataset, say)
        if QUALITY in wanted:
            planning = Planning(archive, now)
        asked = tuple(parts) if set(wanted) - {QUALITY} else ()
        wish = Wish(settings, asked, known.lived_time(), planning.hours if planning else None)
        found = stack.enter_context(mine(Dataset(place_at(dataset)), wish, how, say))
        say(f"what was learned of {found.learned.pages} pages is kept")
        return found.learned

    with contextlib.ExitStack() as stack:
        summary = learn(archive, tuple(part for part in wanted if part != QUALITY) or PARTS, tell, miner)
        if planning is None or found is None or found.past is None:
            return summary, None
        if tell is not None:
            tell(f"quality of {len(planning.pages)} pages is measured")
        planning.looks = AllLooks.of(found.past.history(planning.pages.numbers))
    return summary, measured(planning)
