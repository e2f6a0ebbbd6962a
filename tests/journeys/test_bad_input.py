"""Bad input gets one clear line, the documented exit code, and nothing is written."""

import gzip
import os
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from journeys.command import LOOPBACK, strandline
from warc.test_wacz import WARC, package


def written(folder):
    """Names and bytes of everything that counts."""
    quiet = ("strandline.lock", "strandline.db-wal", "strandline.db-shm")
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in quiet}


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty") / "archive"
    assert strandline("init", folder).code == 0
    return folder


@pytest.fixture
def archive(empty, tmp_path):
    return Path(shutil.copytree(empty, tmp_path / "archive"))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["crawl", "{archive}", "--seeds", "not an address"], 2, "not a web address"),
        (["crawl", "{archive}", "--seeds", "ftp://example.org/"], 2, "not a web address"),
        (["crawl", "{archive}", "--seeds", "http://user:pw@example.org/"], 2, "password"),
        (["crawl", "{archive}", "--seeds", "http://example.org/"], 4, "contact"),
        (["crawl", "{archive}"], 2, "nothing to start from: pass --seeds"),
        (["watch", "{archive}", "--budget", "5/hour"], 2, "nothing to start from: pass --seeds"),
        (["crawl", "{archive}", "--scope", "galaxy"], 2, "galaxy"),
        (["crawl", "{archive}", "--delay", "soon"], 4, "politeness.delay"),
        (["crawl", "{archive}", "--allow-address", "everything"], 4, "allow_address"),
        (["crawl", "{archive}", "--set", "fetch.totl=3"], 4, "did you mean 'total'"),
        (["crawl", "{archive}", "--seeds", "http://127.0.0.1/", "--set", "keep.prefix=../a"], 4, "keep.prefix"),
        (["crawl", "{archive}", "--seeds", "http://127.0.0.1/", "--set", "keep.prefix=.a"], 4, "keep.prefix"),
        (["crawl", "{archive}", "--limit", "0"], 2, "limit"),
        (["crawl", "{archive}", "--time-limit", "long"], 2, "--time-limit: 'long'"),
        (["crawl", "{archive}", "--size-limit", "-5"], 2, "--size-limit: '-5'"),
        (["crawl", "{archive}", "--time-limit", "0"], 2, "above zero"),
        (["crawl", "{archive}", "--seeds", "{archive}/archive"], 2, "but a folder"),
        (["crawl", "{archive}", "--seeds", "{beside}/latin.txt"], 2, "line 2: not UTF-8"),
        (["crawl", "{archive}", "--seeds", "{beside}/nothing.txt"], 2, "no addresses"),
        (["crawl", "{archive}", "--seeds", "http://example.org/", "--contact", "me"], 4, "archive.contact"),
        (
            ["crawl", "{archive}", "--seeds", "http://example.org/", "--contact", "https://a/\r\nX: 1"],
            4,
            "archive.contact",
        ),
        (["watch", "{archive}", "--coherence", "nan", "--seeds", "http://example.org/"], 2, "finite"),
        (["watch", "{archive}", "--for", "0h"], 2, "--for"),
        (["crawl", "{archive}", "--no-such-flag"], 2, "no-such-flag"),
        (["versions", "{archive}", "nonsense"], 2, "not a web address"),
        (["versions", "{archive}/nothing", "http://example.org/"], 2, "no archive"),
        (["verify", "{archive}/strandline.toml"], 2, "no archive"),
        (["init", "{archive}"], 2, "already"),
        (["export", "{archive}", "--to", "x.tar"], 2, "x.tar"),
        (["export", "{archive}", "--to", "x.cdxj", "--from", "tomorrow"], 2, "tomorrow"),
        (["import", "{archive}", "{archive}/missing.warc.gz"], 2, "missing.warc.gz"),
        (["import", "{archive}", "{archive}/strandline.toml"], 2, "strandline.toml"),
        (["export", "{archive}", "--dataset", "{beside}/latin.txt"], 2, "latin.txt: File exists"),
        (["rules", "{archive}", "--plot", "{beside}/latin.txt/x"], 2, "latin.txt/x: Not a directory"),
        (["serve", "{archive}", "--host", "0.0.0.0"], 4, "token"),
        (["nonsense"], 2, "nonsense"),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else None,
)
def test_one_clear_line(archive, words, code, message):
    before = written(archive)
    (archive.parent / "latin.txt").write_bytes(b"# coffee\nhttp://example.org/caf\xe9\n")
    (archive.parent / "nothing.txt").write_text("# later\n\n")
    names = {"{archive}": str(archive), "{beside}": str(archive.parent)}
    done = strandline(*(_filled(word, names) for word in words))
    assert done.code == code, done.err
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    assert written(archive) == before


