"""When everything is learned again by itself, and what is said when that cannot be done."""

import json
from contextlib import closing

import pytest

import strandline
from strandline.errors import ArchiveBusy, OutOfSpace, Unreachable
from strandline.exchange.moving import take_in
from strandline.learn import keeping_up
from strandline.learn.keeping_up import behind, keep_up
from strandline.learn.learning import Lore
from strandline.store.learned import LearnedReading

URL = "https://a.example/"


@pytest.fixture
def archive(tmp_path):
    return strandline.create(tmp_path / "archive")


def bring(archive, first, last):
    """Days of a page that changes daily."""
    file = archive.folder.parent / "versions.jsonl"
    texts = {day: f"<p>{'abcdefghijklmnop'[day] * 9}</p>" for day in range(first, last)}
    rows = [{"url": URL, "time": f"2026-03-{day:02}T00:00:00Z", "html": html} for day, html in texts.items()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    take_in(archive, file)


def test_an_import_is_learned_from_at_its_end(archive):
    with closing(LearnedReading.open(archive.database)) as reading:
        assert not behind(reading), "there is nothing to learn from"
        bring(archive, 1, 9)
        assert not behind(reading, 1.0)
        assert Lore(archive).kept("classes").captures == 8
        assert not keep_up(archive), "there is nothing new"


def test_a_lesson_waits_until_there_is_a_quarter_more(archive, monkeypatch):
    bring(archive, 1, 9)
    monkeypatch.setattr("strandline.exchange.moving.keep_up", lambda _: False)
    monkeypatch.setattr(keeping_up, "SMALL", 0)
    bring(archive, 9, 10)
    with closing(LearnedReading.open(archive.database)) as reading:
        assert behind(reading, 1.0) and not behind(reading)
        assert not keep_up(archive)
        bring(archive, 10, 11)
        assert behind(reading)
        assert keep_up(archive)
        assert not behind(reading, 1.0)


@pytest.mark.parametrize(
    ("problem", "said"),
    [(ArchiveBusy("another one"), []), (Unreachable("study"), []), (OutOfSpace("full"), ["nothing was learned: full"])],
)
def test_what_is_in_the_way_of_learning_fails_nothing(archive, monkeypatch, problem, said):
    def away(*_, **__):
        raise problem

    monkeypatch.setattr(keeping_up, "learn", away)
    monkeypatch.setattr("strandline.exchange.moving.study", lambda _: 0)
    told = []
    archive.say = told.append
    bring(archive, 1, 3)
    assert len(archive.captures(URL)) == 2
    assert told == said
