"""What an exchange means for its page: capture, evidence, next time."""

import pytest

from crawl.scripted import SITE, START, HandClock, answer, silence, task
from strandline.core.capture import Evidence, Original, Outcome, Request
from strandline.crawl.visits import Timing, Visits, redirect_target
from strandline.ports import Batch
from strandline.store.catalog import open_catalog
from strandline.warc.info import WarcInfo
from strandline.warc.writer import WarcWriter

NOW = START + 60
TIMING = Timing(pass_start=START, now=NOW, revisit=0.0, retries=3)
BODY = b"<p>" + b"long enough to be shared " * 20


@pytest.fixture
def visits(tmp_path):
    catalog = open_catalog(tmp_path, "test")
    store = WarcWriter(tmp_path, WarcInfo("test"), HandClock())
    desk = Visits(store, catalog)
    desk.catalog = catalog
    yield desk
    store.close()
    catalog.close()


def request(path="/", **changes):
    return Request(f"{SITE}{path}", 1, **changes)


@pytest.mark.parametrize(
    ("status", "evidence", "again"),
    [
        (200, Evidence.PRESENT, False),
        (203, Evidence.PRESENT, False),
        (301, Evidence.PRESENT, False),
        (404, Evidence.ABSENT, False),
        (410, Evidence.ABSENT, False),
        (401, Evidence.UNREACHABLE, False),
        (403, Evidence.UNREACHABLE, False),
        (429, Evidence.UNREACHABLE, True),
        (500, Evidence.UNREACHABLE, True),
        (503, Evidence.UNREACHABLE, True),
    ],
)
def test_answers(visits, status, evidence, again):
    visited = visits.conclude(task(), answer(request(), b"x", status), TIMING)
    assert (visited.evidence, visited.attempts) == (evidence, int(again))
    assert visited.capture is not None and visited.capture.status == status
    assert (visited.due <= START) is again, "what failed is due again in this pass, the rest is done with it"
    assert (visited.not_before > NOW) is again


@pytest.mark.parametrize(
    ("outcome", "again"),
    [
        (Outcome.CONNECT, True),
        (Outcome.TIMEOUT, True),
        (Outcome.SHORT, True),
        (Outcome.BAD_ADDRESS, False),
        (Outcome.BAD_URL, False),
    ],
)
def test_a_failed_fetch_is_never_a_deletion(visits, outcome, again):
    visited = visits.conclude(task(), silence(request(), outcome), TIMING)
    assert (visited.evidence, visited.capture, visited.attempts) == (Evidence.UNREACHABLE, None, int(again))
    assert visited.detail == "nobody there"


def test_a_truncated_answer_is_kept_and_marked(visits):
    cut = answer(request(), BODY, outcome=Outcome.TRUNCATED, truncated="length")
    visited = visits.conclude(task(), cut, TIMING)
    assert (visited.evidence, visited.capture.truncated) == (Evidence.PRESENT, "length")


def test_not_modified_without_an_original_is_asked_again(visits):
    visited = visits.conclude(task(), answer(request(etag='"1"'), b"", 304), TIMING)
    assert (visited.capture, visited.evidence, visited.attempts) == (None, Evidence.UNREACHABLE, 1)


def test_not_modified_with_an_original_is_a_revisit(visits):
    held = Original(f"{SITE}/", START, "sha1:A", "<urn:uuid:1>")
    visited = visits.conclude(task(original=held), answer(request(etag='"1"'), b"", 304), TIMING)
    assert (visited.capture.revisit, visited.capture.original, visited.evidence) == (True, held, Evidence.PRESENT)
    assert visited.conditional


def test_the_same_body_is_kept_once(visits):
    first = visits.conclude(task(), answer(request(), BODY), TIMING).capture
    held = Original(first.url, first.time, first.digest, first.record_id)
    again = visits.conclude(task(original=held, entity=first.entity), answer(request(), BODY), TIMING).capture
    other = visits.conclude(task(original=held, entity=first.entity), answer(request(), BODY + b"!"), TIMING).capture
    assert (first.revisit, again.revisit, other.revisit) == (False, True, False)
    assert again.digest == first.digest and again.original == held


def test_the_same_body_under_another_address_refers_to_the_first(visits):
    visited = visits.conclude(task(page=0, url=f"{SITE}/a"), answer(request("/a"), BODY), TIMING)
    visits.catalog.commit(Batch(visited=[visited]))
    copy = visits.conclude(task(url=f"{SITE}/b"), answer(request("/b"), BODY), TIMING).capture
    assert copy.revisit and copy.original.url == f"{SITE}/a"
    small = visits.conclude(task(url=f"{SITE}/c"), answer(request("/c"), BODY[:100]), TIMING).capture
    assert not small.revisit


def test_only_whole_good_answers_are_compared(visits):
    held = Original(f"{SITE}/", START, "sha1:A")
    entity = visits._store.entity(answer(request(), BODY))
    for changes in ({"status": 404}, {"outcome": Outcome.TRUNCATED, "truncated": "time"}):
        visited = visits.conclude(task(original=held, entity=entity), answer(request(), BODY, **changes), TIMING)
        assert not visited.capture.revisit


def test_after_some_failures_the_page_waits_for_the_next_pass(visits):
    due = []
    for attempts in range(4):
        visited = visits.conclude(task(attempts=attempts), answer(request(), b"", 500), TIMING)
        due.append(visited.due <= START)
    assert due == [True, True, True, False], "one try and three more"


def test_failures_are_spaced_further_and_further(visits):
    waits = [
        visits.conclude(task(attempts=n), silence(request()), Timing(START, NOW, 0.0, 9)).not_before - NOW
        for n in range(5)
    ]
    assert waits == sorted(waits) and waits[0] > 0 and waits[-1] >= 100 * waits[0]


def test_retry_after_is_heeded(visits):
    busy = answer(request(), b"", 503, b"Retry-After: 1234\r\n")
    assert visits.conclude(task(), busy, TIMING).not_before == pytest.approx(NOW + 1234)


def test_validators_are_remembered(visits):
    headers = b'ETag: "7"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n'
    visited = visits.conclude(task(), answer(request(), BODY, headers=headers), TIMING)
    assert (visited.etag, visited.last_modified) == ('"7"', "Thu, 01 Jan 2026 00:00:00 GMT")
    assert not visited.conditional


def test_chunks_cut_elsewhere_make_no_other_entity(visits):
    chunked = b"Transfer-Encoding: chunked\r\n"
    one = answer(request(), b"5\r\nabcde\r\n0\r\n\r\n", headers=chunked)
    two = answer(request(), b"2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n", headers=chunked)
    three = answer(request(), b"abcde")
    assert len({visits._store.entity(exchange) for exchange in (one, two, three)}) == 1


@pytest.mark.parametrize(
    ("status", "location", "target"),
    [
        (302, b"/b?x=1#top", f"{SITE}/b?x=1"),
        (301, "/é".encode(), f"{SITE}/%C3%A9"),
        (302, b"mailto:a@b", ""),
        (302, b"", f"{SITE}/a"),
        (200, b"/b", ""),
        (304, b"/b", ""),
    ],
)
def test_redirect_targets(status, location, target):
    moved = answer(request("/a"), b"", status, b"Location: %b\r\n" % location)
    assert redirect_target(moved) == target
