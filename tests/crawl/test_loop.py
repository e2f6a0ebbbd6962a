"""The crawl with a real catalog, real WARC files and a web made of a dictionary."""

import dataclasses
import itertools

import pytest

from crawl.scripted import SITE, START, Recording, Workshop, answer, page, redirect, silence
from strandline.core.capture import Evidence, Outcome
from strandline.crawl import loop
from strandline.crawl.orders import Limits
from strandline.crawl.parts import Parts
from strandline.errors import ArchiveDamaged, OutOfSpace

ROBOTS = f"{SITE}/robots.txt"


def chain(length, pad=0):
    """Pages that each name the next."""
    letters = [f"/{chr(97 + n)}" for n in range(length)]
    pages = {f"{SITE}{here}": page(after, pad=pad) for here, after in itertools.pairwise(letters)}
    return {f"{SITE}/": page(letters[0], pad=pad), f"{SITE}{letters[-1]}": page(pad=pad), **pages}


def test_a_whole_site_is_captured(tmp_path):
    shop = Workshop(tmp_path, {f"{SITE}/": page("/a", "/b", "/gone"), f"{SITE}/a": page("/b"), f"{SITE}/b": page()})
    tally = shop.run()
    assert shop.captured == [ROBOTS, f"{SITE}/", f"{SITE}/a", f"{SITE}/b", f"{SITE}/gone"]
    assert (tally.ended, tally.captured, tally.waiting) == ("complete", 5, 0)
    assert tally.statuses == {200: 3, 404: 1}
    assert shop.rows[f"{SITE}/gone"].evidence is Evidence.ABSENT
    assert shop.rows[f"{SITE}/b"].evidence is Evidence.PRESENT


def test_a_capture_is_reported_only_after_sync_and_commit(tmp_path):
    shop = Workshop(tmp_path, chain(6), commit_captures=2)
    shop.run()
    since = {"keep": 0, "sync": 0}
    durable = reported = 0
    for event in shop.events:
        if event == "keep":
            since["keep"] += 1
        elif event == "sync":
            since["sync"], since["keep"] = since["sync"] + since["keep"], 0
        elif event == "commit":
            durable, since["sync"] = durable + since["sync"], 0
        elif event == "reported":
            reported += 1
            assert reported <= durable
    assert reported == durable == 8, "seed, six pages and robots.txt"
    assert shop.events.count("commit") >= 4


def test_what_a_failed_commit_held_is_not_promised(tmp_path):
    shop = Workshop(tmp_path, chain(3))

    class Failing(Recording):
        def __getattr__(self, name):
            if name == "sync":
                raise OSError(5, "the disk is gone")
            return super().__getattr__(name)

    def fail(crawl):
        parts = crawl._parts
        failing = Failing(parts.store, [], set())
        crawl._parts = Parts(
            parts.fetcher, failing, parts.catalog, parts.documents, parts.clock, parts.manners, parts.room
        )

    with pytest.raises(ArchiveDamaged, match="the disk is gone"):
        shop.run(fail)
    assert shop.captured == [] and "commit" not in shop.events
    assert Workshop(tmp_path, chain(3)).run().captured == 5, "the next run asks again"


def test_a_disk_that_refuses_once_loses_nothing(tmp_path):
    shop = Workshop(tmp_path, chain(3))
    refusals = iter([OSError(5, "a moment of weakness")])

    class Stumbling(Recording):
        def __getattr__(self, name):
            if name == "keep" and (trouble := next(refusals, None)):
                raise trouble
            return super().__getattr__(name)

    def stumble(crawl):
        parts = crawl._parts
        store = Stumbling(parts.store, [], set())
        crawl._parts = dataclasses.replace(parts, store=store)
        crawl._intake._visits._store = store

    tally = shop.run(stumble)
    assert tally.ended == "complete"
    assert tally.captured == len(shop.captured) == 5


def test_what_was_named_by_answers_that_are_lost_is_not_lost(tmp_path):
    shop = Workshop(tmp_path, chain(3))
    refusals = iter([OSError(5, "a moment of weakness")])

    def stumble(crawl):
        store = crawl._parts.store._inner
        sync = store.sync

        def refuse_once():
            if trouble := next(refusals, None):
                raise trouble
            sync()

        store.sync = refuse_once

    tally = shop.run(stumble)
    assert (tally.ended, tally.captured) == ("complete", 4), "the seed and three pages; the lost one was robots.txt"
    assert set(shop.captured) >= {f"{SITE}/", *chain(3)} - {ROBOTS}


