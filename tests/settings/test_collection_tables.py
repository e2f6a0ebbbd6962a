"""Collections in the settings: where they stand, and what they mean for the sites in them."""

import dataclasses
from dataclasses import replace

import pytest

from strandline.core.capture import Kind
from strandline.core.discovery.scope import Scope, wider
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import orders_of
from strandline.crawl.site_orders import rules_of
from strandline.errors import SettingError
from strandline.settings.collection_tables import DUBLIN_CORE, CollectionSettings
from strandline.settings.edit import change_tables
from strandline.settings.file import read_settings, settings_text
from strandline.settings.in_force import aside, in_force, with_collections
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings
from strandline.settings.texts import FORMS


def _with(*collections, sites=(), seeds=()):
    scope = replace(Settings().scope, seeds=seeds)
    return replace(Settings(), scope=scope, site=sites, collection=collections)


def test_what_is_said_of_a_collection_is_written_and_read(tmp_path):
    (tmp_path / "strandline.toml").write_text(settings_text(Settings()))
    made = CollectionSettings("news", title='A "title"', subject=("a", "b"), sites=("a.example",), weight=2.0)
    change_tables(tmp_path, "collection", lambda _: (made,))
    assert read_settings(tmp_path / "strandline.toml").collection == (made,)
    assert all(len(key.metadata["doc"]) > 15 for key in dataclasses.fields(CollectionSettings))
    assert set(DUBLIN_CORE) < {key.name for key in dataclasses.fields(CollectionSettings)}
    for wrong in (
        {"name": "Big News"},
        {"pages": ("a.example/",)},
        {"title": "two\nlines"},
        {"pages": ("http://*/a",)},
    ):
        with pytest.raises(SettingError):
            change_tables(tmp_path, "collection", lambda tables, wrong=wrong: (replace(tables[0], **wrong),))


def test_a_collection_speaks_for_its_sites_where_nothing_is_said_of_them():
    settings = _with(
        CollectionSettings(
            "news", sites=("a.example", "b.example", "c.example"), pages=("http://d.example/x/*",),
            budget="300/day", weight=3.0, hours=("22:00-06:00",),
        ),
        sites=(SiteSettings("b.example", budget="7/day", weight=2.0), SiteSettings("sub.c.example", delay="9 s")),
    )  # fmt: skip
    found = {one.name: one for one in with_collections(settings).site}
    assert (found["a.example"].budget, found["a.example"].weight) == ("100.000/day", 3.0)
    assert (found["b.example"].budget, found["b.example"].weight) == ("7/day", 2.0)
    assert (found["sub.c.example"].weight, found["sub.c.example"].hours) == (3.0, ("22:00-06:00",))
    twice = in_force(settings)
    assert in_force(twice) == twice
    places = {FORMS["campaign"](text).place: FORMS["campaign"](text).factor for text in twice.plan.campaigns}
    assert places["http://d.example/x/"] == 3.0 and places["b.example"] == 2.0
    assert "a.example 100.000/day" in twice.plan.site_budgets


def test_a_site_of_two_collections_gets_what_the_more_generous_gives():
    one = CollectionSettings("one", sites=("a.example",), budget="24/day", weight=2.0, hours=("1:00-2:00",))
    two = CollectionSettings("two", sites=("a.example", "b.example"), budget="2/hour")
    first = with_collections(_with(one, two)).site[0]
    assert (first.budget, first.weight, first.hours) == ("2.000/hour", 2.0, ())
    assert with_collections(_with(one, replace(two, budget=""))).site[0].budget == ""


def test_what_is_put_aside_is_not_visited_unless_another_collection_has_it():
    one = CollectionSettings(
        "one", "aside", sites=("a.example", "b.example"), pages=("http://c.example/x/*", "http://c.example/y")
    )
    two = CollectionSettings("two", sites=("b.example",), pages=("http://c.example/y",))
    settings = _with(one, two, seeds=("http://c.example/",))
    rules = rules_of(settings)
    assert rules.why_not("www.a.example", 0.0) == "the site is paused" and not rules.why_not("b.example", 0.0)
    orders = orders_of(in_force(settings), settings.scope.seeds, Limits()).scope
    scope = Scope(orders)
    refused = [scope.refuses(f"http://c.example/{path}", Kind.PAGE, 1) for path in ("x/1", "y", "z")]
    assert refused == ["put aside", "", ""]
    assert not scope.refuses("http://c.example/x/1.png", Kind.REQUISITE, 1)
    again = orders_of(in_force(_with(replace(one, state="active"), two)), settings.scope.seeds, Limits()).scope
    assert wider(again, orders) and not wider(orders, again)
    assert aside(Settings()) == ()
