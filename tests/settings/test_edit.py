"""One setting is changed where it stands; nothing else of the file is touched."""

import doctest
import errno
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from strandline.errors import OutOfSpace, SettingError
from strandline.settings import edit
from strandline.settings.edit import change_settings
from strandline.settings.file import NAME, read_settings, settings_text
from strandline.settings.schema import Settings


def test_examples():
    assert doctest.testmod(edit).failed == 0


def test_a_value_changes_and_the_rest_stays(tmp_path):
    path = tmp_path / NAME
    path.write_text(settings_text(Settings()).replace("[plan]", "[plan]\n# mine: keep this"))
    before = path.read_text()
    found = change_settings(
        tmp_path, {"plan.budget": '"70/hour"', "scope.seeds": '["http://a.test/]", "http://b.test/"]'}
    )
    assert found == read_settings(path) and found.plan.budget == "70/hour"
    assert found.scope.seeds == ("http://a.test/]", "http://b.test/")
    changed = [
        (old, new) for old, new in zip(before.splitlines(), path.read_text().splitlines(), strict=True) if old != new
    ]
    assert len(changed) == 2 and "# mine: keep this" in path.read_text()


def test_a_list_over_lines_and_a_missing_section(tmp_path):
    (tmp_path / NAME).write_text('[scope]\nseeds = [\n  "http://a.test/", # ] not here\n]\nhops = 3\n')
    change_settings(tmp_path, {"scope.seeds": '["http://c.test/"]', "plan.budget": '"9/day"'})
    found = read_settings(tmp_path / NAME)
    assert (found.scope.seeds, found.scope.hops, found.plan.budget) == (("http://c.test/",), 3, "9/day")


@pytest.mark.parametrize("values", [{"plan.budget": '"many"'}, {"plan.nothing": "1"}, {"nothing.budget": "1"}])
def test_bad_values_change_nothing(tmp_path, values):
    (tmp_path / NAME).write_text("[plan]\n")
    with pytest.raises(SettingError):
        change_settings(tmp_path, values)
    assert (tmp_path / NAME).read_text() == "[plan]\n"


def test_a_file_written_oddly_is_left_alone(tmp_path):
    (tmp_path / NAME).write_text('plan = { budget = "1/day" }\n')
    with pytest.raises(SettingError, match="by hand"):
        change_settings(tmp_path, {"plan.budget": '"9/day"'})
    assert (tmp_path / NAME).read_text() == 'plan = { budget = "1/day" }\n'


def test_changes_at_the_same_moment_are_all_kept(tmp_path, monkeypatch):
    (tmp_path / NAME).write_text(settings_text(Settings()))
    reading = edit.read_settings

    def slowly(path):
        found = reading(path)
        time.sleep(0.02)
        return found

    monkeypatch.setattr(edit, "read_settings", slowly)
    values = {"plan.budget": '"9/day"', "scope.hops": "3", "fetch.redirects": "4", "learn.country": '"FR"'}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda item: change_settings(tmp_path, dict([item])), values.items()))
    found = reading(tmp_path / NAME)
    kept = (found.plan.budget, found.scope.hops, found.fetch.redirects, found.learn.country)
    assert kept == ("9/day", 3, 4, "FR")
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_changes_go_on_where_folders_cannot_be_locked(tmp_path, monkeypatch):
    def refuse(_file, _operation):
        raise OSError(errno.EBADF, "no locks here")

    monkeypatch.setattr(edit.fcntl, "flock", refuse)
    assert change_settings(tmp_path, {"scope.hops": "3"}).scope.hops == 3


def test_a_power_cut_leaves_the_old_or_the_new_and_a_full_disk_the_old(tmp_path, monkeypatch):
    path, steps = tmp_path / "strandline.toml", []
    path.write_text("[plan]\nbudget = '1/day'\n")

    def noted(name, function):
        return lambda *arguments: (steps.append((name, str(target(arguments[0])))), function(*arguments))[1]

    def target(where):
        return Path(f"/proc/self/fd/{where}").readlink() if isinstance(where, int) else where

    for name in ("fsync", "replace", "rename"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    change_settings(tmp_path, {"plan.budget": "2/day"})
    moved = next(number for number, (name, _) in enumerate(steps) if name != "fsync")
    assert ("fsync", str(tmp_path / "strandline.toml.new")) in steps[:moved], "its content is durable before its name"
    assert ("fsync", str(tmp_path)) in steps[moved:], "then its name"

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = path.read_text()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutOfSpace, match="no room"):
        change_settings(tmp_path, {"plan.budget": "3/day"})
    assert path.read_text() == before and [one.name for one in tmp_path.iterdir()] == [path.name]
