"""The cascade of study, step by step, over a reader in memory that counts what is read."""

from dataclasses import replace

import pytest

from strandline.core.blocks.tree import BlockTree
from strandline.core.capture import Capture, Kind, Place
from strandline.core.changes.delta.pictures import ANOTHER
from strandline.core.changes.noise.site_noise import SiteNoise
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.observation import PageState, Sighted
from strandline.dom import html
from strandline.study.documents import Document, UnreadableError
from strandline.study.page_study import OPAQUE, PageWork, StudyRules, needs_reading, study_page

URL = "https://library.example/rules"
FEES = "A library card costs four euro a month for adults who live in the town and nothing for children."
RULES = "Readers keep their voices down, leave coats at the door and return every book to its own shelf."
NEW = "Complaints about a decision of the library go to an arbitrator appointed each year by the council."


def page(*paragraphs, hidden="", clock="10:00"):
    text = "".join(f"<section><h2>Part {n}</h2><p>{p}</p></section>" for n, p in enumerate(paragraphs))
    return f"<!-- {hidden} --><main>{text}</main><footer><p>It is {clock} now</p></footer>".encode()


def twenty_words(number):
    return " ".join(f"{chr(97 + number)}ord{chr(97 + place)}" for place in range(20))


class Shelf:
    """Implements PageReader over captures made here."""

    def __init__(self):
        self.bodies = {}
        self.pictures = {}
        self.reads = 0
        self.cuts = 0

    def capture(self, seq, body, status=200, mime="text/html", kind=Kind.PAGE, **more):
        content = body if isinstance(body, bytes) else body.encode()
        self.bodies[seq] = (content, mime)
        place = Place("a.warc.gz", seq, 1)
        found = Capture(URL, 1000.0 * seq, status, mime, more.pop("digest", f"sha1:{hash(content)}"), place, **more)
        return Sighted(seq, 1, kind, found)

    def read(self, capture):
        self.reads += 1
        if capture.place.offset not in self.bodies:
            raise UnreadableError("lost")
        body, mime = self.bodies[capture.place.offset]
        return Document(body, mime, "utf-8", text=mime == "text/html", picture=self.pictures.get(body, 0))

    def visible_hash(self, document):
        return html.visible_hash(document.data, charset=document.charset)

    def told_beside(self, old, new):
        return html.told_beside(old.data, new.data, charsets=(old.charset, new.charset))

    def blocks(self, document, url, how) -> BlockTree:
        self.cuts += 1
        return html.blocks(document.data, charset=document.charset, url=url, level=how.level, scale=how.scale)

    def metadata(self, document, tree):
        return {"title": tree.title, "bytes": len(document.data)}


@pytest.fixture
def shelf():
    return Shelf()


def study(shelf, *captures, state=None, base=None, rules=StudyRules(), number=1, **more):  # noqa: B008
    return study_page(PageWork(number, URL, state, base, captures, **more), shelf, rules)


def test_first_sight_is_a_version_and_no_change(shelf):
    done = study(shelf, shelf.capture(1, page(FEES)))
    assert not done.changes
    (version,) = done.versions
    assert version.indexed
    assert FEES in "".join(block.text for block in version.blocks)
    assert (done.state.base, done.state.seq, done.state.seen) == (1, 1, 1000.0)


def test_unchanged_answers_are_not_read(shelf):
    first = shelf.capture(1, page(FEES))
    known = study(shelf, first).state
    shelf.reads = shelf.cuts = 0
    same = shelf.capture(2, page(FEES))
    not_modified = shelf.capture(3, b"", status=304)
    error = shelf.capture(4, b"oops", status=503)
    cut = shelf.capture(5, page(FEES)[:60], truncated="length")
    work = PageWork(1, URL, known, first.capture, (same, not_modified, error, cut))
    assert not needs_reading(work)
    done = study_page(work, shelf, StudyRules())
    assert (shelf.reads, shelf.cuts) == (0, 0)
    assert not done.changes
    assert done.state.seen == 3000.0, "an error and half an answer say nothing about the page"
    assert NoiseState.from_bytes(done.state.noise).comparisons == 2


