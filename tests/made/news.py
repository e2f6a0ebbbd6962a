"""A catalog in which made-up pages change: captures and studies without a crawl."""

import time

from strandline.core.capture import Capture, Place
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.store.catalog import open_catalog

REASONS = (
    {"path": "html/body/main", "kind": "content", "topic": "Fees", "contribution": 3.0, "why": "2 new words (six)"},
    {"path": "html/body/nav", "kind": "content", "topic": "", "contribution": 0.1, "why": "1 links or pictures"},
)

TOLD = {
    "sentence": "The notice period rose from 30 to 90 days",
    "before": "The notice period is 30 days.",
    "after": "The notice period is 90 days.",
    "title": "Terms of use",
}


class News:
    """Records captures that are changes. Pages are http://site/N, one change each unless told otherwise."""

    def __init__(self, folder, site="news.example"):
        self.catalog = open_catalog(folder, "test")
        self.site = site
        self.number = sum(row.captures for row in self.catalog.reading.sites())

    def change(self, importance=0.9, held=False, visible=True, url="", when=None, status=200, told=None):
        """One capture more, studied; returns its address."""
        self.number += 1
        now = when or time.time()
        reasons = ({**REASONS[0], "told": told}, *REASONS[1:]) if told else REASONS
        url = url or f"http://{self.site}/{self.number}"
        place = Place("a.warc.gz", 1000 * self.number, 900)
        self.catalog.rebuild([Capture(url, now, status, "text/html", f"sha1:{self.number}", place)])
        # After a kill the capture before this one may still be to be studied, as a real study would do it.
        for one in list(self.catalog.studies.reading.pending()):
            seen = one.capture.time
            observed = Observed(one.seq, one.seq, seen - 60, seen, importance, 0.5, visible, held, 2, reasons)
            state = PageState(time=seen, seq=one.seq)
            self.catalog.studies.record([PageStudy(one.page, state, (observed,))], one.seq)
        return url

    def close(self):
        self.catalog.close()
