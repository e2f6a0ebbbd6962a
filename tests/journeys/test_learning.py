"""From page versions of another tool to what was learned: patterns in local time, quiet directories, classes."""

import datetime as dt
import io
import json
from email.utils import format_datetime
from zoneinfo import ZoneInfo

import pytest

from journeys.command import here
from strandline.archive.folder import open_archive
from strandline.archive.wall_clock import SystemClock
from strandline.core.capture import Exchange, Outcome, Request
from strandline.errors import SettingError, UsageError
from strandline.learn.learning import Lore
from strandline.ports import Batch, Link
from strandline.store.catalog import open_catalog
from strandline.warc.info import WarcInfo
from strandline.warc.writer import WarcWriter

TOKYO = ZoneInfo("Asia/Tokyo")
START = dt.datetime(2026, 1, 12, tzinfo=TOKYO)  # a Monday and a public holiday in Japan
WEEKS = 6
HOME = "https://news.example.jp/"
OFTEN = "https://news.example.jp/list/index.html"
RARE = "https://news.example.jp/about/team.html"
QUIET = [f"https://news.example.jp/archive/{n}.html" for n in range(3)]
NOUNS = ("tide", "gull", "pier", "dune", "reef", "kelp", "crab", "foam", "salt", "mist", "cliff", "shell", "surf")


def in_letters(number):
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


def html(url, version):
    """Other words for every version, around what stays; without digits, which could be counters and not matter."""
    text = " ".join(
        NOUNS[(version * 5 + i * (version % 7 + 1)) % len(NOUNS)] + in_letters(version * 31 + i) for i in range(60)
    )
    return (
        f"<html lang=ja><head><title>{url}</title></head><body><h1>Page</h1><p>{text}</p>"
        f"<p>What stays the same on each version of this page.</p><a href='/'>home</a></body></html>"
    )


def versions():
    """The front page changes at nine on workdays, captured every hour; others every six hours."""
    workdays = 0
    for hour in range(WEEKS * 7 * 24 + 1):
        local = START + dt.timedelta(hours=hour)
        if local.hour == 10 and local.weekday() < 5:  # seen at ten: it happened after nine
            workdays += 1
        yield HOME, local, workdays
        if hour % 6 == 0:
            yield OFTEN, local, hour // 24
            yield RARE, local, hour // (24 * 7)
            for url in QUIET:
                yield url, local, 0


def write(file, rows):
    with file.open("w", encoding="utf-8") as out:
        for url, time, version in rows:
            row = {"url": url, "time": time.astimezone(dt.UTC).isoformat(), "html": html(url, version)}
            out.write(json.dumps(row) + "\n")
    return file


def data(*words):
    return json.loads(here(*words, "--json").stdout)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learning")
    here("init", folder / "archive")
    here("import", folder / "archive", write(folder / "versions.jsonl", versions()))
    return folder / "archive"


@pytest.fixture(scope="module")
def learned(archive):
    summary = data("learn", archive)
    return archive, summary


def test_an_import_is_learned_from_without_being_told(archive):
    done = here("patterns", archive, HOME)
    assert "learned now" not in done.stderr
    assert "workday" in done.stdout
    kept = {part: data(part, archive) for part in ("patterns", "rules", "classes")}
    assert all(kept.values())
    data("learn", archive)
    assert {part: data(part, archive) for part in kept} == kept, "the same captures teach the same"


def test_what_was_not_kept_is_learned_for_the_answer(archive):
    done = here("patterns", archive, HOME, "--periods", "12")
    assert "learned now and not kept" in done.stderr
    assert "workday" in done.stdout


def test_the_summary_says_what_was_learned_from(learned):
    _, summary = learned
    captures = WEEKS * 7 * 24 + 1 + (WEEKS * 7 * 4 + 1) * 5
    assert (summary["captures"], summary["pages"], summary["sites"]) == (captures, 6, 1)
    assert summary["unstudied"] == 0
    assert summary["patterns"]["changed_pages"] == 3
    assert summary["rules"]["dormant"] == 1
    assert sum(one["pages"] for one in summary["classes"]["classes"]) == 6
    assert summary["weighed"] == 6


def test_the_pattern_peaks_at_the_local_hour_of_the_known_zone(learned):
    found = data("patterns", learned[0])
    assert set(found) == {HOME, OFTEN, RARE, *QUIET}
    page = found[HOME]
    assert page["zone"] == "Asia/Tokyo"
    assert set(page["kinds"]) == {"workday", "saturday", "sunday", "holiday"}
    assert all(len(values) == 24 for values in page["kinds"].values())
    workday = page["kinds"]["workday"]
    assert workday.index(max(workday)) == 9
    assert sum(value > 0 for value in workday) == 1
    assert max(page["kinds"]["saturday"]) == max(page["kinds"]["sunday"]) == 0.0
    assert page["busiest"] == {"kind": "workday", "period": 9}
    assert page["group"] is not None
    assert found[QUIET[0]]["group"] is None
    assert list(data("patterns", learned[0], HOME)) == [HOME]


