"""What crawls leave out, what pages weigh, and what captures say about their pages: the same in every catalog."""

from contextlib import closing
from dataclasses import replace

from contracts.stores import capture, found, take, visited
from strandline.core.capture import Evidence
from strandline.core.mining.learned import LearnedFrom
from strandline.core.mining.near import NearRule
from strandline.core.skip.retests import Retests
from strandline.learn.rules import RuleWish, learn_rules
from strandline.ports import Batch
from strandline.store.learned import LearnedWriter
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.learned import SharedLearnedWriter
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.store.skipping import SkipReading


def skips(catalog):
    if isinstance(catalog, PostgresCatalog):
        return on_postgres(SkipReading, catalog._session)
    return SkipReading(catalog._connection, catalog.path)


def weigher(catalog):
    if isinstance(catalog, PostgresCatalog):
        return SharedLearnedWriter(Session(catalog._session.url, 10.0), [])
    return LearnedWriter.open(catalog.path)


def test_re_tests_are_recorded_with_the_captures_that_made_them(store):
    catalog = store()
    quiet = Retests("a.example", "a.example/old", "near").tested(100.0)
    other = Retests("a.example", "a.example/new", "dormant", why="a \0 in it")
    catalog.add([found("http://a.example/old/1")])
    (task,) = take(catalog)
    catalog.commit(Batch([visited(task.page, capture(task.url))], retests=[quiet, other]))
    assert [one.directory for one in skips(catalog).retests()] == ["a.example/new", "a.example/old"]
    failed = quiet.failed_by(100.0, "it had changed", now=100.5)
    catalog.commit(Batch(retests=[failed]))
    assert list(skips(catalog).retests("a.example", "near")) == [failed]
    assert list(skips(catalog).retests("b.example")) == []


def test_weights_of_the_user_stay(store):
    catalog = store()
    urls = [f"http://a.example/{n}" for n in range(3)]
    catalog.add([found(url) for url in urls])
    pages = {url: catalog.page(url).page for url in urls}
    with closing(weigher(catalog)) as writer:
        assert writer.give_weights([(urls[0], 5.0), ("http://a.example/unknown", 2.0)]) == ["http://a.example/unknown"]
        writer.weigh([(page, 0.25) for page in pages.values()])
    assert [catalog.page(url).weight for url in urls] == [5.0, 0.25, 0.25]


def test_captures_that_are_brought_say_whether_their_page_is_there(store):
    catalog = store()
    told = {200: "present", 404: "absent", 503: "unreachable"}
    urls = {status: f"http://a.example/{status}" for status in told}
    catalog.bring([capture(url, 200.0, status, status=status) for status, url in urls.items()])
    assert {status: str(catalog.page(url).evidence) for status, url in urls.items()} == told
    torn = capture("http://a.example/torn", 300.0, 7, truncated="disconnect")
    catalog.bring([torn])
    assert catalog.page(torn.url).evidence is Evidence.UNREACHABLE


def test_an_older_record_of_re_tests_does_not_replace_a_newer_one_of_another_worker(store):
    catalog = store()
    once = Retests("a.example", "a.example/old", "near").tested(100.0)
    twice = once.tested(200.0)
    catalog.commit(Batch(retests=[twice]))
    if isinstance(catalog, PostgresCatalog):  # an embedded catalog has one writer, which always knows the newest
        catalog.commit(Batch(retests=[once]))
    assert list(skips(catalog).retests("a.example")) == [twice]


def test_what_study_noticed_can_be_asked_for_by_site(store):
    catalog = store()
    catalog.add([found("http://a.example/1")])
    (task,) = take(catalog)
    catalog.commit(Batch([visited(task.page, capture(task.url))]))
    assert list(skips(catalog).noticed_since("a.example", 0.0)) == []
    assert list(skips(catalog).answered_since("a.example", 0.0)) == [(task.page, task.url, False, 200)]
    pages, urls, _, captured, _ = skips(catalog).known_pages("a.example")
    assert (pages.tolist(), urls, captured.tolist()) == ([task.page], [task.url], [True])
    _, _, _, before, _ = skips(catalog).known_pages("a.example", 0.0)
    assert before.tolist() == [False]


def test_a_page_known_from_records_is_as_far_from_the_seeds_as_the_crawl_finds_it(store):
    catalog = store()
    catalog.bring([capture("http://a.example/1")])
    for hops in (3, 2, 4):
        catalog.commit(Batch(found=[found("http://a.example/1", via="link", hops=hops)]))
    (task,) = take(catalog)
    assert task.hops == 2


def test_what_replaces_rules_notes_which_are_new_and_which_are_gone(store):
    catalog = store()
    about, none = LearnedFrom("rules", 1, 1, 1, 1, 0, 0.0, 9.0, {}), learn_rules("a.test", [], RuleWish()).learned
    one, two, three = (NearRule(("a.test/x",), f"a.test/{name}", 0.5, -1.0, 1.0) for name in ("é", "b", "c"))
    with closing(weigher(catalog)) as writer:
        for now, rules in ((5.0, (one, two)), (6.0, (two, three)), (7.0, (two, three))):
            writer.replace_rules(about, [replace(none, rules=rules)], {}, now)
        told = writer.reading._rows("SELECT rule, made, retired FROM rule_history ORDER BY made, rule")
        assert sorted(map(tuple, told)) == sorted(
            [(one.as_text(), 5.0, 6.0), (two.as_text(), 5.0, None), (three.as_text(), 6.0, None)]
        )
