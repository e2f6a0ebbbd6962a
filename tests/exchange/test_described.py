"""A collection leaves one archive in a WACZ and comes into another: with all that was said of it."""

import gzip
import json
import zipfile

import pytest

from strandline.errors import UsageError
from strandline.exchange.described import NAME, take_over
from strandline.exchange.intake import intake_of
from strandline.keeping.takedowns import Wish, block
from strandline.python_archive import create_folder, open_folder
from strandline.warc.wacz_import import document_in
from web.archives import Builder

A, B, OTHER = "http://site.test/a.html", "http://site.test/b.html", "http://other.test/"


@pytest.fixture
def archive(tmp_path):
    made = Builder(tmp_path / "made")
    for hour in range(2):
        for url in (A, B, OTHER):
            made.add(url, f"<p>{url} at {hour}</p>", when=f"2026-03-01T1{hour}:00:00Z")
    archive = open_folder(made.archive().folder)
    archive.collection_add("votes", title="Votes", subject=["elections", "towns"], rights="CC BY 4.0", weight=3)
    archive.collection_assign("votes", "site.test")
    archive.collection_add("rest")
    archive.tag(A, "of interest")
    archive.note(A, "<b>why</b>\nso", archive.captures(A)[1].time, "A. Keeper")
    archive.note(B, "hidden")
    archive.note(OTHER, "elsewhere")
    return archive


def test_a_collection_moves_with_all_that_was_said(archive, tmp_path):
    block(archive, Wish(B, "Request 1"))
    assert archive.save(tmp_path / "votes.wacz", collection="votes") == 2
    with zipfile.ZipFile(tmp_path / "votes.wacz") as zipped:
        package = json.loads(zipped.read("datapackage.json"))
        told = json.loads(zipped.read(NAME))
    assert (package["title"], package["keywords"]) == ("Votes", ["elections", "towns"])
    assert package["dublin_core"]["rights"] == "CC BY 4.0"
    assert [one["name"] for one in told["collections"]] == ["votes"] and "weight" not in told["collections"][0]
    assert {one["text"] for one in told["annotations"]} == {"of interest", "<b>why</b>\nso"}
    archive.save(tmp_path / "votes.warc.gz", collection="votes")
    info = _first_record(tmp_path / "votes.warc.gz")
    assert "title: Votes\r\n" in info and info.count("subject: ") == 2 and "rights: CC BY 4.0\r\n" in info

    other = create_folder(tmp_path / "other")
    other.collection_add("votes", title="Ours")
    other.collection_assign("votes", "ours.test")
    brought = other.bring_in(tmp_path / "votes.wacz")
    assert brought.captures == 2 and "collections: votes" in brought.findings
    (merged,) = other.collection_list()
    assert (merged.settings.title, merged.settings.rights) == ("Ours", "CC BY 4.0")
    assert (merged.settings.sites, merged.settings.weight) == (("ours.test", "site.test"), 1.0)
    assert sorted(other.annotations(), key=lambda one: one.key) == sorted(
        archive.annotations(A), key=lambda one: one.key
    )
    again = other.bring_in(tmp_path / "votes.wacz")
    assert again.captures == 0 and len(other.annotations()) == 2 and len(other.collection_list()) == 1


def test_everything_of_an_archive_and_of_a_site(archive, tmp_path):
    archive.save(tmp_path / "all.wacz")
    told = json.loads(document_in(tmp_path / "all.wacz", NAME))
    assert [one["name"] for one in told["collections"]] == ["votes", "rest"] and len(told["annotations"]) == 4
    archive.save(tmp_path / "site.wacz", "other.test")
    told = json.loads(document_in(tmp_path / "site.wacz", NAME))
    assert told["collections"] == [] and [one["text"] for one in told["annotations"]] == ["elsewhere"]
    with pytest.raises(UsageError, match="no collection 'x'"):
        archive.save(tmp_path / "x.wacz", collection="x")
    assert not (tmp_path / "x.wacz").exists()


def test_what_is_none_is_left_out_and_told(tmp_path):
    archive = create_folder(tmp_path / "a")
    assert "cannot be read" in take_over(intake_of(archive).__enter__(), b"[]")[0]
    assert "cannot be read" in take_over(intake_of(archive).__enter__(), b"\xff{")[0]
    wrong = {
        "format": "strandline-collections-1",
        "collections": [{"name": "Big Name"}, {}, 7, {"name": "fine", "state": "aside", "budget": "9/day"}],
        "annotations": [{"key": "1"}, "x", {"key": "0" * 16, "kind": "tag", "url": "ftp://x/", "text": "t"}],
    }
    findings = take_over(intake_of(archive).__enter__(), json.dumps(wrong).encode())
    assert sum("was left out" in one for one in findings) == 6
    (fine,) = archive.collection_list()
    assert (fine.name, fine.settings.state, fine.settings.budget) == ("fine", "active", "")
    assert archive.annotations() == []


def _first_record(file):
    with gzip.open(file) as stream:
        return stream.read(4000).decode("utf-8", "replace").partition("WARC-Type: response")[0]
