"""Logins of a cluster: kept in its database, encrypted with a key that only the environment of its workers has.

A worker reads them when it begins, and begins anew when they are others. One that cannot open them does not work: it
would ask for pages as somebody who is not logged in, and keep what those are shown. A site that logs out is paused in
the settings all workers follow, with an alarm; the alert monitor tells of it (cluster/monitor.py).
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from strandline.alerts.alarms import LOGGED_OUT, AlarmKeeper
from strandline.archive.events import event
from strandline.archive.login_store import environment_key, sealed_with, unsealed
from strandline.cluster.background import BackgroundJob, Step
from strandline.cluster.shared import Cluster, init_cluster
from strandline.core.logins import Logins
from strandline.crawl.logged_out import said_of, with_state
from strandline.crawl.site_orders import Gate
from strandline.errors import StrandlineError
from strandline.settings.schema import Settings
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.outbox import SharedAlarms
from strandline.store.postgres.reading import PostgresReading
from strandline.store.postgres.session import Session, shown

_KIND, _KEY = "cluster", "logins"
"""Of the note; notes of this kind belong to the cluster and are not moved with its captures."""
_PATIENCE: Final = 10.0
_EVERY: Final = 5.0
"""Seconds between two looks for other logins. Origin: a guess."""


class ClusterLogins:
    """Implements LoginShelf."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @contextlib.contextmanager
    def looking(self) -> Iterator[Callable[[], bytes]]:
        """Asks for them as they are kept, over one connection; empty for none."""
        # A database of an older release is read as it is: the worker that asks is about to bring it up to date.
        session = Session(self._cluster.database, _PATIENCE, upgrade=False, empty=True)
        with contextlib.closing(PostgresReading(session)) as reading:
            yield lambda: reading.note(_KIND, _KEY) or b""

    def sealed(self) -> bytes:
        """As they are kept now."""
        with self.looking() as look:
            return look()

    def read(self) -> Logins:
        """All of them; SettingError when they cannot be opened."""
        return self.opened(self.sealed())

    def opened(self, sealed: bytes) -> Logins:
        """What is kept, in the clear."""
        where = f"what {shown(self._cluster.database)} keeps of logins"
        return unsealed(sealed, environment_key, where) if sealed else Logins()

    def change(self, change: Callable[[Logins], Logins]) -> None:
        """Keep what follows from them; who does so at the same moment waits."""
        environment_key()  # said before anything is touched

        def changed(before: bytes | None) -> bytes:
            left = change(self.opened(before or b""))
            return sealed_with(environment_key, left) if left else b""

        with contextlib.closing(PostgresCatalog(self._cluster.database, name="login", patience=_PATIENCE)) as catalog:
            catalog.change_note(_KIND, _KEY, changed)

    def resumed(self, site: str, now: float) -> bool:
        """Go on with a site that was paused because it had logged out; says whether one was."""
        with self._alarms() as writer:
            if not any((one.kind, one.subject) == (LOGGED_OUT, site) for one in writer.open_alarms()):
                return False
            AlarmKeeper(writer).clear_alarm(LOGGED_OUT, site, "somebody logged in", now)
        self._set_state(site, "active")
        return True

    def logged_out(self, gate: Gate, now: Callable[[], float], site: str, why: str) -> None:
        """Pause a site, in this run and for all workers, and raise the alarm."""
        gate.pause(site)
        text = said_of(site, why)
        event("logged-out", text, "warning", site=site)
        with contextlib.suppress(StrandlineError):  # a database that is away: this run leaves the site alone, too
            with self._alarms() as writer:
                AlarmKeeper(writer).raise_alarm(LOGGED_OUT, site, text, now())
            self._set_state(site, "paused")

    def _set_state(self, site: str, state: str) -> None:
        def changed(known: Settings) -> Settings:
            return replace(known, site=with_state(known.site, site, state))

        init_cluster(self._cluster.database, "", changed)

    @contextlib.contextmanager
    def _alarms(self) -> Iterator[SharedAlarms]:
        session = Session(self._cluster.database, _PATIENCE, upgrade=False)
        with contextlib.closing(SharedAlarms(session)) as writer:
            yield writer


def logins_job(shelf: ClusterLogins, sealed: bytes, other: Callable[[], None]) -> BackgroundJob:
    """Look beside a worker's crawl whether its logins are still those that are kept; `other` hears when not."""

    @contextlib.contextmanager
    def opened(_stopped: Callable[[], bool]) -> Iterator[Step]:
        told: list[bool] = []
        with shelf.looking() as look:

            def step() -> None:
                if not told and look() != sealed:
                    told.append(True)
                    other()

            yield step

    return BackgroundJob("logins", _EVERY, opened, "logins are not looked at again by this worker")