def test_bytes_that_nobody_sees_are_no_visible_change(shelf):
    done = study(shelf, shelf.capture(1, page(FEES)), shelf.capture(2, page(FEES, hidden="token 81")))
    (change,) = done.changes
    assert (change.visible, change.importance, change.after, change.by) == (False, 0.0, 1000.0, 2000.0)
    assert shelf.cuts == 1, "the second was not cut into blocks"
    assert len(done.versions) == 1


def test_a_change_is_scored_with_reasons_and_becomes_the_version_to_compare_with(shelf):
    first, second = shelf.capture(1, page(FEES)), shelf.capture(2, page(FEES, NEW))
    done = study(shelf, first, second)
    (change,) = done.changes
    assert change.importance > 0.1
    assert 0 < change.impch <= 1
    assert "arbitrator" in change.blocks[0]["why"] or "appeared" in change.blocks[0]["why"]
    assert change.operations >= 1
    assert done.state.base == 2
    assert [version.seq for version in done.versions] == [1, 2]


def test_captures_are_studied_in_time_order_and_in_rounds_alike(shelf):
    captures = [shelf.capture(n, page(FEES, *([NEW] if n > 2 else []), clock=f"10:{n:02}")) for n in range(1, 6)]
    at_once = study(shelf, *reversed(captures))
    state, base, changes = None, None, []
    for one in captures:
        done = study(shelf, one, state=state, base=base)
        state, changes = done.state, changes + list(done.changes)
        base = captures[state.base - 1].capture
    assert changes == list(at_once.changes)
    assert state == at_once.state


def test_noise_that_always_changes_sinks_and_news_does_not(shelf):
    captures = [shelf.capture(n, page(FEES, RULES, clock=f"10:{n:02}")) for n in range(1, 21)]
    captures.append(shelf.capture(21, page(FEES, RULES, NEW, clock="11:30")))
    changes = study(shelf, *captures).changes
    assert changes[-2].importance < 0.002
    assert changes[-1].importance > 100 * changes[-2].importance


def collapse():
    many = [f"{RULES} Number {n} of many words about {word} and nothing else." for n, word in enumerate(FEES.split())]
    return page(*many), page("We will be back soon.")


def test_a_collapse_is_held_and_dropped_when_the_page_is_back(shelf):
    whole, broken = collapse()
    first = shelf.capture(1, whole)
    done = study(shelf, first, shelf.capture(2, broken))
    (held,) = done.changes
    assert held.held
    assert held.importance < 0.1
    assert done.again == 2000.0 + 600.0
    assert done.state.base == 1, "the version before stays the one to compare with"
    back = study(shelf, shelf.capture(3, whole), state=done.state, base=first.capture)
    assert not back.changes
    assert not back.again


@pytest.mark.parametrize("status", [200, 304])
def test_a_collapse_that_stays_is_believed(shelf, status):
    whole, broken = collapse()
    first, second = shelf.capture(1, whole), shelf.capture(2, broken)
    done = study(shelf, first, second)
    third = shelf.capture(3, broken, status=status)  # 304 is about the answer that was held
    work = PageWork(1, URL, done.state, first.capture, (third,))
    assert needs_reading(work)
    believed = study_page(work, shelf, StudyRules())
    (change,) = believed.changes
    assert not change.held
    assert change.importance > 5 * done.changes[0].importance
    assert (change.after, change.by) == (1000.0, 3000.0)
    assert believed.state.base == 3


def test_a_page_that_is_gone_is_held_then_believed_and_may_come_back(shelf):
    first = shelf.capture(1, page(FEES, RULES))
    gone = [shelf.capture(n, b"none", status=404) for n in (2, 3, 4)]
    done = study(shelf, first, *gone)
    assert [(change.held, change.by) for change in done.changes] == [(True, 2000.0), (False, 3000.0)]
    assert done.changes[1].importance > 10 * done.changes[0].importance
    assert done.state.absent == 2
    back = study(shelf, shelf.capture(5, page(FEES, RULES)), state=done.state, base=first.capture)
    assert [change.visible for change in back.changes] == [True]
    assert back.state.absent == 0


def test_a_page_that_comes_back_in_other_bytes_is_back(shelf):
    first, back = (shelf.capture(n, page(FEES, RULES, hidden=f"token {n}")) for n in (1, 4))
    done = study(shelf, first, *(shelf.capture(n, b"none", status=410) for n in (2, 3)), back)
    assert [change.visible for change in done.changes] == [True, True, True]
    assert "is back" in done.changes[-1].blocks[0]["why"]
    assert done.state.absent == 0


