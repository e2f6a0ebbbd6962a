"""Whole pages of further kinds, in further markups and three languages without rules: half of them only to measure."""

import tomllib
from pathlib import Path

import pytest

from made.kinds import Site, all_looks

HERE = Path(__file__).parent
FLOOR = 0.015


def read(name):
    return tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))


SITES = read("fresh_sites")
SITE = Site(SITES | {"words": read("far_sites")["words"] | SITES["words"]})
PAGES = {
    "first": read("fresh_pages")["page"],
    "control": read("fresh_control_pages")["page"],
    "blind": read("blind_control_pages")["page"],
}
WRONG = read("fresh_wrong")
EACH = [
    pytest.param(which, number, page, id=f"{which} {number} {page['kind']}")
    for which, pages in PAGES.items()
    for number, page in enumerate(pages)
]


@pytest.mark.parametrize(("which", "number", "page"), EACH)
def test_each_look_is_told_as_a_person_would(which, number, page):
    """Before any rule 168 of 382 looks at the first pages were told otherwise, and 189 of 388 at the control; 82 and
    123 now. The control was looked at in the meantime; of one written blind, later, 166 of 452 were told otherwise when
    it was first run; 147 now.
    """
    found = {look.name: f"{look.scored.value:.3f}" for look in all_looks(page, number, SITE) if not look.right}
    known = WRONG[which].get(f"{number} {page['kind']}", [])
    assert {name: worth for name, worth in found.items() if name not in known} == {}


def test_pages_are_many_and_what_is_wrong_is_bounded():
    kinds = [page["kind"] for pages in PAGES.values() for page in pages]
    assert len(set(kinds)) == len(kinds) == 42
    assert {page.get("language", "en") for *_, page in (one.values for one in EACH)} >= {"pl", "pt", "sv"}
    assert sum(map(len, WRONG["first"].values())) <= 82
    assert sum(map(len, WRONG["control"].values())) <= 123
    assert sum(map(len, WRONG["blind"].values())) <= 147
