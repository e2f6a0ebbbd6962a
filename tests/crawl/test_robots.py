"""The desk where every page stops: robots.txt of its host."""

import math

import pytest

from crawl.scripted import SITE, START, answer, silence, task
from strandline.core.capture import Evidence, Kind, Outcome, Request
from strandline.core.discovery.scope import ScopeRules
from strandline.core.politeness.robots import MOST_REDIRECTS
from strandline.crawl.orders import NEVER, Orders
from strandline.crawl.robots import RobotsGate, robots_visit
from strandline.ports import Batch
from strandline.store.catalog import open_catalog

HOST = "h.example"
RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 7\nSitemap: http://h.example/map.xml\n"
PLAIN = b"Content-Type: text/plain\r\n"


@pytest.fixture
def catalog(tmp_path):
    catalog = open_catalog(tmp_path, "test")
    yield catalog
    catalog.close()


def desk(catalog, **orders):
    return RobotsGate(Orders(ScopeRules((f"{SITE}/",)), **orders), catalog)


def asked(path="/robots.txt"):
    return Request(f"{SITE}{path}", 1, Kind.ROBOTS)


def test_rules_are_fetched_once_and_the_pages_wait(catalog):
    one = desk(catalog)
    assert not one.knows(SITE, START)
    assert [one.wait(task(f"{SITE}/a")), one.wait(task(f"{SITE}/b"))] == [True, False]
    assert list(one.places_waiting()) == [HOST] and len(one.all_waiting()) == 2
    assert one.answered(SITE, answer(asked(), RULES, headers=PLAIN), START) == ""
    assert [page.url for page in one.released(SITE)] == [f"{SITE}/a", f"{SITE}/b"]
    assert one.knows(SITE, START) and not one.places_waiting()


def test_rules_are_obeyed(catalog):
    one = desk(catalog)
    one.answered(SITE, answer(asked(), RULES, headers=PLAIN), START)
    assert one.refuses(task(f"{SITE}/open")) == ""
    assert one.refuses(task(f"{SITE}/private/x")) == "robots: robots.txt"
    assert (one.crawl_delay(SITE), one.sitemaps(SITE)) == (7.0, (f"{SITE}/map.xml",))
    assert (one.crawl_delay("other"), one.sitemaps("other")) == (0.0, ())


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_no_rules_allow_everything(catalog, status):
    one = desk(catalog)
    one.answered(SITE, answer(asked(), b"Disallow: /", status), START)
    assert one.refuses(task(f"{SITE}/private")) == ""


@pytest.mark.parametrize("setting", ["disallow", "allow"])
@pytest.mark.parametrize("reply", [lambda r: answer(r, b"", 503), silence])
def test_unreachable_rules_forbid_everything_unless_the_user_says_otherwise(catalog, setting, reply):
    one = desk(catalog, robots_unreachable=setting)
    one.answered(SITE, reply(asked()), START)
    refused = one.refuses(task(f"{SITE}/a"))
    assert refused.startswith("robots: robots.txt unreachable") if setting == "disallow" else refused == ""
    assert one.knows(SITE, START), "a host that failed is not asked again with every page"
    assert not one.knows(SITE, START + 3601), "but not for ever, in a run of weeks"


def test_rules_are_renewed_every_day_of_a_long_run(catalog):
    one = desk(catalog)
    one.answered(SITE, answer(asked(), RULES, headers=PLAIN), START)
    assert one.knows(SITE, START + 86_399) and not one.knows(SITE, START + 86_401)
    assert not one.knows(SITE, START - 1), "a clock that jumped back proves nothing"
    later = START + 90_000
    one.answered(SITE, answer(asked(), b"", 503), later)
    assert one.refuses(task(f"{SITE}/private/x")) and not one.refuses(task(f"{SITE}/open")), "an older copy counts"
    assert one.knows(SITE, later + 3599) and not one.knows(SITE, later + 3601)
    one.answered(SITE, answer(asked(), b"User-agent: *\nDisallow: /open\n", headers=PLAIN), later + 3601)
    assert one.refuses(task(f"{SITE}/open")) and not one.refuses(task(f"{SITE}/private/x"))


@pytest.mark.parametrize(
    ("reply", "again"),
    [(lambda r: answer(r, b"", 503), START + 3600), (silence, START + 60), (lambda r: answer(r, RULES), math.inf)],
)
def test_a_page_waits_for_rules_no_longer_than_they_are_missing(catalog, reply, again):
    one = desk(catalog)
    one.answered(SITE, reply(asked()), START)
    assert one.looked_at_again(SITE) == again


