"""Captures read back for the learning side, and where sites keep their clocks."""

import gzip
import io

import pytest

from strandline.archive.site_clocks import site_clock
from strandline.core.capture import Capture, Place
from strandline.core.mining.learned import SiteClock
from strandline.errors import ArchiveDamaged, SettingError
from strandline.learn.first_sights import first_sight, last_modified
from strandline.ports import Record
from strandline.settings.schema import LearnSettings

PAGE = b"""<!doctype html><html class=x lang="pt-BR"><head><title>t</title></head><body><h1>Tides</h1><h2>Today</h2>
<p>High water at noon.</p><a href="/a">one</a> <a href="mailto:x@example.org">write</a>
<img src="/p.png"></body></html>"""
PLACE = Place("a.warc.gz", 0, 1)
CAPTURE = Capture("https://example.org/", 1e9, 200, "text/html", "sha1:x", PLACE)


class Records:
    def __init__(self, head, body=PAGE):
        self.head, self.body = head, body

    def read(self, place):
        if self.body is None:
            raise ArchiveDamaged("a.warc.gz at 0: the file is missing")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + self.head + b"\r\n"
        return Record(place, "response", {}, head, io.BytesIO(self.body))


def test_a_page_is_counted_as_a_reader_sees_it():
    summary, language = first_sight(Records(b"Last-Modified: Mon, 05 Jan 2026 08:00:00 GMT\r\n"), CAPTURE)
    assert language == "pt-BR"
    assert (summary.links, summary.headings, summary.images, summary.emails) == (2, 2, 1, 1)
    assert summary.text_bytes > 20
    assert summary.last_modified is True


def test_codings_are_undone_and_the_header_may_name_the_language():
    plain = PAGE.replace(b' lang="pt-BR"', b"")
    packed = Records(b"Content-Encoding: gzip\r\nContent-Language: fr, en\r\n", gzip.compress(plain))
    summary, language = first_sight(packed, CAPTURE)
    assert (summary.links, summary.last_modified, language) == (2, False, "fr")


def test_what_cannot_be_read_is_nothing():
    assert first_sight(Records(b"", None), CAPTURE) is None
    assert last_modified(Records(b"", None), CAPTURE) is None


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (b"Thu, 01 Jan 1970 01:00:00 GMT", 3600.0),
        (b"Thu, 01 Jan 1970 01:00:00 -0000", 3600.0),
        (b"yesterday", None),
        (b"Thu, 99 Jan 1970 01:00:00 GMT", None),
        (b"", None),
    ],
)
def test_last_modified_is_a_time_or_nothing(value, time):
    assert last_modified(Records(b"Last-Modified: " + value + b"\r\n"), CAPTURE) == time


def test_a_site_keeps_its_own_clock_before_the_archives_before_the_guess():
    assert site_clock("example.fr", LearnSettings(), None).zone == "Europe/Paris"
    everywhere = LearnSettings(zone="Asia/Tokyo", country="jp", sites=("example.org America/Lima PE", "b.org UTC"))
    assert site_clock("example.fr", everywhere, "fr") == SiteClock("Asia/Tokyo", "JP", "setting learn.zone")
    assert site_clock("example.org", everywhere, None) == SiteClock("America/Lima", "PE", "setting learn.sites")
    assert site_clock("b.org", everywhere, None).country is None
    assert site_clock("example.fr", LearnSettings(country="none"), None).country is None


@pytest.mark.parametrize(
    "wrong", [{"zone": "Paris"}, {"country": "France"}, {"sites": ("a.org",)}, {"sites": ("a.org Nowhere/Land",)}]
)
def test_a_wrong_clock_names_its_setting(wrong):
    with pytest.raises(SettingError, match=r"learn\."):
        site_clock("a.org", LearnSettings(**wrong), None)
