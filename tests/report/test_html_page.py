"""A report shows what changed before and after, inside the page; without pictures it is as it was."""

import base64
import re
from io import BytesIO

from PIL import Image
from typer.testing import CliRunner

from access.test_pictures import URL, pictured
from strandline.access.timestamps import timestamp
from strandline.archive.folder import open_archive
from strandline.cli.main import app
from strandline.keeping.takedowns import Wish, block
from strandline.report.html_page import report_html
from strandline.report.spans import ReportRequest, report
from study.test_framed_pictures import LOOKS
from warc.exchanges import START

SPAN = {"start": START - 3600.0, "end": START + 86400.0}


def _pictures(page):
    return [base64.b64decode(one) for one in re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page)]


def test_changed_pages_are_shown_before_and_after(tmp_path):
    archive, kept = pictured(tmp_path / "archive", LOOKS)
    archive.study()
    page = report_html(report(archive, ReportRequest(**SPAN, pictures=True)))
    assert [Image.open(BytesIO(one)).format for one in _pictures(page)] == ["JPEG", "JPEG"]
    assert "img-src data:" in page and page.count("<figcaption>") == 2
    assert not _pictures(report_html(report(archive, ReportRequest(**SPAN)))), "only where they are asked for"
    words = ["report", str(archive.folder), "--from", timestamp(START - 3600.0), "--to", timestamp(START + 86400.0)]
    assert len(_pictures(CliRunner().invoke(app, [*words, "--format", "html"]).output)) == 2
    block(archive, Wish(f"{timestamp(kept[0].time)}/{URL}", "somebody asked"))
    assert not _pictures(report_html(report(open_archive(archive.folder), ReportRequest(**SPAN, pictures=True))))


def test_pages_without_pictures_have_none(tmp_path):
    archive, _ = pictured(tmp_path / "archive", (("Six boats left", b""), ("Seven boats left", b"")))
    archive.study()
    found = report(archive, ReportRequest(**SPAN, pictures=True))
    assert found.events["changed"] and not found.pictures and "<img" not in report_html(found)
