"""Sites that only give parts to the pages of others are told from those that have pages."""

from contextlib import closing

from strandline.archive.folder import create
from strandline.core.capture import Kind
from strandline.ports import Found
from strandline.store.browsing import BrowsingReading
from strandline.store.catalog import DATABASE

HOME, GIVER = "http://home.example/", "http://fonts.example/a.woff2"


def test_a_giver_of_parts_is_known_with_whom_it_serves(tmp_path):
    archive = create(tmp_path / "archive")
    with archive.writing("test") as catalog:
        catalog.add([Found(HOME, Kind.PAGE, "seed", 0, 0, 0.0, 0.0)])
        home = catalog.page(HOME)
        own = f"{HOME}style.css"
        catalog.add(Found(url, Kind.REQUISITE, "requisite", home.page, 0, 0.0, 0.0) for url in (GIVER, own))
        catalog.add([Found(GIVER, Kind.REQUISITE, "requisite", home.page, 0, 0.0, 0.0)])
    with closing(BrowsingReading.open(archive.folder / DATABASE)) as reading:
        assert reading.served_sites("fonts.example") == ["home.example"]
        assert reading.served_sites("home.example") == []
        assert [host for host, _, _ in reading.spans("home.example")] == ["home.example"]
        assert not reading.gives_parts("fonts.example"), "nothing was captured yet"
