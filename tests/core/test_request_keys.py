"""Keys of requests with bodies are those that cdxj-indexer, and with it pywb and replayweb.page, make."""

import io
import json

from cdxj_indexer.postquery import append_method_query
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.capture import Request
from strandline.core.request_keys import keyed, method_query, request_query, unkeyed

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


def reference(method, content_type, body):
    _, added = append_method_query(method, content_type, str(len(body)), io.BytesIO(body), "https://a.example/b")
    return added[1:]


@given(VALUES, st.sampled_from(["POST", "PUT"]), st.sampled_from(["application/json", "text/plain;charset=UTF-8"]))
def test_json_is_flattened_as_others_do(value, method, content_type):
    body = json.dumps(value).encode()
    assert method_query(method, content_type, body) == reference(method, content_type, body)


@given(st.binary(max_size=200), st.sampled_from(["application/octet-stream", "", "application/x-www-form-urlencoded"]))
def test_other_bodies_are_kept_as_others_do(body, content_type):
    assert method_query("POST", content_type, body) == reference("POST", content_type, body)


def test_forms_with_parts():
    body = (
        b'--xx\r\nContent-Disposition: form-data; name="a"\r\n\r\none two\r\n'
        b'--xx\r\nContent-Disposition: form-data; name="f"; filename="x.bin"\r\n'
        b"Content-Type: a/b\r\n\r\n\xff\x00\r\n--xx--\r\n"
    )
    kind = "multipart/form-data; boundary=xx"
    assert method_query("POST", kind, body) == reference("POST", kind, body)


def test_long_bodies_are_cut_where_others_cut_them():
    body = b"a=" + b"b" * 10_000
    kind = "application/x-www-form-urlencoded"
    assert method_query("POST", kind, body) == reference("POST", kind, body)


@given(st.dictionaries(st.text("abc", min_size=1), st.text("xyz 1&#%", max_size=5), max_size=3))
def test_the_address_comes_back_out_of_its_key(values):
    body = json.dumps(values).encode()
    for url in ("https://a.example/b", "https://a.example/b?c=1"):
        request = Request(url, 1, method="POST", headers=(("Content-Type", "application/json"),), body=body)
        key = keyed(url, request_query(request))
        assert unkeyed(key)[:2] == (url, "POST")
    assert keyed("https://a.example/b", request_query(Request("https://a.example/b", 1))) == "https://a.example/b"
