"""The archive of made/secrets.py as a cluster of its own, on PostgreSQL and S3; and every copy of its texts."""

from contextlib import closing

from made.secrets import found_in, secretive, unpacked, unzstd
from servers import object_stores, postgres
from strandline.cluster.archive import ClusterArchive
from strandline.cluster.migrating import to_cluster
from strandline.cluster.shared import open_cluster
from strandline.cluster.studying import study_rest
from strandline.store.postgres.session import Session
from strandline.warc.objects import Objects


def shared(folder, studied=True):
    """A cluster (to be closed), its captures with texts of their own, and those that were the same as before."""
    secrets, same = secretive(folder, studied=False, compacted=False)
    database = postgres.running().database()
    to_cluster(folder, database, f"{object_stores.running().bucket()}/web", lambda _: None)
    cluster = open_cluster(database)
    if studied:
        assert study_rest(cluster, 0, lambda: False)
    return ClusterArchive(cluster), secrets, same


def remains_shared(archive, texts):
    """Where any of these texts is still found: in objects, as they are and unpacked, and in columns of all tables."""
    objects, haystack = Objects(archive.cluster.store), []
    for name, _ in objects.names(""):
        data = objects.get(name)
        haystack += [(name, data), (f"{name} unpacked", unpacked(data) if ".gz" in name else b"")]
    with closing(Session(archive.cluster.database)) as session:
        haystack += session.run(_columns)
    return found_in(haystack, texts)


def _columns(connection):
    query = """SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables
        USING (table_schema, table_name)
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
            AND data_type IN ('text', 'bytea', 'tsvector')"""
    found = []
    for table, column in connection.execute(query).fetchall():
        for (value,) in connection.execute(f"SELECT {column} FROM {table}").fetchall():
            if isinstance(value, bytes):
                found.append((f"table {table}", value + unzstd(value)))
            else:
                found.append((f"table {table}", str(value).encode("utf-8", "surrogatepass")))
    return found
