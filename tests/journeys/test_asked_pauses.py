"""What hosts ask to wait for is kept as far as the settings say: a crawl from its command to its requests."""

from journeys.command import UNSTUDIED, strandline
from servers.small_site import small_site

PAGES = ["a", "b", "c"]
FRONT = "".join(f'<a href="/{name}">{name}</a>' for name in PAGES)


def crawled(site, folder, *pairs):
    words = [word for pair in ("politeness.delay=0s", "scope.sitemaps=false", *pairs) for word in ("--set", pair)]
    done = strandline("crawl", folder, "--seeds", site.url, *UNSTUDIED, *words, timeout=60)
    assert done.code == 0, done.err
    return {event["url"].removeprefix(site.url) for event in done.captured}


def test_a_crawl_delay_is_honoured_up_to_its_cap(tmp_path):
    with small_site() as site:
        site.answers |= {"/robots.txt": (200, "text/plain", "User-agent: *\nCrawl-delay: 250\n"), "/": FRONT}
        site.answers |= {f"/{name}": f"<p>{name}</p>" for name in PAGES}
        assert crawled(site, tmp_path, "politeness.crawl_delay_cap=0.1s") == {"", "robots.txt", *PAGES}


def test_a_wait_that_is_asked_for_is_kept_up_to_its_cap(tmp_path):
    busy = (503, "text/html", "<p>Busy</p>", [("Retry-After", "7200")])
    with small_site() as site:
        site.answers |= {"/": FRONT, **{f"/{name}": f"<p>{name}</p>" for name in PAGES}}
        site.answers["/b"] = lambda headers: "<p>b</p>" if site.asked.count("/b") > 1 else busy
        crawled(site, tmp_path, "politeness.retry_after_cap=1s")
        assert site.asked.count("/b") == 2