def test_a_crawl_that_goes_on_remembers_where_its_seed_moved_to(tmp_path):
    new = "http://moved.example"
    pages = {f"{SITE}/": redirect(f"{new}/"), f"{new}/": page("/a", "/b"), f"{new}/a": page(), f"{new}/b": page()}
    first = Workshop(tmp_path, pages, limits=Limits(captures=4))
    assert (first.run().ended, first.captured[-1]) == ("limit", f"{new}/")
    second = Workshop(tmp_path, pages, later=60)
    second.run()
    assert (sorted(second.captured), second.refused) == ([f"{new}/a", f"{new}/b"], {})


def test_room_on_disk_ends_the_run_after_the_promise(tmp_path):
    shop = Workshop(tmp_path, chain(3), commit_captures=1)
    shop.room = "too little room"
    with pytest.raises(OutOfSpace, match="too little room"):
        shop.run()
    assert shop.captured == [ROBOTS]
    shop.room = ""
    assert shop.run().ended == "complete"


@pytest.mark.parametrize("most", [1, 3])
def test_limit_on_captures(tmp_path, most):
    shop = Workshop(tmp_path, chain(8), limits=Limits(captures=most))
    assert shop.run().ended == "limit"
    assert len(shop.captured) == most and len(shop.web.asked) == most
    assert Workshop(tmp_path, chain(8)).run().ended == "complete", "the same command goes on"


def test_limit_on_time(tmp_path):
    shop = Workshop(tmp_path, chain(20), limits=Limits(seconds=5.0))
    shop.clock.step = 0.2
    tally = shop.run()
    assert tally.ended == "time" and 0 < len(shop.captured) < 22
    assert shop.waiting or tally.captured


def test_limit_on_size(tmp_path):
    shop = Workshop(tmp_path, chain(20, pad=10_000), limits=Limits(octets=35_000))
    tally = shop.run()
    assert tally.ended == "size" and 35_000 <= tally.octets < 60_000


def test_the_first_request_to_stop_lets_exchanges_finish(tmp_path):
    shop = Workshop(tmp_path, chain(5))

    def hook(crawl):
        plain = shop.web.pages[f"{SITE}/"]

        def stopping(request):
            crawl.stop()
            return plain(request)

        shop.web.pages[f"{SITE}/"] = stopping

    assert shop.run(hook).ended == "interrupted"
    assert shop.captured == [ROBOTS, f"{SITE}/"], "what was on its way is kept and reported"
    again = Workshop(tmp_path, chain(5), later=60)
    assert again.run().ended == "complete"
    assert again.captured == [f"{SITE}/{letter}" for letter in "abcde"]


def test_the_second_request_drops_them_and_gives_them_back(tmp_path):
    shop = Workshop(tmp_path, chain(2))

    def hook(crawl):
        def stuck(request):
            raise AssertionError("nothing comes back")

        shop.web.pages[f"{SITE}/"] = stuck
        shop.web.held = True
        crawl.stop()
        crawl.stop()

    assert shop.run(hook).ended == "forced"
    assert shop.captured == [] and shop.waiting == 1
    assert Workshop(tmp_path, chain(2)).run().captured == 4


def test_patience_with_exchanges_in_flight_ends(tmp_path):
    shop = Workshop(tmp_path, chain(2), grace=3.0)
    shop.clock.step = 0.5

    def hook(crawl):
        start = shop.web.start

        def starting(request):
            start(request)
            shop.web.held = True
            crawl.stop()

        shop.web.start = starting

    assert shop.run(hook).ended == "interrupted"
    assert shop.web.asked == [ROBOTS] and shop.waiting == 1


def test_large_answers_wait_for_their_neighbours(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "_LARGE", 50_000)
    pages = {f"{SITE}/": page("/big", "/a", "/b"), f"{SITE}/big": page(pad=60_000)}
    pages |= {f"{SITE}/{name}": page() for name in "ab"}
    shop = Workshop(tmp_path, pages)
    assert shop.run().ended == "complete"
    assert shop.web.asked.index(f"{SITE}/big") < shop.web.asked.index(f"{SITE}/b")
    assert shop.captured[-1] == f"{SITE}/big" and len(shop.captured) == 5


