"""What takes room in a cluster: the same captures as in the folder it was moved from."""

import time

from made.two_sites import cluster, folder
from servers import postgres
from strandline.archive.storage import StoredSums, storage

pytestmark = postgres.GROUP
__all__ = ["cluster", "folder"]


def test_bytes_by_site_kind_and_year_are_those_of_the_folder(folder, cluster):
    now = time.time()
    here, there = storage(folder, now), storage(cluster, now)
    for what in ("site", "kind", "year"):
        assert sorted(here.by(what)) == sorted(there.by(what))
    captured = sum(octets for _, _, octets in there.by("site"))
    assert there.files["warc"] >= captured > 0 and there.files["catalog"] > 1_000_000
    assert (there.forecast.free, there.forecast.days, there.forecast.soon) == (None, None, False)
    assert there.forecast.a_day == here.forecast.a_day > 0
    assert storage(cluster, now, StoredSums()).by("site") == there.by("site")
    assert there.as_json()["forecast"]["free"] is None
