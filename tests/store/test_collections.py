"""What collections hold, counted in both databases."""

from made.two_sites import SITES, VISITS, cluster, folder
from servers import postgres
from strandline.core.keeping.collections import Members
from strandline.store.catalog import DATABASE
from strandline.store.collections import CollectionReading, Holding

__all__ = ["cluster", "folder"]


def test_what_lies_in_stretches_is_counted(folder):
    assert_counted(folder)


@postgres.GROUP
def test_a_cluster_counts_the_same(cluster):
    assert_counted(cluster)


def assert_counted(folder):
    reading = CollectionReading.open(folder.folder / DATABASE)
    times = [one.time for one in folder.everything.all_captures()]
    found = reading.within(Members(["news.example", "shop.example"]).stretches)
    assert found == Holding(8, 8 * VISITS, min(times), max(times))
    assert reading.within(Members([], [f"{SITES[0]}/0"]).stretches).captures == VISITS
    assert reading.within(Members(["nowhere.example"]).stretches) == Holding()
