"""Erasures that are killed at any moment go on; no byte of what was erased is found, and all else is as it was.

`make erase-crash` runs the long form: 1,000 erasures among 20,000 records, 50 kills in between.
"""

import os
import random
import signal

import pytest

from faults.loops import die_at
from made.secrets import remains, secretive, shown, stored
from strandline.access.timestamps import timestamp
from strandline.archive import erasing_folder as archive_erasing
from strandline.archive.folder import open_archive
from strandline.core.keeping.takedowns import Act, unfinished
from strandline.core.urls import surt_key
from strandline.keeping.erasing import finish

FORMS = [
    pytest.param((240, 24, 6), id="short"),
    pytest.param((1_000, 60, 12), id="long", marks=pytest.mark.long),
]
if os.environ.get("STRANDLINE_ERASURES"):
    erasures = int(os.environ["STRANDLINE_ERASURES"])
    FORMS = [pytest.param((10 * erasures, erasures, max(1, erasures // 20)), id="given")]


def in_child(work, number=0, seconds=0.0):
    """Run in a forked child that dies at a step or after a time; whether it came to its end."""
    child = os.fork()
    if not child:
        try:
            if number:
                die_at(number, (os, "pwrite"))
            if seconds:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            work()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 9, -9), code
    return code == 0


def chosen(rng, secrets, count):
    """Acts on random captures, addresses and directories; and what they take along."""
    acts, keys, moments = [], set(), set()
    for secret in rng.sample(secrets, count):
        kind = rng.random()
        if kind < 0.7:
            acts.append(f"{timestamp(secret.time)}/{secret.url}")
            moments.add((surt_key(secret.url), int(secret.time)))
        else:
            acts.append(secret.url)
            keys.add(surt_key(secret.url))
    gone = [one for one in secrets if surt_key(one.url) in keys or (surt_key(one.url), int(one.time)) in moments]
    return acts, gone, keys, moments


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_what_was_erased_is_left_and_all_else_is_as_it_was(tmp_path, form):
    captures, count, kills = form
    folder = tmp_path / "archive"
    secrets, same = secretive(folder, captures)
    rng = random.Random(7)
    before_shown, before_stored = shown(folder), stored(folder)
    assert not [one for one in before_shown.values() if one.startswith("lost")]
    assert open_archive(folder).verify().ok
    acts, gone, keys, moments = chosen(rng, secrets, count)
    journal = open_archive(folder).journal
    died = 0
    batches = [acts[number::kills] for number in range(kills)]
    for number, batch in enumerate(batches):
        for target in batch:
            journal.add(Act(0, 0.0, "erase", target, "because"))

        def work():
            with open_archive(folder).writing("takedown"):
                pass

        while True:
            step = rng.randrange(1, 40) if number % 2 == 0 else 0
            ended = in_child(work, step, 0.0 if step else rng.uniform(0.01, 0.4))
            died += not ended
            if ended or rng.random() < 0.5:
                break
    assert died >= kills // 3, "hardly anything was killed"
    archive = open_archive(folder)
    finish(archive)
    assert unfinished(archive.journal.acts(), "erase", "erased") == []
    assert not (folder / "takedowns" / "erasing.json").exists()

    kept_elsewhere = _kept_texts(secrets, same, keys, moments)
    texts = [one.text for one in gone if one.text not in kept_elsewhere]
    assert len(texts) > count // 3
    assert remains(folder, texts) == []

    after_shown = shown(folder)
    expected = {
        place: what
        for place, what in before_shown.items()
        if surt_key(place[0]) not in keys and (surt_key(place[0]), int(place[1])) not in moments
    }
    assert after_shown == expected
    after_stored = stored(folder)
    changed = [place for place, data in before_stored.items() if after_stored.get(place) != data]
    ended = [act.detail for act in archive.journal.acts() if act.act == "erased"]
    whole = round(sum(detail["made_whole"] / detail["together"] for detail in ended))
    assert all(b"urn:uuid" in after_stored[place] or len(after_stored[place]) > 170 for place in changed)
    print(f"{len(acts)} acts, {len(gone)} texts, {len(changed)} records changed, {whole} made whole, {died} kills")
    assert len(changed) <= 3 * (len(before_shown) - len(expected)) + whole + 8
    audit = archive.verify()
    assert audit.ok, audit.problems[:5]
    assert audit.captures == len(expected)


def _kept_texts(secrets, same, keys, moments):
    """Texts of erased captures that captures which stay hold, too: they were the same as before."""
    by_place = {(one.url, round(one.time, 3)): one.text for one in secrets}
    kept = set()
    for url, at, of_url, of_time in same:
        if surt_key(url) not in keys and (surt_key(url), int(at)) not in moments:
            kept.add(by_place.get((of_url, round(of_time, 3)), ""))
    return kept


def _small(tmp_path):
    folder = tmp_path / "archive"
    secrets, _ = secretive(folder)
    return folder, secrets


def test_every_step_can_be_the_last(tmp_path):
    """Killed at its first step, at its second, ... until it comes to its end."""
    folder, secrets = _small(tmp_path)
    open_archive(folder).journal.add(Act(0, 0.0, "erase", secrets[0].url, "because"))

    def work():
        with open_archive(folder).writing("takedown"):
            pass

    steps = 0
    while not in_child(work, steps + 1):
        steps += 1
    assert steps > 5
    assert open_archive(folder).verify().ok


@pytest.mark.parametrize("left_out", ["packs", "catalog", "going on"])
def test_control_what_is_left_out_is_noticed(tmp_path, monkeypatch, left_out):
    """The checks above find a text when a step of the erasure is left out."""
    folder, secrets = _small(tmp_path)
    archive = open_archive(folder)
    texts = [one.text for one in secrets]
    for secret in secrets:
        archive.journal.add(Act(0, 0.0, "erase", secret.url, "because"))
    if left_out == "packs":
        monkeypatch.setattr(archive_erasing, "erase_in_packs", lambda *_: 0)
    elif left_out == "catalog":
        monkeypatch.setattr(archive_erasing.CatalogEraser, "_forget_study", lambda *_: None)
    if left_out == "going on":

        def work():
            with open_archive(folder).writing("takedown"):
                pass

        assert not in_child(work, 12)
    else:
        finish(archive)
    assert remains(folder, texts)
