"""A cluster kept with its own tools, as docs/cluster.md says, and brought back under other addresses."""

import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from cluster.test_importing import archive, versions
from keeping.test_feeding import PAGES
from servers import object_stores, postgres
from servers.postgres import programs
from strandline.cluster.archive import open_shared
from strandline.cluster.shared import init_cluster
from strandline.errors import SettingError, UsageError
from strandline.exchange.moving import take_in
from strandline.exchange.rebuilding import reindex
from strandline.keeping.backup import back_up, restore
from strandline.warc.objects import Objects

pytestmark = postgres.GROUP
__all__ = ["archive"]


def copied(source, target):
    """What `rclone copy` does: everything that is not there yet."""
    there = dict(target.names(""))
    for name, size in source.names(""):
        if there.get(name) != size:
            target.put(name, source.get(name))


def test_the_database_then_the_store_make_a_cluster_that_goes_on(archive, tmp_path):
    take_in(archive, versions(tmp_path, ["Open from nine to five", "Open from ten to four"]))
    with pytest.raises(UsageError, match=r"pg_dump.*rclone"):
        back_up(archive, str(tmp_path / "backup"))
    with pytest.raises(UsageError, match="pg_restore"):
        restore(str(tmp_path / "backup"), Path(archive.cluster.database))
    dump, own = tmp_path / "web.dump", archive.cluster
    run = {"check": True, "env": {**os.environ, "LC_ALL": "C"}}
    subprocess.run([programs() / "pg_dump", "--format=custom", f"--file={dump}", own.database], **run)
    take_in(archive, versions(tmp_path, ["Closed"], 1_790_000_000.0))  # workers go on meanwhile
    store = f"{object_stores.running().bucket()}/elsewhere"
    empty, full = Objects(store), Objects(own.store)
    database = postgres.running().database()
    subprocess.run([programs() / "pg_restore", f"--dbname={database}", dump], **run)
    with pytest.raises(UsageError, match="has not all files"):
        init_cluster(database, store, lambda known: known, moved=True)
    copied(full, empty)
    with pytest.raises(SettingError, match="belongs to the store"):
        init_cluster(database, store, lambda known: known)
    assert init_cluster(database, store, lambda known: known, moved=True).store == store
    with closing(open_shared(database)) as restored:
        assert len(restored.captures(PAGES[0])) == 2, "as of the dump"
        assert not restored.verify().ok, "what came later is in the store, and nobody knows of it"
        assert reindex(restored).captures == 1 and reindex(restored).captures == 0
        assert len(restored.captures(PAGES[0])) == 3 and restored.verify().ok
        assert take_in(restored, versions(tmp_path, ["Open again"], 1_790_100_000.0)).captures == 1
        assert restored.verify().ok
