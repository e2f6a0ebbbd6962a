"""An archive on more than one machine: its catalog in PostgreSQL, its WARC files in object storage.

    cluster init     once: tables, the address of the store, the settings every worker follows, the seeds
    worker           on any machine, any number of times (cluster/worker.py)
    cluster status   who works, what waits, what was kept

Settings and the store's address are kept in the database, so that all workers do the same and need one address to
start. Passwords and keys are not: they come with the database's address and from the environment.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from strandline.access.index import Holdings
from strandline.archive.disk_space import reserve_of
from strandline.archive.holdings import CatalogIndex
from strandline.crawl.preparing import CrawlRequest, prepare_crawl
from strandline.errors import SettingError, UsageError
from strandline.settings.file import parse_settings, settings_text
from strandline.settings.schema import Settings
from strandline.store.auditing import AuditReading
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.reading import PostgresReading, on_postgres
from strandline.store.postgres.session import Session, is_database, shown
from strandline.store.reading import Reading
from strandline.warc.objects import ARCHIVE, PARTS, Objects
from strandline.warc.objects_reader import ObjectReader

_KIND = "cluster"
MIGRATING = "migrating"
"""Key of the note that says from where a migration into this database is under way."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """What all workers share."""

    database: str
    store: str
    settings: Settings


def _check_address(database: str) -> None:
    if not is_database(database):
        given = "" if "@" in database else f" {database}"  # there may be a password in it
        raise UsageError(f"--database{given}: use postgresql://user@host/name")


def init_cluster(database: str, store: str, change: Callable[[Settings], Settings], moved: bool = False) -> Cluster:
    """Make a database and a store ready, or change the settings of those that are. With `moved` everything that was in
    the store before lies in this one now.
    """
    _check_address(database)
    with contextlib.closing(PostgresCatalog(database, name="cluster init", patience=10.0)) as catalog:
        known = catalog.reading.note(_KIND, "store")
        if not store and known is None:
            raise UsageError("--store is missing: where are the WARC files to go? For example s3://bucket/prefix")
        elsewhere = store and known is not None and known.decode() != store
        if elsewhere and moved:
            _need_files(database, store)
        elif elsewhere and known is not None:
            raise SettingError(f"{shown(database)} belongs to the store {known.decode()}, not {store}")
        store = store or (known or b"").decode()
        Objects(store, patience=10.0).check()
        settings = Settings()

        def changed(text: bytes | None) -> bytes:
            nonlocal settings
            settings = change(parse_settings(text.decode(), "the cluster's settings") if text else Settings())
            check_settings(settings)
            return settings_text(settings).encode()

        catalog.change_note(_KIND, "settings", changed)
        catalog.note(_KIND, [("store", store.encode())])
    return Cluster(database, store, settings)


def _need_files(database: str, store: str) -> None:
    """UsageError unless a store has every file something is recorded of, whole or in parts."""
    there = {name.partition(PARTS)[0] for name, _ in Objects(store, patience=10.0).names(f"{ARCHIVE}/")}
    with contextlib.closing(Session(database, 10.0, upgrade=False)) as session:
        lost = [name for name in on_postgres(AuditReading, session).warc_files() if f"{ARCHIVE}/{name}" not in there]
    if lost:
        raise UsageError(f"{store} has not all files of this archive: {lost[0]} is missing (of {len(lost)})")


def check_settings(settings: Settings) -> None:
    """SettingError names the first one that workers could not use."""
    from strandline.alerts.outbox import check_alert_settings  # noqa: PLC0415 - slow to load
    from strandline.plan.settings_wishes import check_plan  # noqa: PLC0415

    prepare_crawl(settings, CrawlRequest())
    check_plan(settings.plan)
    check_alert_settings(settings)
    try:
        reserve_of(settings.keep.disk_reserve, Path.cwd())
    except ValueError as problem:
        raise SettingError(f"keep.disk_reserve: {problem}") from None


@dataclass(frozen=True, slots=True)
class Known:
    """A cluster as its database has it."""

    cluster: Cluster
    captures: int
    migrating: str
    """The folder whose migration into it is not finished; empty for none."""


def known_cluster(database: str, upgrade: bool = False) -> Known | None:
    """What a database knows of its cluster; None when it is none, or empty. With `upgrade` one of an older release is
    brought up to date first.
    """
    _check_address(database)
    session = Session(database, 10.0, upgrade, empty=True)
    with contextlib.closing(PostgresReading(session)) as reading:
        if not session.format:
            return None
        store, text = reading.note(_KIND, "store"), reading.note(_KIND, "settings")
        if store is None or text is None:
            return None
        cluster = Cluster(database, store.decode(), parse_settings(text.decode(), "the cluster's settings"))
        return Known(cluster, reading.count(), (reading.note(_KIND, MIGRATING) or b"").decode())


def kept_settings(reading: Reading) -> bytes:
    """The settings all workers follow, as text."""
    return reading.note(_KIND, "settings") or b""


def mark(database: str, source: str | None) -> None:
    """Note that a migration is under way, or that it is done."""
    with contextlib.closing(PostgresCatalog(database, name="migrate", patience=10.0)) as catalog:
        catalog.note(_KIND, [(MIGRATING, None if source is None else source.encode())])


def open_cluster(database: str, store: str = "", upgrade: bool = False) -> Cluster:
    """The cluster a database belongs to; one clear error when it is not ready, or of an older release without
    `upgrade`.
    """
    known = known_cluster(database, upgrade)
    if known is None:
        raise SettingError(f"{shown(database)} is not ready; make it so with: strandline cluster init --database ...")
    if known.migrating:
        raise SettingError(f"{shown(database)}: the migration of {known.migrating} is not finished; run it again")
    if store and store != known.cluster.store:
        raise SettingError(f"{shown(database)} belongs to the store {known.cluster.store}, not {store}")
    return known.cluster


def cluster_holdings(cluster: Cluster) -> Holdings:
    """What readers need: the index in PostgreSQL, the records by range requests from the object store."""
    index = CatalogIndex(PostgresReading.at(cluster.database))
    name = cluster.settings.archive.description or "Strandline cluster"
    return Holdings(index, ObjectReader(Objects(cluster.store, patience=10.0)), name)
