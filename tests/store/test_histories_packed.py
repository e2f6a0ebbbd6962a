"""A catalog that kept a row for each layout, block, version and appearance is packed when it is brought up to date."""

import json
import sqlite3

import numpy as np

from strandline.core.changes.versions import packed
from strandline.store import addresses, sqlite
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.studies import StudyReading, Wanted

URL = "https://library.example/rules"


def old_catalog(folder):
    """A catalog of the format before, with two versions of a page."""
    connection = sqlite3.connect(folder / DATABASE, isolation_level=None)
    for number, script in sqlite.steps()[:9]:
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")
    connection.execute(f"PRAGMA application_id = {sqlite.APPLICATION}")
    connection.execute(
        "INSERT INTO hosts (host, authority, site, turn) VALUES (1, 'library.example', 'library.example', 1)"
    )
    connection.execute(
        """INSERT INTO pages (page, key, url, host, kind, via, hops, state, priority, due, evidence, visited, surt)
           VALUES (7, ?, ?, 1, 'page', 'seed', 0, 0, 0, 1, 'present', 1, 'example,library)/rules')""",
        (addresses.key(URL), URL),
    )
    connection.execute("INSERT INTO page_states VALUES (7, 2, 60, x'', 2, 'd', 5, 300.0, 0, 0, 0.5, 1, 0, 300.0, 2)")
    layout = [2, 60, [["html/body/main", 0, "main", ""], ["html/body/footer", 0, "footer", "footer"]]]
    connection.execute("INSERT INTO layouts VALUES (3, x'01', ?)", (packed(json.dumps(layout).encode()),))
    contents = [
        json.dumps([len(text), 0, text.split(".")[0], [["text", text, ""]]]).encode()
        for text in ("Fees. A card costs four euro", "Imprint", "Fees. A card costs five euro")
    ]
    for number, (content, base, indexed) in enumerate(zip(contents, (None, None, 1), (1, 1, 0), strict=True), 1):
        frame = packed(content, contents[0] if base else b"")
        values = (number, bytes([number]), "topic", "", indexed, base, frame)
        connection.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    for seq, time, blocks, indexed in ((1, 100.0, [1, 2], 1), (2, 200.0, [3, 2], 0)):
        connection.execute(
            "INSERT INTO versions (page, seq, time, layout, blocks, indexed) VALUES (7, ?, ?, 3, ?, ?)",
            (seq, time, np.array(blocks, "<u4").tobytes(), indexed),
        )
    connection.execute("INSERT INTO appearances VALUES (7, 1, 100.0, 150.0, 200.0)")
    connection.execute("INSERT INTO appearances VALUES (7, 2, 100.0, NULL, NULL)")
    connection.execute("INSERT INTO appearances VALUES (7, 3, 200.0, NULL, NULL)")
    connection.close()


def test_rows_become_histories(tmp_path):
    old_catalog(tmp_path)
    open_catalog(tmp_path).close()
    reading = StudyReading.open(tmp_path / DATABASE)
    lives = [(life.text, life.first, life.last, life.gone, life.labels) for life in reading.block_history(URL)]
    assert lives == [
        ("Fees. A card costs four euro", 100.0, 150.0, 200.0, ("main",)),
        ("Imprint", 100.0, 300.0, None, ("footer",)),
        ("Fees. A card costs five euro", 200.0, 300.0, None, ("main",)),
    ]
    assert reading.version(URL, 199.0)[1].text == "Fees. A card costs four euro\n\nImprint"
    assert reading.version(URL, 250.0)[1].scale == 60
    assert [life.first for life in reading.search(Wanted("card"))] == [100.0], "the second was not to be found"
    counts = reading.counts()
    assert (counts.versions, counts.indexed, counts.blocks, counts.indexed_blocks) == (2, 1, 3, 2)
    tables = {name for (name,) in reading._rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert not tables & {"blocks", "layouts", "versions", "appearances"}
    reading.close()
