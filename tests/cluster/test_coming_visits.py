"""What `next` prints of a cluster is what the desks of its sites then plan, on random archives."""

import contextlib
import tempfile
from dataclasses import replace

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from made.random_history import HOSTS, HOUR, stories, tell
from plan.test_coming_visits import NO_SHRINKING, showings
from servers import postgres
from strandline.cluster.archive import ClusterArchive
from strandline.cluster.shared import init_cluster
from strandline.cluster.site_leases import Office, plan_due_sites
from strandline.crawl.browse_learned import BROWSING, written
from strandline.plan.explaining import why
from strandline.plan.hour_note import KIND, HourNote
from strandline.plan.planning import Planning
from strandline.ports import PLANNED
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.file import with_overrides
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.desks import PlanReading
from strandline.store.postgres.session import Session

pytestmark = postgres.GROUP


def made_cluster(story, folder, own="", shown=None):
    database = postgres.running().database()
    given = ["archive.contact=https://a.example/", "politeness.delay=0", f"plan.budget={story.budget}"]
    given += [f'capture.browser_sites=["{HOSTS[0]} always"]'] if shown else []

    def chosen(known):
        collection = CollectionSettings("c", sites=(HOSTS[0], HOSTS[2]), objective=own)
        return replace(with_overrides(known, given), collection=(collection,))

    cluster = init_cluster(database, f"file://{folder}", chosen)
    with contextlib.closing(PostgresCatalog(database)) as catalog:
        tell(story, catalog)
        if shown and shown.looks:
            catalog.note(BROWSING, [(HOSTS[0], written(shown.known))])
    return cluster


@settings(max_examples=9, deadline=None, suppress_health_check=list(HealthCheck), phases=NO_SHRINKING)
@given(stories(), st.sampled_from(["", "pool", "page", "count"]), showings())
def test_what_is_told_is_what_desks_plan(story, own, shown):
    with tempfile.TemporaryDirectory() as folder:
        cluster = made_cluster(story, folder, own, shown)
        with (
            contextlib.closing(ClusterArchive(cluster)) as archive,
            contextlib.closing(Session(cluster.database)) as session,
        ):
            planning = Planning(archive, story.now)
            expected = planning.next()
            reasons = {visit.url: why(planning, visit.url).answers["now"] for visit in expected[:2]}
            with contextlib.closing(PostgresCatalog(cluster.database)) as catalog:
                catalog.begin_watch(HOUR, story.now)
                office = Office.of(session, cluster.settings, story.now, HOUR)
                while plan_due_sites(office, catalog.worker, story.now):
                    pass
            reading = PlanReading(session)
            notes = [HourNote.read(reading.note(KIND, site)) for site, _, _ in reading.desks()]
            kept = {visit.url: visit for note in notes for visit in note.visits}
            with psycopg.connect(cluster.database) as connection:
                dues = dict(connection.execute("SELECT url, due FROM pages WHERE due < %s", (PLANNED,)).fetchall())
            planned = [visit for visit in expected if visit.url in kept]
            if shown:
                cost = 1.0 + shown.parts - shown.dearer
                assert all(visit.cost == pytest.approx(cost) for visit in planned if HOSTS[0] in visit.url)
            assert {visit.url for visit in planned} == set(kept)
            for visit in planned:
                assert (visit.reason, visit.due) == (kept[visit.url].reason, kept[visit.url].due)
                assert dues[visit.url] == visit.due, "when workers fetch it"
                assert reasons.get(visit.url, visit.reason) == visit.reason
            again = Planning(archive, story.now)
            assert {visit.url for visit in again.next()} >= set(kept), "the plan of a watch that runs is told as it is"
