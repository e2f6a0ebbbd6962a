"""Sites behind a login: cookies and passwords reach them, nobody else, and no file; who is logged out is told."""

import gzip
import json
import re

import pytest

import strandline as library
from journeys.command import strandline
from servers.login_site import FORM, NAME, PASSWORD, RENEWED, SESSION, members_only
from strandline.app.alerts_listing import alarms
from strandline.archive.login_store import KEY, SEALED

SECRETS = [word.encode() for word in (SESSION, RENEWED, PASSWORD)]


def cookies_file(folder, host="127.0.0.1", name="session", value=SESSION, secure="FALSE"):
    path = folder / "cookies.txt"
    path.write_text(f"# Netscape HTTP Cookie File\n{host}\tFALSE\t/\t{secure}\t0\t{name}\t{value}\n")
    return path


def crawl(archive, *seeds, code=0, more=()):
    words = [word for seed in seeds for word in ("--seeds", seed)]
    done = strandline("crawl", archive, *words, "--allow-address", "127.0.0.0/8", "--delay", "0", "--json", *more)
    assert done.code == code, done.err
    return done


def texts(archive):
    """Everything an archive has on disk, unpacked."""
    for path in archive.rglob("*"):
        if path.is_file() and path.name not in (SEALED, KEY):
            data = path.read_bytes()
            yield path.name, data
            if path.suffix == ".gz":
                yield path.name, gzip.decompress(data)


def no_secret_stands_in(archive, *told):
    for name, data in [*texts(archive), *(("told", text.encode()) for text in told)]:
        for secret in SECRETS:
            assert secret not in data, name


def captured(archive, url):
    opened = library.open(archive)
    capture = next(one for one in opened.captures(url) if not one.revisit)
    return capture.status, opened.records.read(capture.place).body.read().decode()


def test_cookies_of_a_file_reach_their_host_and_nothing_else(tmp_path):
    archive = tmp_path / "archive"
    # Ports do not divide cookies, so the other site has another address.
    with members_only() as (base, members), members_only(host="127.0.0.2") as (other, strangers):
        members.other = other
        assert strandline("init", archive).code == 0
        kept = strandline("login", archive, base, "--cookies", cookies_file(tmp_path), "--json")
        assert (kept.code, json.loads(kept.out)["cookies"]) == (0, 1), kept.err
        done = crawl(archive, f"{base}/", f"{other}/")
        assert captured(archive, f"{base}/one")[0] == 200
        assert "Members read line 7" in captured(archive, f"{base}/one")[1]
        assert members.sent("/one") == [(f"session={SESSION}", "")]
        assert members.sent("/robots.txt") == [("", "")]
        assert strangers.asked and all(not cookie and not word for _, cookie, word in strangers.asked)
        listed = strandline("login", archive, "--json")
        assert json.loads(listed.out)["sites"] == ["127.0.0.1"]
        whole = strandline("export", archive, tmp_path / "all.wacz")
        no_secret_stands_in(archive, done.out, done.err, kept.out, kept.err, listed.out)
        if whole.code == 0:
            no_secret_stands_in(tmp_path / "all.wacz", whole.out)
        head = next(data for name, data in texts(archive) if b"Set-Cookie" in data)
        assert re.search(rb"Set-Cookie: session=x+; Path=/; HttpOnly\r\n", head)
        assert strandline("verify", archive).code == 0
    assert strandline("login", archive, base, "--forget").code == 0
    assert strandline("login", archive).out.startswith("no logins")


def test_secrets_are_kept_where_somebody_asks_for_them(tmp_path):
    archive = tmp_path / "archive"
    with members_only() as (base, _):
        assert strandline("init", archive).code == 0
        assert strandline("login", archive, base, "--cookies", cookies_file(tmp_path)).code == 0
        crawl(archive, f"{base}/", more=("--set", "keep.keep_secrets=true"))
    held = b"".join(data for name, data in texts(archive) if name.endswith(".gz"))
    assert SECRETS[0] in held and SECRETS[1] in held


