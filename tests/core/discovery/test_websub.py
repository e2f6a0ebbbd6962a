"""What a subscriber says to a hub, and what it believes of it; each rule with what breaks it."""

import json
from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from servers.hub import signature
from strandline.core.discovery.websub import (
    DENIED_FOR,
    GAP,
    LEASE,
    LONGEST,
    PAUSE,
    TESTED,
    HubNames,
    HubWord,
    Subscription,
    of_head,
    signed,
)

FEED, HUB = "https://a.example/feed.xml", "https://hub.example/"
NEW = Subscription(FEED, HUB, FEED, "https://archive.example/hub/secret-path", "secret")
ASKED = NEW.asked_for("subscribe", 1000.0)
TOLD = ASKED.confirmed("subscribe", FEED, "7200", 1001.0)
NEWS = b"<feed>news</feed>"
RIGHT = signature("secret", NEWS)


def day(moment):
    return f"{moment:.0f} s"


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ('<https://h.example/>; rel="hub"', HubNames("https://h.example/")),
        ("</feed>; rel=self, <https://h.example/>; title=x; rel=hub", HubNames("https://h.example/", "/feed")),
        ('<https://h.example/>; rel="next hub"', HubNames("https://h.example/")),
        ("<https://one.example/>; rel=hub, <https://two.example/>; rel=hub", HubNames("https://one.example/")),
        ('<https://h.example/>; rel="hubs"', HubNames()),
        ("https://h.example/; rel=hub", HubNames()),
        ("<" * 20_000, HubNames()),
    ],
)
def test_links_in_the_head_of_an_answer(link, found):
    assert of_head([("content-type", "x"), ("link", link)]) == found


def test_fields_of_one_name_are_taken_together():
    fields = [("link", "<https://h.example/>; rel=hub"), ("link", f"<{FEED}>; rel=self")]
    assert of_head(fields) == HubNames("https://h.example/", FEED)


def test_the_request_names_everything_a_hub_needs():
    said = {name: values[0] for name, values in parse_qs(NEW.form("subscribe").decode()).items()}
    assert said == {
        "hub.mode": "subscribe", "hub.topic": FEED, "hub.callback": NEW.callback, "hub.secret": "secret",
        "hub.lease_seconds": f"{LEASE:.0f}",
    }  # fmt: skip
    assert "hub.secret" not in parse_qs(NEW.form("unsubscribe").decode())
    assert NEW.token == "secret-path"


def test_only_what_was_asked_for_is_confirmed():
    assert TOLD.state == "told" and TOLD.until == 1001.0 + 7200.0
    assert NEW.confirmed("subscribe", FEED, "7200", 1001.0) is None, "nobody asked"
    assert ASKED.confirmed("subscribe", "https://other.example/", "7200", 1001.0) is None
    assert ASKED.confirmed("publish", FEED, "7200", 1001.0) is None
    assert TOLD.confirmed("unsubscribe", FEED, "", 1002.0) is None, "a stranger cannot end it"
    leaving = TOLD.asked_for("unsubscribe", 2000.0)
    assert leaving.confirmed("unsubscribe", FEED, "", 2001.0).wants(False, 2001.0) == "forget"
    assert leaving.confirmed("subscribe", FEED, "", 2001.0) is None, "nor begin it again"


@pytest.mark.parametrize(
    ("lease", "granted"), [("", LEASE), ("x", LEASE), ("-5", LEASE), ("9" * 11, LONGEST), ("60", 60.0), ("0", 0.0)]
)
def test_leases_are_believed_within_bounds(lease, granted):
    assert ASKED.confirmed("subscribe", FEED, lease, 0.0).until == granted


def test_a_hub_is_asked_once_an_hour_at_most_and_before_its_lease_runs_out():
    assert NEW.wants(True, 0.0) == "subscribe"
    assert ASKED.wants(True, 1000.0 + PAUSE - 1) == "" and ASKED.wants(True, 1000.0 + PAUSE) == "subscribe"
    assert TOLD.wants(True, 1000.0 + 6000) == "" and TOLD.wants(True, 1001.0 + 6480) == "subscribe"
    renewed = TOLD.asked_for("subscribe", 7500.0)
    assert renewed.stands(7500.0), "the old lease goes on meanwhile"
    short = ASKED.confirmed("subscribe", FEED, "60", 1001.0)
    assert [short.wants(True, 1001.0 + at) for at in (55, 70, PAUSE - 10, PAUSE)] == ["", "", "", "subscribe"]


