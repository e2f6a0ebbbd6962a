"""Catalog and index against the WARC files: whatever row or line is changed is found."""

import random
from dataclasses import replace

import pytest

from strandline.warc.cdxj import CdxjIndex
from strandline.warc.index_audit import index_problems
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange, original_of, text


@pytest.fixture
def made(tmp_path):
    """Two files with pages and a revisit, their index, and their captures."""
    (tmp_path / "archive").mkdir()
    index = CdxjIndex(tmp_path / "indexes", tmp_path / "archive")
    kept = []
    for part in range(2):
        writer = WarcWriter(tmp_path / "archive", ABOUT, StillClock(), WriterSettings(host=f"h{part}"))
        kept += [writer.keep(exchange(f"http://example.org/{part}/{i}", text(i, 900))) for i in range(6)]
        kept.append(writer.keep(exchange(f"http://example.org/{part}/0", text(0, 900)), original_of(kept[-6])))
        writer.close()
    index.rebuild()
    return tmp_path, kept


def problems(folder, kept):
    found = [one.problem for one in verify(folder / "archive", lambda: iter(kept)).problems]
    return found + [one.problem for one in index_problems(folder / "indexes", folder / "archive", lambda: iter(kept))]


def test_a_sound_archive_is_called_so(made):
    assert problems(*made) == []


@pytest.mark.parametrize("row", range(14))
def test_each_row_that_is_missing_or_says_otherwise_is_found(made, row):
    folder, kept = made
    one = kept[row]
    changed = [
        replace(one, time=one.time + 1),
        replace(one, time=one.time - 0.001),
        replace(one, status=one.status + 1),
        replace(one, mime="application/pdf"),
        replace(one, url=f"{one.url}x"),
        replace(one, digest=kept[row - 1].digest + "x"),
    ]
    assert any("does not know this record" in told for told in problems(folder, kept[:row] + kept[row + 1 :]))
    for other in changed:
        found = problems(folder, [*kept[:row], other, *kept[row + 1 :]])
        assert found and all("reindex" in told for told in found), other


def test_an_index_that_is_cut_flipped_shuffled_or_missing_is_found(made):
    folder, kept = made
    index = folder / "indexes" / "index.cdxj"
    whole = index.read_bytes()
    dice = random.Random(4)
    damaged = [whole[:-1], whole[: len(whole) // 2], whole[:200], b"", whole[400:], whole + whole[-100:]]
    for _ in range(120):
        place, bit = dice.randrange(len(whole)), 1 << dice.randrange(8)
        damaged.append(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
    lines = whole.splitlines(keepends=True)
    damaged += [b"".join(reversed(lines)), b"".join(lines[1:]), b"".join([lines[0], *lines])]
    for data in damaged:
        index.write_bytes(data)
        found = list(index_problems(folder / "indexes", folder / "archive", lambda: iter(kept)))
        assert found and all("reindex" in one.problem for one in found)
    index.unlink()
    assert list(index_problems(folder / "indexes", folder / "archive", lambda: iter(kept)))
    CdxjIndex(folder / "indexes", folder / "archive").rebuild()
    assert index.read_bytes() == whole and problems(folder, kept) == []
