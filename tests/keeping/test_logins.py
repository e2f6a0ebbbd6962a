"""Logging in for an archive, from Python."""

import pytest

import strandline
from strandline.archive.login_store import read_logins
from strandline.errors import SettingError, UsageError
from strandline.keeping.logins import NAME, PASSWORD, login_in_window, login_sites

COOKIES = ".example.org\tTRUE\t/\tTRUE\t0\tid\tv1\nads.example.net\tFALSE\t/\tFALSE\t0\tt\tv2\n"


@pytest.fixture
def archive(tmp_path):
    (tmp_path / "cookies.txt").write_text(COOKIES)
    return strandline.create(tmp_path / "a")


def test_only_the_cookies_of_the_site_are_kept(archive, tmp_path):
    assert archive.login_cookies("www.example.org", tmp_path / "cookies.txt") == "example.org"
    assert [one.host for one in read_logins(archive.folder).cookies] == ["example.org"]
    assert login_sites(archive) == ["example.org"]
    assert archive.login_forget("https://example.org/") == "example.org"
    assert login_sites(archive) == []
    with pytest.raises(UsageError, match="no login for"):
        archive.login_forget("https://example.org/")


def test_name_and_password_come_from_the_environment(archive, monkeypatch):
    monkeypatch.delenv(NAME, raising=False)
    with pytest.raises(SettingError, match=NAME):
        archive.login_password("https://example.org/")
    monkeypatch.setenv(NAME, "anna")
    monkeypatch.setenv(PASSWORD, "word")
    assert archive.login_password("https://example.org/deep") == "example.org"
    assert [one.origin for one in read_logins(archive.folder).passwords] == ["https://example.org"]
    monkeypatch.setenv(NAME, "an:na")
    with pytest.raises(SettingError, match="colon"):
        archive.login_password("https://example.org/")


def test_without_a_screen_it_says_what_else_can_be_done(archive, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="--cookies FILE"):
        login_in_window(archive, "https://example.org/")


def test_a_file_that_cannot_be_read(archive, tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        archive.login_cookies("example.org", tmp_path / "none.txt")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="no file of cookies"):
        archive.login_cookies("example.org", tmp_path / "bytes")
