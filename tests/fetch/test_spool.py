import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.fetch.spool import Spool


@given(st.lists(st.binary(max_size=50), max_size=20), st.integers(0, 200))
def test_what_goes_in_comes_out(pieces, memory):
    spool = Spool(None, memory)
    for piece in pieces:
        spool.write(piece)
    assert spool.length == sum(map(len, pieces))
    with spool.hand_over() as stream:
        assert stream.read() == b"".join(pieces)
    assert spool.length == 0


def test_large_bodies_go_to_the_folder_and_leave_no_name(tmp_path):
    spool = Spool(tmp_path, 100)
    spool.write(b"x" * 1000)
    assert list(tmp_path.iterdir()) == []
    spool.discard()
    with pytest.raises(FileNotFoundError):
        Spool(tmp_path / "missing", 10).write(b"x" * 11)


def test_a_full_disk_does_not_keep_a_body_from_being_forgotten(tmp_path):
    spool = Spool(tmp_path, 10)
    spool.write(b"x" * 1000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        spool.discard()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert spool.length == 0
