"""A cluster as the interface sees it: settings in the database, many workers, no disk of its own.

Settings that are changed here are those `cluster init` keeps; workers follow them within a minute.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from strandline.archive.deployment import Address, Together, Worker
from strandline.archive.folder import Archive
from strandline.cluster.archive import ClusterArchive, open_shared
from strandline.cluster.shared import init_cluster, kept_settings
from strandline.settings.file import parse_settings, with_overrides
from strandline.settings.schema import Settings
from strandline.store.alarming import AlarmWriter
from strandline.store.outbox import Outbox
from strandline.store.postgres.outbox import SharedAlarms, SharedOutbox
from strandline.store.postgres.session import Session, shown, without_password
from strandline.store.postgres.troubles import SILENT

_PATIENCE: Final = 10.0


class ClusterPlace:
    """Implements app.place.Place."""

    jobs = ("verify", "learn", "simulate")
    """Crawling is the workers' affair."""

    def __init__(self, archive: ClusterArchive) -> None:
        self._archive = archive
        self._known: tuple[bytes, Settings] | None = None

    @classmethod
    def of(cls, archive: Archive) -> "ClusterPlace":
        """The place of an archive that is known to be a cluster."""
        assert isinstance(archive, ClusterArchive)
        return cls(archive)

    @property
    def _database(self) -> str:
        return self._archive.cluster.database

    @property
    def address(self) -> Address:
        """The database; its password goes through the environment, where `ps` does not show it."""
        name, password = without_password(self._database)
        return Address(name, {"PGPASSWORD": password} if password else {})

    def settings(self) -> Settings:
        """As the database has them now."""
        text = kept_settings(self._archive.reading)
        if self._known is None or self._known[0] != text:
            self._known = (text, parse_settings(text.decode(), "the cluster's settings"))
        return self._known[1]

    def change_settings(self, values: dict[str, str]) -> Settings:
        """Keep them for all workers."""
        wanted = [f"{key}={value}" for key, value in values.items()]
        return init_cluster(self._database, "", lambda known: with_overrides(known, wanted)).settings

    def change_tables(self, kind: str, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Settings:
        """Keep them for all workers."""

        def changed(known: Settings) -> Settings:
            named: dict[str, Any] = {kind: change(getattr(known, kind))}
            return replace(known, **named)

        return init_cluster(self._database, "", changed).settings

    def open(self) -> Archive:
        """The cluster once more."""
        return open_shared(self._database)

    def outbox(self) -> Outbox:
        """In the database."""
        return SharedOutbox(Session(self._database, _PATIENCE, upgrade=False))

    def alarms(self) -> AlarmWriter:
        """In the database."""
        return SharedAlarms(Session(self._database, _PATIENCE, upgrade=False))

    def room(self) -> None:
        """Databases and object stores keep an eye on their room themselves."""

    def sizes(self) -> None:
        """See `together` for what is stored."""

    def writer(self) -> None:
        """There is no one writer."""

    def together(self) -> Together:
        """Who works, what waits, what was kept."""
        found, now = self._archive.standing(), time.time()
        workers = tuple(
            Worker(
                one.worker,
                one.name,
                now - one.running,
                now - one.silent,
                one.captures,
                one.octets,
                one.hosts,
                one.pages,
                one.silent > SILENT,
            )
            for one in found.workers
        )
        counts = (found.ended, found.hosts, found.hosts_held, found.hosts_waiting)
        stored = (found.queued, found.octets, found.files)
        return Together(shown(self._database), self._archive.cluster.store, workers, *counts, *stored)
