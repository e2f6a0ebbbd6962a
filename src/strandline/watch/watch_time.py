"""How the hours of an archive's watches run: by the clock, or at a pace and from a moment that the catalog keeps."""

from strandline.archive.folder import Archive
from strandline.learn.known_pages import HOUR
from strandline.store.catalog import SqliteCatalog
from strandline.store.watching import TimePiece


def time_of(catalog: SqliteCatalog, hour_seconds: float, now: float) -> TimePiece | None:
    """How the hours of this watch run; None for those of the clock. What is asked for anew is kept in the catalog."""
    known = catalog.watch.reading.watch_time()
    length = hour_seconds or (known.length if known else HOUR)
    if known is not None and known.length == length:
        return known
    if known is None and length == HOUR:
        return None
    hour = known.hour + (now - known.start) / known.length if known else 0.0
    piece = TimePiece(now, hour, length)
    catalog.watch.set_time(piece)
    return piece


def count_hours_from(archive: Archive, now: float) -> None:
    """Watches count their hours, as long as those of the clock, from this moment: it is a Monday midnight to them."""
    with archive.writing("watch") as catalog:
        catalog.watch.set_time(TimePiece(now, 0.0, HOUR))
