import gzip
import random
import subprocess
import sys
from pathlib import Path

import pytest

from strandline.core.capture import Outcome
from strandline.errors import ArchiveDamaged
from strandline.warc.cdxj import CdxjIndex, cdxj_line, line_of, lines_of_file, parse_line, read_cdxj
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, START, StillClock, exchange, original_of, text


@pytest.fixture
def archive(tmp_path):
    for name in ("archive", "indexes"):
        (tmp_path / name).mkdir()
    return tmp_path


def fill(archive, index, pages=6, clock=None, tag=""):
    """Captures of every kind the index treats in its own way."""
    w = WarcWriter(archive / "archive", ABOUT, clock or StillClock(), WriterSettings(host="h"), listing=index)
    first = w.keep(exchange(f"http://www.example.org/{tag}a?b=2&a=1"))
    kept = [first, w.keep(exchange(f"http://www.example.org/{tag}a?b=2&a=1", started=START + 7.9), original_of(first))]
    kept.append(
        w.keep(exchange(f"http://www.example.org/{tag}a?b=2&a=1", b"", 304, started=START + 9), original_of(first))
    )
    for headers in (b"", b"Content-Type:\r\n", b"Content-Type: Image/PNG ;q\r\n", b"Content-Type: ;x\r\n"):
        kept.append(w.keep(exchange(f"http://example.org/{tag}{len(kept)}", headers=headers)))
    kept.append(w.keep(exchange(f"http://example.org/{tag}é ü", b"", 301, headers=b"Location: /x\r\n")))
    kept.append(w.keep(exchange(f"http://example.org:8080/{tag}%41;jsessionid=1?", text(1, 100), 404)))
    kept.append(w.keep(exchange(f"http://[2001:db8::1]/{tag}x")))
    kept.append(w.keep(exchange(f"https://127.0.0.1:8443/{tag}x", outcome=Outcome.TRUNCATED, truncated="length")))
    w.note(exchange("http://example.org/dead", response_head=b""))
    kept.extend(w.keep(exchange(f"http://example.org/{tag}p{i}", text(i, 300))) for i in range(pages))
    w.close()
    return kept


def theirs(folder):
    """What cdxj-indexer says about all WARC files of a folder."""
    tool = Path(sys.executable).parent / "cdxj-indexer"
    files = sorted(str(p) for p in folder.glob("*.warc.gz"))
    done = subprocess.run([str(tool), "--sort", *files], capture_output=True, check=True)
    return done.stdout


def test_same_lines_as_cdxj_indexer(archive):
    index = CdxjIndex(archive / "indexes", archive / "archive")
    clock = StillClock()
    for tag in ("", "second/", "third/"):
        fill(archive, index, tag=tag, clock=clock)
        clock.sleep(1)
        index.refresh()
    expected = theirs(archive / "archive")
    assert index.path.read_bytes() == expected
    assert expected.count(b"\n") == 3 * 17
    index.rebuild()
    assert index.path.read_bytes() == expected


@pytest.mark.parametrize("lines_at_once", [1, 1000], ids=["sorted", "told"])
def test_captures_of_a_file_that_was_given_up_are_forgotten(archive, monkeypatch, lines_at_once):
    monkeypatch.setattr("strandline.warc.cdxj._LINES_AT_ONCE", lines_at_once)
    index = CdxjIndex(archive / "indexes", archive / "archive")
    given_up, kept = fill(archive, None, pages=2)[-2:]
    index.kept(given_up, "text/html")
    index.dropped()
    index.kept(kept, "text/html")
    index.sealed("a.warc.gz")
    (part,) = (path for path in (archive / "indexes" / "parts").iterdir() if path.is_file())
    assert part.read_bytes() == cdxj_line(kept, "text/html", False)


