"""pywb, the usual replay system, reads our folder: pages, redirects and revisits, byte for byte."""

import urllib.error
import urllib.request

from made.secrets import secretive
from strandline.access.payload import read_payload
from strandline.access.timestamps import timestamp
from strandline.archive.folder import open_archive
from strandline.archive.holdings import holdings
from strandline.keeping.erasing import erase
from strandline.keeping.takedowns import Wish
from strandline.warc.cdxj import CdxjIndex
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, START, StillClock, chunked, exchange, original_of, text
from warc.pywb_env import pywb_on

CHUNKED = b"Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n"


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


def raw(address, stamp, url):
    """Status and body of the unmodified memento."""
    opener = urllib.request.build_opener(NoRedirects)
    try:
        with opener.open(f"{address}/{stamp}id_/{url}", timeout=300) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_pywb_replays_our_archive(tmp_path):
    for name in ("archive", "indexes"):
        (tmp_path / name).mkdir()
    index = CdxjIndex(tmp_path / "indexes", tmp_path / "archive")
    settings = WriterSettings(host="h", rotate_bytes=30_000)
    w = WarcWriter(tmp_path / "archive", ABOUT, StillClock(), settings, listing=index)
    bodies = {f"http://example.org/{i}": text(i, 20_000) for i in range(6)}
    first = {}
    for url, body in bodies.items():
        first[url] = w.keep(exchange(url, body))
        w.sync()
    pieces = w.keep(exchange("http://example.org/chunked", chunked(b"in pieces " * 9), headers=CHUNKED))
    w.sync()
    day = 86400
    for url, body in bodies.items():
        w.keep(exchange(url, body, started=START + day), original_of(first[url]))
        w.keep(exchange(url, b"", 304, started=START + 2 * day, headers=b""), original_of(first[url]))
    again = exchange("http://example.org/chunked", chunked(b"in pieces " * 9, 5), headers=CHUNKED, started=START + day)
    assert w.keep(again, original_of(pieces)).revisit
    other = w.keep(
        exchange("http://example.org/copy", bodies["http://example.org/0"]), original_of(first["http://example.org/0"])
    )
    assert other.revisit
    w.keep(exchange("http://example.org/moved", b"", 302, headers=b"Location: /0\r\n"))
    w.keep(exchange("http://example.org/gone", b"no such page", 404))
    w.close()
    index.refresh()
    assert len(list((tmp_path / "archive").iterdir())) > 1
    with pywb_on(tmp_path) as address:
        for url, body in bodies.items():
            for stamp in ("20260528202640", "20260529202640", "20260530202640"):
                assert raw(address, stamp, url) == (200, body), (url, stamp)
        for stamp in ("20260528202640", "20260529202640"):
            assert raw(address, stamp, "http://example.org/chunked") == (200, b"in pieces " * 9)
        assert raw(address, "20260528202640", "http://example.org/copy") == (200, bodies["http://example.org/0"])
        assert raw(address, "20260528202640", "http://example.org/moved")[0] == 302
        assert raw(address, "20260528202640", "http://example.org/gone") == (404, b"no such page")


def test_pywb_reads_what_is_left_after_an_erasure(tmp_path):
    folder = tmp_path / "archive"
    secrets, _ = secretive(folder, studied=False)
    archive = open_archive(folder)
    urls = sorted({one.url for one in secrets})
    erase(archive, [Wish(url, "because") for url in urls[:3]])
    held = holdings(archive)
    tried = 0
    with pywb_on(folder) as address:
        for capture in archive.everything.all_captures():
            if not (folder / "archive" / capture.place.file).exists() or capture.revisit:
                continue  # compacted: other tools need an export
            status, body = raw(address, timestamp(capture.time), capture.url)
            assert (status, body) == (200, read_payload(held, capture).decoded())
            tried += 1
        assert raw(address, timestamp(secrets[0].time), urls[0])[0] == 404
    assert tried > 10
