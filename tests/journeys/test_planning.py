"""Planning on an archive made from page versions whose change times are known."""

import json
import random
import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import strandline as strandline_package
from journeys.command import here, strandline
from strandline.app.opening import open_archive
from strandline.core.capture import Kind
from strandline.errors import StrandlineError
from strandline.plan.explaining import why as explain
from strandline.plan.planning import Planning
from strandline.ports import Batch, Found, HostState
from strandline.report.measuring import measured
from strandline.store.catalog import open_catalog

DAYS, EVERY = 8, 4
SITE = "https://www.harbour-news.org"
HOT = tuple(f"{SITE}/live/{name}.html" for name in ("front", "storm", "vote"))
QUIET = tuple(f"{SITE}/about/{n}.html" for n in range(9))
MUSEUM = tuple(f"https://museum-of-tides.fr/{n}/" for n in range(4))
FORBIDDEN = f"{SITE}/private/diary.html"
NEVER = f"{SITE}/live/new.html"
WORDS = [f"{a}{b}" for a in ("tide", "ship", "vote", "storm", "coast", "reef") for b in range(400)]


def _html(url, version):
    draw = random.Random(f"{url} {version}")
    text = "".join(f"<p>{' '.join(draw.choices(WORDS, k=60))}</p>" for _ in range(3))
    return f"<html><head><title>{url}</title></head><body><h1>{draw.choice(WORDS)}</h1>{text}</body></html>"


