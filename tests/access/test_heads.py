"""Nothing an archived head or an address that is asked for says can add a line to an answer, or end a link early."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strandline.access.addresses import Base, parse
from strandline.access.heads import read_head, replayed
from strandline.access.memento import general_links

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
BASE = Base("http://127.0.0.1:8081")
HOSTILE = st.binary(max_size=60) | st.sampled_from(
    [
        b"\r\nSet-Cookie: a=b",
        b"\rX: 1",
        b"\n\n<script>",
        b"\x00",
        b"\x0b\x0c\x85\x1c",
        "\u2028\u010a".encode(),
        b"%0d%0aX: 1",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([b"Location", b"Content-Type", b"X", b"Link", b"A b", b""]), HOSTILE)))
@example([(b"Location", b"http://a.example/\rSet-Cookie: a=b")])
@example([(b"Content-Type", b"text/html\x00\x0bx"), (b"Set-Cookie", b"a=b")])
def test_fields_of_the_past_are_one_line_each(fields):
    raw = b"HTTP/1.1 302 Found\r\n" + b"".join(name + b": " + value + b"\r\n" for name, value in fields) + b"\r\n"
    sent = list(replayed(read_head(raw), lambda target: f"/web/{target}"))
    for name, value in sent:
        assert TOKEN.fullmatch(name) and not re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value), (name, value)
        assert name.startswith("x-archive-orig-") or name in (
            "location",
            "content-type",
            "content-language",
            "content-disposition",
        )
    assert all(value.startswith("/web/") for name, value in sent if name == "location")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60) | HOSTILE.map(lambda data: "http://a.example/" + data.decode("latin-1")))
@example("http://a.example/%0d%0aSet-Cookie:x")
@example('http://a.example/>; rel="x", <http://evil.example/')
@example("http://a.example/\r\nSet-Cookie: x")
@example('http://a.example/?q="><script>')
def test_an_address_cannot_leave_its_place_in_a_link(text):
    try:
        url = parse(text).url
    except ValueError:
        return
    assert not re.search(r'[\x00-\x20<>"\x7f]', url), url
    assert general_links(url, BASE).count("<") == 3 == general_links(url, BASE).count(">")


def test_the_control_sees_what_it_looks_for():
    assert re.search(r"[\x00-\x08\x0a-\x1f\x7f]", "a\r\nb") and not TOKEN.fullmatch("a b")
    with pytest.raises(ValueError, match=r"."):
        parse("http://[::1")
