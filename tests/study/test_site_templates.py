"""A made-up site is watched: what its pages have in common counts little once enough of them are known."""

import json

from core.blocks.pages import paragraphs
from strandline.core.blocks.site_template import ENOUGH, NO_TEMPLATE
from strandline.core.blocks.tree import hashed
from strandline.python_archive import create_folder as create
from strandline.study import studying
from strandline.study.site_templates import SiteTemplates

SHARED = paragraphs(40, 6, 25, 40)


def address(number):
    return f"https://shore.example/{number}"


def page(number, notice=""):
    own = "".join(f"<p>{text}</p>" for text in paragraphs(number, 6, 25, 40))
    shared = "".join(f"<p>{text}</p>" for text in SHARED)
    return f"<body><div class='a'><h1>Page {number}</h1>{own}</div><div class='b'>{shared}<p>{notice}</p></div></body>"


def brought(tmp_path, name, pages):
    archive = create(tmp_path / name, contact="https://shore.example/bot")
    for time, notice in ((1000, "Open on Monday"), (2000, "A boat carries every parcel across the bay at noon")):
        lines = [{"time": time, "url": address(number), "html": page(number, notice)} for number in range(pages)]
        file = tmp_path / f"{name}-{time}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        archive.bring_in(file)
    return archive


def changed(archive, number):
    (change,) = archive.studies.changes_of(address(number))
    return change


def test_a_change_of_what_every_page_shows_counts_little_where_the_site_is_known(tmp_path):
    alone, beside = (changed(brought(tmp_path, name, pages), 0) for name, pages in (("alone", 1), ("site", ENOUGH + 1)))
    assert beside.visible
    assert 0 < beside.importance < 0.5 * alone.importance


def test_what_was_studied_before_a_new_start_is_read_back(tmp_path):
    archive = brought(tmp_path, "site", ENOUGH)
    templates = SiteTemplates()
    numbers = [(archive.page(address(number)).page, address(number)) for number in range(ENOUGH)]
    templates.begin(numbers[:-1], archive.studies)
    assert templates.of(numbers[0][0]) == NO_TEMPLATE, "too few to say"
    templates.begin(numbers, archive.studies)
    template = templates.of(numbers[0][0])
    assert {hashed(text) for text in SHARED} <= template
    assert hashed(paragraphs(0, 6, 25, 40)[0]) not in template
    assert templates.of(-1) == NO_TEMPLATE


def test_rounds_of_any_size_end_with_the_same_versions(tmp_path, monkeypatch):
    whole = brought(tmp_path, "whole", ENOUGH)
    monkeypatch.setattr(studying, "ROUND", 3)
    rounds = brought(tmp_path, "rounds", ENOUGH)
    for number in range(ENOUGH):
        assert list(rounds.studies.block_history(address(number))) == list(whole.studies.block_history(address(number)))
