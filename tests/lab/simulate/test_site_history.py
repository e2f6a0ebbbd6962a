import gzip
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.lab.simulate.site_history import (
    history_lines,
    parse_site_history,
    read_site_history,
    write_site_history,
)

names = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\t\n\r"), max_size=4)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
versions = st.lists(st.dictionaries(paths, st.sampled_from(["1", "22"]), max_size=6), max_size=5)

VERSIONS = [
    ("2026-01-04T00:00:00Z", {"a/é/頁.html": "1", "a//b": "1", "./..": "1", "": "1"}),
    ("2026-01-11T00:00:00Z", {"a/é/頁.html": "1", "a//b": "1", "./..": "1", "": "1"}),
    ("2026-01-18T00:00:00Z", {"a/é/頁.html": "2", "./..": "1", "new": "1"}),
]


def pages_at(history, version):
    return {history.index.page_path(int(page)) for page in np.flatnonzero(history.live_at(version))}


@given(versions)
def test_written_lines_are_read_back(listed):
    timed = [(f"t{number}", version) for number, version in enumerate(listed)]
    history = parse_site_history(history_lines(timed))
    assert history.times == [time for time, _ in timed]
    for number, version in enumerate(listed):
        assert pages_at(history, number) == version.keys()
    for number, (before, after) in enumerate(pairwise(listed), start=1):
        updated = {history.index.page_path(int(page)) for page in history.changes[number].updated}
        assert updated == {path for path in before if path in after and before[path] != after[path]}


@pytest.mark.parametrize("suffix", [".tsv", ".tsv.gz", ".tsv.xz", ".tsv.zst"])
def test_every_compression(tmp_path, suffix):
    file = tmp_path / f"site{suffix}"
    write_site_history(file, VERSIONS)
    history = read_site_history(file)
    assert history.versions == 3
    assert pages_at(history, 2) == VERSIONS[2][1].keys()
    assert len(history.changes[1]) == 0
    before = file.read_bytes()
    write_site_history(file, VERSIONS)
    assert file.read_bytes() == before


def test_empty_files_and_a_header(tmp_path):
    (tmp_path / "empty.tsv").touch()
    assert read_site_history(tmp_path / "empty.tsv").versions == 0
    (tmp_path / "empty.tsv.gz").write_bytes(gzip.compress(b""))
    assert read_site_history(tmp_path / "empty.tsv.gz").versions == 0
    header = parse_site_history(["version\ttime\top\tpath\tdigest\n", "0\tt\tA\ta\t1\n", "\n"])
    assert header.versions == 1
    assert parse_site_history(["0\tt\t=\t\t\n"]).versions == 1


def test_an_update_to_the_same_content_is_no_change():
    history = parse_site_history(["0\tt\tA\ta\t1\n", "1\tt\tM\ta\t1\n", "2\tt\tD\ta\n"])
    assert [len(changes) for changes in history.changes] == [1, 0, 1]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0\tt\tA\ta\t1", "1 t M a 2"], r"line 2: expected tab-separated"),
        (["zero\tt\tA\ta\t1"], r"line 1: the version must be a whole number, not 'zero'"),
        (["0\tt\tX\ta\t1"], r"line 1: the operation must be A, M, D or =, not 'X'"),
        (["0\tt\tA\ta"], r"line 1: a line with A needs version, time, op, path, digest; it has 4 fields"),
        (["0\tt\tA\ta\t1", "0\tt\tA\ta\t1"], r"line 2: 'a' is listed twice in version 0"),
        (["0\tt\tA\ta\t1", "1\tt\tA\ta\t1"], r"line 2: 'a' is already there and has A"),
        (["0\tt\tA\ta\t1", "1\tt\tM\tb\t1"], r"line 2: 'b' is not there and has M"),
        (["0\tt\tA\ta\t1", "1\tt\tD\tb\t"], r"line 2: 'b' is not there and has D"),
        (["0\tt\tA\ta\t1", "2\tt\tM\ta\t2"], r"line 2: version 2 follows version 0"),
        (["1\tt\tA\ta\t1", "0\tt\tM\ta\t2"], r"line 2: version 0 follows version 1"),
    ],
)
def test_bad_lines_are_named(lines, message):
    with pytest.raises(ValueError, match=message):
        parse_site_history(lines)


def test_damaged_files_are_named(tmp_path):
    whole = gzip.compress("\n".join(f"0\tt\tA\tpage{n}\t1" for n in range(500)).encode())
    (tmp_path / "cut.tsv.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "not.tsv.gz").write_bytes(b"plain text")
    (tmp_path / "not.tsv.xz").write_bytes(b"plain text")
    (tmp_path / "not.tsv.zst").write_bytes(b"plain text")
    for name in ("cut.tsv.gz", "not.tsv.gz", "not.tsv.xz", "not.tsv.zst"):
        with pytest.raises(ValueError, match=f"{name}: damaged compressed file"):
            read_site_history(tmp_path / name)
    (tmp_path / "latin.tsv").write_bytes(b"0\tt\tA\t\xe9\t1\n")
    with pytest.raises(ValueError, match="not UTF-8"):
        read_site_history(tmp_path / "latin.tsv")


def test_paths_that_cannot_be_written():
    with pytest.raises(ValueError, match="tab or a line break"):
        list(history_lines([("t", {"a\tb": "1"})]))
