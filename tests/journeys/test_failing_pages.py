"""A page whose server answers with an error has failed: from the command to what is told of it, on one machine and on
many.
"""

import signal
from contextlib import closing

from journeys.command import UNSTUDIED, here, strandline
from journeys.test_cluster import command, done, place
from journeys.test_told_by_hubs import wait_for
from servers import postgres
from servers.small_site import small_site
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.store.watching import WatchReading

__all__ = ["place"]

FRONT = '<p>News</p><a href="/busy">busy</a> <a href="/not-here">gone</a>'
BUSY = (503, "text/html", "<p>Busy</p>", [("Retry-After", "7200")])


def test_status_and_quality_tell_of_a_page_that_answers_with_an_error_of_the_server(tmp_path):
    folder = tmp_path / "archive"
    with small_site() as site:
        site.answers |= {"/": FRONT, "/busy": BUSY}
        crawled = strandline("crawl", folder, "--seeds", site.url, *UNSTUDIED, "--set", "scope.sitemaps=false")
        assert crawled.code == 0, crawled.err
        told = here("status", folder, "--json").stdout
        assert f'"url": "{site.url}busy", "problem": "503 answered"' in told and "not-here" not in told
        place_name = site.url.removeprefix("http://").rstrip("/")
        assert '"failed": 1' in here("quality", folder, "--site", place_name, "--json").stdout


@postgres.GROUP
def test_hours_of_workers_count_errors_of_the_server_as_failures_and_not_as_changes(place):
    database, store, environment = place
    given = {"politeness.delay": "0", "keep.disk_reserve": "0", "scope.sitemaps": "false", "study.workers": "0"}
    given |= {"plan.budget": "60/hour", "politeness.retry_after_cap": "0.1s"}
    words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    with small_site() as site, closing(Session(database)) as session:
        site.answers |= {"/": FRONT, "/busy": lambda _: "<p>Open" if site.asked.count("/busy") == 1 else BUSY}
        init = ("cluster", "init", "--database", database, "--store", store, "--seeds", site.url)
        made = done(command(environment, *init, "--allow-address", "127.0.0.0/8", *words))
        assert made[0] == 0, made[2]
        watch = ("--watch", "--hour-seconds", 2, "--commit-seconds", 0.2)
        worker = command(environment, "worker", "--database", database, *watch, "--quiet")

        def hours():
            return list(on_postgres(WatchReading, session).watch_hours())

        try:
            wait_for(lambda: any(hour.failed for hour in hours()))
        finally:
            worker.send_signal(signal.SIGINT)
            done(worker)
        assert not any(hour.changed for hour in hours()), "an error is no change of its page"
        assert all(hour.failed <= hour.revisits for hour in hours())
