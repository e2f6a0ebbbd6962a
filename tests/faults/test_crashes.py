"""kill -9 and power loss at random moments: no promise is ever lost, recovery is automatic.

STRANDLINE_KILL_CYCLES and STRANDLINE_POWER_CYCLES set how often (40 and 6; 120 and 20 in the long form).
"""

import functools
import io
import itertools
import json
import os
import shutil

import pytest

from faults import keeper
from faults.loops import LoopDisk, crash_loop, die_at, every_step, forms, promises_hold
from strandline.store.catalog import SqliteCatalog
from strandline.store.reading import Reading
from strandline.warc.captures import Kept, captures_of
from strandline.warc.verify import verify

KILLS, CUTS = forms("STRANDLINE_KILL_CYCLES", 40, 120), forms("STRANDLINE_POWER_CYCLES", 6, 20)


def clean(folder):
    """Start and end once more, then audit everything; return the number of captures."""
    keeper.run(folder, groups=1, out=io.StringIO())
    catalog = Reading.open(folder / "strandline.db")
    audit = verify(folder / "archive", catalog.all_captures)
    catalog.close()
    assert audit.ok, audit.problems[:5]
    assert not list((folder / "archive").glob("*.open"))
    return audit.captures


@pytest.fixture
def disk(tmp_path, cycles):
    if reason := LoopDisk.why_not():
        pytest.skip(f"power loss not tested: {reason}")
    try:
        # Sparse, so that room for any number of cycles costs nothing.
        made = LoopDisk(tmp_path, size=(96 + 2 * cycles) << 20)
    except Exception as error:  # noqa: BLE001 - a container without loop devices
        pytest.skip(f"power loss not tested: no loop mount here ({error})")
    yield made
    made.remove()


@KILLS
def test_kill_9(in_memory, cycles):
    everything = []

    def check(promises):
        everything.extend(promises)
        return promises_hold(in_memory, promises)

    tally = crash_loop(functools.partial(keeper.run, in_memory), check, cycles)
    assert tally.cycles == cycles
    assert tally.lost == []
    assert tally.ended_early == []
    assert tally.promises > cycles
    assert clean(in_memory) >= tally.promises
    assert promises_hold(in_memory, everything) == []


@pytest.mark.parametrize("cycles", [200])  # it ends with the first loss
def test_kill_9_of_what_promises_too_early_loses_promises(in_memory, cycles):
    """The negative control: a promise before the commit is not kept, and the loop above sees that."""
    hasty = functools.partial(keeper.run, in_memory, hasty=True)
    assert crash_loop(hasty, functools.partial(promises_hold, in_memory), cycles, until_lost=True).lost


@pytest.mark.root
@every_step(5)
def test_killed_between_any_two_steps_files_and_catalog_agree(in_memory, every):
    """Of three commits, each in a file of its own: for every N, the N-th step is the last one."""
    for number in itertools.count(1, every):
        folder, told = in_memory / f"n{number}", in_memory / f"promises{number}"
        pid = os.fork()
        if pid == 0:
            with told.open("w") as out:
                die_at(number, (SqliteCatalog, "commit"))
                keeper.run(folder, groups=3, seed=5, out=out, rotate=1)
            os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        catalog, writer = keeper.start(folder)
        writer.close()
        files = [item.capture for file in (folder / "archive").iterdir() for item in captures_of(file) if kept(item)]
        recorded = list(catalog.all_captures())
        assert {one.place for one in recorded} == {one.place for one in files}, number
        assert len(recorded) == len(files)
        catalog.close()
        assert promises_hold(folder, [json.loads(line) for line in told.read_text().splitlines()]) == []
        if ended == 0:
            break
        shutil.rmtree(folder)
    assert number > 30 and len({one.place.file for one in files}) == 3


def kept(item):
    return isinstance(item, Kept)


@CUTS
def test_power_loss(disk, cycles):
    everything = []

    def check(promises):
        everything.extend(promises)
        return promises_hold(disk.folder, promises)

    tally = crash_loop(
        functools.partial(keeper.run, disk.folder), check, cycles, longest=0.3, stop=disk.cut, restore=disk.restore
    )
    assert tally.lost == []
    assert tally.promises >= cycles
    clean(disk.folder)
    assert promises_hold(disk.folder, everything) == []


@pytest.mark.root
@pytest.mark.parametrize("cycles", [25])  # it ends with the first loss
def test_power_loss_without_fsync_loses_promises(disk, cycles):
    """The negative control: if this loop cannot see a missing fsync, the one above proves nothing."""
    tally = crash_loop(
        functools.partial(keeper.run, disk.folder, fsync=False),
        functools.partial(promises_hold, disk.folder),
        cycles,
        longest=0.3,
        stop=disk.cut,
        restore=disk.restore,
        until_lost=True,
    )
    assert tally.lost
