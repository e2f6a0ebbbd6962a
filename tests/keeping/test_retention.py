"""Keeping less: the preview is what is then done, and important versions, replay and the audit stay whole."""

import os
from dataclasses import replace

import pytest

from faults.loops import die_at
from made.secrets import DAY, secretive, shown, stored
from strandline.archive.folder import open_archive
from strandline.core.keeping.retention import rule_of
from strandline.errors import ArchiveBusy, UsageError
from strandline.keeping.retention import apply_retention, preview_retention, rules_of
from strandline.settings.collection_tables import CollectionSettings
from warc.exchanges import START

RULES = [rule_of("*: older 1d, keep weekly, importance 0.99")]
NOW = START + 400 * DAY


@pytest.fixture
def folder(tmp_path):
    secretive(tmp_path / "archive")
    return tmp_path / "archive"


def test_the_preview_is_what_is_then_done(folder):
    archive, before, records = open_archive(folder), shown(folder), stored(folder)
    preview = preview_retention(archive, RULES, NOW)
    assert 20 < preview.dropped < preview.captures == len(before)
    assert preview.important_dropped == 0
    assert preview.dropped == sum(one.dropped for one in preview.sites)
    assert shown(folder) == before
    gone = {(capture.url, round(capture.time, 3)) for capture in archive.everything.all_captures()
            if (capture.place.file, capture.place.offset) in set(preview.plan.captures)}  # fmt: skip
    done = apply_retention(archive, preview, "me")
    assert (done.dropped, done.bytes) == (preview.dropped, preview.bytes)
    assert shown(folder) == {place: what for place, what in before.items() if place not in gone}
    audit = open_archive(folder).verify()
    assert audit.ok, audit.problems[:3]
    assert audit.captures == preview.captures - preview.dropped
    after = stored(folder)
    dropped = {(file, one.offset) for file, all_ in preview.plan.records.items() for one in all_}
    assert all(after[place] == data for place, data in records.items() if place not in dropped)
    assert [act.act for act in archive.journal.acts()] == ["thin", "thinned"]
    assert preview_retention(archive, RULES, NOW).dropped == 0
    assert apply_retention(archive, preview_retention(archive, RULES, NOW)).dropped == 0


def test_every_important_version_stays(folder):
    archive = open_archive(folder)
    found = [change for change in archive.studies.changes() if change.visible]
    least = sorted(change.importance for change in found)[len(found) // 2]
    important = {change.by_seq for change in found if change.importance >= least}
    assert 3 < len(important) < len(found)
    rule = replace(rule_of("*: older 1d, keep important"), importance=least)
    preview = preview_retention(archive, [rule], NOW)
    assert preview.dropped > 5
    apply_retention(archive, preview)
    left = open_archive(folder)
    still = [change for change in left.studies.changes() if change.visible and change.importance >= least]
    assert {change.by_seq for change in still} == important
    assert all(left.studies.capture(seq) is not None for change in still for seq in (change.by_seq, change.after_seq))


def test_killed_anywhere_it_goes_on(folder):
    archive = open_archive(folder)
    preview = preview_retention(archive, RULES, NOW)
    steps = 0
    while True:
        child = os.fork()
        if not child:
            try:
                die_at(steps + 3, (os, "pwrite"))
                fresh = open_archive(folder)
                with fresh.writing("test"):
                    pass  # goes on with what was begun
                if not fresh.journal.acts():
                    apply_retention(fresh, preview)
                os._exit(0)
            finally:
                os._exit(9)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            break
        steps += 2
    assert steps > 4
    with archive.writing("test"):
        pass
    audit = open_archive(folder).verify()
    assert audit.ok, audit.problems[:3]
    assert audit.captures == preview.captures - preview.dropped


def test_room_is_given_back_where_the_file_system_can(folder):
    archive = open_archive(folder)
    preview = preview_retention(archive, [rule_of("*: older 1d, keep important, importance 1.0")], NOW)
    before = sum(path.stat().st_blocks * 512 for path in (folder / "archive").iterdir())
    done = apply_retention(archive, preview)
    after = sum(path.stat().st_blocks * 512 for path in (folder / "archive").iterdir())
    assert 0 <= done.given_back <= preview.bytes + 4096 * len(preview.plan.records)
    assert after <= before


def test_nothing_goes_without_a_rule_or_after_a_change(folder):
    archive = open_archive(folder)
    with pytest.raises(UsageError, match="without a rule"):
        rules_of(archive)
    with pytest.raises(UsageError, match="not understood"):
        rules_of(archive, ["*: older 1d, keep some"])
    preview = preview_retention(archive, RULES, NOW)
    apply_retention(archive, preview)
    with pytest.raises(ArchiveBusy, match="look again"):
        apply_retention(archive, preview)
    above = preview_retention(archive, [rule_of("*: older 1d, keep important, above 5 TB")], NOW)
    assert above.dropped == 0


def test_a_rule_of_a_collection_drops_of_it_only(folder):
    made = open_archive(folder)
    page = next(one.url for one in made.everything.all_captures() if len(made.everything.captures(one.url)) > 4)
    table = CollectionSettings(name="few", pages=(page,))
    made.settings = replace(made.settings, collection=(table,))
    preview = preview_retention(made, rules_of(made, ["collection few: older 1h, keep weekly, importance 0.99"]), NOW)
    gone = {url for url in _urls(made) if _dropped(made, preview, url)}
    assert gone == {page} and preview.dropped > 0
    with pytest.raises(UsageError, match="no collection 'other'"):
        rules_of(made, ["collection other: older 1h, keep important"])


def _urls(archive):
    return {one.url for one in archive.everything.all_captures()}


def _dropped(archive, preview, url):
    places = {(one.place.file, one.place.offset) for one in archive.everything.captures(url)}
    return places & set(preview.plan.captures)
