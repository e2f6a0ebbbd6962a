"""A feed names a hub: the interface subscribes, the hub tells, and the watch has the new story long before it polls."""

import contextlib
import signal
import time
from bisect import bisect_left
from dataclasses import replace

from journeys.command import here, start, strandline
from journeys.test_cluster import command, done, place
from servers import postgres
from servers.hub import fetched, hub, send
from servers.processes import free_port
from servers.small_site import small_site
from strandline.settings.file import read_settings, settings_text, with_overrides

__all__ = ["place"]

HOUR = 300
"""Seconds: feeds are polled after two hours at the soonest, which no test lasts."""


class News:
    """A site whose feed names a hub."""

    def __init__(self, site, told_by):
        self.site, self._hub, self.stories = site, told_by, ["first"]
        feed = '<link rel="alternate" type="application/atom+xml" href="/feed.xml">'
        site.answers |= {
            "/": f"<html><head>{feed}</head><body><p>News</p></body></html>",
            "/feed.xml": lambda _: (200, "application/atom+xml", self.feed()),
        }
        self.publish("first")

    def feed(self):
        entries = "".join(
            f"<entry><link href='{self.site.url}{name}'/><updated>2026-03-0{n + 1}T00:00:00Z</updated></entry>"
            for n, name in enumerate(self.stories)
        )
        links = f"<link rel='hub' href='{self._hub.url}'/><link rel='self' href='{self.site.url}feed.xml'/>"
        return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title>{links}{entries}</feed>"

    def publish(self, name):
        self.stories.append(name)
        self.site.answers[f"/{name}"] = f"<p>The story called {name}"


def wait_for(condition, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.1)


@contextlib.contextmanager
def running(*words, env=None):
    process = start(*words, env=env)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=600)


def settings_of(news, port, budget="600/hour"):
    given = {"politeness.delay": "0", "scope.sitemaps": "false", "study.workers": "0", "plan.budget": budget}
    given |= {"fetch.allow_address": '["127.0.0.0/8"]', "serve.address": f"http://127.0.0.1:{port}/"}
    return given | {"scope.seeds": f'["{news.site.url}"]', "archive.contact": "https://a.example/bot"}


@contextlib.contextmanager
def watched(folder, news, port, **more):
    """A watch of a folder and its interface."""
    assert strandline("init", folder).code == 0
    path = folder / "strandline.toml"
    lines = [f"{key}={value}" for key, value in (settings_of(news, port) | more).items()]
    path.write_text(settings_text(with_overrides(read_settings(path), lines)))
    with (
        running("watch", folder, "--hour-seconds", HOUR, "--json", "--quiet"),
        running("serve", folder, "--port", port, "--replay-port", 0),
    ):
        yield


def test_a_hub_tells_and_the_story_is_had_long_before_the_next_poll(tmp_path):
    folder, port = tmp_path / "archive", free_port()
    with small_site() as site, hub() as told_by:
        news = News(site, told_by)
        with watched(folder, news, port):
            wait_for(lambda: told_by.subscribers and "/first" in site.asked)
            (one,) = told_by.subscribers.values()
            assert one.topic == f"{site.url}feed.xml" and one.callback.startswith(f"http://127.0.0.1:{port}/hub/")
            assert len(one.callback.rpartition("/")[2]) >= 40
            assert site.asked.count("/feed.xml") == 1
            news.publish("second")
            body = news.feed().encode()
            # Nothing of this makes anything happen, and nobody is told why.
            assert send(one, body, secret="guessed") == 202
            assert send(one, body, signed=False) == 202
            assert send(one, body, method="md5") == 202
            assert send(replace(one, callback=one.callback[:-1]), body) == 404
            assert send(one, b"x" * 1_100_000) in (413, 0), "too large: refused before all of it is heard"
            confirm = f"{one.callback}?hub.mode=unsubscribe&hub.topic={one.topic}&hub.challenge=x"
            assert fetched(confirm)[0] == 404, "nobody else can end it"
            assert "/second" not in site.asked
            begun = time.monotonic()
            assert told_by.publish(body) == [202]
            wait_for(lambda: "/second" in site.asked)
            print(f"asked for {time.monotonic() - begun:.1f} s after the hub told; polled after {2 * HOUR} s")
            assert site.asked.count("/feed.xml") == 2, "of all that was sent only the last was followed"
            # What was sent before is known again.
            news.publish("third")
            assert told_by.publish(body) == [202]
            after = news.feed().encode()
            assert told_by.publish(after) == [202]
            wait_for(lambda: "/third" in site.asked)
            assert site.asked.count("/feed.xml") == 3, "control: a message that came before causes no look"
            assert "told by" in here("why", folder, f"{site.url}feed.xml").stdout
            status, page = fetched(f"http://127.0.0.1:{port}/site?site=127.0.0.1:{site.url.split(':')[2][:-1]}")
            assert status == 200 and told_by.url in page.decode()
        doctor = here("doctor", folder).stdout
        assert "1 of 1 feed told by hubs" in doctor


