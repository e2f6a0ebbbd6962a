"""What is learned from a watch with hours of its own, and from archives out of the ordinary."""

import json
from contextlib import closing
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from strandline.archive.folder import open_archive
from strandline.cli.main import app
from strandline.crawl.skipping import Library
from strandline.exchange import moving
from strandline.learn.incremental import learn_new
from strandline.learn.learning import Lore
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.skipping import SkipReading
from strandline.store.watching import TimePiece

START = 1_790_000_000.0
HOUR = 10.0
"""Seconds an hour of the watch lasts."""
DAYS = 9
FRONT, QUIET = "https://www.example.fr/", "https://www.example.fr/old/a.html"


def at(hour):
    """By the clock; half an hour later, so that nothing falls on an edge."""
    return datetime.fromtimestamp(START + (hour + 0.5) * HOUR, UTC).isoformat()


def html(version):
    name = "abcdefghijklmnop"[version]  # not a number: that could be a counter, which does not matter
    words = " ".join(f"{word}{name}" for word in ("tide", "gull", "pier", "dune", "reef", "kelp") * 6)
    return f"<html><head><title>Page</title></head><body><p>{words}</p><p>What stays.</p></body></html>"


def captures(first, last):
    """Every hour, the front page with something new after nine on workdays; the quiet page once a day."""
    for hour in range(first, last):
        day = hour // 24
        workdays = sum(one % 7 < 5 for one in range(day + (hour % 24 >= 9)))
        yield {"url": FRONT, "time": at(hour), "html": html(workdays)}
        if hour % 24 == 0:
            yield {"url": QUIET, "time": at(hour), "html": html(0)}


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout) if "--json" in words else done.stdout


def put(folder, rows, learning=True):
    file = folder.parent / "versions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        if not learning:
            patch.setattr(moving, "keep_up", lambda _: False)
        run("import", folder, file)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hours") / "archive"
    run("init", folder)
    with closing(open_catalog(folder)) as catalog:
        catalog.watch.set_time(TimePiece(START, 0.0, HOUR))
    put(folder, captures(0, 24 * (DAYS - 1)))
    run("learn", folder)
    put(folder, captures(24 * (DAYS - 1), 24 * DAYS), learning=False)
    return folder


def test_patterns_are_those_of_the_hours_of_the_watch(archive):
    caught_up = learn_new(open_archive(archive))
    assert (caught_up.added, caught_up.left) == (25, 0)
    found = run("patterns", archive, "--json")[FRONT]
    assert found["zone"] == "UTC"  # not that of .fr: hours of a watch know no zones
    workday = found["kinds"]["workday"]
    assert [hour for hour, value in enumerate(workday) if value > 0] == [8, 9]  # seen at half past nine
    assert "saturday" in found["kinds"]
    assert max(found["kinds"]["saturday"]) == 0.0
    week = run("patterns", archive, FRONT, "--cycle", "week", "--periods", 7, "--json")[FRONT]
    assert [value > 0 for value in week["kinds"]["week"]] == [True] * 5 + [False] * 2


def test_rules_make_a_version_of_a_week_that_was_lived(archive):
    (site,) = run("rules", archive, "--policy", "--json").values()
    assert (site["versions"], site["period_days"]) == (2, 7.0)  # Monday to Wednesday, and to the Tuesday after
    assert site["dormant"] == ["www.example.fr/old"]
    assert datetime.fromisoformat(site["first"]).timestamp() == pytest.approx(START + HOUR / 2, abs=1.0)
    with closing(SkipReading.open(archive / DATABASE)) as reading:
        known = Library(reading).site("example.fr", "dormant", START)
    assert known.rules.period == known.state.period == 7 * 24 * HOUR  # crawls go by the clock


def test_classes_count_days_that_were_lived(archive):
    front = next(one for one in run("classes", archive, "--json")["pages"] if one["url"] == FRONT)
    assert 0.5 < front["changes_a_day"] < 1.5
    assert front["changes"] == 7  # a workday each


def test_what_was_learned_by_other_hours_is_learned_anew(archive):
    run("learn", archive)
    assert Lore(open_archive(archive)).kept("patterns") is not None
    with closing(open_catalog(archive)) as catalog:
        catalog.watch.set_time(TimePiece(START + 24 * DAYS * HOUR, 24.0 * DAYS, 2 * HOUR))
    assert Lore(open_archive(archive)).kept("patterns") is None
    assert learn_new(open_archive(archive)) is None


WEEK = 7 * 24 * 3600.0


def weekly(folder, weeks, pages):
    """An archive with captures once a week; `pages` says which addresses there are in a week, and in which version."""
    run("init", folder)
    put(
        folder,
        (
            {"url": url, "time": datetime.fromtimestamp(START + week * WEEK, UTC).isoformat(), "html": html(version)}
            for week in range(weeks)
            for url, version in pages(week)
        ),
    )
    run("learn", folder)
    return folder


def test_pages_that_nobody_looked_at_again_are_not_called_unchanged(tmp_path):
    folder = weekly(tmp_path / "a", 5, lambda week: [(f"https://e.example/{week}/{n}.html", 0) for n in range(2)])
    (site,) = run("rules", folder, "--policy", "--json").values()
    assert (site["versions"], site["rules"], site["dormant"]) == (5, [], [])
    assert not any(one["near"] or one["dormant"] for one in site["directories"])
    assert "first sight" in run("classes", folder)


def test_a_site_that_never_changes_is_dormant_as_a_whole(tmp_path):
    folder = weekly(tmp_path / "a", 4, lambda _: [("https://e.example/a/x.html", 0), ("https://e.example/b/y.html", 0)])
    (site,) = run("rules", folder, "--policy", "--json").values()
    assert (site["versions"], site["rules"], site["dormant"], site["price"]) == (4, [], [""], None)
    assert "never seen to change" in run("patterns", folder)
    assert run("classes", folder, "--json")["classes"][0]["name"] == "no change that counts"


def test_odd_addresses_and_no_busy_hour_where_none_can_be_told(tmp_path):
    odd = ["hö/日本.html", "/a//b.html", "./x.html", "../y.html", " /z.html", "a b/", "x//", "?from=/a/", "%zz/q.html"]
    folder = weekly(tmp_path / "a", 4, lambda week: [(f"https://e.example/{one}", week) for one in odd])
    found = run("patterns", folder, "--json")
    assert len(found) == len(odd)
    assert all(one["busiest"] is None and one["changes"] for one in found.values())  # a change of a week, at any hour
    assert "at no time more than at others" in run("patterns", folder)
    (site,) = run("rules", folder, "--policy", "--json").values()
    paths = {one["path"]: one["pages"] for one in site["directories"]}
    assert paths == {
        "e.example": 3,
        "e.example//a/": 1,
        "e.example/h%C3%B6": 1,
        "e.example/%20": 1,
        "e.example/a%20b": 1,
        "e.example/x/": 1,
        "e.example/%zz": 1,
    }
    assert len(run("classes", folder, "--json")["pages"]) == len(odd)