def test_the_index_heals_itself(archive):
    index = CdxjIndex(archive / "indexes", archive / "archive")
    fill(archive, index)
    part = next((archive / "indexes" / "parts").iterdir())
    part_lines = part.read_bytes()
    part.unlink()  # killed before the part was written
    assert index.refresh() == 1
    whole = index.path.read_bytes()
    assert whole == theirs(archive / "archive") == part_lines
    part.write_bytes(part_lines)  # killed before the merged part was removed
    assert index.refresh() == 1
    assert index.path.read_bytes() == whole
    index.path.unlink()
    index.refresh()
    assert index.path.read_bytes() == whole
    assert index.refresh() == 0


def test_files_being_written_are_not_indexed(archive):
    index = CdxjIndex(archive / "indexes", archive / "archive")
    w = WarcWriter(archive / "archive", ABOUT, StillClock(), WriterSettings(host="h"), listing=index)
    w.keep(exchange())
    w.sync()
    index.refresh()
    assert index.path.read_bytes() == b""
    w.close()
    index.refresh()
    assert index.path.read_bytes().count(b"\n") == 1


def test_merging_equals_sorting(archive):
    rng = random.Random(5)
    index = CdxjIndex(archive / "indexes", archive / "archive")
    everything = set()
    (archive / "indexes" / "parts").mkdir()
    for number in range(12):
        lines = {
            b"k%05d %s\n" % (rng.randrange(3000), b"x" * rng.randrange(200)) for _ in range(rng.choice((1, 40, 900)))
        }
        everything |= lines
        (archive / "indexes" / "parts" / f"{number}.warc.gz.cdxj").write_bytes(b"".join(sorted(lines)))
        if rng.random() < 0.7:
            index.refresh()
    index.refresh()
    assert index.path.read_bytes() == b"".join(sorted(everything))


def test_lines_can_be_read_back(archive):
    index = CdxjIndex(archive / "indexes", archive / "archive")
    kept = fill(archive, index)
    index.refresh()
    packed = archive / "x.cdxj.gz"
    packed.write_bytes(gzip.compress(b'!meta 0 {"format": "x"}\n' + index.path.read_bytes()))
    for path in (index.path, packed):
        found = {(c.url, c.place, c.digest, c.status, c.revisit) for c in read_cdxj(path)}
        assert found == {(c.url, c.place, c.digest, c.status, c.revisit) for c in kept}
    (archive / "short.cdxj.gz").write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(ArchiveDamaged, match="short"):
        list(read_cdxj(archive / "short.cdxj.gz"))


@pytest.mark.parametrize(
    "line",
    [
        b"x",
        b"a 2026 {}",
        b"a 20260101000000 {",
        b"a 20260101000000 []",
        b"a 20260101000000 {}",
        b'a 20269901000000 {"url": "http://a/"}',
        b'a 20260101000000 {"url": "http://a/", "offset": "-x"}',
        b'a 20260101000000 {"url": "http://a/", "offset": "99999999999999999999"}',
        b"\xff 20260101000000 {}",
        b"a 20260101000000 " + b"[" * 100_000,
    ],
)
def test_bad_lines_are_named(tmp_path, line):
    good = b'a 20260101000000 {"url": "http://a/"}\n'
    (tmp_path / "x.cdxj").write_bytes(good + line + b"\n")
    with pytest.raises(ArchiveDamaged, match=r"x.cdxj line 2"):
        list(read_cdxj(tmp_path / "x.cdxj"))


def test_paths_in_foreign_lines_are_dropped():
    line = b'a 20260101000000123 {"url": "http://a/", "filename": "../../etc/x.warc.gz", "offset": 5, "length": "7"}'
    capture = parse_line(line)
    assert (capture.place.file, capture.place.offset, capture.place.length) == ("x.warc.gz", 5, 7)
    assert capture.time == 1767225600.123


def test_catalog_line(archive):
    index = CdxjIndex(archive / "indexes", archive / "archive")
    kept = fill(archive, index)
    assert line_of(kept[0]) == cdxj_line(kept[0], "text/html; charset=utf-8")
    assert line_of(kept[0]) in set(lines_of_file(archive / "archive" / kept[0].place.file))