def test_large_answers_in_hand_are_given_back_when_stopping(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "_LARGE", 50_000)
    pages = {f"{SITE}/": page("/big", "/a"), f"{SITE}/big": page(pad=60_000), f"{SITE}/a": page()}
    shop = Workshop(tmp_path, pages)

    def hook(crawl):
        def stopping(request):
            crawl.stop()
            return page()(request)

        shop.web.pages[f"{SITE}/a"] = stopping

    assert shop.run(hook).ended == "interrupted"
    assert f"{SITE}/big" not in shop.captured
    again = Workshop(tmp_path, pages | {f"{SITE}/a": page()}, later=60)
    assert again.run().ended == "complete" and again.captured == [f"{SITE}/big"]


def test_every_hop_of_a_redirect_is_a_capture(tmp_path):
    pages = {f"{SITE}/": redirect("/a"), f"{SITE}/a": redirect("/b"), f"{SITE}/b": page()}
    shop = Workshop(tmp_path, pages)
    shop.run()
    assert [(one.url, one.status, one.redirect) for one in shop.held if one.url != ROBOTS] == [
        (f"{SITE}/", 302, f"{SITE}/a"),
        (f"{SITE}/a", 302, f"{SITE}/b"),
        (f"{SITE}/b", 200, ""),
    ]


def test_chains_of_redirects_end(tmp_path):
    pages = {f"{SITE}/{n or ''}": redirect(f"/{n + 1}") for n in range(30)}
    shop = Workshop(tmp_path, pages, redirects=4)
    tally = shop.run()
    assert tally.ended == "complete" and tally.refusals["too many redirects"] == 1
    assert tally.captured == 6, "robots.txt, the seed, and four hops behind it"


def test_a_redirect_to_itself_ends(tmp_path):
    shop = Workshop(tmp_path, {f"{SITE}/": redirect("/")})
    assert shop.run().ended == "complete"
    assert len(shop.captured) <= 3


def test_robots_are_asked_first_and_obeyed(tmp_path):
    rules = b"User-agent: *\nDisallow: /private\n"
    pages = {
        ROBOTS: lambda request: answer(request, rules, headers=b"Content-Type: text/plain\r\n"),
        f"{SITE}/": page("/private", "/open"),
        f"{SITE}/open": page(),
    }
    shop = Workshop(tmp_path, pages)
    tally = shop.run()
    assert shop.web.asked == [ROBOTS, f"{SITE}/", f"{SITE}/open"]
    assert (tally.skipped, tally.refusals["robots: robots.txt"]) == (1, 1)


def test_a_host_that_is_not_there_fails_its_pages_without_asking_for_them(tmp_path):
    shop = Workshop(tmp_path, {ROBOTS: silence})
    tally = shop.run()
    assert (tally.ended, tally.captured, tally.failures) == ("complete", 0, {Outcome.CONNECT: 1})
    assert shop.web.asked == [ROBOTS]
    again = Workshop(tmp_path, {f"{SITE}/": page()}, later=86_400 * 2)
    again.run()
    assert again.captured == [ROBOTS, f"{SITE}/"], "asked again by a later run"


def test_a_host_is_left_alone_for_as_long_as_its_robots_asked(tmp_path):
    pages = {ROBOTS: lambda request: answer(request, b"", 503, b"Retry-After: 7200\r\n"), f"{SITE}/": page()}
    assert Workshop(tmp_path, pages).run().ended == "complete"
    soon = Workshop(tmp_path, pages, later=3600)
    assert (soon.run().ended, soon.web.asked, soon.waiting) == ("complete", [], 1)
    late = Workshop(tmp_path, pages | {ROBOTS: page()}, later=7300)
    late.run()
    assert late.captured == [ROBOTS, f"{SITE}/"]


def test_pages_of_a_host_whose_robots_never_come_are_asked_for_where_that_is_allowed(tmp_path):
    shop = Workshop(tmp_path, {ROBOTS: silence, f"{SITE}/": page()}, robots_unreachable="allow")
    shop.run()
    assert shop.captured == [f"{SITE}/"]


def test_a_host_that_stays_silent_does_not_keep_a_crawl_from_ending(tmp_path):
    names = [f"/{number}" for number in range(14)]
    pages = {f"{SITE}/": page(*names)} | {f"{SITE}{name}": lambda ask: silence(ask, Outcome.TIMEOUT) for name in names}
    shop = Workshop(tmp_path, pages)
    tally = shop.run()
    assert (tally.ended, tally.waiting) == ("complete", 14)
    assert shop.clock.time - START < 3600, "a back-off beyond our patience is for another run"


