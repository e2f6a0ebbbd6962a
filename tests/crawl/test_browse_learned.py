"""Looks in both ways teach where a browser pays, and outlive the crawl."""

from dataclasses import replace

from crawl.scripted import SITE, task
from strandline.core.shown import DOCUMENT, TEXT, Shown, View
from strandline.crawl.browse_learned import LearnedBrowsing, explained, read_looks, written
from strandline.crawl.browse_sites import SiteBrowsing
from strandline.crawl.browsing import LookNotes
from strandline.dom.documents import Documents

SHELL = b'<div id="root"></div><script src="/app.js"></script>'
ARTICLE = b"<p>" + b"plain words of an article " * 30 + b"</p><script src=/menu.js></script>"
MADE = b"<p>all of these words were brought by a script that ran in a browser</p>"


def showing(document, text):
    return Shown(1, 0.0, "settled", (View(DOCUMENT, "text/html", document), View(TEXT, "text/plain", text)))


class Notes(dict):
    def __init__(self):
        super().__init__()
        self.notes = LookNotes(lambda kind, key: self.get((kind, key)), self.write)

    def write(self, kind, values):
        self.update({(kind, key): value for key, value in values})


def browsing(notes, lot=0.9):
    return LearnedBrowsing(notes.notes, Documents(), lambda: lot)


def test_a_shell_is_shown_and_what_was_shown_stands_for_it():
    learned = browsing(Notes())
    page = task(f"{SITE}/app/1")
    assert not learned.may_show(page)
    assert learned.decide(page, SHELL).show
    assert learned.saw(page, SHELL, showing(MADE, b"all of these words were brought by a script")).stands
    assert learned.may_show(page)


def test_a_page_that_a_browser_adds_nothing_to_stays_what_it_answered():
    learned = browsing(Notes())
    page = task(f"{SITE}/news/1")
    assert learned.decide(page, ARTICLE).show  # one of the first of its directory
    assert not learned.saw(page, ARTICLE, showing(ARTICLE, b"plain words of an article " * 30)).stands
    assert not learned.may_show(page)
    assert not learned.decide(page, ARTICLE).show


def test_a_browser_that_was_lost_teaches_nothing():
    learned = browsing(Notes())
    page = task(f"{SITE}/app/1")
    learned.decide(page, SHELL)
    lost = learned.saw(page, SHELL, Shown(1, 0.0, "crashed", failed=True))
    assert not lost.stands
    assert not learned.looks(page.url).pages
    assert not learned.looks(page.url).trying


def test_what_was_learned_outlives_the_crawl():
    notes = Notes()
    first = browsing(notes)
    pages = [task(f"{SITE}/news/{n}") for n in range(3)]
    for page in pages:
        first.decide(page, ARTICLE)
        first.saw(page, ARTICLE, showing(ARTICLE, b"plain words of an article " * 30))
    first.save()
    second = browsing(notes)
    found = second.decide(task(f"{SITE}/news/9"), ARTICLE)
    assert not found.show
    assert "0 of 3 looks" in found.why
    assert "0 of 3 looks" in explained(second.looks(SITE), f"{SITE}/news/9", ARTICLE).why


def test_notes_that_cannot_be_read_are_as_none():
    for value in (None, b"", b"nonsense", b"[1]", b'{"other": 1}'):
        assert read_looks(value).seen == 0
    looks = read_looks(None)
    looks.seen = 7
    assert read_looks(written(looks)).seen == 7


def test_what_it_took_to_show_pages_is_kept_also_where_they_are_always_shown():
    notes = Notes()
    learned = browsing(notes)
    always = SiteBrowsing(object(), "always", {}, learned)
    for _ in range(5):
        always.saw(task(f"{SITE}/app/1"), SHELL, replace(showing(MADE, b"made"), asked=8))
    always.saw(task(f"{SITE}/app/1"), SHELL, Shown(1, 0.0, "crashed", failed=True, asked=50))
    (kept,) = notes.values()
    assert read_looks(kept).parts == [5.0, 40.0]
