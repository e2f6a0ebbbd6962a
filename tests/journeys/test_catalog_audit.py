"""`verify` compares the catalog with the WARC files: rows that were deleted or changed, and pages of it overwritten."""

import contextlib
import json
import shutil
import sqlite3

from journeys.command import LOOPBACK, strandline
from journeys.test_dead_links import site  # noqa: F401 - a fixture

CHANGES = (
    "DELETE FROM captures WHERE seq = {seq}",
    "UPDATE captures SET time = time + 3600 WHERE seq = {seq}",
    "UPDATE captures SET mime = 'image/png' WHERE seq = {seq}",
    "UPDATE captures SET status = 500 WHERE seq = {seq}",
)


ALSO = ("redirect = 'https://a.example/'", "revisit = 1 - revisit", "record_id = 'other'", "truncated = 'length'")
"""Columns of which the files have a second copy, too."""


def test_what_the_catalog_says_is_held_against_the_files(site, tmp_path):  # noqa: F811
    folder = tmp_path / "archive"
    address = f"http://127.0.0.1:{site.server_port}/"
    assert strandline("crawl", folder, "--seeds", address, *LOOPBACK, "--delay", "0").code == 0
    sound = json.loads(strandline("verify", folder, "--json").out)
    assert sound["ok"] and sound["captures"] > 40
    database = folder / "strandline.db"
    shutil.copy(database, tmp_path / "sound.db")
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as rows:
        for number in range(17):
            rows.execute(CHANGES[number % 4].format(seq=2 * number + 1))
    found = strandline("verify", folder, "--json")
    told = json.loads(found.out)
    assert found.code == 6 and len(told["problems"]) == 17
    assert all("reindex" in one["problem"] for one in told["problems"])
    assert strandline("reindex", folder).code == 0
    assert json.loads(strandline("verify", folder, "--json").out)["ok"]

    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as rows:
        for number, change in enumerate(ALSO):
            rows.execute(f"UPDATE captures SET {change} WHERE seq = {3 * number + 1}")
    assert len(json.loads(strandline("verify", folder, "--json").out)["problems"]) == len(ALSO)

    data = bytearray((tmp_path / "sound.db").read_bytes())
    for damage in ((4096, 8192), (100, 4000), (5 * 4096, 9 * 4096)):
        for left in folder.glob("strandline.db-*"):
            left.unlink()
        database.write_bytes(data[: damage[0]] + b"\x5a" * (damage[1] - damage[0]) + data[damage[1] :])
        found = strandline("verify", folder)
        assert found.code == 6 and "unexpected" not in found.err and "reindex" in found.out + found.err, damage
