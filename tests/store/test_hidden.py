"""What is taken down is in no answer of a reader, whatever is asked; writers see everything."""

import random

import pytest

from made.studied import made_up
from strandline.access.timestamps import timestamp
from strandline.core.keeping.takedowns import Act
from strandline.core.urls import surt_key
from strandline.store.browsing import BrowsingReading, ChangesWanted
from strandline.store.catalog import DATABASE
from strandline.store.exporting import ExportReading
from strandline.store.reading import Span
from strandline.store.takedowns import FolderJournal


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hidden") / "archive"
    made_up(folder, pages=8, count=300)
    return folder


@pytest.fixture
def shown(folder):
    (folder / "takedowns" / "journal.jsonl").unlink(missing_ok=True)
    (folder / "takedowns" / "key").unlink(missing_ok=True)
    reading = BrowsingReading.open(folder / DATABASE)
    yield reading
    reading.close()


@pytest.fixture
def whole(folder):
    reading = BrowsingReading.open(folder / DATABASE, everything=True)
    yield reading
    reading.close()


def _captures(reading):
    return [(one.surt, one.capture.time, one.resume.seq) for one in reading.index(Span())]


def test_an_address_is_gone_at_once_and_comes_back(folder, shown, whole):
    journal, before = FolderJournal(folder), _captures(shown)
    assert before == _captures(whole)
    page = next(row for row in whole.pages() if row.captures > 3 and row.kind == "page")
    assert shown.page(page.url) is not None
    act = journal.add(Act(0, 0.0, "block", page.url, "because"))
    assert shown.page(page.url) is None
    assert shown.captures(page.url) == []
    assert _captures(shown) == [one for one in before if one[0] != surt_key(page.url)]
    assert _captures(whole) == before
    assert page.url not in {change.url for change in shown.changes()}
    assert page.url in {change.url for change in whole.changes()}
    assert shown.hidden.why(surt_key(page.url)).number == act.number
    journal.add(Act(0, 0.0, "lift", page.url, of=act.number))
    assert _captures(shown) == before


def test_every_question_leaves_out_what_is_hidden(folder, shown, whole):
    """Random targets: what is seen is what a plain filter leaves of everything."""
    rng, journal = random.Random(3), FolderJournal(folder)
    everything = _captures(whole)
    changes = list(whole.changes())
    urls = sorted({row.url for row in whole.pages()})
    numbers = {row.url: row.page for row in whole.pages()}
    for _ in range(12):
        url = rng.choice(urls)
        seen = [one for one in everything if one[0] == surt_key(url)]
        target = rng.choice([url, url[: rng.randrange(20, len(url) + 1)] + "*", "capture"])
        if target == "capture":
            target = f"{timestamp(rng.choice(seen)[1])}/{url}" if seen else url
        journal.add(Act(0, 0.0, "block", target, "because"))
        hidden = shown.hidden
        gone = {one[2] for one in everything if hidden.hides(one[0]) or hidden.why(one[0], one[1])}
        assert _captures(shown) == [one for one in everything if one[2] not in gone]
        single = {one[2] for one in everything if not hidden.hides(one[0]) and one[2] in gone}
        left = [
            one.change
            for one in changes
            if one.by_seq not in single and one.after_seq not in single and not hidden.hides(surt_key(one.url))
        ]
        assert [one.change for one in shown.changes()] == left
        assert {one.url for one in shown.latest_changes(ChangesWanted(), 50)[0]} <= {
            one.url for one in changes if one.change in left
        }
        for other in urls:
            if hidden.hides(surt_key(other)):
                assert shown.page(other) is None
                assert other not in {seen.url for seen in shown.sightings()}
            if hidden.why_some(surt_key(other)):
                assert shown.lives(numbers[other]) == []
        with_seq = [one.seq for one in ExportReading.open(folder / DATABASE).recorded(0, 10**9)]
        assert not set(with_seq) & gone


def test_a_domain_is_not_even_named(folder, shown):
    site = next(shown.sites()).name
    FolderJournal(folder).add(Act(0, 0.0, "block", f"*.{site}", "because"))
    assert site not in {row.name for row in shown.sites()}
    assert shown.site_row(site) is None