def _versions():
    now = time.time()
    for place, url in enumerate((*HOT, *QUIET, *MUSEUM, FORBIDDEN)):
        between = 8 if url in HOT else 10_000 if url not in MUSEUM[:1] else 60
        for hour in range(0, DAYS * 24, EVERY):
            moment = now - DAYS * 86_400.0 + hour * 3600.0 + place
            when = datetime.fromtimestamp(moment, UTC).isoformat()
            yield {"url": url, "time": when, "html": _html(url, (hour + place) // between)}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planned")
    source = folder / "versions.jsonl"
    source.write_text("\n".join(map(json.dumps, _versions())))
    made = strandline("import", folder / "archive", source)
    assert made.code == 0, made.err
    catalog = open_catalog(folder / "archive")
    robots = b"User-agent: *\nDisallow: /private/\n"
    host = HostState("www.harbour-news.org", robots_time=time.time(), robots_status=200, robots_body=robots)
    parts = [Found(f"{SITE}/{kind}", kind, kind, 1, 1, 0.0, 0.0) for kind in Kind if kind != Kind.PAGE]
    catalog.add([Found(NEVER, Kind.PAGE, "link", 1, 1, 0.0, 0.0), *parts])
    catalog.commit(Batch(hosts=[host]))
    catalog.close()
    return folder / "archive"


def run(*words):
    """A command in this process."""
    return here(*words).stdout


def set_plan(folder: Path, **values):
    """Change settings of planning; returns the text before."""
    file = folder / "strandline.toml"
    before = file.read_text()
    lines = []
    inside = False
    for line in before.splitlines():
        inside = line == "[plan]" if line.startswith("[") else inside
        key = line.partition(" = ")[0]
        lines.append(f"{key} = {json.dumps(values[key])}" if inside and key in values else line)
    file.write_text("\n".join(lines) + "\n")
    return before


def test_hot_pages_are_due_before_quiet_ones_and_forbidden_ones_never(archive):
    found = json.loads(run("next", archive, "--visits", 30, "--json"))
    assert all(set(one) >= {"url", "urgency", "reason", "due"} for one in found)
    urls = [one["url"] for one in found]
    assert FORBIDDEN not in urls
    assert len(urls) == len(set(urls)) == 17
    dues = [datetime.fromisoformat(one["due"]) for one in found]
    assert dues == sorted(dues)
    few = {one["url"] for one in json.loads(run("next", archive, "--visits", 4, "--json"))}
    assert few == {NEVER, *HOT}


def test_asking_again_is_answered_from_what_was_kept(archive):
    first = json.loads(run("next", archive, "--visits", 5, "--json"))
    catalog = open_catalog(archive)
    assert catalog.reading.note("plan", "beliefs")
    catalog.close()
    again = json.loads(run("next", archive, "--visits", 5, "--json"))
    assert [one["url"] for one in again] == [one["url"] for one in first]


def test_people_get_lines_and_reasons(archive):
    text = run("next", archive, "--visits", 4, "--why")
    assert NEVER in text
    assert "never fetched" in text
    assert "changes an hour expected" in text


@pytest.mark.parametrize("name", ["round-robin", "importance-pattern", "nutch", "freshness"])
def test_any_strategy_may_be_asked(archive, name):
    assert len(json.loads(run("next", archive, "--strategy", name, "--visits", 3, "--json"))) == 3


def why(archive, url):
    found = json.loads(run("why", archive, url, "--json"))
    text = run("why", archive, url)
    assert len(text.splitlines()) <= 24, "one screen"
    assert found["verdict"] in text
    return found


def test_why_answers_for_a_page_that_is_due(archive):
    listed = {one["url"]: one["urgency"] for one in json.loads(run("next", archive, "--visits", 50, "--json"))}
    found = why(archive, HOT[0])
    assert found["known"]
    assert found["verdict"].startswith("due within the hour")
    assert "changes a day" in found["answers"]["changes"]
    assert "allowed" in found["answers"]["robots"]
    # Nothing, where the hours say that it is too early to find something and it is only looked at.
    assert found["urgency"] == pytest.approx(listed[HOT[0]], rel=0.2, abs=0.02)


def test_why_answers_for_a_page_that_is_skipped(archive):
    before = set_plan(archive, budget="2/day", objective="pool")
    try:
        found = why(archive, QUIET[0])
    finally:
        (archive / "strandline.toml").write_text(before)
    assert found["verdict"].startswith("skipped")
    assert "a change about every" in found["answers"]["changes"]
    assert found["due"] is None


def test_why_answers_for_a_page_that_robots_forbid(archive):
    found = why(archive, FORBIDDEN)
    assert found["verdict"] == "not fetched: robots: robots.txt"
    assert "forbidden" in found["answers"]["robots"]


def test_why_answers_for_a_page_never_fetched_and_for_an_unknown_one(archive):
    found = why(archive, NEVER)
    assert found["verdict"].startswith("due within the hour")
    assert "never fetched" in found["answers"]["now"]
    unknown = why(archive, "https://elsewhere.org/")
    assert not unknown["known"]
    assert "not known" in unknown["verdict"]


@pytest.mark.parametrize(
    ("kind", "what"), [("requisite", "a part of pages"), ("robots", "the rules of a host"), ("feed", "a list of news")]
)
def test_why_says_what_an_address_is_that_is_no_page(archive, kind, what):
    verdict = why(archive, f"{SITE}/{kind}")["verdict"]
    assert verdict.startswith(what)
    assert verdict.endswith("not planned by itself")


def test_why_counts_in_the_hours_of_the_watch(archive):
    """A demonstration's hour may last seconds: what is due in twelve of them does not wait for half a day."""
    opened, now = open_archive(archive), time.time()
    planning = Planning(opened, now, replace(opened.settings.plan, budget="1/hour"), hour_seconds=360.0)
    waits = [(found.due - now, found.verdict) for url in (*HOT, *QUIET) if (found := explain(planning, url)).due]
    late = [(seconds, verdict) for seconds, verdict in waits if 720.0 < seconds < 3600.0]
    assert late
    for seconds, verdict in late:
        assert verdict.startswith(f"waits: due in {seconds / 360.0:.2g} hours"), verdict


def test_why_tells_of_differences_that_are_too_small_to_count(tmp_path):
    page, text = "https://clock.example/", "<p>The harbour is open every day from nine to five.</p>" * 9
    versions = [
        {"url": page, "time": f"2026-03-0{day}T12:00:00Z", "html": f"<body>{text}<p>Today is day {day}</p></body>"}
        for day in range(1, 9)
    ]
    (tmp_path / "clock.jsonl").write_text("\n".join(map(json.dumps, versions)))
    run("import", tmp_path / "archive", tmp_path / "clock.jsonl")
    told = why(tmp_path / "archive", page)["answers"]["changes"]
    # A number in a sentence may be a term or a price: it counts until it is known to tick.
    seen, small = map(int, re.search(r"(\d+) seen in 7 days and (\d+) too small to count", told).groups())
    assert seen + small == 7 and seen <= 3
    assert "a change about every" in told


def test_a_clock_that_was_set_back_spoils_no_measure(archive):
    opened = open_archive(archive)
    right, back = (Planning(opened, time.time() - seconds) for seconds in (0.0, 400 * 86_400.0))
    assert right.remark == ""
    assert "the clock of this machine is" in back.remark
    true, found = measured(right), measured(back)
    for one, other in zip(found.sites, true.sites, strict=True):
        assert other.completeness.low <= one.completeness.value <= other.completeness.high
        assert (one.coverage, one.captures) == (other.coverage, other.captures)
    assert found.visiting.intended >= found.visiting.achieved > 0
    assert back.next(5)


def test_why_names_the_campaign_that_holds_a_page(archive):
    before = set_plan(archive, campaigns=["tides: museum-of-tides.fr from 2020-01-01 to 2099-01-01 x50"])
    try:
        assert why(archive, MUSEUM[2])["answers"]["campaign"] == "tides"
        found = json.loads(run("next", archive, "--visits", 17, "--json"))
    finally:
        (archive / "strandline.toml").write_text(before)
    assert [one for one in found if "museum" in one["url"] and one["reason"].startswith("campaign tides")]


def test_quality_is_between_0_and_1_and_in_order(archive):
    found = json.loads(run("quality", archive, "--json"))
    assert {"harbour-news.org", "museum-of-tides.fr", "archive"} == set(found)
    for one in found.values():
        assert 0 <= one["completeness_low"] <= one["completeness"] <= one["completeness_high"] <= 1
        assert all(0 <= one[name] <= 1 for name in ("coherence", "freshness", "coverage"))
    assert found["museum-of-tides.fr"]["coverage"] == 1.0
    assert found["harbour-news.org"]["coverage"] == pytest.approx(13 / 14)
    assert found["archive"]["more"]["gain"] >= 0
    assert "would catch" in run("quality", archive, "--site", "harbour-news.org")


def test_quality_at_a_time_gives_evidence_per_memento(archive):
    moment = datetime.fromtimestamp(time.time() - 4 * 86_400.0, UTC).isoformat(timespec="seconds")
    found = json.loads(run("quality", archive, "--at", moment, "--json"))["archive"]
    assert len(found["mementos"]) == 17
    assert {one["evidence"] for one in found["mementos"]} <= {"proved", "probable", "violated"}
    quiet = [one for one in found["mementos"] if one["url"] in QUIET]
    assert {one["evidence"] for one in quiet} == {"proved"}
    assert 0 <= found["coherent_share"] <= 1


def test_plans_in_every_format_can_be_read(archive):
    options = ("plan", archive, "--for", "12h", "--budget", "4/hour")
    urls = run(*options, "--format", "urls").splitlines()
    assert len(urls) == len(set(urls)) > 5
    visits = json.loads(run(*options, "--format", "json"))
    assert 44 <= len(visits) <= 52, "hours are those of the clock, and one is under way"
    assert list(dict.fromkeys(one["url"] for one in visits)) == urls
    assert run(*options, "--format", "heritrix").splitlines() == [f"F+ {url}" for url in urls]
    text = run(*options, "--format", "browsertrix").splitlines()
    assert text[1] == "scopeType: page"
    assert [json.loads(line.partition("url: ")[2]) for line in text if line.startswith("  - url: ")] == urls


def test_a_plan_for_another_crawler_keeps_its_hours(archive, tmp_path):
    options = ("plan", archive, "--for", "12h", "--budget", "100/day")
    (tmp_path / "plan-20200101T00Z.force").write_text("F+ http://of-an-earlier-plan.example/\n")

    def planned():
        visits = json.loads(run(*options, "--format", "json"))
        return {(one["due"][:13].replace("-", ""), one["url"]) for one in visits}

    wanted, later = planned(), set()
    while wanted != later:  # a plan begins now: a moment later, a visit may fall into the next hour
        wanted = later or wanted
        run(*options, "--format", "heritrix", "--into", tmp_path)
        later = planned()
    kept = {(path.name[5:16], line[3:]) for path in tmp_path.glob("*.force") for line in path.read_text().splitlines()}
    assert kept == wanted
    assert len({hour for hour, _ in wanted}) > 1


def test_the_archives_own_history_can_be_simulated(archive):
    rows = json.loads(
        run("simulate", archive, "--strategies", "round-robin,priced-plan", "--budgets", 10, "--json", "--quiet")
    )
    assert {row["strategy"] for row in rows} == {"round-robin", "priced-plan"}
    assert all(0 <= row["pool"] <= row["bound_clairvoyant"] + 1e-9 for row in rows if row["objective"] == "pool")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("plan", "--budget", "0/day"), "above zero"),
        (("plan", "--budget=-5/day"), "above zero"),
        (("plan", "--budget", "lots"), "is no budget"),
        (("plan", "--budget", "9000000/day"), "more than politeness allows"),
        (("plan", "--for", "0h"), "more than nothing"),
        (("plan", "--format", "pdf"), "no format 'pdf'"),
        (("plan", "--into", "plans"), "--into: only browsertrix and heritrix"),
        (("next", "--visits", "0"), "at least one visit"),
        (("next", "--strategy", "best"), "--strategy: no strategy 'best'"),
        (("quality", "--site", "nowhere.org"), "no site 'nowhere.org'"),
        (("quality", "--at", "soon"), "is no date"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(archive, words, part):
    with pytest.raises(StrandlineError, match=part) as problem:
        run(words[0], archive, *words[1:])
    assert "\n" not in str(problem.value)


def test_an_empty_archive_gives_one_clear_line(tmp_path):
    run("init", tmp_path / "empty")
    for command in ("next", "plan", "quality", "simulate"):
        with pytest.raises(StrandlineError, match="crawl or import something first"):
            run(command, tmp_path / "empty")
    assert "not known" in run("why", tmp_path / "empty", "https://example.org/")
    done = strandline("next", tmp_path / "empty")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)


def test_the_same_answers_in_python(archive):
    opened = strandline_package.open(archive)
    visits = opened.next(strandline_package.Budget(visits=5))
    assert [visit.url for visit in visits] == [visit.url for visit in opened.next(5, time.time())]
    assert NEVER in {visit.url for visit in visits}
    assert all(visit.reason for visit in visits)
    assert opened.why(HOT[0]).known
    assert len(list(opened.plan(2.0))) > 0
    whole, site = opened.quality(), opened.quality(site="harbour-news.org")
    assert 0.0 <= whole.completeness.low <= whole.completeness.value <= whole.completeness.high <= 1.0
    assert 0.0 <= site.coherence <= 1.0
    assert site.pages < whole.pages
