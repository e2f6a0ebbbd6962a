"""Reading page versions: every packing, in order, and errors that name the line."""

import gzip
import json
import lzma
import tracemalloc

import pytest
import zstandard

from strandline.errors import UsageError
from strandline.exchange import page_versions as page_versions_module
from strandline.exchange.page_versions import PageVersion, page_versions

ROWS = [
    {"url": "https://a/", "time": "2026-01-01T00:00:00Z", "html": "<p>é</p>"},
    {"url": "https://a/", "time": "2026-01-01T01:00:00+00:00", "html": ""},
    {"url": "https://b/", "time": 5, "html": "x"},
]
TEXT = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
PACKINGS = {
    "plain": lambda data: data,
    "gz": gzip.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_packing(packing, tmp_path):
    file = tmp_path / "versions.jsonl"
    file.write_bytes(PACKINGS[packing](TEXT))
    assert list(page_versions(file)) == [
        PageVersion("https://a/", 1767225600.0, "<p>é</p>".encode()),
        PageVersion("https://a/", 1767229200.0, b""),
        PageVersion("https://b/", 5.0, b"x"),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{nonsense", "line 2: not JSON"),
        ("[1]", "line 2: an object"),
        ('{"url": "http://u/", "time": 1}', "line 2: html missing"),
        ('{"url": "http://u/", "time": "noon", "html": ""}', "line 2: 'noon' is no time"),
        ('{"url": 7, "time": 1, "html": ""}', "line 2: url and html"),
        ('{"url": "http://u/", "time": 0, "html": ""}', "line 2: http://u/ goes back in time"),
    ],
)
def test_errors_name_the_line(line, problem, tmp_path):
    file = tmp_path / "versions.jsonl"
    file.write_text('{"url": "http://u/", "time": 1, "html": ""}\n' + line + "\n")
    with pytest.raises(UsageError, match=problem):
        list(page_versions(file))


def test_a_missing_or_damaged_file(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        list(page_versions(tmp_path / "none.jsonl"))
    file = tmp_path / "cut.jsonl.xz"
    file.write_bytes(lzma.compress(TEXT)[:-20])
    with pytest.raises(UsageError, match="cut short"):
        list(page_versions(file))


@pytest.mark.parametrize("packing", [name for name in PACKINGS if name != "plain"])
def test_a_bomb_is_given_up_before_it_fills_the_memory(packing, tmp_path, monkeypatch):
    monkeypatch.setattr(page_versions_module, "LONGEST_LINE", 4 << 20)
    for first in (b"", b'{"html": "'):
        (tmp_path / "bomb").write_bytes(PACKINGS[packing](first + bytes(36 << 20)))
        tracemalloc.start()
        try:
            with pytest.raises(UsageError, match="line 1: "):
                list(page_versions(tmp_path / "bomb"))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 32 << 20
