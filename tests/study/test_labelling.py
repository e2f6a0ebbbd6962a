"""Labels of blocks: given, found, taken back, kept through a reindex; what versions say of themselves."""

import json

import pytest

import strandline
from journeys.command import here
from strandline.errors import UsageError
from strandline.store.lock import WriteLock

URL = "https://library.example/rules"
PAGE = """<html lang="en"><head><title>Rules</title><meta name="author" content="The librarian">
<meta name="date" content="2026-01-0{n}"></head><body><nav><ul><li><a href="/">Home of the readers</a></li></ul></nav>
<main><h1>Rules</h1><p>A library card costs {n} euro a month, and nothing for children under fourteen.</p></main>
<footer><p>Imprint of the library and its keepers.</p></footer></body></html>"""


@pytest.fixture
def archive(tmp_path):
    rows = [{"url": URL, "time": 1.76e9 + 86_400 * n, "html": PAGE.format(n=n)} for n in (1, 2, 3)]
    (tmp_path / "versions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    made = strandline.create(tmp_path / "archive", contact="https://library.example/bot")
    made.bring_in(tmp_path / "versions.jsonl")
    return made


def fees_block(archive):
    return next(life.path for life in archive.studies.block_history(URL) if "card" in life.text)


def found(archive, **wanted):
    return {(life.text.split()[0], life.labels) for life in archive.search(**wanted)}


def test_blocks_are_found_by_what_they_are(archive):
    assert found(archive, label="footer") == {("Imprint", ("footer",))}
    assert found(archive, words="library", label="footer") == {("Imprint", ("footer",))}
    assert not found(archive, words="euro", label="footer")
    assert not found(archive, label="fees")


def test_a_label_is_given_found_and_taken_back(archive):
    path = fees_block(archive)
    archive.label(URL, path, "  Fees and  prices ")
    assert {labels[0] for _, labels in found(archive, label="fees")} == {"Fees and prices"}
    indexed = len(list(archive.search("euro")))
    assert len(list(archive.search(label="prices"))) == indexed > 1
    archive.label(URL, path, "costs")
    assert not found(archive, label="fees")
    assert len(list(archive.search("euro", label="costs"))) == indexed
    archive.label(URL, path, "")
    assert not found(archive, label="costs")
    assert len(list(archive.search("euro"))) == indexed


def test_new_versions_of_a_block_have_its_label(archive, tmp_path):
    archive.label(URL, fees_block(archive), "fees")
    news = "Whoever loses a ticket pays for another at the desk, before Tuesday noon, with coins, stamps or old books, "
    news += "unless storms, floods, strikes or dragons kept every ferry, train and carriage away from our green island."
    longer = PAGE.format(n=9).replace("</p></main>", f" {news}</p></main>")
    row = {"url": URL, "time": 1.77e9, "html": longer}
    (tmp_path / "more.jsonl").write_text(json.dumps(row))
    archive.bring_in(tmp_path / "more.jsonl")
    assert "costs 9 euro" in " ".join(life.text for life in archive.search(label="fees"))
    indexed = len(list(archive.search("euro")))
    archive.relearn(URL)
    assert len(list(archive.search("euro", label="fees"))) == len(list(archive.search("euro"))) == indexed
    archive.reindex()
    again = strandline.open(archive.folder)
    again.study()
    assert len(list(again.search("euro", label="fees"))) == indexed


def test_a_label_is_given_while_another_process_writes(archive):
    path = fees_block(archive)
    with WriteLock(archive.folder, "watch"):
        archive.label(URL, path, "fees")
    assert found(archive, label="fees")


@pytest.mark.parametrize(
    ("block", "name", "part"),
    [("html/nowhere", "x", "no block"), ("", "...", "letters or digits"), ("", "x" * 81, "at most 80")],
)
def test_what_is_no_label_is_refused(archive, block, name, part):
    with pytest.raises(UsageError, match=part):
        archive.label(URL, block or fees_block(archive), name)


def test_versions_say_what_they_are(archive):
    versions = list(archive.versions(URL))
    assert [version.metadata["published"] for version in versions] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    last = versions[-1].metadata
    assert (last["title"], last["author"], last["language"]) == ("Rules", "The librarian", "en")
    assert (
        last["bytes"] == len(PAGE.format(n=3)) and last["blocks"] == len(versions[-1].blocks) and last["letters"] > 50
    )


def test_sites_and_pages_are_listed(archive):
    assert [(site.name, site.pages) for site in archive.sites()] == [("library.example", 1)]
    assert [row.url for row in archive.pages("library.example")] == [URL] == [row.url for row in archive.pages()]
    with pytest.raises(UsageError, match="no site"):
        archive.pages("other.example")


def test_the_commands_say_the_same(archive):
    path = fees_block(archive)
    assert here("label", archive.folder, URL, "fees", "--block", path).stdout.startswith("fees: ")
    (row,) = map(json.loads, here("label", archive.folder, "--json").stdout.splitlines())
    assert (row["url"], row["block"], row["label"]) == (URL, path, "fees")
    rows = [*map(json.loads, here("search", archive.folder, "", "--label", "fees", "--json").stdout.splitlines())]
    assert len(rows) > 1 and rows[0]["labels"][0] == "fees" and rows[0]["path"] == path
    versions = [*map(json.loads, here("versions", archive.folder, URL, "--json").stdout.splitlines())]
    assert versions[1]["metadata"]["author"] == "The librarian"
    assert "The librarian · en · published 2026-01-02" in here("versions", archive.folder, URL).stdout
