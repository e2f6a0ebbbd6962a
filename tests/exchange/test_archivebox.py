"""The data folder of ArchiveBox 0.7, as it writes it: compared with one that it made."""

import json
import sqlite3

from exchange.test_moving import made
from strandline.core.urls import canonical
from strandline.exchange.archivebox import is_archivebox, read_archivebox
from warc.test_wacz import WARC

DOM = b"<html><body><h1>As a browser had it</h1></body></html>"
RAN = "2024-03-01T12:00:05.250000+00:00"


def data_folder(folder):
    """Four pages: with a WARC file, with a damaged one, with the DOM alone, and one that only the database knows."""
    (folder / "archive").mkdir(parents=True)
    connection = sqlite3.connect(folder / "index.sqlite3")
    connection.execute("CREATE TABLE core_snapshot (id TEXT, url TEXT, timestamp TEXT, title TEXT)")
    connection.execute("INSERT INTO core_snapshot VALUES ('1', 'http://a.example/known', '1709294404', '')")
    connection.commit()
    connection.close()
    for number, name in enumerate(("warc", "damaged", "dom", "known")):
        page = folder / "archive" / str(1709294401 + number)
        page.mkdir()
        (page / "output.html").write_bytes(DOM)
        (page / "screenshot.png").write_bytes(b"\x89PNG")
        if name in ("warc", "damaged"):
            (page / "warc").mkdir()
            (page / "warc" / f"{name}.warc.gz").write_bytes(WARC if name == "warc" else WARC[:-20])
        if name != "known":
            said = {"url": f"http://a.example/{name}", "timestamp": page.name, "schema": "Link"}
            ran = [{"start_ts": RAN, "status": "succeeded", "output": "output.html"}]
            (page / "index.json").write_text(json.dumps(said | {"history": {"dom": ran, "singlefile": []}}))
    return folder


def test_warc_files_come_and_pages_where_there_is_none_with_the_time_their_extractor_ran(tmp_path):
    box = data_folder(tmp_path / "box")
    assert is_archivebox(box) and not is_archivebox(tmp_path)
    archive = made(tmp_path / "archive")
    brought = archive.bring_in(box)
    assert brought.kind == "archivebox"
    assert dict(brought.left_out) == {"screenshots": 4, "WARC or WACZ files that are not sound": 1}
    assert any("damaged.warc.gz" in finding for finding in brought.findings)
    times = {
        url: [capture.time for capture in archive.captures(f"http://a.example/{url}")] for url in ("dom", "damaged")
    }
    assert times == {"dom": [1709294405.25], "damaged": [1709294405.25]}
    assert [capture.time for capture in archive.captures("http://a.example/known")] == [1709294404.0]
    assert brought.captures > 3  # those of the WARC file, too
    again = archive.bring_in(box)
    assert again.captures == 0
    assert archive.verify().ok


def test_what_has_no_address_and_links_that_lead_out_are_left_out(tmp_path):
    box = data_folder(tmp_path / "box")
    (box / "archive" / "1709294403" / "index.json").write_text("{")
    page = box / "archive" / "1709294404" / "output.html"
    page.unlink()
    secret = tmp_path / "secret.html"
    secret.write_bytes(DOM)
    page.symlink_to(secret)
    holding = read_archivebox(box)
    urls = [version.url for version in holding.versions(holding.files)]
    assert sorted(map(canonical, urls)) == ["http://a.example/damaged", "http://a.example/warc"]
    assert holding.left_out["folders without the address of a page"] == 1
    assert holding.left_out["pages without a WARC file, SingleFile or DOM"] == 1