def test_weeks_and_other_periods_are_cut_on_request(learned):
    week = data("patterns", learned[0], HOME, "--cycle", "week")[HOME]
    assert [number for number, value in enumerate(week["kinds"]["week"]) if value > 0] == [d * 24 + 9 for d in range(5)]
    assert len(data("patterns", learned[0], HOME, "--periods", "4")[HOME]["kinds"]["workday"]) == 4
    month = data("patterns", learned[0], HOME, "--cycle", "month")[HOME]
    assert len(month["kinds"]["month"]) == 31


def test_rules_name_the_quiet_directory(learned):
    rules = data("rules", learned[0])
    assert rules
    for rule in rules:
        assert {"if", "skip", "foc", "coc", "confidence"} <= set(rule)
    assert {rule["skip"] for rule in rules} == {"news.example.jp/archive"}
    policy = data("rules", learned[0], "--policy")["example.jp"]
    assert policy["dormant"] == ["news.example.jp/archive"]
    assert policy["weighted"] is True
    assert policy["captures"] == learned[1]["captures"]
    directories = {one["path"]: one for one in policy["directories"]}
    assert directories["news.example.jp/archive"]["dormant"]
    assert directories["news.example.jp/archive"]["near"]
    busy = directories["news.example.jp/list"]
    assert busy["changes_a_week"] > directories["news.example.jp/archive"]["changes_a_week"]
    assert not busy["dormant"]


def test_rules_that_learn_found_are_told_by_status_and_reports(learned):
    rules, status = data("rules", learned[0]), json.loads(here("status", learned[0], "--json").stdout)
    assert status["learning"]["rules"] == len(rules) > 0
    told = json.loads(here("report", learned[0], "--json").stdout)["learning"]["rules_made"]
    assert {one["rule"] for one in told} == {
        f"when {' and '.join(one['if'])} change, skip {one['skip']}" for one in rules
    }


def test_rules_with_thresholds_of_ones_own_or_of_one_host(learned):
    strict = data("rules", learned[0], "--alpha", "1", "--beta", "1", "--theta", "1")
    assert strict == []
    by_host = data("rules", learned[0], "--site", "news.example.jp", "--plain", "--period", "14 days")
    assert {rule["skip"] for rule in by_host} <= {"news.example.jp/archive"}
    with pytest.raises(UsageError, match="no captures of"):
        here("rules", learned[0], "--site", "other.example")


def test_classes_order_pages_by_rate(learned):
    found = data("classes", learned[0])
    pages = {one["url"]: one for one in found["pages"]}
    assert pages[OFTEN]["class"] < pages[HOME]["class"] < pages[RARE]["class"] <= pages[QUIET[0]]["class"]
    assert pages[HOME]["changes_a_day"] == pytest.approx(5 / 7, rel=0.1)
    assert pages[QUIET[0]]["changes_a_day"] == 0.0
    assert found["pages"][0]["url"] == OFTEN
    assert found["classes"][-1]["name"] == "no change that counts"
    assert found["moved"] is False
    assert set(found["levels"]) == {"example.jp"}


def test_a_tree_tells_the_class_from_links_and_what_else_is_seen_at_first(tmp_path):
    pytest.importorskip("sklearn", reason="needs the extra strandline[study]")
    rows = []
    for day in range(5):
        moment = (START + dt.timedelta(days=day)).astimezone(dt.UTC).isoformat()
        for number in range(30):
            busy = number % 3 == 0
            words = " ".join(noun + in_letters(day) for noun in NOUNS) if busy else "as it was"
            text = f"<p>{words}</p>" + "<p>long text of a page</p>" * (20 if busy else 2)
            body = f"<html><body><h1>{number}</h1>{text}</body></html>"
            rows.append(json.dumps({"url": f"https://site.example/{number}.html", "time": moment, "html": body}))
    (tmp_path / "versions.jsonl").write_text("\n".join(rows))
    here("init", tmp_path / "archive")
    here("import", tmp_path / "archive", tmp_path / "versions.jsonl")
    here("learn", tmp_path / "archive", "classes")
    catalog = open_catalog(tmp_path / "archive")
    numbers = {url: catalog.page(url).page for url in (f"https://site.example/{n}.html" for n in range(30))}
    pages = list(numbers.values())
    named = [Link(source, url, "link") for number, url in enumerate(numbers) if number % 3 == 0 for source in pages]
    catalog.commit(Batch(links=named))
    catalog.close()
    found = data("classes", tmp_path / "archive", "--tree")["tree"]
    assert found["pages"] == 30
    assert found["error"] == 0.0
    assert found["error_by_majority"] == pytest.approx(1 / 3)
    assert set(found["importance"]) >= {"in-links", "PageRank", "text bytes", "Last-Modified present"}
    assert "misplaces 0%" in here("classes", tmp_path / "archive", "--tree").stdout
    here("init", tmp_path / "empty")
    with pytest.raises(UsageError, match="at least 20 pages"):
        here("classes", tmp_path / "empty", "--tree")


