"""A contract, one term of which changes, beside pages that say only the time: what is said of them is true."""

import datetime as dt
import json
import shutil

import pytest

from journeys.command import here

SITE = "https://oldhaven.example"
START = dt.datetime(2026, 8, 3, 9, tzinfo=dt.UTC)  # a Monday
CLAUSES = [
    "This agreement is made between the municipal library and its suppliers, and replaces every earlier one.",
    "Deliveries are made on working days before noon. The supplier bears the risk until they are accepted in writing.",
    "Invoices are paid by bank transfer. Disputed parts may be withheld while the dispute lasts.",
    "Both sides keep confidential what they learn of each other's business. This duty outlives the agreement.",
] * 3
TERMS = {
    "notice": ("Either party may end it by giving the other {} days' written notice.", (14, 30, 60, 90)),
    "period": ("The notice period is {} days to the end of a month.", (14, 30, 60, 90)),
    "fee": ("The yearly fee is {} euros, due in January.", (140, 150, 175, 190)),
    "interest": ("Late payments bear interest of {} % a year.", (4, 5, 6, 8)),
}
STRUCK = {
    "struck": ("Either party may end it by giving the other {} days' written notice.", "14", "<s>14</s>"),
    "deleted": ("Late payments bear interest of {} % a year.", "4", "<del>4</del> <ins>5</ins>"),
    "withdrawn": ("{}", "The yearly fee is 140 euros, due in January.", ""),
    "field": (
        "It is paid <select>{}</select>",
        "<option selected>monthly<option>yearly",
        "<option>monthly<option selected>yearly",
    ),
}
"""Terms that are only struck through at the last look, one as a whole by its style; and one chosen in a form."""
CLOCK = f"{SITE}/clock"
STILL = f"{SITE}/still"


def page(last):
    clauses = "".join(f"<h2>{number}.</h2><p>{text}</p>" for number, text in enumerate([*CLAUSES, last], start=1))
    return (
        f"<!doctype html><html lang=en><title>Supply agreement</title><main><h1>Supply agreement</h1>{clauses}</main>"
    )


def looks():
    """Mondays and Tuesdays of two weeks."""
    for number, day in enumerate((0, 1, 7, 8)):
        at = (START + dt.timedelta(days=day)).isoformat()
        for name, (text, values) in TERMS.items():
            yield {"url": f"{SITE}/{name}", "time": at, "html": page(text.format(values[number]))}
        for name, (text, term, crossed) in STRUCK.items():
            crossed = crossed or f"<span style='text-decoration: line-through'>{term}</span>"
            yield {"url": f"{SITE}/{name}", "time": at, "html": page(text.format(crossed if number == 3 else term))}
        yield {"url": CLOCK, "time": at, "html": page(f"Page made in {0.1 + 0.13 * number:.2f} seconds.")}
        yield {"url": STILL, "time": at, "html": page("Nothing of it ever changed.")}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terms")
    (folder / "looks.jsonl").write_text("\n".join(map(json.dumps, looks())))
    here("import", folder / "archive", folder / "looks.jsonl")
    return folder / "archive"


def asked(*words):
    return json.loads(here(*words, "--json").stdout)


def changes(archive):
    return [json.loads(line) for line in here("changes", archive, "--json").stdout.splitlines()]


def test_each_change_of_a_term_is_far_above_noise_and_what_says_the_time_is_not(archive):
    found = changes(archive)
    for name in TERMS:
        assert len([one for one in found if one["url"] == f"{SITE}/{name}" and one["importance"] > 0.5]) == 3, name
    assert all(one["importance"] < 0.01 for one in found if one["url"] == CLOCK)


def test_a_term_that_is_struck_through_or_chosen_otherwise_has_changed(archive):
    found = {one["url"]: one for one in changes(archive)}
    told = [found[f"{SITE}/{name}"] for name in STRUCK if name != "field"]
    assert [one["sentence"] for one in told] == [
        "Struck through: “14”",
        "“Late payments bear interest” rose from 4 to 5 %",
        "Struck through: “The yearly fee is 140 euros, due in January.”",
    ]
    assert min(one["importance"] for one in told) > 0.3
    field = found[f"{SITE}/field"]
    assert (field["sentence"], field["importance"]) == ("A field of a form changed from “monthly” to “yearly”", 0.05)
    at = (START + dt.timedelta(days=7.5)).isoformat()
    evidence = {one["url"]: one["evidence"] for one in asked("quality", archive, "--at", at)["archive"]["mementos"]}
    assert {evidence[f"{SITE}/{name}"] for name in STRUCK} == {"probable"}
    assert f"{SITE}/withdrawn" in here("search", archive, "yearly fee due january").stdout


@pytest.mark.parametrize("day", [0.5, 4.0, 7.5])
def test_nothing_is_proved_between_two_captures_that_differ(archive, day):
    at = (START + dt.timedelta(days=day)).isoformat()
    found = {one["url"]: one["evidence"] for one in asked("quality", archive, "--at", at)["archive"]["mementos"]}
    still = {STILL} | ({f"{SITE}/{name}" for name in STRUCK} if day < 7 else set())
    assert {url for url, evidence in found.items() if evidence == "proved"} == still


def test_classes_patterns_and_why_say_that_terms_changed(archive):
    pages = {one["url"]: one for one in asked("classes", archive)["pages"]}
    assert all(pages[f"{SITE}/{name}"]["changes"] == 3 for name in TERMS)
    lines = {line.split()[1]: line for line in here("classes", archive).stdout.splitlines() if "later captures" in line}
    assert all("3 of 3 later captures changed" in lines[f"{SITE}/{name}"] for name in TERMS)
    assert [url for url, line in lines.items() if "never seen to change" in line] == [STILL]
    assert "3 seen" in here("why", archive, f"{SITE}/notice").stdout


def test_days_nobody_looked_at_are_shown_as_not_observed(archive):
    url = f"{SITE}/notice"
    week = asked("patterns", archive, url, "--cycle", "week")[url]["kinds"]["week"]
    looked = [any(value is not None for value in week[day * 24 : day * 24 + 24]) for day in range(7)]
    assert looked == [True, True, False, False, False, False, False]
    month = asked("patterns", archive, url, "--cycle", "month")[url]["kinds"]["month"]
    assert [day + 1 for day, value in enumerate(month) if value is not None] == [3, 4, 10, 11]
    assert set(asked("patterns", archive, url, "--cycle", "day")[url]["kinds"]) == {"workday"}
    shown = here("patterns", archive, url, "--cycle", "week").stdout
    (line,) = (line for line in shown.splitlines() if line.lstrip().startswith("week"))
    assert line.partition("|")[2][48:168] == "·" * 120


def test_what_versions_say_of_themselves_survives_a_catalog_made_anew(archive, tmp_path):
    copy = shutil.copytree(archive, tmp_path / "copy")
    before = here("versions", copy, STILL).stdout
    assert "Supply agreement" in before
    here("reindex", copy)
    assert here("versions", copy, STILL).stdout == before


@pytest.mark.parametrize(
    ("words", "hint"), [('"supply notice', "A quote is not closed"), ("-supply", "Name a word that should be there")]
)
def test_a_search_that_cannot_find_anything_says_why(archive, words, hint):
    assert hint in here("search", archive, "--", words).stdout
