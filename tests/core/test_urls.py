import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core import urls


@pytest.mark.parametrize(
    "text",
    [
        "",
        "foo",
        "/a/b",
        "ftp://example.com/",
        "javascript:alert(1)",
        "http://",
        "data:text/html,x",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_web_address_is_refused(text):
    with pytest.raises(ValueError, match="not a web address"):
        urls.canonical(text)


def test_credentials_and_endless_addresses_are_refused():
    with pytest.raises(ValueError, match="password"):
        urls.canonical("http://user:secret@example.com/")
    with pytest.raises(ValueError, match="longer"):
        urls.canonical("http://example.com/" + "a" * 3000)


@pytest.mark.parametrize(
    ("spelling", "plain"),
    [
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f000001/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://①②⑦.0.0.1/", "http://127.0.0.1/"),
        ("http://EXAMPLE.com./%7Ea", "http://example.com./%7Ea"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("  http://example.com\n/a\t", "http://example.com/a"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
    ],
)
def test_one_parser_sees_through_spellings(spelling, plain):
    assert urls.canonical(spelling) == plain


@given(st.text(max_size=60))
def test_canonical_is_idempotent_or_refuses(text):
    try:
        once = urls.canonical(text, base="http://example.com/dir/page.html")
    except ValueError:
        return
    assert urls.canonical(once) == once
    assert "#" not in once
    assert urls.path_segments(once)[0] == urls.authority(once)


def test_sites_group_hosts_by_registered_domain():
    assert urls.site("http://a.b.example.org/") == urls.site("https://www.example.org/x") == "example.org"
    assert urls.site("http://[::1]:8080/") == "[::1]:8080"
    assert urls.site("http://[::1]/") == "[::1]"
    assert urls.site("http://localhost/") == "localhost"


def test_key_joins_http_https_and_www():
    assert urls.surt_key("http://www.example.org/a") == urls.surt_key("https://example.org/a")


def test_directory_keeps_host_first_and_query_with_the_page():
    assert urls.path_segments("http://h/a//b/?q=/x") == ("h", "a", "", "b", "?q=/x")
    assert urls.directory("http://h/a//b/?q=/x") == "h/a//b"
