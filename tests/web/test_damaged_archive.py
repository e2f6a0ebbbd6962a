"""Captures that are known and cannot be shown: the answer says so, and the others are still served."""

import pytest

from web.archives import Builder, served

STAMP = "20260301120000"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "archive"


def _archive(folder):
    made = Builder(folder)
    for number in range(3):
        made.add(f"http://site.test/{number}", f"<p>page {number}</p>" * 200)
    return made.holdings()


def _told(server, number):
    status, headers, body = server.get(f"/web/{STAMP}id_/http://site.test/{number}")
    return status, headers.get("x-archive-lost", ""), body


def test_a_flipped_bit_is_told_and_neighbours_are_served(folder):
    holdings = _archive(folder)
    place = next(holdings.index.captures("test,site)/1")).place
    path = folder / place.file
    data = bytearray(path.read_bytes())
    data[place.offset + place.length // 2] ^= 0x10
    path.write_bytes(data)
    with served(holdings) as server:
        status, lost, body = _told(server, 1)
        assert status == 404 and place.file in lost and b"cannot be read" in body
        assert _told(server, 0)[0] == _told(server, 2)[0] == 200
        assert "strandline_lost_total 1" in server.get("/metrics", origin="interface")[2].decode()
        assert server.get("/api/v1/parts?url=site.test/1", origin="interface")[0] == 404


def test_a_cut_record_is_told(folder):
    holdings = _archive(folder)
    place = next(holdings.index.captures("test,site)/2")).place
    path = folder / place.file
    path.write_bytes(path.read_bytes()[: place.offset + place.length - 9])
    with served(holdings) as server:
        assert _told(server, 2)[0] == 404
        assert _told(server, 1)[0] == 200


def test_a_missing_file_is_told(folder):
    holdings = _archive(folder)
    (folder / "made.warc.gz").rename(folder / "elsewhere")
    with served(holdings) as server:
        status, lost, body = _told(server, 0)
        assert status == 404 and "missing" in lost and b"made.warc.gz" in body


def test_large_bodies_are_streamed_and_whole(folder):
    made = Builder(folder)
    large = bytes(range(256)) * (70 * 4096)
    made.add("http://site.test/large", large, "application/octet-stream")
    with served(made.holdings()) as server:
        status, headers, body = server.get(f"/web/{STAMP}im_/http://site.test/large")
        assert (status, int(headers["content-length"]), body == large) == (200, len(large), True)