def test_a_page_whose_last_version_is_lost_can_be_gone(shelf):
    state = study(shelf, first := shelf.capture(1, page(FEES))).state
    del shelf.bodies[1]
    done = study(shelf, *(shelf.capture(n, b"", status=404) for n in (2, 3)), state=state, base=first.capture)
    assert [(change.held, change.importance > 0) for change in done.changes] == [(True, True), (False, True)]
    assert done.state.absent == 2
    assert done.problems


def test_markup_that_shows_the_same_is_cut_once(shelf):
    bodies = [page(FEES), *(page(FEES.replace("a", "&#97;"), hidden=f"token {n}") for n in (1, 2, 3))]
    done = study(shelf, *(shelf.capture(n, body) for n, body in enumerate(bodies, 1)))
    assert [change.visible for change in done.changes] == [False] * 3
    assert shelf.cuts == 2


def test_what_has_no_text_is_compared_by_digest(shelf):
    captures = [shelf.capture(n, body, mime="application/pdf") for n, body in enumerate((b"%a", b"%a", b"%b"), 1)]
    done = study(shelf, *captures)
    assert [(change.by, change.importance) for change in done.changes] == [(3000.0, OPAQUE)]
    assert not done.versions
    style = [shelf.capture(n, body, mime="text/css", kind=Kind.REQUISITE) for n, body in enumerate((b"a", b"b"), 1)]
    assert [(change.visible, change.importance) for change in study(shelf, *style).changes] == [(False, 0.0)]


def test_pictures_are_compared_by_what_they_show(shelf):
    shelf.pictures = {b"cat": 0xFF00FF00, b"cat again": 0xFF00FF01, b"dog": 0x0F0F0F0F << 20}
    captures = [
        shelf.capture(seq, body, mime="image/png") for seq, body in enumerate([b"cat", b"cat again", b"dog"], 1)
    ]
    again, other = study(shelf, *captures).changes
    assert (again.visible, again.importance) == (False, 0.0)
    assert (other.visible, other.importance, other.blocks[0]["told"]) == (True, OPAQUE, {"sentence": ANOTHER})


def test_a_picture_inside_a_page_tells_and_weighs_nothing_by_itself(shelf):
    shelf.pictures = {b"cat": 0xFF00FF00, b"dog": 0x0F0F0F0F << 20}
    captures = [
        shelf.capture(seq, body, mime="image/png", kind=Kind.REQUISITE) for seq, body in ((1, b"cat"), (2, b"dog"))
    ]
    (change,) = study(shelf, *captures).changes
    assert (change.visible, change.importance) == (True, 0.0)


def test_a_picture_known_by_its_digest_is_looked_at_when_there_is_another(shelf):
    first = shelf.capture(1, b"cat", mime="image/png")
    known = study(shelf, first).state
    assert known.visible == 0
    shelf.pictures = {b"cat": 0xFF00FF00, b"cat again": 0xFF00FF01}
    done = study(shelf, shelf.capture(2, b"cat again", mime="image/png"), state=known, base=first.capture)
    assert [change.visible for change in done.changes] == [False]


def test_a_picture_that_becomes_a_page_is_another_type(shelf):
    shelf.pictures = {b"cat": 0xFF00FF00}
    done = study(shelf, shelf.capture(1, b"cat", mime="image/png"), shelf.capture(2, page(FEES)))
    assert done.changes[0].blocks[0]["why"] == "other type"
    assert not done.problems


def test_another_redirect_is_a_change(shelf):
    captures = [
        shelf.capture(n, b"", status=302, redirect=f"https://library.example/{to}") for n, to in enumerate("aab", 1)
    ]
    done = study(shelf, *captures)
    assert [change.by for change in done.changes] == [3000.0]
    assert shelf.reads == 0


