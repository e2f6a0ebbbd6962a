import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.politeness.robots import FRESH_SECONDS, GIVE_UP_SECONDS, Robots, RobotsCopy, renewed

SITE = "http://site.example"


def rules(text: str | bytes, status: int = 200) -> Robots:
    return Robots(RobotsCopy(0.0, status, text if isinstance(text, bytes) else text.encode()), 0.0)


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /a", "/a/b", False),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /p\nDisallow: /p", "/p", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", True),
        ("User-agent: *\nDisallow: /a*c", "/abbbc", False),
        ("User-agent: *\nDisallow: /\nUser-agent: strandline\nAllow: /", "/x", True),
        ("User-agent: strandline\nDisallow: /x\nUser-agent: *\nDisallow: /", "/y", True),
        ("User-agent: STRANDLINE/2.0\nDisallow: /x", "/x", False),
        ("User-agent: strand\nDisallow: /x", "/x", True),
        ("User-agent: strandlines\nDisallow: /x", "/x", True),
        ("User-agent: a\nUser-agent: strandline\nDisallow: /x", "/x", False),
        ("User-agent: strandline\nDisallow: /x\n\nUser-agent: strandline\nDisallow: /y", "/x", False),
        ("User-agent: strandline\nDisallow: /x\n\nUser-agent: strandline\nDisallow: /y", "/y", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: *\rDisallow: /x\r", "/x", False),
        ("User-agent: *  # all\nDisallow: /x # here", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("Disallow: /x", "/x", True),
        ("User-agent: *\nDisallow: /caf%C3%A9", "/caf%C3%A9", False),
        ("User-agent: *\nDisallow: /café", "/caf%C3%A9", False),
        ("<html><body>not found</body></html>", "/x", True),
        ("User-agent: *\nSitemap: http://s/\nDisallow: /x", "/x", False),
        ("User-agent: *\nDisallow: /q?", "/q?a=1", False),
    ],
)
def test_rules_of_the_standard(text, path, allowed):
    assert rules(text).allows(SITE + path) is allowed


@pytest.mark.parametrize(
    ("status", "allowed"),
    [(200, True), (204, True), (301, True), (404, True), (403, True), (401, True), (429, False), (500, False),
     (503, False), (599, False), (0, False)],
)  # fmt: skip
def test_status_decides_when_there_are_no_rules(status, allowed):
    robots = Robots(RobotsCopy(0.0, status), 100.0)
    assert robots.allows(SITE + "/x") is allowed
    assert robots.allows(SITE + "/robots.txt")
    assert robots.reason
    assert Robots(RobotsCopy(0.0, status), 100.0, unreachable="allow").allows(SITE + "/x")


def test_unreachable_for_a_month_is_lifted():
    silent = RobotsCopy(1000.0, 0)
    assert not Robots(silent, 1000.0 + GIVE_UP_SECONDS - 1).allows(SITE + "/")
    lifted = Robots(silent, 1000.0 + GIVE_UP_SECONDS)
    assert lifted.allows(SITE + "/") and lifted.reason == "robots.txt unreachable (no answer), for 30 days"
    told = Robots(RobotsCopy(0.0, 503), 1.0, unreachable="allow").reason
    assert told == "robots.txt unreachable (status 503), allowed by setting"


def test_failures_keep_the_old_copy_and_the_first_failure():
    good = renewed(None, 200, b"User-agent: *\nDisallow: /x", 10.0)
    assert renewed(good, 0, b"", 99.0) is good
    assert renewed(good, 404, b"gone", 99.0) == RobotsCopy(99.0, 404)
    first = renewed(None, 0, b"", 10.0)
    assert renewed(first, 503, b"", 50.0) == RobotsCopy(10.0, 503)
    assert renewed(first, 200, b"", 50.0) == RobotsCopy(50.0, 200)
    assert good.fresh(10.0 + FRESH_SECONDS - 1)
    assert not good.fresh(10.0 + FRESH_SECONDS)
    assert not first.fresh(11.0)


def test_long_files_are_cut_between_rules():
    line = b"Disallow: /private-%06d\n"
    body = b"User-agent: *\n" + b"".join(line % i for i in range(40_000))
    copy = renewed(None, 200, body, 0.0)
    assert len(copy.body) <= 500 * 1024
    assert copy.body.endswith(b"\n")
    robots = Robots(copy, 0.0)
    assert robots.allows(SITE + "/")
    assert not robots.allows(SITE + "/private-000001")
    one_line = renewed(None, 200, b"User-agent: *" + b"x" * 600_000, 0.0)
    assert one_line.body == b""


@pytest.mark.parametrize(
    ("line", "delay"),
    [("Crawl-delay: 7", 7.0), ("Crawl-delay: 0.5", 0.5), ("Crawl-delay: 99999", 86_400.0), ("Crawl-delay: -3", None),
     ("Crawl-delay: nan", None), ("Crawl-delay: inf", None), ("Crawl-delay: x", None), ("", None),
     ("Request-rate: 1/10s", 10.0)],
)  # fmt: skip
def test_delay_is_heard_within_reason(line, delay):
    assert rules(f"User-agent: *\n{line}\nDisallow: /x").delay == delay


def test_sitemaps_are_listed_once():
    assert rules("Sitemap: http://a/1\nUser-agent: *\nSitemap: /2\nSITEMAP:http://a/1").sitemaps == ("http://a/1", "/2")


@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_bytes_are_rules_of_some_kind(body, path):
    robots = rules(body)
    assert robots.allows(SITE + "/" + path) in (True, False)
    assert robots.delay is None or 0 <= robots.delay <= 86_400
    assert isinstance(robots.sitemaps, tuple)


def test_many_wildcards_cost_no_time_to_speak_of():
    robots = rules("User-agent: *\nDisallow: /" + "*a" * 200 + "*b")
    assert robots.allows(SITE + "/" + "a" * 2000)


def test_what_is_no_address_is_not_allowed():
    assert not rules("").allows("http://[bad/")
