"""Erasing from Python and the command line."""

import json

import pytest

from journeys.command import here, strandline
from made.secrets import remains, secretive
from strandline.archive.folder import open_archive
from strandline.core.keeping.takedowns import unfinished
from strandline.errors import ArchiveBusy, TakenDown, UsageError
from strandline.keeping.erasing import erase, finish, preview_erasure
from strandline.keeping.takedowns import Wish


@pytest.fixture
def made(tmp_path):
    folder = tmp_path / "archive"
    return folder, *secretive(folder)


def _texts(secrets, same, url):
    kept = {(of_url, round(of_time, 3)) for other, _, of_url, of_time in same if other != url}
    return [one.text for one in secrets if one.url == url and (one.url, round(one.time, 3)) not in kept]


def test_a_preview_tells_what_is_then_done(made):
    folder, secrets, same = made
    archive, wishes = open_archive(folder), [Wish(secrets[0].url, "because", by="me")]
    wanted = preview_erasure(archive, wishes)
    assert wanted.captures
    assert not archive.journal.acts()
    done = erase(archive, wishes)
    assert {**done.as_json(), "acts": []} == {**wanted.as_json(), "acts": []}
    assert unfinished(archive.journal.acts(), "erase", "erased") == []
    with pytest.raises(TakenDown, match="erased from this archive"):
        open_archive(folder).captures(secrets[0].url)
    assert remains(folder, _texts(secrets, same, secrets[0].url)) == []
    assert finish(archive) == 0


def test_while_somebody_writes_it_is_hidden_and_erased_afterwards(made):
    folder, secrets, _same = made
    archive = open_archive(folder)
    with open_archive(folder).writing("watch"), pytest.raises(ArchiveBusy, match="--go-on"):
        erase(archive, [Wish(secrets[0].url, "because")])
    assert len(unfinished(archive.journal.acts(), "erase", "erased")) == 1
    with pytest.raises(TakenDown):
        archive.captures(secrets[0].url)
    finish(archive)
    assert unfinished(archive.journal.acts(), "erase", "erased") == []


def test_from_the_command_line_and_many_at_once(made, tmp_path):
    folder, secrets, _same = made
    urls = sorted({one.url for one in secrets})[:3]
    (tmp_path / "list.txt").write_text("# from a letter\n" + "\n".join(urls) + "\n")
    would = here("takedown", folder, "--file", tmp_path / "list.txt", "--erase", "--reason", "x", "--dry-run").stdout
    assert would.startswith("would erase ")
    done = here("takedown", folder, "--file", tmp_path / "list.txt", "--erase", "--reason", "x", "--json").stdout
    assert json.loads(done)["acts"] == [1, 2, 3]
    assert "nothing waits" in here("takedown", folder, "--go-on").stdout
    assert strandline("verify", folder).code == 0
    wrong = strandline("takedown", folder, urls[0], "--erase", "--reason", "x", "--until", "2100-01-01")
    assert wrong.code == 2
    with pytest.raises(UsageError):
        erase(open_archive(folder), [Wish(urls[0], "")])
