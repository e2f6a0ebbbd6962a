import ada_url
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


PIECES = st.sampled_from(
    [
        *(
            "a",
            "b1",
            "B",
            "xn--",
            "-",
            "_",
            ".",
            "..",
            "/",
            "//",
            "?",
            "%",
            "%2e",
            "%2E",
            "%41",
            "%zz",
            "[",
            "]",
            "|",
            "'",
        ),
        *(
            '"',
            "0x1",
            "1",
            "127.0.0.1",
            "é",
            "#",
            "&",
            "=",
            ":",
            "@",
            ";",
            "\\",
            "^",
            "`",
            "{",
            "~",
            "!",
            "$",
            "(",
            "*",
        ),
        *("+", ",", ":80", ":443", ":8080", "\t", "1e", "\n", " "),
    ]
)
HOSTS = st.sampled_from(["a.b", "a.b/", "x-y.co/d/", "localhost", "c.d/?", "a.xn--b/", "1.2/", "", "a_.b-/", "a.b:80/"])


@given(st.sampled_from(["http://", "https://"]), HOSTS, st.lists(PIECES, max_size=6))
def test_what_is_taken_as_it_is_the_parser_would_give_back(scheme, host, pieces):
    url = scheme + host + "".join(pieces)
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        with pytest.raises(ValueError, match="not a web address"):
            urls.archived(url)
        return
    parsed.username = parsed.password = parsed.hash = ""
    assert urls.archived(url) == parsed.href


def test_sites_group_hosts_by_registered_domain():
    assert urls.site("http://a.b.example.org/") == urls.site("https://www.example.org/x") == "example.org"
    assert urls.site("http://[::1]:8080/") == "[::1]:8080"
    assert urls.site("http://[::1]/") == "[::1]"
    assert urls.site("http://localhost/") == "localhost"


_segment = st.text(alphabet="abcABC019-_.~!$'()*+,;=:@%ü\"", max_size=6)
_host = st.lists(
    st.sampled_from(["www", "www2", "a", "example", "co", "uk", "127", "0", "1", "xn--bcher-kva"]),
    min_size=1,
    max_size=5,
)
_query = st.text(alphabet="abcAB01=&%+/?;sidSID", max_size=20)


@given(_host, st.sampled_from(["", ":80", ":8080", ":443"]), st.lists(_segment, max_size=5), _query, st.booleans())
def test_keys_are_those_of_the_surt_package(host, port, path, query, secure):
    import surt

    text = f"http{'s' if secure else ''}://{'.'.join(host)}{port}/{'/'.join(path)}{'?' if query else ''}{query}"
    try:
        url = urls.canonical(text)
    except ValueError:
        return
    assert urls.surt_key(url) == surt.surt(url)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a/",
        "//a",
        "/A/B?",
        "/?",
        "/a?b",
        "/a?PHPSESSID=" + "a" * 32,
        "/a%2Fb",
        "/a//b/",
        "/a?=&=",
        "/(x)/a.aspx",
        "/(" + "a" * 24 + ")/b.aspx?x",
        "/a?x=1&sid=" + "B" * 32 + "&y",
        "/a?cfid=1&cftoken=2&z=3",
        "/%2e%2e/b",
        "/a%252Fb%25",
        "/?%26%3d=1&A=%C3%BC",
        "/a/./b/..//c",
    ],
)
def test_odd_keys_are_those_of_the_surt_package(path):
    import surt

    for place in (
        "http://www.example.org",
        "https://h:8443",
        "http://[::1]:80",
        "http://example.org.",
        "http://10.0.0.1",
    ):
        url = urls.canonical(place + path)
        assert urls.surt_key(url) == surt.surt(url)


@given(st.text(alphabet='aB /?=&#%"|\tü漢', max_size=12), st.sampled_from(["h.example", "BÜCHER.example", "h:80"]))
def test_addresses_of_other_tools_have_the_keys_of_the_surt_package(rest, host):
    import surt

    url = f"http://{host}/{rest.strip()}"
    assert urls.surt_key(urls.archived(url)) == surt.surt(url)


@pytest.mark.parametrize("url", ["dns:example.org", "urn:x:http://h/", "", "http://[::1/", "http://h:99999999/"])
def test_what_is_no_web_address_was_not_archived_from_the_web(url):
    with pytest.raises(ValueError, match="not a web address"):
        urls.archived(url)


def test_key_joins_http_https_and_www():
    assert urls.surt_key("http://www.example.org/a") == urls.surt_key("https://example.org/a")


def test_directory_keeps_host_first_and_query_with_the_page():
    assert urls.path_segments("http://h/a//b/?q=/x") == ("h", "a", "", "b", "?q=/x")
