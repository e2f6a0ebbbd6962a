"""Seeds given anywhere are kept, and none twice."""

from dataclasses import replace

from strandline.archive.folder import create
from strandline.archive.given_seeds import given_seeds, keep_given, known_seeds
from strandline.settings.schema import Settings

ONE, TWO, THREE = (f"https://{name}.example/" for name in ("one", "two", "three"))


def test_what_commands_were_given_joins_the_settings(tmp_path):
    archive = create(tmp_path / "archive")
    named = replace(Settings(), scope=replace(Settings().scope, seeds=(ONE,)))
    with archive.writing("test") as catalog:
        assert known_seeds(named, catalog.reading) == (ONE,)
        for seeds in ((TWO,), (THREE, TWO), (ONE,)):
            keep_given(catalog, seeds)
        assert given_seeds(catalog.reading) == (TWO, THREE, ONE)
        assert known_seeds(named, catalog.reading) == (ONE, TWO, THREE)
        assert known_seeds(Settings(), catalog.reading) == (), "no crawl has begun anywhere"
