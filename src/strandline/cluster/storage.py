"""How much room a cluster takes: its files in the object store, its database, and what they hold."""

from collections import Counter
from contextlib import closing

from strandline.archive.folder import Archive
from strandline.archive.storage import Forecast, Storage, StoredSums, pace
from strandline.cluster.shared import Cluster
from strandline.store.postgres.session import Session
from strandline.store.postgres.status import database_size
from strandline.store.retention import RetentionReading
from strandline.warc.objects import ARCHIVE, PARTS, Objects


def stored_in(archive: Archive, cluster: Cluster, session: Session, now: float, sums: StoredSums | None) -> Storage:
    """The room of a cluster; with `sums` of the last time it was asked."""
    files: Counter[str] = Counter({"catalog": database_size(session)})
    for name, size in Objects(cluster.store, patience=60.0).names(""):
        folder = name.partition("/")[0]
        kind = ("parts" if PARTS in name else "warc") if folder == ARCHIVE else folder
        files[kind] += size
    with closing(RetentionReading.open(archive.database, everything=True)) as reading:
        stored = tuple(reading.stored()) if sums is None else sums.stored(reading)
        a_day = pace(reading if sums is None else sums, now)
    return Storage(dict(files), stored, Forecast(None, None, a_day, None))