def test_learning_twice_gives_the_same(learned):
    before = [data(command, learned[0]) for command in ("patterns", "rules", "classes")]
    assert data("learn", learned[0]) == learned[1]
    assert [data(command, learned[0]) for command in ("patterns", "rules", "classes")] == before
    for part in ("patterns", "rules", "classes"):
        assert Lore(open_archive(learned[0])).kept(part) is not None


def test_words_say_it_too(learned):
    assert "from 09:00 Asia/Tokyo" in here("patterns", learned[0]).stdout
    assert "skip news.example.jp/archive" in here("rules", learned[0]).stdout
    assert "never seen to change" in here("classes", learned[0]).stdout
    assert "learned from" in here("learn", learned[0], "classes").stdout
    assert "changes most on a workday around 9:00, Asia/Tokyo" in here("why", learned[0], HOME).stdout


def test_figures_are_drawn(learned, tmp_path):
    here("patterns", learned[0], HOME, "--plot", tmp_path)
    here("rules", learned[0], "--plot", tmp_path)
    here("classes", learned[0], "--plot", tmp_path, "--format", "png")
    names = sorted(file.name for file in tmp_path.iterdir())
    assert len(names) == 4
    assert names[0] == "classes.png"
    assert all(file.stat().st_size > 1000 for file in tmp_path.iterdir())
    with pytest.raises(UsageError, match="svg or png"):
        here("classes", learned[0], "--plot", tmp_path, "--format", "gif")


def test_zone_and_weights_can_be_set_by_hand(archive, tmp_path):
    settings = archive / "strandline.toml"
    original = settings.read_text()
    weights = tmp_path / "weights.tsv"
    weights.write_text(f"{HOME}\t7.5\n")
    changed = original.replace('zone = "auto"', 'zone = "Europe/Paris"').replace(
        'weights = ""', f'weights = "{weights}"'
    )
    settings.write_text(changed)
    try:
        here("learn", archive)
        page = data("patterns", archive, HOME)[HOME]
        assert page["zone"] == "Europe/Paris"
        assert page["busiest"]["period"] == 1  # nine in Tokyo is one in Paris
        assert open_archive(archive).page(HOME).weight == 7.5
        settings.write_text(original.replace('zone = "auto"', 'zone = "Mars/Olympus"'))
        with pytest.raises(SettingError, match=r"learn\.zone"):
            here("learn", archive)
    finally:
        settings.write_text(original)


def test_an_empty_archive_says_so_in_one_line(tmp_path):
    here("init", tmp_path / "archive")
    assert here("learn", tmp_path / "archive").stdout.splitlines() == [
        "nothing to learn from: the archive has no captures of pages"
    ]
    for command, nothing in (("patterns", {}), ("rules", [])):
        done = here(command, tmp_path / "archive", "--json")
        assert json.loads(done.stdout) == nothing
        assert len(done.stderr.splitlines()) == 1
    done = here("classes", tmp_path / "archive", "--json")
    assert json.loads(done.stdout)["pages"] == []
    assert len(done.stderr.splitlines()) == 1


def test_one_capture_is_judged_at_first_sight(tmp_path):
    folder = tmp_path / "archive"
    here("init", folder)
    here("import", folder, write(tmp_path / "one.jsonl", [(HOME, START, 0)]))
    summary = data("learn", folder)
    assert (summary["captures"], summary["rules"]["rules"], summary["classes"]["classes"]) == (1, 0, [])
    assert data("patterns", folder)[HOME]["kinds"] == {}
    assert data("rules", folder) == []
    assert "too little" in here("rules", folder).stdout
    done = here("classes", folder, "--json")
    assert "first sight" in done.stderr
    (page,) = json.loads(done.stdout)["pages"]
    assert (page["class"], page["changes_a_day"], page["by"]) == (None, None, "first sight")
    assert page["expected_a_day"] > 0
    with pytest.raises(UsageError, match="no captures of this page"):
        here("patterns", folder, "https://elsewhere.example/")