def test_ratings_overrule_what_was_learned(shelf):
    captures = [shelf.capture(1, page(FEES, clock="10:00")), shelf.capture(2, page(FEES, NEW, clock="10:01"))]
    plain = study(shelf, *captures).changes[0]
    paths = {block["path"] for block in plain.blocks}
    ignored = study(shelf, *captures, ratings=dict.fromkeys(paths, "noise")).changes[0]
    assert ignored.importance == 0.0
    assert study(shelf, *captures, ratings=dict.fromkeys(paths, "matters")).changes[0].importance > plain.importance


def test_a_second_fetch_masks_what_always_differs(shelf):
    site = SiteNoise()
    rules = StudyRules(double_fetch=10.0, site_noise=lambda _: site)

    def verse(number):
        return page(FEES, clock=twenty_words(number))

    for number in (1, 2):  # of two pages of a site
        first, changed = shelf.capture(1, verse(1)), shelf.capture(2, verse(2))
        done = study(shelf, first, changed, rules=rules, number=number)
        assert done.again == 2010.0, "twenty new words may be news, or noise"
        second = shelf.capture(3, verse(3))
        second = replace(second, capture=replace(second.capture, time=2012.0))
        later = shelf.capture(4, verse(4))
        after = study(shelf, second, later, state=done.state, base=changed.capture, rules=rules, number=number)
        assert [change.by for change in after.changes] == [4000.0], "the second fetch itself is no change"
        assert after.changes[0].importance == 0.0
    other = study(shelf, shelf.capture(1, verse(1)), shelf.capture(2, verse(2)), rules=rules, number=3)
    assert other.changes[0].importance == 0.0, "what two pages showed holds for a third"
    assert not other.again


def test_a_second_fetch_that_shows_the_same_makes_news_of_what_changes_at_every_look(shelf):
    site = SiteNoise()
    rules = StudyRules(double_fetch=10.0, site_noise=lambda _: site)

    def news(number):
        return page(FEES, twenty_words(number))

    for number in (1, 2):
        first, changed = shelf.capture(1, news(1)), shelf.capture(2, news(2))
        done = study(shelf, first, changed, rules=rules, number=number)
        assert done.again == 2010.0
        second = shelf.capture(3, news(2))
        second = replace(second, capture=replace(second.capture, time=2012.0))
        study(shelf, second, state=done.state, base=changed.capture, rules=rules, number=number)
    hours = [shelf.capture(hour, news(hour)) for hour in range(1, 13)]
    worth = [change.importance for change in study(shelf, *hours, rules=rules, number=3).changes]
    assert len(worth) == 11
    assert worth[-1] > 0.1, "the headline of every hour stays news"


def test_what_cannot_be_read_is_noted_and_the_rest_is_studied(shelf):
    first, lost, third = (shelf.capture(n, page(FEES, *[NEW] * (n > 1), clock=f"1:{n}")) for n in (1, 2, 3))
    del shelf.bodies[2]
    done = study(shelf, first, lost, third)
    assert done.problems == ((2, "lost"),)
    assert [change.by for change in done.changes] == [3000.0]
    skipped = study(shelf, first, third, skip=frozenset({3}))
    assert [seq for seq, _ in skipped.problems] == [3]
    assert not skipped.changes


def test_a_lost_base_makes_the_next_capture_a_first_sight_that_says_so(shelf):
    state = study(shelf, shelf.capture(1, page(FEES))).state
    done = study(shelf, shelf.capture(2, page(NEW)), state=state, base=None)
    assert len(done.versions) == 1
    assert done.problems


def test_small_changes_wait_for_the_search_index(shelf):
    bodies = [page(FEES, RULES, clock="10:00"), page(FEES, RULES, NEW, clock="10:00")]
    bodies += [page(FEES, RULES, NEW, clock=f"10:{n:02}") for n in (1, 2)]
    done = study(shelf, *(shelf.capture(n, body) for n, body in enumerate(bodies, 1)))
    assert [version.indexed for version in done.versions] == [True, True, False, False]
    assert done.state.passed_over > 0


def test_a_page_never_seen_needs_reading_only_when_there_is_something_to_read(shelf):
    assert needs_reading(PageWork(1, URL, None, None, (shelf.capture(1, page(FEES)),)))
    assert not needs_reading(PageWork(1, URL, None, None, (shelf.capture(1, b"", status=404),)))
    assert not needs_reading(PageWork(1, URL, PageState(), None, (shelf.capture(1, b"", status=500),)))