def test_a_cookie_for_tls_is_not_sent_without(tmp_path):
    archive = tmp_path / "archive"
    with members_only() as (base, members):
        assert strandline("init", archive).code == 0
        path = cookies_file(tmp_path, secure="TRUE")
        assert strandline("login", archive, base.replace("http:", "https:"), "--cookies", path).code == 0
        crawl(archive, f"{base}/")
    assert members.asked and all(not cookie for _, cookie, _ in members.asked)


def test_name_and_password_of_the_environment(tmp_path):
    archive = tmp_path / "archive"
    env = {"STRANDLINE_LOGIN_NAME": NAME, "STRANDLINE_LOGIN_PASSWORD": PASSWORD}
    with members_only("401") as (base, members), members_only() as (other, strangers):
        members.other = other  # the same host at another port: another origin
        assert strandline("init", archive).code == 0
        missing = strandline("login", archive, base, "--basic")
        assert missing.code != 0 and "STRANDLINE_LOGIN_NAME" in missing.err
        kept = strandline("login", archive, base, "--basic", env=env)
        assert kept.code == 0, kept.err
        done = crawl(archive, f"{base}/", f"{other}/")
        assert captured(archive, f"{base}/two")[0] == 200
        assert strangers.asked and all(not word for _, _, word in strangers.asked)
    no_secret_stands_in(archive, done.out, done.err, kept.out, kept.err)
    assert members.sent("/two")[0][1].startswith("Basic ")


LONG = pytest.mark.long


@pytest.mark.parametrize("how", ["redirect", *(pytest.param(how, marks=LONG) for how in ("form", "401", "403"))])
def test_a_logout_is_noticed_and_the_site_paused_until_somebody_logs_in(tmp_path, how):
    archive = tmp_path / "archive"
    with members_only(how) as (base, members):
        site = base.removeprefix("http://")
        assert strandline("init", archive).code == 0
        assert strandline("login", archive, base, "--cookies", cookies_file(tmp_path)).code == 0
        crawl(archive, f"{base}/")
        members.out = True
        members.asked.clear()
        out = strandline(
            "crawl", archive, "--seeds", f"{base}/", "--allow-address", "127.0.0.0/8", "--delay", "0",
            "--set", "crawl.revisit=0",
        )  # fmt: skip
        assert f"{site} is paused: it seems to have logged out" in out.err
        assert library.open(archive).settings.site[0].state == "paused"
        assert [(one.kind, one.subject) for one in alarms(library.open(archive))] == [("login", site)]
        asked = len(members.asked)
        strandline("crawl", archive, "--seeds", f"{base}/", "--allow-address", "127.0.0.0/8", "--delay", "0")
        assert len(members.asked) == asked, "nothing is asked of it"
        members.out = False
        again = strandline("login", archive, base, "--cookies", cookies_file(tmp_path))
        assert "no longer paused" in again.err
        assert alarms(library.open(archive)) == []
        assert library.open(archive).settings.site[0].state == "active"


def test_a_page_that_always_was_a_form_is_no_logout(tmp_path):
    archive = tmp_path / "archive"
    with members_only() as (base, members):
        assert strandline("init", archive).code == 0
        assert strandline("login", archive, base, "--cookies", cookies_file(tmp_path)).code == 0
        for _ in range(2):
            done = crawl(archive, f"{base}/", more=("--set", "crawl.revisit=0"))
            assert "logged out" not in done.err
        assert captured(archive, f"{base}/login")[1] == FORM
        assert len(members.sent("/login")) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("hello\n", "line 1 is no cookie"),
        ("elsewhere.example\tFALSE\t/\tFALSE\t0\ta\tb\n", "there is no cookie of 127.0.0.1"),
        ("127.0.0.1\tFALSE\t/\tFALSE\t5\ta\tb\n", "that has not expired"),
    ],
)
def test_what_cannot_be_imported_is_told(tmp_path, given, said):
    archive, file = tmp_path / "archive", tmp_path / "c.txt"
    file.write_text(given)
    assert strandline("init", archive).code == 0
    done = strandline("login", archive, "http://127.0.0.1:8000/", "--cookies", file)
    assert done.code == 2 and said in done.err
    done = strandline("login", archive, "http://127.0.0.1:8000/", env={"DISPLAY": "", "WAYLAND_DISPLAY": ""})
    assert done.code == 2 and "--cookies FILE" in done.err
    assert not (archive / SEALED).exists()