def test_new_captures_are_added_to_what_was_learned(tmp_path, monkeypatch):
    monkeypatch.setattr("strandline.learn.preparation._BATCH", 5)  # fewer than there are pages
    monkeypatch.setattr("strandline.exchange.moving.keep_up", lambda _: False)
    folder, rows = tmp_path / "archive", list(versions())
    cut = START + dt.timedelta(days=30)
    here("init", folder)
    here("import", folder, write(tmp_path / "first.jsonl", [row for row in rows if row[1] < cut]))
    assert "learned from" in here("learn", folder, "--new").stdout  # nothing was learned before: everything is
    reading = Lore(open_archive(folder)).reading
    assert reading.spoken("example.jp") == "ja"
    assert len(reading.first_sights("example.jp")) == 6
    assert data("learn", folder, "--new") == {"added": 0, "left": 0}
    later = [row for row in rows if row[1] >= cut]
    here("import", folder, write(tmp_path / "second.jsonl", later))
    assert data("learn", folder, "--new") == {"added": len(later), "left": 0}
    added = {part: data(part, folder) for part in ("patterns", "classes")}
    data("learn", folder)
    whole = {part: data(part, folder) for part in ("patterns", "classes")}
    for url, page in whole["patterns"].items():
        for kind, values in page["kinds"].items():
            assert added["patterns"][url]["kinds"][kind] == pytest.approx(values)
    for one, other in zip(added["classes"]["pages"], whole["classes"]["pages"], strict=True):
        assert (one["url"], one["visits"], one["changes"]) == (other["url"], other["visits"], other["changes"])
    with pytest.raises(UsageError, match="leave out rules"):
        here("learn", folder, "rules", "--new")


def test_last_modified_is_believed_once_captures_confirm_it(tmp_path):
    """Captured at midnight, changed at three in the afternoon: only the server's word tells the hour."""
    folder = tmp_path / "archive"
    here("init", folder)
    archive, captures = open_archive(folder), []
    writer = WarcWriter(folder / "archive", WarcInfo(software="test", operator="", is_part_of=""), SystemClock())
    for day in range(10):
        seen = START + dt.timedelta(days=day + 1)
        stamp = format_datetime((seen - dt.timedelta(hours=9)).astimezone(dt.UTC), usegmt=True)
        body = html(HOME, day).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLast-Modified: {stamp}\r\n"
        exchange = Exchange(
            request=Request(HOME, 0),
            started=seen.timestamp(),
            seconds=0.1,
            outcome=Outcome.ANSWERED,
            detail="",
            address="",
            request_head=b"",
            response_head=f"{head}Content-Length: {len(body)}\r\n\r\n".encode(),
            body=io.BytesIO(body),
            body_length=len(body),
            status=200,
        )
        captures.append(writer.keep(exchange))
    writer.close()
    with archive.writing("test") as catalog:
        catalog.bring(captures)
    assert data("learn", folder)["patterns"]["trusted"] == ["news.example.jp last-modified"]
    workday = data("patterns", folder, HOME)[HOME]["kinds"]["workday"]
    assert [hour for hour, value in enumerate(workday) if value > 0] == [15]
    assert "last-modified of news.example.jp: believed" in here("patterns", folder).stdout


def test_parts_that_do_not_exist_are_named(archive):
    with pytest.raises(UsageError, match="cannot learn 'tides'"):
        here("learn", archive, "tides")


def test_captures_known_only_from_an_index_are_told_by_their_digests(tmp_path):
    lines = []
    for day in range(8):
        stamp = (START + dt.timedelta(days=day)).astimezone(dt.UTC).strftime("%Y%m%d%H%M%S")
        for name, digest in (("a", f"sha1:{day:032d}"), ("b", "sha1:" + "0" * 32)):
            about = {"url": f"https://site.example/{name}.html", "mime": "text/html", "status": "200", "digest": digest,
                     "length": "10", "offset": str(100 * day), "filename": f"{name}.warc.gz"}  # fmt: skip
            lines.append(f"example,site)/{name}.html {stamp} {json.dumps(about)}")
    index = tmp_path / "other.cdxj"
    index.write_text("\n".join(sorted(lines)) + "\n")
    folder = tmp_path / "archive"
    here("init", folder)
    here("import", folder, index)
    summary = data("learn", folder)
    assert summary["captures"] == summary["unstudied"] == 16
    pages = {one["url"]: one for one in data("classes", folder)["pages"]}
    assert pages["https://site.example/a.html"]["changes"] == 7
    assert pages["https://site.example/b.html"]["changes"] == 0
    open_catalog(folder).close()  # nothing holds the archive
