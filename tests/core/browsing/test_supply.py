"""One JSON answer holds the text of a page, or does not."""

import json

from strandline.core.browsing.supply import supplier
from strandline.core.shown import DataAnswer

ITEMS = [{"id": n, "title": f"Report number {n}", "text": f"Ward {n} met on a rainy day in May"} for n in range(9)]
SHELL = b'<div id="root">Council</div><script src="/app.js"></script>'
SHOWN = "Council " + " ".join(f"{one['title']} {one['text']} more" for one in ITEMS)


def answer(url, value):
    return DataAnswer(url, f"sha1:{url}", json.dumps(value).encode())


def test_the_answer_with_the_words_is_found_among_others():
    found = supplier(SHELL, SHOWN, [answer("/me", {"name": "x"}), answer("/items", {"data": ITEMS}), answer("/s", [1])])
    assert found is not None and (found.url, found.digest) == ("/items", "sha1:/items")


def test_text_that_comes_from_two_answers_has_no_supplier():
    assert supplier(SHELL, SHOWN, [answer("/a", ITEMS[:5]), answer("/b", ITEMS[5:])]) is not None, "much is the same"
    other = "Fishermen along northern coasts repaired boats while gulls circled above quiet harbours until evening fell"
    assert supplier(SHELL, SHOWN + " " + 3 * (other + " "), [answer("/a", ITEMS), answer("/b", [other])]) is None


def test_of_two_that_hold_it_the_shorter_one_supplies_it():
    assert supplier(SHELL, SHOWN, [answer("/all", [*ITEMS, {"more": "x" * 500}]), answer("/one", ITEMS)]).url == "/one"


def test_what_cannot_be_read_supplies_nothing():
    bad = [DataAnswer("/x", "", b"{" + json.dumps(ITEMS).encode()), DataAnswer("/y", "", b"[" * 100_000)]
    assert supplier(SHELL, SHOWN, bad) is None
    assert supplier(SHELL, "Council meets", [answer("/items", ["meets"])]) is None, "few words stand anywhere"
