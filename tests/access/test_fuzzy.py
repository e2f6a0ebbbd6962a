"""Captures that stand for addresses which change at every load: what does not matter differs, what matters never."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made.memory_index import MemoryIndex
from strandline.access.fuzzy import MOST, like
from strandline.core.capture import Capture, Place
from strandline.core.request_keys import keyed, method_query
from strandline.core.urls import surt_key

BASE = "https://a.example/api"


def capture(url, time=1000.0, digest="", status=200):
    return Capture(url=url, time=time, status=status, mime="text/plain", digest=digest or url, place=Place("f", 0, 1))


def found(wanted, *held, time=1000.0):
    captures = [one if isinstance(one, Capture) else capture(one) for one in held]
    shown = like(MemoryIndex(captures), surt_key(wanted), time)
    return shown and shown.url


@pytest.mark.parametrize(
    ("wanted", "held"),
    [
        ("?a=1&_=1731768000123", "?a=1&_=1699999999999"),
        ("?a=1&cb=7", "?a=1&cb=123"),
        ("?a=1&when=1731768000", "?a=1&when=1731760000"),
        ("?rand=0.123456789", "?rand=0.987654321"),
        ("?x=0.123456789", "?x=0.987654321"),
        ("?id=123e4567-e89b-12d3-a456-426614174000", "?id=00000000-e89b-12d3-a456-426614174999"),
        ("?1731768000123", "?1699999999999"),
        ("?_=1731768000123", ""),
        ("", "?_=1731768000123"),
        ("?callback=jQuery1731768000_1731768001", "?callback=jQuery1699999999_1699999998"),
    ],
)
def test_what_is_there_to_be_different_does_not_matter(wanted, held):
    assert found(BASE + wanted, BASE + held) == BASE + held


@pytest.mark.parametrize(
    ("wanted", "held"),
    [
        ("?from=25", "?from=20"),
        ("?a=1&_=1731768000123", "?a=2&_=1731768000123"),
        ("?a=1&b=2&_=1", "?a=1&_=1"),
        ("?q=tide", ""),
        ("?callback=show", "?callback=hide"),
        ("?17", "?18"),
        ("?t=12", "?t=13"),
    ],
)
def test_what_matters_is_never_passed_over(wanted, held):
    assert found(BASE + wanted, BASE + held) is None


def test_other_paths_methods_and_failures_are_no_answer():
    assert found(f"{BASE}?_=1", "https://a.example/apiary?_=2", "https://b.example/api?_=2") is None
    post = keyed(BASE, method_query("POST", "application/json", b'{"q": "x", "ts": 1731768000}'))
    again = keyed(BASE, method_query("POST", "application/json", b'{"q": "x", "ts": 1731768999}'))
    other = keyed(BASE, method_query("POST", "application/json", b'{"q": "y", "ts": 1731768999}'))
    assert found(again, post, BASE) == post
    assert found(other, post, BASE) is None
    assert found(f"{BASE}?ts=1731768999&q=x", post) is None
    assert found(f"{BASE}?_=1", capture(f"{BASE}?_=2", status=500)) is None


def test_fields_are_learned_from_equal_payloads():
    held = [capture(f"{BASE}?page={page}&tag={tag}", digest=f"sha1:{page}") for page in (1, 2) for tag in ("x", "y")]
    assert found(f"{BASE}?page=2&tag=new", *held) in {f"{BASE}?page=2&tag=x", f"{BASE}?page=2&tag=y"}
    assert found(f"{BASE}?page=3&tag=x", *held) is None
    unequal = [*held, capture(f"{BASE}?page=2&tag=z", digest="sha1:other")]
    assert found(f"{BASE}?page=2&tag=new", *unequal) is None


def test_the_most_alike_and_then_the_nearest_is_taken():
    held = [capture(f"{BASE}?_=1", 100.0), capture(f"{BASE}?_=2", 900.0), capture(f"{BASE}?_=3&ts=4", 1000.0)]
    assert found(f"{BASE}?_=9", *held) == f"{BASE}?_=2"
    assert found(f"{BASE}?_=9", *held, time=0.0) == f"{BASE}?_=1"
    assert found(f"{BASE}?_=3&ts=9", *held) == f"{BASE}?_=3&ts=4"


def test_the_work_is_bounded():
    many = [capture(f"{BASE}?p={number:05}") for number in range(MOST + 10)]
    assert found(f"{BASE}?p=x", *many) is None


@given(st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz"), max_size=3), st.integers(10**12, 2 * 10**12))
def test_a_number_against_caches_never_hides_a_capture(fields, number):
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    held = [f"{BASE}?{query}&_=1600000000000", f"{BASE}?a=other"]
    assert found(f"{BASE}?{query}&_={number}", *held) == held[0]
