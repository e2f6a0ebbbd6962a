"""Budgets of sites and hosts: what each may still be asked, however many hosts it has."""

from dataclasses import replace

import pytest

from crawl.scripted import page
from strandline.core.discovery.scope import ScopeRules
from strandline.core.plan.budget import Allowance
from strandline.plan.budget_meter import Purse
from strandline.watch.place_limits import PlaceLimits
from watch.test_agenda import HOUR, Shop, most_in_an_hour

HOSTS = [f"http://h{n}.library.org" for n in range(8)]


def limits(amount, place="library.org"):
    purse = Purse(Allowance(amount, 1.0), HOUR, 0.0)
    return PlaceLimits(lambda: {place: purse}), purse


def pay(found, url, ticket):
    for purse in found.paying(url):
        purse.begun(ticket)
        purse.ended(ticket, 0.0, 100.0, False)


def test_a_host_that_was_never_asked_costs_its_robots_txt_too():
    found, _ = limits(5)
    affords = found.turn((), 0.0)
    assert [affords(f"{host}/") for host in HOSTS] == [True, True, False, False, False, False, False, False]
    for ticket in (1, 2):
        pay(found, f"{HOSTS[2]}/robots.txt", ticket)
    affords = found.turn((), 0.0)
    assert [affords(f"{host}/") for host in HOSTS[:4]] == [True, False, True, False], "two, then one that is known"


def test_what_is_being_asked_counts_as_not_paid_yet():
    found, _ = limits(3)
    pay(found, f"{HOSTS[0]}/robots.txt", 1)
    assert not found.turn({"h0.library.org"}, 0.0)(f"{HOSTS[1]}/"), "the page of the first host is still to come"
    assert found.turn((), 0.0)(f"{HOSTS[1]}/"), "control"


def test_a_budget_of_one_request_is_spent_all_the_same():
    found, _ = limits(1)
    assert found.turn((), 0.0)(f"{HOSTS[0]}/")


def test_when_it_is_spent_all_hosts_that_were_met_are_closed():
    found, _ = limits(2)
    affords = found.turn((), 0.0)
    assert [affords(f"{host}/") for host in HOSTS[:3]] == [True, False, False]
    for ticket in (1, 2):
        pay(found, f"{HOSTS[0]}/", ticket)
    assert {"h0.library.org", "h1.library.org", "h2.library.org"} <= set(found.spent_up(0.0))
    assert found.spent_up(2 * HOUR) == []


def test_a_host_has_a_budget_of_its_own_and_others_none():
    found, _ = limits(2, "h0.library.org")
    affords = found.turn((), 0.0)
    assert [affords(f"{HOSTS[n]}/{path}") for n, path in ((0, "a"), (0, "b"), (1, "a"), (1, "b"))] == [
        True, False, True, True,
    ]  # fmt: skip
    assert len(found.paying(f"{HOSTS[0]}/")) == 1 and found.paying(f"{HOSTS[1]}/") == []


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "control: nobody looks what can be afforded"])
def test_a_watch_asks_a_site_of_many_hosts_no_more_than_its_budget(tmp_path, monkeypatch, kept):
    names = [f"{host}/" for host in HOSTS]
    pages = {name: page(*names, *(f"/p{n}" for n in range(3))) for name in names}
    pages |= {f"{host}/p{n}": page("/") for host in HOSTS for n in range(3)}
    shop = Shop(tmp_path, pages, budget=200)
    shop.orders = replace(shop.orders, scope=ScopeRules(tuple(names)))
    if not kept:
        monkeypatch.setattr(PlaceLimits, "turn", lambda *_: lambda _: True)

    def limit(agenda):
        purse = Purse(Allowance(5, 1.0), HOUR, shop.clock.monotonic())
        agenda._parts = replace(agenda._parts, limits={"library.org": purse})

    shop.run(6, limit)
    assert (most_in_an_hour(shop.times) <= 5) is kept
    assert len(shop.times) >= 25, "nearly all of it is spent"
