"""Cookies and passwords go to whom they belong, and to nobody else."""

import pytest

from strandline.core.logins import Cookie, Logins, Password, cookie_of, read_cookies

NOW = 1_000.0


@pytest.mark.parametrize(
    ("cookie", "url", "sent"),
    [
        (Cookie("a", "1", "example.org"), "http://example.org/", True),
        (Cookie("a", "1", "example.org"), "http://example.org:8080/x?y=/", True),
        (Cookie("a", "1", "example.org"), "https://www.example.org/", False),
        (Cookie("a", "1", "example.org", below=True), "https://www.example.org/", True),
        (Cookie("a", "1", "example.org", below=True), "https://badexample.org/", False),
        (Cookie("a", "1", "example.org", below=True), "https://example.org.evil.net/", False),
        (Cookie("a", "1", "example.org", secure=True), "https://example.org/", True),
        (Cookie("a", "1", "example.org", secure=True), "http://example.org/", False),
        (Cookie("a", "1", "example.org", path="/in"), "http://example.org/in", True),
        (Cookie("a", "1", "example.org", path="/in"), "http://example.org/in/x", True),
        (Cookie("a", "1", "example.org", path="/in/"), "http://example.org/in/x", True),
        (Cookie("a", "1", "example.org", path="/in"), "http://example.org/inner", False),
        (Cookie("a", "1", "example.org", path="/in"), "http://example.org/?/in", False),
        (Cookie("a", "1", "example.org", expires=NOW), "http://example.org/", False),
        (Cookie("a", "1", "example.org", expires=NOW + 1), "http://example.org/", True),
    ],
)
def test_a_cookie_goes_to_its_own(cookie, url, sent):
    assert cookie.goes_to(url, NOW) is sent
    assert bool(Logins((cookie,)).fields(url, NOW)) is sent


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://example.org/a", True),
        ("http://example.org/a", False),
        ("https://example.org:8443/", False),
        ("https://www.example.org/", False),
    ],
)
def test_a_password_goes_to_one_origin(url, sent):
    known = Logins(passwords=(Password("https://example.org", "anna", "pässword"),))
    assert known.fields(url, NOW) == ((("Authorization", "Basic YW5uYTpww6Rzc3dvcmQ="),) if sent else ())


def test_a_file_of_cookies():
    text = (
        "# Netscape HTTP Cookie File\n\n.example.org\tTRUE\t/\tTRUE\t2000000000\tid\tv=1\n"
        "#HttpOnly_a.example\tFALSE\t/in\tFALSE\t0\ts\t\n.co.uk\tTRUE\t/\tFALSE\t0\tw\tx\r\n"
    )
    one, two, three = read_cookies(text)
    assert (one.name, one.value, one.host, one.below, one.secure, one.expires) == (
        "id", "v=1", "example.org", True, True, 2e9,
    )  # fmt: skip
    assert (two.host, two.below, two.path, two.http_only, two.value) == ("a.example", False, "/in", True, "")
    assert not three.below, "no cookie for all sites of a country"


@pytest.mark.parametrize(
    "line",
    ["hello", "a.example\tFALSE\t/\tFALSE\tsoon\ta\tb", "a.example\tFALSE\t/\tFALSE\t0\ta;b\tc", "\t\t\t\t0\ta\tb"],
)
def test_what_is_no_cookie_is_named_by_its_line(line):
    with pytest.raises(ValueError, match="line 2"):
        read_cookies(f"# first\n{line}\n")


def test_cookies_that_would_be_more_than_a_value_are_none():
    assert cookie_of({"domain": "a.example", "name": "a", "value": "b\r\nX: y"}) is None
    assert cookie_of({"domain": "a.example", "name": "a", "value": "b; c=d"}) is None


def test_logins_replace_each_other_are_forgotten_by_site_and_tell_no_secrets():
    first = Logins().with_cookies([Cookie("a", "old-secret", "example.org"), Cookie("b", "2", "other.example")])
    known = first.with_cookies([Cookie("a", "new-secret", "example.org")])
    known = known.with_password(Password("http://example.org:81", "n", "word-secret"))
    assert known.fields("http://example.org/", NOW) == (("Cookie", "a=new-secret"),)
    assert known.sites() == ["example.org", "example.org:81", "other.example"]
    assert "secret" not in repr(known)
    assert Logins.from_data(known.as_data()) == known
    assert known.without("example.org").sites() == ["example.org:81", "other.example"]
    assert known.without("example.org:81").sites() == ["other.example"]


def test_the_longest_path_comes_first():
    known = Logins((Cookie("a", "1", "h.example"), Cookie("a", "2", "h.example", path="/x")))
    assert known.fields("http://h.example/x/y", NOW) == (("Cookie", "a=2; a=1"),)
