"""Whether changes of a cluster have pictures, asked by the monitor before it tells of them.

Each look is two records from the object store. A store that is slow must not cost the monitor its duty, so that is
renewed at each look; one that is away ends the looks of a round: what is told then has no pictures.
"""

from collections.abc import Callable
from contextlib import suppress

from strandline.access.changed_pictures import both_pictured
from strandline.access.index import Holdings
from strandline.archive.holdings import CatalogIndex
from strandline.cluster.shared import Cluster
from strandline.errors import StrandlineError
from strandline.settings.schema import Settings
from strandline.store.index import KeyReading
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.takedowns import ReaderSession
from strandline.store.studies import Change
from strandline.warc.objects import Objects
from strandline.warc.objects_reader import ObjectReader

_PATIENCE = 5.0
"""Seconds the store may be away. Origin: as where the monitor tries it."""


class ChangedPictures:
    """Looks for pictures as readers see them: of what is taken down there are none."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._session: ReaderSession | None = None
        self._held: Holdings | None = None

    def looking(self, settings: Settings, still: Callable[[], None]) -> Callable[[Change], bool]:
        """For one round of changes; `still` renews the duty, LeaseLost when it is another's."""
        away = not settings.capture.screenshots

        def pictured(change: Change) -> bool:
            nonlocal away
            if away:
                return False
            still()
            try:
                return both_pictured(self._holdings(), change.url, change.after, change.by)
            except StrandlineError:
                away = True
                return False

        return pictured

    def _holdings(self) -> Holdings:
        if self._held is None:
            self._session = ReaderSession(self._cluster.database, _PATIENCE, upgrade=False)
            index = CatalogIndex(on_postgres(KeyReading, self._session))
            self._held = Holdings(index, ObjectReader(Objects(self._cluster.store, _PATIENCE)), "")
        return self._held

    def close(self) -> None:
        """Release the connection."""
        session, self._session, self._held = self._session, None, None
        if session is not None:
            with suppress(StrandlineError):
                session.close()
