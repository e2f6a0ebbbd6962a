"""A bag is what the validator of libraries takes for one, holds what was wanted, and is whole or not there at all."""

import hashlib
import json
import zipfile

import pytest

from exchange.test_moving import made, page_versions
from strandline.errors import UsageError
from strandline.exchange import deposit as depositing

bagit = pytest.importorskip("bagit")  # requirements/dev.txt


@pytest.fixture
def archive(tmp_path):
    archive = made(tmp_path / "archive")
    archive.bring_in(page_versions(tmp_path))
    said = {
        "title": "A town's sites",
        "creator": "Ö. Keeper",
        "subject": ["towns", "votes"],
        "publisher": "Town library",
        "rights": "CC0",
    }
    archive.collection_add("town", description="What it shows", **said)
    archive.collection_assign("town", "http://a.example/1*")
    return archive


def test_a_collection_as_a_bag_with_its_description(archive, tmp_path):
    bag = tmp_path / "deposit"
    assert archive.deposit(bag, collection="town") == 1
    found = bagit.Bag(str(bag))
    found.validate()
    assert found.info["Source-Organization"] == "Town library"
    assert found.info["External-Identifier"] == "A town's sites"
    assert found.info["External-Description"] == "What it shows"
    assert sorted(found.payload_files()) == ["data/ro-crate-metadata.json", "data/town.wacz"]
    crate = {one["@id"]: one for one in json.loads((bag / "data/ro-crate-metadata.json").read_text())["@graph"]}
    assert crate["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    assert crate["./"]["creator"] == "Ö. Keeper" and crate["./"]["license"] == "CC0"
    assert crate["./"]["keywords"] == "towns; votes"
    wacz = bag / "data" / "town.wacz"
    assert crate["town.wacz"]["sha256"] == hashlib.sha256(wacz.read_bytes()).hexdigest()
    with zipfile.ZipFile(wacz) as zipped:
        assert zipped.testzip() is None


def test_a_byte_that_changes_is_noticed(archive, tmp_path):
    assert archive.deposit(tmp_path / "all") == 3
    wacz = tmp_path / "all" / "data" / "archive.wacz"
    changed = bytearray(wacz.read_bytes())
    changed[100] ^= 1
    wacz.write_bytes(changed)
    with pytest.raises(bagit.BagValidationError):
        bagit.Bag(str(tmp_path / "all")).validate()


def test_nothing_is_left_of_one_that_failed_and_nothing_is_overwritten(archive, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="no collection 'x'"):
        archive.deposit(tmp_path / "bag", collection="x")
    with monkeypatch.context() as patch:
        patch.setattr(depositing, "_close_bag", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            archive.deposit(tmp_path / "bag")
    assert not list(tmp_path.glob("bag*"))
    (tmp_path / "bag").mkdir()
    with pytest.raises(UsageError, match="exists already"):
        archive.deposit(tmp_path / "bag")
    with pytest.raises(UsageError, match="no folder"):
        archive.deposit(tmp_path / "none" / "bag")
