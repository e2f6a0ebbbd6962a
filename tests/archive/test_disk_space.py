"""Room on disk is told as people say it."""

import doctest

from strandline.archive import disk_space as space


def test_examples():
    assert doctest.testmod(space).failed == 0


def test_too_little_room_is_told_in_round_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(space.shutil, "disk_usage", lambda _: space.shutil._ntuple_diskusage(10**12, 10**12, 1_234_567))
    said = space.room_check("3 GiB", (tmp_path,))()
    assert said.startswith(f"{tmp_path}: 1.2 MiB free, less than the reserve of 3.0 GiB (keep.disk_reserve)")
    assert not space.room_check("1 kB", (tmp_path,))()
