"""The block index of a real archive is small beside its pages, and is searched all the same."""

import gzip
import json
import random
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from journeys.command import here
from strandline.lab.experiments.made_words import paragraph

VERSIONS, PAGES, PARAGRAPHS = 100, 2, 80
MOST = 0.05
"""Of gzip, the share of what says which blocks each version shows, without the words for searching."""
INDEX = ("segments", "history_counts", "labels")


def versions(number):
    """A long text one paragraph of which is written anew each day, as policy pages are."""
    rng = random.Random(number)
    texts = [paragraph(rng) for _ in range(PARAGRAPHS)]
    for day in range(VERSIONS):
        if day:
            texts[rng.randrange(PARAGRAPHS)] = paragraph(rng)
        yield "<!doctype html><title>Policy</title><main>" + "".join(f"<p>{text}</p>" for text in texts) + "</main>"


@pytest.mark.long
def test_what_each_version_shows_takes_a_twentieth_of_gzip_at_most(tmp_path):
    """The tables of the first block index took .209 of gzip, the model of the paper .083."""
    rows, packed, last = [], 0, ""
    for number in range(PAGES):
        for day, html in enumerate(versions(number)):
            at = (datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)).isoformat()
            rows.append(json.dumps({"url": f"https://policy.example/{number}", "time": at, "html": html}))
            packed, last = packed + len(gzip.compress(html.encode(), 6, mtime=0)), html
    (tmp_path / "versions.jsonl").write_text("\n".join(rows))
    here("import", tmp_path / "archive", tmp_path / "versions.jsonl")
    with sqlite3.connect(tmp_path / "archive" / "strandline.db") as catalog:
        own = f"SELECT name FROM sqlite_master WHERE tbl_name IN ({', '.join('?' * len(INDEX))})"
        try:
            ((size,),) = catalog.execute(f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({own})", INDEX)
        except sqlite3.OperationalError:
            pytest.skip("this SQLite cannot tell what its tables take")
    print(f"block index: {size / packed:.4f} of gzip, {len(rows)} versions")
    assert 0 < size <= MOST * packed
    words = " ".join(last.rpartition("<p>")[2].split()[:5])
    found = json.loads(here("search", tmp_path / "archive", words, "--json").stdout.splitlines()[0])
    assert found["url"] == f"https://policy.example/{PAGES - 1}"
