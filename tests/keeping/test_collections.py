"""Collections: made, described, filled, put aside, renamed and removed, in a folder and in a cluster."""

import time

import pytest

from made.two_sites import VISITS, cluster, folder
from servers import postgres
from strandline.app.opening import place_of
from strandline.archive.known_collections import members_of
from strandline.errors import SettingError, UsageError
from strandline.keeping.collections import (
    add_collection,
    all_collections,
    assign,
    collection_at,
    describe_collection,
    move_collection,
    remove_collection,
    rename_collection,
    unassign,
)
from strandline.keeping.takedowns import Wish, block, lift
from strandline.python_archive import create_folder
from strandline.settings.file import NAME

__all__ = ["cluster", "folder"]


def assert_all_of_it(archive):
    place = place_of(archive)
    add_collection(place, "press", {"title": "The press", "subject": "news; papers", "weight": "2"})
    made = assign(place, "press", ["news.example", "http://www.shop.example/1", "http://shop.example/2*"])
    assert (made.sites, made.pages) == (("news.example",), ("http://www.shop.example/1", "http://shop.example/2*"))
    found = collection_at(archive, place.settings(), "press")
    assert (found.holding.addresses, found.holding.captures) == (6, 6 * VISITS)
    block(archive, Wish("http://news.example/*", "Request 1"))
    try:
        end = time.monotonic() + 60.0
        while collection_at(archive, place.settings(), "press").holding.addresses != 2:  # a cluster's readers look
            assert time.monotonic() < end  # at the journal each second
            time.sleep(0.05)
    finally:
        lift(archive, "http://news.example/*")
    describe_collection(
        place, "press", {"rights": "CC BY 4.0", "title": "", "hours": "22:00-06:00", "objective": "page"}
    )
    move_collection(place, "press", "aside")
    rename_collection(place, "press", "press-2026")
    unassign(place, "press-2026", ["news.example"])
    (one,) = all_collections(archive, place.settings())
    told = one.as_json()
    assert (told["collection"], told["state"], told["sites"]) == ("press-2026", "aside", [])
    assert told["description"] == {"subject": ("news", "papers"), "rights": "CC BY 4.0"}
    assert told["settings"] == {"weight": 2.0, "objective": "page", "hours": ("22:00-06:00",)}
    assert members_of(place.settings(), "press-2026").has("https://shop.example/1")
    remove_collection(place, "press-2026")
    assert all_collections(archive, place.settings()) == []


def test_a_folder_keeps_them_in_its_settings(folder):
    assert_all_of_it(folder)
    assert "[[collection]]" not in "\n".join(
        line for line in (folder.folder / NAME).read_text().splitlines() if not line.startswith("#")
    )


@postgres.GROUP
def test_a_cluster_keeps_the_same(cluster):
    assert_all_of_it(cluster)


def test_what_cannot_be_is_told(tmp_path):
    archive = create_folder(tmp_path / "a")
    place = place_of(archive)
    archive.collection_add("a")
    for act, said in (
        (lambda: archive.collection_add("a"), "already"),
        (lambda: archive.collection_add("A b"), "no name of a collection"),
        (lambda: archive.collection_rename("a", "a"), "already"),
        (lambda: archive.collection_rename("a", "Ö"), "no name of a collection"),
        (lambda: archive.collection_describe("a"), "say what to describe"),
        (lambda: archive.collection_describe("a", state="aside"), "cannot be said"),
        (lambda: archive.collection_assign("a"), "name sites"),
        (lambda: archive.collection_assign("a", "http://*x"), r"http://\*x"),
        (lambda: archive.collection_unassign("a", "b.example"), "does not belong"),
        (lambda: archive.collection_aside("b"), "no collection 'b'"),
        (lambda: members_of(place.settings(), "b"), "there are a"),
        (lambda: members_of(create_folder(tmp_path / "b").settings, "b"), "none yet"),
    ):
        with pytest.raises(UsageError, match=said):
            act()
    with pytest.raises(SettingError, match="collection a: budget"):
        archive.collection_describe("a", budget="many")
    with pytest.raises(SettingError, match="collection a: title"):
        archive.collection_describe("a", title="x" * 5000)
    assert [one.name for one in archive.collection_list()] == ["a"]
