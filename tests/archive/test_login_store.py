"""Logins at rest: encrypted, for their owner's eyes, and no longer opened with another key."""

import base64
import time

import pytest

from strandline.archive import login_store
from strandline.archive.login_store import KEY, SEALED, VARIABLE, LoginFile, read_logins, write_logins
from strandline.core.logins import Cookie, Logins
from strandline.errors import SettingError

KNOWN = Logins((Cookie("session", "very-secret-value", "example.org"),))


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


def test_they_are_kept_encrypted_and_for_the_owner_alone(tmp_path):
    assert not read_logins(tmp_path)
    write_logins(tmp_path, KNOWN)
    assert read_logins(tmp_path) == KNOWN
    for name in (SEALED, KEY):
        path = tmp_path / name
        assert path.stat().st_mode & 0o777 == 0o600
        assert b"secret" not in path.read_bytes() and b"example.org" not in path.read_bytes()
    first = (tmp_path / SEALED).read_bytes()
    write_logins(tmp_path, KNOWN)
    assert (tmp_path / SEALED).read_bytes() != first, "never the same twice"
    write_logins(tmp_path, Logins())
    assert not (tmp_path / SEALED).exists()


def test_a_key_of_the_environment_leaves_none_beside_the_archive(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, base64.b64encode(b"k" * 32).decode())
    write_logins(tmp_path, KNOWN)
    assert read_logins(tmp_path) == KNOWN
    assert not (tmp_path / KEY).exists()
    monkeypatch.setenv(VARIABLE, base64.b64encode(b"l" * 32).decode())
    with pytest.raises(SettingError, match="cannot be opened with this key"):
        read_logins(tmp_path)
    monkeypatch.setenv(VARIABLE, "short")
    with pytest.raises(SettingError, match="32 bytes"):
        read_logins(tmp_path)


def test_a_changed_byte_a_lost_key_and_one_that_others_read(tmp_path):
    write_logins(tmp_path, KNOWN)
    (tmp_path / KEY).chmod(0o644)
    with pytest.raises(SettingError, match="can be read by others"):
        read_logins(tmp_path)
    (tmp_path / KEY).chmod(0o600)
    sealed = bytearray((tmp_path / SEALED).read_bytes())
    sealed[-1] ^= 1
    (tmp_path / SEALED).write_bytes(sealed)
    with pytest.raises(SettingError, match="cannot be opened"):
        read_logins(tmp_path)
    (tmp_path / KEY).unlink()
    with pytest.raises(SettingError, match="cannot be read"):
        read_logins(tmp_path)


def test_who_logs_in_while_a_watch_runs_is_heard(tmp_path, monkeypatch):
    monkeypatch.setattr(login_store, "_EVERY", 0.0)
    known = LoginFile(tmp_path)
    assert not known()
    write_logins(tmp_path, KNOWN)
    until = time.monotonic() + 30
    while not known() and time.monotonic() < until:
        time.sleep(0.01)
    assert known() == KNOWN
    (tmp_path / SEALED).write_bytes(b"torn")
    assert known() == KNOWN, "those of before"
