"""The audit beside a watch finds flipped bits, cuts and missing files, at its own pace, also after restarts."""

import io
from contextlib import closing

import pytest

from faults import keeper
from strandline.alerts.fixity_audit import RollingAudit
from strandline.store.alarming import AlarmWriter
from strandline.warc.fixity import sums_path
from strandline.warc.rolling import FolderShelf, compared, missing_files, stored_files

MONTH = 30 * 86400.0


@pytest.fixture
def kept(tmp_path):
    """An archive with two finished WARC files."""
    for seed in (1, 2):
        keeper.run(tmp_path, groups=2, out=io.StringIO(), seed=seed)
    with closing(AlarmWriter.open(tmp_path / "strandline.db")) as writer:
        yield tmp_path / "archive", writer


class Heard:
    def __init__(self):
        self.open = {}

    def alarm(self, kind, subject, why):
        self.open[kind, subject] = why

    def calm(self, kind, subject, _why):
        self.open.pop((kind, subject), None)


def go_round(archive, writer, heard, start, days=40):
    """A month and more of a watch that looks around now and then."""
    audit = RollingAudit(FolderShelf(archive), MONTH, writer, heard.alarm, heard.calm)
    for step in range(days * 96):
        audit.step(start + step * 900.0)
    return start + days * 86400.0


def test_damage_is_found_within_the_time_and_the_alarm_closes_when_it_is_mended(kept):
    archive, writer = kept
    heard = Heard()
    now = go_round(archive, writer, heard, 1e9)
    assert heard.open == {}
    first, second = sorted(stored_files(archive).values())
    whole, rest = first.read_bytes(), second.read_bytes()
    first.write_bytes(whole[:50] + bytes([whole[50] ^ 4]) + whole[51:])
    second.write_bytes(rest[:-7])
    now = go_round(archive, writer, heard, now)
    assert set(heard.open) == {("fixity", first.name), ("fixity", second.name)}
    assert "is not as written" in heard.open["fixity", first.name]
    first.write_bytes(whole)
    second.unlink()
    now = go_round(archive, writer, heard, now)
    assert list(heard.open) == [("fixity", second.name)] and "missing" in heard.open["fixity", second.name]


def test_every_flip_is_found(kept):
    archive, _ = kept
    path = next(iter(stored_files(archive).values()))
    whole = path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert any(piece.problem for piece in compared(archive, path)), place
    path.write_bytes(whole + b"x")
    assert any(piece.problem for piece in compared(archive, path))
    path.write_bytes(whole)
    assert not any(piece.problem for piece in compared(archive, path))
    assert missing_files(archive) == []


def test_a_restart_goes_on_with_what_waited_longest_and_zero_compares_nothing(kept):
    archive, writer = kept
    names = sorted(stored_files(archive))
    heard = Heard()
    now = 1e9
    for done in range(len(names)):  # each run is ended after one file
        audit = RollingAudit(FolderShelf(archive), MONTH, writer, heard.alarm, heard.calm)
        while len(dict(writer.notes("audit"))) == done:
            audit.step(now)
            now += 600.0
    assert sorted(name for name, _ in writer.notes("audit")) == names
    before = dict(writer.notes("audit"))
    idle = RollingAudit(FolderShelf(archive), 0.0, writer, heard.alarm, heard.calm)
    idle.step(5e9)
    assert dict(writer.notes("audit")) == before


def test_what_has_no_list_of_checksums_is_not_called_sound_and_a_ruined_list_is_a_problem(kept):
    archive, writer = kept
    heard = Heard()
    now = go_round(archive, writer, heard, 1e9)
    first, second = sorted(stored_files(archive))
    noted = dict(writer.notes("audit"))
    heard.open["fixity", first] = "somebody found it changed"
    sums_path(archive, first).unlink()
    for ruin in (b"", b"what is this\n", b"# end 0 99aa06d3014798d86001c324468d497f\n"):
        sums_path(archive, second).write_bytes(ruin)
        assert [piece.problem[:21] for piece in compared(archive, archive / second)] == ["its list of checksums"]
    go_round(archive, writer, heard, now)
    assert sorted(heard.open) == [("fixity", first), ("fixity", second)]
    assert "list of checksums" in heard.open["fixity", second]
    assert dict(writer.notes("audit"))[first] == noted[first], "nobody read it"
