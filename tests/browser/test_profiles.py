"""Folders of browsers: gone with their makers, and never while somebody holds them."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from strandline.browser import profiles
from strandline.browser.profiles import PREFIX, Profile, sweep


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def age(path):
    os.utime(path, (1_000_000_000, 1_000_000_000))


def test_a_folder_goes_when_it_is_closed_and_not_before(folder):
    one = Profile()
    (one.folder / "deep").mkdir()
    age(one.folder)
    two = Profile()
    assert one.folder.exists()
    assert one.folder != two.folder
    one.close()
    one.close()
    assert [path.name for path in folder.iterdir()] == [two.folder.name]
    two.close()


def test_what_a_killed_process_left_is_removed_by_the_next(folder):
    code = (
        "import sys,tempfile,time\ntempfile.tempdir=sys.argv[1]\nfrom strandline.browser.profiles import Profile\n"
        "p=Profile();print(p.folder,flush=True);time.sleep(600)"
    )
    maker = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)
    left = Path(maker.stdout.readline().strip())
    (left / "Cache").mkdir()
    age(left)
    sweep(folder)
    assert left.exists()  # its maker lives
    os.kill(maker.pid, signal.SIGKILL)
    maker.wait()
    maker.stdout.close()
    Profile().close()
    assert not left.exists()


def test_young_folders_links_and_those_of_others_stay(folder, monkeypatch):
    young = folder / f"{PREFIX}young"
    elsewhere, link = folder / "elsewhere", folder / f"{PREFIX}link"
    for path in (young, elsewhere):
        path.mkdir()
    link.symlink_to(elsewhere)
    sweep(folder)
    monkeypatch.setattr(profiles, "_YOUNG", -1e9)
    assert young.exists()
    sweep(folder)
    assert not young.exists()
    assert link.is_symlink()
    assert elsewhere.exists()
