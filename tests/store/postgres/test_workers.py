"""Who is missed, and when: workers that are heard of less often because their leases last longer are not."""

import contextlib

import psycopg
import pytest

from contracts.stores import found
from servers import postgres
from store.postgres.test_catalog import SHORT, database, workers
from strandline.ports import Batch
from strandline.store.postgres import heartbeat, session
from strandline.store.postgres.frontier import LeaseTerms, SharedFrontier
from strandline.store.postgres.troubles import SILENT
from strandline.store.postgres.workers import bury

pytestmark = postgres.GROUP
__all__ = ["database", "workers"]


def test_workers_with_long_leases_are_not_buried_by_those_with_short_ones(workers, database):
    """They are heard of less often: how long one may be silent is its own affair."""
    patient, hasty = workers(lease=600.0), workers(lease=SHORT)
    patient._heartbeat.stop()
    with psycopg.connect(database, autocommit=True) as connection, contextlib.closing(session.Session(database)) as own:
        for silent, ended in ((1000.0, []), (1300.0, [patient.worker])):
            gone = "clock_timestamp() - %s * interval '1 second'"
            connection.execute(f"UPDATE workers SET seen = {gone} WHERE worker = %s", (silent, patient.worker))
            assert bury(own, 2 * SHORT) == ended
    hasty.commit(Batch(found=[found("http://a.example/")]))


@pytest.mark.parametrize(("lease", "every"), [(60.0, 15.0), (3600.0, 30.0)])
def test_a_worker_is_heard_of_before_it_is_missed_however_long_its_lease(monkeypatch, lease, every):
    beats = []
    monkeypatch.setattr(heartbeat, "_Pulse", lambda _url, seconds, *_: beats.append(seconds))
    heartbeat.Heartbeat("", SharedFrontier(1, LeaseTerms(lease), 0.0))
    assert beats == [every] and 4 * every < SILENT
