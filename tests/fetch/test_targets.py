from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strandline.core.capture import Outcome, Request
from strandline.fetch.targets import _parsed, _place, is_address, target_of
from strandline.fetch.verdict import Verdict

HOSTS = ["example.org", "Example.ORG", "a.b", "127.0.0.1", "127.1", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "x:80",
         "x:8080", "x:", "x:99999", "user@x", "user:p@x", "xn--bcher-kva.example", "b\u00fccher.example", "", "a b",
         "example.org.", "x\\y", "%31", "-", "x:08"]  # fmt: skip
PATHS = st.text(st.sampled_from("abc019/./..?&=%2e%;:@!$()*+,'~-_ \\#|\u00e9\t"), max_size=14)


@given(scheme=st.sampled_from(["http", "https", "HTTP", "ftp"]), host=st.sampled_from(HOSTS), path=PATHS)
@example(scheme="http", host="127.1", path="/")
@example(scheme="http", host="example.org", path="/a/../b")
@example(scheme="http", host="example.org", path="/a/%2e%2e/b")
@example(scheme="http", host="example.org", path="?x@y/z")
def test_the_short_way_says_what_the_parser_says(scheme, host, path):
    request = Request(f"{scheme}://{host}{path}", 1)
    short, whole = target_of(request), _parsed(request)
    if isinstance(short, Verdict) or isinstance(whole, Verdict):
        assert short == whole
    else:
        assert replace(short, since=0.0) == replace(whole, since=0.0)


def test_plain_addresses_take_the_short_way():
    _place.cache_clear()
    for number in range(5):
        target = target_of(Request(f"http://example.org:8080/d/p{number}.html?x=1", number))
        assert (target.host, target.port, target.url[-4:]) == ("example.org", 8080, "?x=1")
    assert _place.cache_info().hits == 4


@pytest.mark.parametrize("host", ["127.1", "0x7f.1", "2130706433", "Example.org", "user@example.org"])
def test_odd_hosts_never_take_it(host):
    assert _place(f"http://{host}") is None


def test_what_cannot_be_asked():
    assert target_of(Request("ftp://example.org/", 1)).outcome is Outcome.BAD_URL
    assert target_of(Request(f"http://{'a' * 254}/", 1)).outcome is Outcome.NO_SUCH_HOST
    assert is_address("::1") and is_address("127.0.0.1") and not is_address("example.org")