def test_a_refusal_is_one_for_a_day_and_a_mishap_for_an_hour():
    for denied in (ASKED.answered(403, "answered 403"), ASKED.confirmed("denied", FEED, "", 1000.0)):
        assert denied.state == "denied" and denied.wants(True, 1000.0 + PAUSE) == ""
        assert denied.wants(True, 1000.0 + DENIED_FOR) == "subscribe"
        assert "it is polled" in denied.says(1000.0, day)
    for status in (0, 429, 500, 307):
        assert ASKED.answered(status, "x").wants(True, 1000.0 + PAUSE) == "subscribe"
    assert ASKED.answered(202, "").problem == ""
    ended = TOLD.confirmed("denied", FEED, "", 2000.0)
    assert not ended.stands(2000.0), "a hub may refuse later, too"


def test_who_is_not_wanted_any_more_is_told_once_and_forgotten():
    assert NEW.wants(False, 0.0) == "forget"
    leaving = TOLD.asked_for("unsubscribe", 5000.0)
    assert TOLD.wants(False, 5000.0) == "unsubscribe"
    assert leaving.wants(False, 5001.0) == "" and leaving.wants(False, 5000.0 + PAUSE) == "forget"


@pytest.mark.parametrize(
    ("body", "sign", "now", "taken"),
    [
        (NEWS, RIGHT, 2000.0, True),
        (NEWS, signature("secret", NEWS, "sha1"), 2000.0, True),
        (NEWS, RIGHT.upper().replace("SHA256", "sha256"), 2000.0, True),
        (NEWS, signature("guessed", NEWS), 2000.0, False),
        (NEWS + b" ", RIGHT, 2000.0, False),
        (NEWS, signature("secret", NEWS, "md5"), 2000.0, False),
        (NEWS, RIGHT.partition("=")[2], 2000.0, False),
        (NEWS, "sha256=ü", 2000.0, False),
        (NEWS, "", 2000.0, False),
        (NEWS, RIGHT, 9000.0, False),
    ],
)
def test_messages_must_be_signed_and_in_time(body, sign, now, taken):
    after, new = TOLD.received(body, sign, now)
    assert new is taken and (after.messages, after.refused) == ((1, 0) if taken else (0, 1))


def test_a_message_that_came_before_is_known_again():
    after, new = TOLD.received(NEWS, RIGHT, 2000.0)
    again, second = after.received(NEWS, RIGHT, 2001.0)
    other, third = again.received(b"more", signature("secret", b"more"), 2002.0)
    assert (new, second, third) == (True, False, True) and other.refused == 1
    for n in range(200):
        other, _ = other.received(b"%d" % n, signature("secret", b"%d" % n), 2003.0)
    assert len(other.sums) <= 50, "what is remembered is bounded"


def test_it_survives_being_written_down():
    after, _ = TOLD.received(NEWS, RIGHT, 2000.0)
    assert Subscription.from_data(json.loads(json.dumps(after.as_data()))) == after
    assert after.says(2000.0, day) == f"told by {HUB} until 8201 s (1 message, the last at 2000 s)"
    assert replace(after, state="asked").says(2000.0, day).startswith(f"{HUB} was asked to tell")


def test_signatures_are_compared_by_their_bytes():
    assert signed("secret", NEWS, RIGHT) and not signed("", NEWS, RIGHT)


def test_however_much_a_hub_tells_a_feed_is_looked_at_once_a_minute():
    word, times = HubWord(HUB, FEED), set()
    for second in range(3600):
        times.add(word.told(1000.0 + second))
    assert len(times) <= 3600 / GAP + 1
    assert max(times) <= 1000.0 + 3600 + GAP, "and it never waits longer than that"


def test_a_hub_that_tells_of_nothing_is_hardly_followed_until_it_is_right_again():
    word = HubWord(HUB, FEED)
    for n in range(6):
        assert word.told(1000.0 * (n + 1)) == 1000.0 * (n + 1) or not word.believed
        word.looked(changed=False)
    followed = [bool(word.told(100_000.0 + n * 1000.0)) for n in range(4 * TESTED)]
    assert not word.believed and sum(followed) == 4
    for _ in range(10):
        word.looked(changed=True)
    assert word.believed and word.told(1e6)