def test_redirects_are_followed_up_to_a_number(catalog):
    one = desk(catalog)
    for hop in range(MOST_REDIRECTS):
        moved = answer(asked(f"/{hop}"), b"", 301, b"Location: /%d\r\n" % (hop + 1))
        assert one.answered(SITE, moved, START) == f"{SITE}/{hop + 1}"
    last = answer(asked("/5"), b"", 301, b"Location: /6\r\n")
    assert one.answered(SITE, last, START) == ""
    assert one.refuses(task(f"{SITE}/a")) == "", "too many redirects are like no robots.txt"
    assert MOST_REDIRECTS == 5


def test_rules_outlive_the_run(catalog):
    first = desk(catalog)
    first.answered(SITE, answer(asked(), RULES, headers=PLAIN), START)
    catalog.commit(Batch(hosts=first.host_states(HOST, 0.0, 0, 0.5)))
    later = desk(catalog)
    assert later.knows(SITE, START + 3600)
    assert later.refuses(task(f"{SITE}/private/x"))
    assert not desk(catalog).knows(SITE, START + 30 * 86_400), "but not for ever"


def test_a_legal_deposit_need_not_ask(catalog):
    one = desk(catalog, obey_robots=False)
    assert one.knows(SITE, START) and one.refuses(task(f"{SITE}/private")) == ""


def test_the_visit_of_robots_is_never_due(catalog):
    visit = robots_visit(answer(asked(), RULES), None)
    assert (visit.due, visit.evidence, visit.page) == (NEVER, Evidence.PRESENT, 0)
    assert robots_visit(answer(asked(), b"", 404), None).evidence is Evidence.ABSENT
    assert robots_visit(silence(asked(), Outcome.TIMEOUT), None).outcome is Outcome.TIMEOUT


def test_http_and_https_each_speak_for_themselves(catalog):
    one = desk(catalog)
    secure = SITE.replace("http:", "https:")
    one.answered(secure, silence(asked(), Outcome.CONNECT), START)
    assert one.refuses(task(f"{secure}/")).startswith("robots: robots.txt unreachable")
    assert not one.knows(SITE, START), "its own was never asked"
    one.answered(SITE, answer(asked(), RULES, headers=PLAIN), START)
    assert one.refuses(task(f"{SITE}/open")) == ""
    assert one.refuses(task(f"{secure}/open")), "and stays as it was"
    catalog.commit(Batch(hosts=one.host_states(HOST, 0.0, 0, 0.5)))
    later = desk(catalog)
    assert later.knows(SITE, START + 60) and later.refuses(task(f"{SITE}/private/x")), "each is remembered by itself"
    assert not later.knows(secure, START + 60), "and is asked for its own"
    assert catalog.host(HOST, "http").robots_body == RULES
    assert catalog.host(HOST, "https").robots_status == 0
    assert one.host_states("other.example", 0.0, 0, 0.5)[0].robots_time == 0.0


def test_a_place_that_is_never_heard_is_asked_ever_more_rarely(catalog):
    """Its host may answer by the other scheme, and is not left alone then."""
    one, now, waits = desk(catalog), START, []
    for _ in range(5):
        one.answered(SITE, silence(asked(), Outcome.CONNECT), now)
        waits.append(one.looked_at_again(SITE) - now)
        now += waits[-1]
    assert waits == [60.0, 60.0, 360.0, 2160.0, 12960.0]
    one.answered(SITE, answer(asked(), RULES, headers=PLAIN), now)
    assert one.refuses(task(f"{SITE}/open")) == ""
    one.answered(SITE, silence(asked(), Outcome.CONNECT), now + 90_000.0)
    assert not one.knows(SITE, now + 90_061.0), "as if it had never been away"


def test_where_hours_are_short_so_are_the_days_of_rules(catalog):
    one = desk(catalog, pace=0.001)
    one.answered(SITE, answer(asked(), RULES, headers=PLAIN), START)
    assert one.knows(SITE, START + 86.3) and not one.knows(SITE, START + 86.5)
    one.answered(SITE, answer(asked(), b"", 503), START + 90.0)
    assert one.knows(SITE, START + 93.5) and not one.knows(SITE, START + 93.7)
    catalog.commit(Batch(hosts=one.host_states(HOST, 0.0, 0, 0.5)))
    assert desk(catalog, pace=0.001).knows(SITE, START + 60.0), "also those of an earlier run"
    assert not desk(catalog, pace=0.001).knows(SITE, START + 3600.0)