def most_in_an_hour(times):
    return max(bisect_left(times, begun + HOUR) - place for place, begun in enumerate(times))


@postgres.GROUP
def test_workers_are_told_within_their_budget_and_the_hub_when_nobody_listens_any_more(place, tmp_path):
    """On PostgreSQL and S3; a hub that tells without end, and one that refuses."""
    database, store, environment = place
    port, budget = free_port(), 30
    with small_site() as site, hub() as told_by:
        news, times = News(site, told_by), []
        counted, site.asked = site.asked, Times(times)
        assert counted == []
        given = settings_of(news, port, f"{budget}/hour") | {"keep.disk_reserve": "0"}
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        init = ("cluster", "init", "--database", database)
        assert done(command(environment, *init, "--store", store, *words))[0] == 0
        serve = ("cluster", "serve", "--database", database, "--port", port, "--replay-port", 0)
        with (
            running("worker", "--database", database, "--watch", "--hour-seconds", HOUR, "--quiet", env=environment),
            running(*serve, env=environment),
        ):
            wait_for(lambda: told_by.subscribers and "/first" in site.asked)
            news.publish("second")
            assert told_by.publish(news.feed().encode()) == [202]
            wait_for(lambda: "/second" in site.asked)
            looks = site.asked.count("/feed.xml")
            begun = time.monotonic()
            for number in range(300):
                assert told_by.publish(b"<feed>%d</feed>" % number) == [202]
            news.publish("third")
            told_by.publish(news.feed().encode())
            wait_for(lambda: "/third" in site.asked)
            more = (time.monotonic() - begun) / 60 + 1
            assert site.asked.count("/feed.xml") - looks <= more, "one look a minute, however much it tells"
            assert most_in_an_hour(times) <= budget
            assert done(command(environment, *init, "--set", "serve.address="))[0] == 0
            wait_for(lambda: not told_by.subscribers)
            assert told_by.asked[-1]["mode"] == "unsubscribe" and told_by.unconfirmed == []
        assert len(told_by.asked) == 2, "one request to begin, one to end"


class Times(list):
    """What was asked for; beside it, when."""

    def __init__(self, times):
        super().__init__()
        self._times = times

    def append(self, path):
        self._times.append(time.monotonic())
        super().append(path)


def test_a_hub_that_refuses_is_left_alone_and_a_lease_that_ran_out_counts_no_more(tmp_path):
    folder, port = tmp_path / "archive", free_port()
    with small_site() as site, hub() as told_by:
        news = News(site, told_by)
        told_by.lease = 3
        with watched(folder, news, port):
            wait_for(lambda: told_by.subscribers and "/first" in site.asked)
            (one,) = told_by.subscribers.values()
            wait_for(lambda: time.time() > one.until + 1)
            news.publish("second")
            assert send(one, news.feed().encode()) == 410, "control: after its lease the same message is refused"
            assert len(told_by.asked) == 1, "it is not asked again within the hour"
    with small_site() as site, hub() as told_by:
        news, folder = News(site, told_by), tmp_path / "refused"
        told_by.refuses = True
        with watched(folder, news, free_port()):
            wait_for(lambda: "the hub refused" in here("why", folder, f"{site.url}feed.xml").stdout)
            assert told_by.subscribers == {} and len(told_by.asked) == 1