def _filled(word, names):
    for name, value in names.items():
        word = word.replace(name, value)
    return word


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["crawl", "{new}"], 2),
        (["crawl", "{new}", "--seeds", "http://example.org/"], 4),
        (["crawl", "{new}", "--seeds", "http://127.0.0.1:1/", "--set", "fetch.totl=3", *LOOPBACK], 4),
        (["watch", "{new}"], 2),
        (["import", "{new}", "{new}.warc.gz"], 2),
        (["init", "{new}", "--contact", "nobody"], 4),
        (["verify", "{new}"], 2),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_a_mistake_leaves_no_new_archive(tmp_path, words, code):
    new = tmp_path / "new"
    done = strandline(*(word.replace("{new}", str(new)) for word in words))
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    assert not new.exists()


def test_a_broken_warc_is_refused_whole(archive, tmp_path):
    broken = tmp_path / "broken.warc.gz"
    broken.write_bytes(gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 9999999\r\n\r\nshort")[:-4])
    before = written(archive)
    done = strandline("import", archive, broken)
    assert done.code == 6, done.err
    assert "broken.warc.gz" in done.err
    assert "Traceback" not in done.err
    assert written(archive) == before


def test_a_settings_mistake_names_the_line(archive):
    settings = archive / "strandline.toml"
    text = settings.read_text().replace("between_reads", "betwen_reads")
    settings.write_text(text)
    line = 1 + next(i for i, row in enumerate(text.splitlines()) if row.startswith("betwen_reads"))
    done = strandline("crawl", archive, *LOOPBACK)
    assert done.code == 4
    assert f"line {line}" in done.err
    assert "'between_reads'" in done.err


def test_an_archive_of_a_newer_format_is_left_alone(archive):
    database = sqlite3.connect(archive / "strandline.db")
    database.execute("PRAGMA user_version = 9999")
    database.close()
    before = written(archive)
    for words in (
        ["crawl", archive, "--seeds", "http://127.0.0.1:1/", *LOOPBACK],
        ["versions", archive, "http://a.example/"],
    ):
        done = strandline(*words)
        assert done.code == 4, done.err
        assert "newer" in done.err
        assert "Traceback" not in done.err
    assert written(archive) == before


def test_a_name_that_is_no_text_is_told_all_the_same(tmp_path):
    missing = os.fsencode(tmp_path) + b"/caf\xe9.warc.gz"
    done = strandline("import", tmp_path / "new", os.fsdecode(missing), env={"LC_ALL": "C.UTF-8"})
    assert done.code == 2, done.err
    assert "caf\\udce9.warc.gz: no such file" in done.err
    assert strandline("verify", tmp_path / "caf\u00e9", env={"PYTHONIOENCODING": "ascii"}).code == 2


def test_names_inside_a_package_do_not_drive_the_terminal(archive, tmp_path):
    """Neither what is refused nor what is remarked on."""
    evil = "archive/\x1b]0;taken over\x07\x9b2J.warc.gz"
    for number, (content, code) in enumerate(((WARC[:-5], 6), (WARC, 0))):
        file = tmp_path / f"{number}.wacz"
        file.write_bytes(package({evil: content}))
        done = strandline("import", archive, file)
        assert done.code == code, done.err
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.out + done.err)
        assert ("taken over" in done.err) == (code == 6)
