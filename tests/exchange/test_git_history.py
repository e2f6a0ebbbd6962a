"""Repositories: Open Terms Archive and git scraping, made by git itself."""

import json
import os
import subprocess

import pytest

from exchange.test_moving import made
from strandline.errors import UsageError
from strandline.exchange.git_history import is_git, read_git

TERMS = "https://service.example/terms"
LOCATED = f"Record new changes of Service Terms\n\nX-engine-version: 2.0.0\nX-source-document-location: {TERMS}\n"


def repository(folder, *commits):
    """A repository of commits (seconds, message, {file: content or None})."""
    folder.mkdir()
    alone = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*words, **more):
        subprocess.run(["git", "-C", folder, *words], check=True, env=os.environ | alone | more, capture_output=True)

    git("init", "-q")
    for time, message, files in commits:
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                file.unlink()
            else:
                file.write_bytes(content)
        git("add", "-A")
        who = {f"GIT_{one}_{part}": "a@b" for one in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        when = {"GIT_AUTHOR_DATE": f"{time} +0200", "GIT_COMMITTER_DATE": "1750000000 +0000"}
        git("commit", "-q", "-m", message, **who, **when)
    return folder


def test_terms_come_by_the_address_in_their_commits_at_the_time_they_were_fetched(tmp_path):
    source = repository(
        tmp_path / "terms",
        (1700000000, "Start", {"README.md": b"# Terms"}),
        (
            1700001000,
            "First record of Service Terms",
            {"Service/Terms.md": b"# Terms\n\nYou may leave after 30 days.\n"},
        ),
        (1700002000, LOCATED, {"Service/Terms.md": b"# Terms\n\nYou may leave after 90 days.\n"}),
        (1700002000, "Apply technical or declaration upgrade on Service Terms", {"Service/Terms.md": b"# Terms!\n"}),
        (1700003000, LOCATED, {"Service/Terms.md": b"# Terms\n\nYou may never leave.\n"}),
        (1700004000, "Gone", {"Service/Terms.md": None}),
    )
    assert is_git(source)
    archive = made(tmp_path / "archive")
    brought = archive.bring_in(source)
    assert (brought.kind, brought.captures) == ("git", 3)
    left_out = dict(brought.left_out)
    assert left_out.pop("files of which nobody said which page they are (--url FILE=ADDRESS)") == 1
    assert left_out == {"commits that extract an old page anew": 1, "deletions of files": 1}
    captures = list(archive.captures(TERMS))
    assert [(capture.time, capture.mime) for capture in captures] == [
        (1700001000.0 + 1000 * number, "text/markdown") for number in range(3)
    ]
    archive.study()
    assert len(list(archive.changes())) == 2
    assert archive.bring_in(source).captures == 0


def test_declarations_in_the_repository_say_where_terms_are(tmp_path):
    said = {"name": "S", "terms": {"Terms": {"combine": [{"fetch": TERMS}, {"fetch": "x"}]}, "Other": {}}}
    source = repository(
        tmp_path / "terms",
        (1700000000, "Start", {"declarations/S.json": json.dumps(said).encode(), "S/Terms #a.html": b"<p>\xe9</p>"}),
    )
    (version,) = read_git(source, {}).versions(())
    assert (version.url, version.content_type) == (TERMS, "text/html")  # not UTF-8: nothing is said


def test_files_are_the_pages_somebody_says(tmp_path):
    source = repository(
        tmp_path / "scraped",
        (1700000000, "data", {"prices.json": b'{"a": 1}', "pages/x.html": b"<p>x", "pages/run.py": b"1"}),
        (1700000500, "data", {"prices.json": b'{"a": 2}'}),
    )
    with pytest.raises(UsageError, match="--url"):
        read_git(source, {})
    named = {"prices.json": "https://a.example/prices?all=1", "pages/*": "https://a.example/"}
    holding = read_git(source, named)
    found = [(version.time, version.url, version.content_type) for version in holding.versions(())]
    assert found == [
        (1700000000.0, "https://a.example/x.html", "text/html; charset=utf-8"),
        (1700000000.0, "https://a.example/prices?all=1", "application/json; charset=utf-8"),
        (1700000500.0, "https://a.example/prices?all=1", "application/json; charset=utf-8"),
    ]
    assert holding.left_out == {"versions of a kind of file that is no page": 1}


def test_nothing_a_repository_configures_is_run(tmp_path):
    source = repository(tmp_path / "evil", (1700000000, "data", {"a.html": b"<p>a"}))
    mark = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    with (source / ".git" / "config").open("a") as config:
        config.write(f"[log]\nshowSignature = true\n[gpg]\nprogram = {script}\n[core]\nfsmonitor = {script}\n")
        config.write(f"pager = {script}\nhooksPath = {tmp_path}\n[diff]\nexternal = {script}\n")
    assert len(list(read_git(source, {"a.html": "https://a.example/"}).versions(()))) == 1
    assert not mark.exists()


def test_a_folder_that_only_looks_like_a_repository_is_said(tmp_path):
    (tmp_path / ".git").mkdir()
    with pytest.raises(UsageError, match="not a git repository"):
        read_git(tmp_path, {})
