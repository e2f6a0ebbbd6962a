"""Which hub a feed names is noted by whoever fetches it, and whether the looks its messages caused were worth it."""

import json
from types import SimpleNamespace

import pytest

from contracts.stores import EACH, STORES
from strandline.core.capture import Kind
from strandline.core.discovery.websub import Subscription
from strandline.plan.feed_hubs import SUBSCRIPTIONS, WORDS, FeedHubs, listening, read_word, told_feeds, written

FEED, HUB = "https://a.example/feed.xml", "https://hub.example/"


@pytest.fixture(params=EACH)
def catalog(request, tmp_path):
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()


def task(kind=Kind.FEED):
    return SimpleNamespace(url=FEED, kind=kind)


def visited(time, changed=True, hub=HUB):
    return SimpleNamespace(time=time, capture=SimpleNamespace(revisit=not changed), hub=hub, topic=FEED, asks=0.0)


def test_a_feed_that_names_a_hub_is_noted_and_one_that_does_not_leaves_nothing(catalog):
    hubs = FeedHubs(catalog)
    hubs.looked(task(), visited(100.0, hub=""))
    hubs.looked(task(Kind.SITEMAP), visited(100.0))
    assert list(catalog.reading.notes(WORDS)) in ([], [(FEED, written(read_word(catalog.reading, FEED)))])
    hubs.looked(task(), visited(200.0))
    assert read_word(catalog.reading, FEED).hub == HUB
    hubs.looked(task(), visited(300.0, changed=False, hub=""))
    assert read_word(catalog.reading, FEED).hub == HUB, "an answer 304 says nothing of it"
    hubs.looked(task(), visited(400.0, hub=""))
    assert read_word(catalog.reading, FEED).hub == "", "a feed that names none any more"


@pytest.mark.parametrize("changed", [True, False])
def test_the_look_after_a_message_teaches_what_the_hub_is_worth(catalog, changed):
    hubs = FeedHubs(catalog)
    hubs.looked(task(), visited(100.0))
    word = read_word(catalog.reading, FEED)
    word.told(200.0)
    catalog.note(WORDS, [(FEED, written(word))])
    hubs.looked(task(), visited(150.0, changed))
    assert read_word(catalog.reading, FEED).pushed == 200.0, "a look before the message is not its doing"
    hubs.looked(task(), visited(210.0, changed))
    after = read_word(catalog.reading, FEED)
    assert (after.right, after.wrong, after.pushed) == (float(changed), float(not changed), 0.0)
    hubs.looked(task(), visited(300.0, changed))
    assert read_word(catalog.reading, FEED) == after, "the next look is nobody's doing"


def test_how_each_feed_stands_is_told(catalog):
    hear = listening(catalog, 1.0)
    assert hear(task(), visited(100.0)) == 0.0
    assert told_feeds(catalog.reading, 200.0) == {FEED: f"{HUB} would tell, and is not asked; it is polled"}
    one = Subscription(FEED, HUB, FEED, "https://archive.example/hub/x", "s").asked_for("subscribe", 100.0)
    one = one.confirmed("subscribe", FEED, "3600", 100.0)

    catalog.note(SUBSCRIPTIONS, [(one.token, json.dumps(one.as_data()).encode())])
    assert told_feeds(catalog.reading, 200.0, "a.example")[FEED].startswith(f"told by {HUB} until 1970-01-01 01:01 UTC")
    assert told_feeds(catalog.reading, 200.0, "b.example") == {}
