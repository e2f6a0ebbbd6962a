"""Lists narrowed to a collection and to a tag, in both databases alike."""

from made.two_sites import cluster, folder
from servers import postgres
from strandline.app.opening import place_of
from strandline.archive.known_collections import narrowed
from strandline.keeping.annotations import AnnotationWish, remove_annotation, tag
from strandline.keeping.collections import add_collection, assign, remove_collection
from strandline.store.alarming import AlarmReading
from strandline.store.browsing import BrowsingReading, ChangesWanted
from strandline.store.catalog import DATABASE
from strandline.store.narrowing import Narrow
from strandline.store.studies import Wanted

__all__ = ["cluster", "folder"]


def assert_all_of_it(archive):
    place, reading = place_of(archive), BrowsingReading.open(archive.folder / DATABASE)
    every = list(archive.studies.changes())
    add_collection(place, "press")
    assign(place, "press", ["news.example"])
    add_collection(place, "none")
    settings = place.settings()
    press, nothing = narrowed(settings, "press"), narrowed(settings, "none")
    page = next(one for one in every if one.url.endswith("shop.example/0"))
    news = next(one for one in every if one.url == "http://news.example/0")
    made = [
        tag(archive, AnnotationWish(page.url, "of shops")),
        tag(archive, AnnotationWish(news.url, "of note", news.by)),
    ]
    try:
        wanted = [one for one in every if one.site == "news.example"]
        assert wanted and len(wanted) < len(every)
        assert list(archive.studies.changes(narrow=press)) == wanted
        assert list(archive.studies.changes(narrow=nothing)) == []
        assert list(archive.studies.changes(narrow=narrowed(settings, tag="of note"))) == [news]
        assert {one.url for one in archive.studies.changes(narrow=narrowed(settings, tag=" of  shops"))} == {page.url}
        assert list(archive.studies.changes(narrow=narrowed(settings, "press", "of shops"))) == []
        assert reading.latest_changes(ChangesWanted(narrow=press), 2)[0] == wanted[::-1][:2]
        assert reading.latest_changes(ChangesWanted(narrow=narrowed(settings, tag="of note")), 9)[0] == [news]
        alarms = AlarmReading.open(archive.folder / DATABASE)
        assert {one.site for one in alarms.newest_changes("", "", 0.0, 50, press)} == {"news.example"}
        lives = list(archive.studies.search(Wanted("paper", narrow=press)))
        assert lives and {one.url.partition("example")[0] for one in lives} == {"http://news."}
        assert not list(archive.studies.search(Wanted("paper", narrow=nothing)))
        of_tag = archive.studies.search(Wanted("paper", narrow=narrowed(settings, tag="of note")))
        assert {one.url for one in of_tag} == {news.url}
        assert {one.url for one in reading.found_pages("/0", 0, 9, press)[0]} == {news.url}
        many = Narrow(tuple((f"a{n:05}", f"a{n:05}b") for n in range(5000)))
        assert list(archive.studies.changes(narrow=many)) == []
    finally:
        for one in made:
            remove_annotation(archive, one.key)
        for name in ("press", "none"):
            remove_collection(place, name)


def test_lists_of_a_folder(folder):
    assert_all_of_it(folder)


@postgres.GROUP
def test_lists_of_a_cluster(cluster):
    assert_all_of_it(cluster)