def test_what_cannot_be_reached_does_not_keep_the_next_crawl_from_looking_at_all_else(tmp_path):
    """A picture on a server that is gone, a page that is out of order: the site is crawled every day all the same."""
    dead = [f"http://gone.example/{number}.png" for number in range(3)]
    body = b"<html>" + b"".join(b'<img src="%b">' % url.encode() for url in dead) + b'<a href="/broken">x</a>'
    pages = {f"{SITE}/": lambda request: answer(request, body), f"{SITE}/broken": page(status=503)}
    pages |= {url: silence for url in dead} | {"http://gone.example/robots.txt": silence}
    days = []
    for day in range(4):
        shop = Workshop(tmp_path, pages, later=86_400 * day)
        tally = shop.run()
        days.append(f"{SITE}/" in shop.captured)
        assert tally.ended == "complete" and tally.waiting >= (1 if day < 2 else 0)
    assert days == [True] * 4


def test_a_host_that_wants_a_rest_after_so_many_pages_is_crawled_to_its_end(tmp_path):
    names = [f"/{number}" for number in range(20)]
    asked = [0]

    def tiring(reply):
        def answered(request):
            asked[0] += 1
            return reply(request) if asked[0] <= 8 else answer(request, b"", 429, b"Retry-After: 3600\r\n")

        return answered

    pages = {f"{SITE}/": tiring(page(*names))} | {f"{SITE}{name}": tiring(page()) for name in names}
    captured = set()
    for day in range(3):
        asked[0] = 0
        shop = Workshop(tmp_path, pages, later=86_400 * day)
        shop.run()
        captured |= {one.url for one in shop.held if one.status == 200}
    assert {f"{SITE}{name}" for name in names} <= captured


def test_an_unchanged_site_is_kept_as_revisits(tmp_path):
    pages = {f"{SITE}/": page("/a", pad=600), f"{SITE}/a": page(pad=600)}
    first = Workshop(tmp_path, pages)
    first.run()
    second = Workshop(tmp_path, pages, later=3600)
    tally = second.run()
    assert (tally.unchanged, tally.failed) == (2, 0)
    assert sum(one.revisit for one in second.held) == 2


def test_the_same_bytes_under_another_address_name_other_pages(tmp_path):
    same = b"<html>" + b'<a href="next">x</a>' + b"." * 600
    pages = {f"{SITE}/": page("/one/")} | {f"{SITE}/{name}/": lambda ask: answer(ask, same) for name in ("one", "two")}
    pages |= {f"{SITE}/one/next": page("/two/"), f"{SITE}/two/next": page()}
    shop = Workshop(tmp_path, pages, commit_captures=1)
    shop.run()
    assert sum(one.revisit for one in shop.held) == 1, "the second listing is kept as a revisit of the first"
    assert f"{SITE}/two/next" in shop.captured


def test_validators_are_sent_and_a_whole_fetch_is_forced_now_and_then(tmp_path):
    sent = []

    def tagged(request):
        sent.append(request.etag)
        if request.etag:
            return answer(request, b"", 304, b'ETag: "1"\r\n')
        return answer(request, b"<p>" + b"x" * 500, headers=b'Content-Type: text/html\r\nETag: "1"\r\n')

    for run in range(5):
        Workshop(tmp_path, {f"{SITE}/": tagged}, full_every=2, later=3600 * run).run()
    assert sent == ["", '"1"', '"1"', "", '"1"']


def test_dead_links_rest_between_passes_and_what_went_away_is_confirmed_first(tmp_path):
    pages = {f"{SITE}/": page("/a", "/b", "/typo"), f"{SITE}/a": page(), f"{SITE}/b": page()}
    shop = Workshop(tmp_path, pages)
    shop.run()
    del shop.web.pages[f"{SITE}/b"]
    asked = []
    for days in (1, 1, 1, 3.5, 1, 20):
        shop.clock.time += days * 86_400
        before = len(shop.captured)
        shop.run()
        asked.append({url.rsplit("/", 1)[1] for url in shop.captured[before:]} & {"a", "b", "typo"})
    assert [("b" in one, "typo" in one) for one in asked] == [
        (True, False),  # gone
        (True, False),  # confirmed
        (False, False),
        (True, False),  # later than the day after, and ever later
        (False, True),  # a week after the dead link was found out
        (True, True),
    ]
    assert all("a" in one for one in asked)


def test_a_seed_that_is_not_there_is_asked_for_in_every_pass(tmp_path):
    shop = Workshop(tmp_path, {})
    for _ in range(3):
        shop.run()
        shop.clock.time += 60
    assert shop.captured.count(f"{SITE}/") == 3
