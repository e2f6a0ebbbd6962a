"""Planning in a cluster: desks of sites, one budget shared by worth, and every setting of a plan."""

import contextlib
import time
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from contracts.stores import capture, found, take, visited
from servers import postgres
from strandline.cluster.site_leases import Office, opened_hour, outlook_of, plan_due_sites
from strandline.core.capture import Kind
from strandline.core.plan.shared_price import NO_OFFERS, PRICES
from strandline.errors import LeaseLost, SettingError
from strandline.ports import PLANNED, Batch
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.store.postgres.desks import (
    PlanReading,
    SitePlan,
    add_desks,
    check_desks,
    claim_plans,
    hand_in,
    leave_desks,
    renew_desks,
)
from strandline.store.postgres.heartbeat import DeskKeeper
from strandline.store.postgres.market import known_hour
from strandline.store.postgres.status import HourStatus, standing
from test_cluster import HOUR, START, catalog, database, session

pytestmark = postgres.GROUP
__all__ = ["catalog", "database", "session"]


def settings(*assignments):
    given = ["archive.contact=https://a.example/", "politeness.delay=0", *assignments]
    return with_overrides(Settings(), given)


def office(session, *assignments, now=START):
    return Office.of(session, settings(*assignments), now, HOUR)


def visit(catalog, urls, moment, version):
    """Visit pages; `version` says what each shows."""
    batch = []
    for n, url in enumerate(urls):
        place = {"file": f"{url.split('/')[2]}.warc.gz", "digest": f"sha1:{url}{version(n)}"}
        kept = capture(url, moment + n, int(moment) * 10 + n, **place)
        batch.append(visited(catalog.page(url).page, kept, time=moment + n, due=PLANNED))
    catalog.commit(Batch(batch))


def history(catalog, site, changing, visits=12, pages=6):
    """Pages of a site, visited each hour; `changing` of them had other bytes each time."""
    urls = [f"http://{site}/{n}" for n in range(pages)]
    catalog.add([found(url, due=0.0) for url in urls])
    for number in range(visits):
        visit(catalog, urls, START - (visits - number) * HOUR, lambda n, number=number: number if n < changing else 0)
    return {url: catalog.page(url).page for url in urls}


def dues(database):
    with psycopg.connect(database) as connection:
        return dict(connection.execute("SELECT url, due FROM pages").fetchall())


def planned(database):
    return {url: due for url, due in dues(database).items() if due < PLANNED}


def plan_all(desk_office, worker, now):
    count = 0
    while done := plan_due_sites(desk_office, worker, now):
        count += done
    return count


def plan_for(until, visits):
    return SitePlan(START, until, visits, [0.0] * len(PRICES), [0.0] * NO_OFFERS, {"sitemap": 0.5, "feed": 0.5})


def test_an_hour_of_every_site_is_planned_once_and_what_changes_comes_first(database, catalog, session):
    history(catalog, "a.example", changing=2)
    history(catalog, "b.example", changing=1)
    catalog.begin_watch(HOUR, START)
    desks = office(session, "plan.budget=5/hour")
    assert plan_all(desks, catalog.worker, START) == 2
    assert plan_all(desks, catalog.worker, START + 1) == 0
    wanted = planned(database)
    assert wanted and all(START <= due <= START + HOUR for due in wanted.values())
    assert len(wanted) <= 6
    assert {"http://a.example/0", "http://a.example/1"} & set(wanted)
    catalog.begin_watch(HOUR, START + 2.0)
    assert planned(database) == wanted, "a worker that joins changes nothing"
    tasks = catalog.take(10, START + HOUR, START + HOUR, ())
    assert {task.url for task in tasks} <= set(wanted)
    assert plan_all(desks, catalog.worker, START + HOUR) == 2


def test_a_plan_that_comes_late_is_refused(database, catalog, session):
    pages = history(catalog, "a.example", changing=1, visits=2)
    session.run(add_desks)
    (late,) = claim_plans(session, 1, START + HOUR, 600.0, 5)
    assert claim_plans(session, 2, START + HOUR, 600.0, 5) == []
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE site_desks SET until = '-infinity'")
    (again,) = claim_plans(session, 2, START + HOUR, 600.0, 5)
    wanted = plan_for(START + HOUR, [(pages["http://a.example/0"], START + 5.0, 0.0)])
    assert not hand_in(session, late, wanted)
    assert dues(database)["http://a.example/0"] == PLANNED
    assert hand_in(session, again, wanted)
    assert dues(database)["http://a.example/0"] == START + 5.0


def test_a_page_being_fetched_is_not_planned(database, catalog, session):
    catalog.add([found("http://a.example/", due=50.0)])
    (task,) = take(catalog)
    session.run(add_desks)
    (desk,) = claim_plans(session, 1, START + HOUR, 600.0, 5)
    assert hand_in(session, desk, plan_for(START + HOUR, [(task.page, START + 5.0, 0.0)]))
    assert dues(database)["http://a.example/"] == 50.0


def test_desks_tell_changes_by_bytes_until_they_are_studied(catalog, session):
    history(catalog, "a.example", changing=1, visits=3)
    seen = list(PlanReading(session).all_sightings("a.example"))
    changed = [(one.url.rpartition("/")[2], one.changed) for one in seen]
    assert changed[:3] == [("0", False), ("0", True), ("0", True)]
    assert not any(flag for name, flag in changed if name != "0")
    assert PlanReading(session).share("a.example") == 1.0


def test_desks_learn_what_the_silence_of_a_feed_tells(database, catalog, session, monkeypatch):
    """The feed is read every hour; every six hours it tells of a change, and the page is visited at once."""
    page, feed = "http://a.example/0", "http://a.example/feed"
    catalog.add([found(page, due=0.0), found(feed, due=0.0, kind=Kind.FEED)])
    told, number = [], catalog.page(page).page
    for hour in range(73):
        moment = START - (73 - hour) * HOUR
        visit(catalog, [feed], moment, lambda _, hour=hour: hour)
        if hour % 6 == 0:
            visit(catalog, [page], moment + 0.1 * HOUR, lambda _, hour=hour: hour)
            told.append((number, "feed", moment - 0.5 * HOUR, moment))
    with psycopg.connect(database) as connection:
        connection.cursor().executemany("INSERT INTO claims VALUES (%s, %s, %s, %s)", told)
    desks = office(session)

    def believed():
        outlook = outlook_of(desks, PlanReading(session), "a.example", opened_hour(desks, START))
        return outlook.planner.about(number, START).rate

    claims = outlook_of(desks, PlanReading(session), "a.example", opened_hour(desks, START)).claims
    assert claims.trust("a.example", "feed") > 0.7 and claims.listens_for(number)
    assert claims.read_last("a.example", 1) == START - HOUR
    knowing = believed()
    assert PlanReading(session).sitemap_readings("b.example") == []
    monkeypatch.setattr(PlanReading, "sitemap_readings", lambda *_: [])
    assert knowing == pytest.approx(4.0, rel=0.25)
    assert believed() > 3 * knowing


def test_desks_write_down_what_each_source_of_a_site_is_worth(database, catalog, session):
    """Each night the sitemap calls a page new, and it never is. The feed calls another one new when it is."""
    wrong, page = "http://a.example/0", "http://a.example/1"
    catalog.add([found(one, due=0.0) for one in (wrong, page)])
    told = []
    for day in range(40):
        moment = START - (40 - day) * 24 * HOUR
        told += [(catalog.page(wrong).page, "sitemap", moment - HOUR, moment - 0.5 * HOUR)]
        if day % 4 == 0:
            told += [(catalog.page(page).page, "feed", moment - HOUR, moment - 0.5 * HOUR)]
        visit(catalog, [wrong, page], moment, lambda n, day=day: n * (day // 4))
    with psycopg.connect(database, autocommit=True) as connection:
        connection.cursor().executemany("INSERT INTO claims VALUES (%s, %s, %s, %s)", told)
        assert plan_all(office(session), catalog.worker, START) == 1
        assert catalog.trust("a.example", "feed") > 0.8 > 0.2 > catalog.trust("a.example", "sitemap") > 0.0
        older = "UPDATE site_desks SET trust = 0.7, trusts = NULL"  # as a worker of an earlier release left it
        connection.execute(older)
    assert catalog.trust("a.example", "sitemap") == catalog.trust("a.example", "feed") == pytest.approx(0.7)
    assert catalog.trust("b.example", "feed") == 0.5, "nobody has planned it"


CAMPAIGN = "floods: http://a.example/1 from 2020-01-01 to 2040-01-01 x50"


def test_desks_wish_for_what_the_settings_say(catalog, session):
    history(catalog, "a.example", changing=2, visits=4)
    given = (
        "plan.budget=48/day", "plan.strategy=frequency", "plan.objective=page", "plan.coherence=0.5",
        f'plan.campaigns=["{CAMPAIGN}"]', 'plan.site_budgets=["a.example 24/day"]',
        'plan.host_budgets=["a.example 2/hour"]', "politeness.delay=30",
    )  # fmt: skip
    desks = office(session, *given)
    outlook = outlook_of(desks, PlanReading(session), "a.example", opened_hour(desks, START))
    wishes = outlook.planner.wishes
    assert (wishes.strategy, wishes.objective, wishes.coherence) == ("frequency", "page", 0.5)
    assert wishes.boosts[0].name == "floods" and wishes.boosts[0].factor == 50.0
    assert wishes.site_allowances["a.example"].per_hour == 1.0
    assert wishes.host_allowances["a.example"].per_hour == 2.0
    assert wishes.per_hour("a.example") == 120.0, "the pause a host is owed"
    assert outlook.planner.strategy.name.startswith("frequency")
    with pytest.raises(SettingError, match=r"plan\.campaigns"):
        plan_due_sites(office(session, 'plan.campaigns=["nonsense"]'), catalog.worker, START)


@pytest.mark.parametrize(
    ("given", "most"),
    [
        ((), 6),
        (('plan.site_budgets=["a.example 2/hour"]',), 2),
        (('plan.host_budgets=["a.example 1/hour"]',), 1),
        (("politeness.delay=1200",), 3),
    ],
)
def test_caps_of_sites_and_hosts_and_the_pauses_hosts_are_owed_hold(database, catalog, session, given, most):
    history(catalog, "a.example", changing=6, visits=6)
    desks = office(session, "plan.budget=50/hour", "plan.least_chance=0", *given)
    plan_all(desks, catalog.worker, START)
    assert len(planned(database)) == most


def test_a_campaign_comes_first_and_visits_that_find_nothing_are_left_out(database, catalog, session):
    history(catalog, "a.example", changing=2, visits=30)
    desks = office(session, "plan.budget=1/hour", f'plan.campaigns=["{CAMPAIGN}"]', "plan.least_chance=0")
    plan_all(desks, catalog.worker, START)
    assert set(planned(database)) == {"http://a.example/1"}
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE pages SET due = %s", (PLANNED,))
    plan_all(office(session, "plan.budget=50/hour", "plan.look_after=9d"), catalog.worker, START + HOUR)
    wanted = planned(database)
    assert {"http://a.example/0", "http://a.example/1"} <= set(wanted) and len(wanted) < 5, wanted


def test_what_likely_visits_leave_of_the_budget_goes_to_pages_longest_unseen(database, catalog, session):
    history(catalog, "a.example", changing=2, visits=30)
    history(catalog, "b.example", changing=0, visits=30)
    plan_all(office(session, "plan.budget=50/hour"), catalog.worker, START + HOUR)
    with psycopg.connect(database) as connection:
        known = connection.execute("SELECT count(*) FROM pages WHERE url NOT LIKE '%robots.txt'").fetchone()[0]
    assert len(planned(database)) == known, "every page is seen where the budget allows it"


def live(database, catalog, desks, changing, hours, first=0):
    """Hours of a watch: every planned visit is made; sites have so many pages that change all the time."""
    made = []
    for hour in range(first, first + hours):
        start = START + hour * HOUR
        plan_all(desks, catalog.worker, start)
        urls = sorted(planned(database))
        made.append(urls)
        for site, pages in changing.items():
            mine = [url for url in urls if f"//{site}/" in url]
            if mine:
                numbers = [int(url.rpartition("/")[2]) for url in mine]
                visit(catalog, mine, start + 60.0, lambda n, numbers=numbers, pages=pages, hour=hour: (
                    100 + hour if numbers[n] < pages else 0))  # fmt: skip
    return made


def test_sites_where_a_visit_catches_more_get_more_of_the_budget(database, catalog, session):
    changing = {"busy.example": 6, "still.example": 0}
    for site, pages in changing.items():
        history(catalog, site, changing=pages)
    desks = office(session, "plan.budget=6/hour", "plan.least_chance=0")
    made = live(database, catalog, desks, changing, 5)
    shares = [[sum(f"//{site}/" in url for url in urls) for site in changing] for urls in made]
    assert shares[0] == [3, 3], "nobody knows anything of the others in the first hour"
    assert all(busy > still for busy, still in shares[1:]), shares
    assert all(5 <= sum(one) <= 7 for one in shares), shares
    hour = known_hour(session, START + 4 * HOUR)
    assert hour.price > 0 and hour.cut is not None and hour.taken == sum(shares[4])
    told = standing(session)
    assert told.hour == HourStatus(START + 4 * HOUR, hour.visits, hour.taken, hour.price, 2)
    assert told.unstudied == told.captures > 0


def test_what_one_site_leaves_goes_to_others_within_the_hour(database, catalog, session):
    history(catalog, "a.example", changing=6, visits=8)
    history(catalog, "b.example", changing=6, visits=8)
    desks = office(session, "plan.budget=6/hour", "plan.least_chance=0")
    first = live(database, catalog, desks, {"a.example": 6, "b.example": 6}, 1)[0]
    assert plan_due_sites(desks, catalog.worker, START + 0.3 * HOUR) == 2, "nothing was spent: all of it is left"
    market = known_hour(session, START)
    assert market.round == 1 and market.visits > len(first)
    more = planned(database)
    assert more and all(START + 0.3 * HOUR <= due <= START + HOUR for due in more.values())
    assert plan_due_sites(desks, catalog.worker, START + 0.4 * HOUR) == 0
    assert plan_due_sites(desks, catalog.worker, START + 0.6 * HOUR) == 0, "everything has a use"


SITES = ("a.example", "b.example", "c.example")


def test_the_price_of_a_cluster_is_that_of_one_plan_over_all_sites(database, catalog, session):
    changing = dict(zip(SITES, (5, 2, 0), strict=True))
    for site, pages in changing.items():
        history(catalog, site, changing=pages, visits=24)
    desks = office(session, "plan.budget=4/hour", "plan.least_chance=0")
    live(database, catalog, desks, changing, 2)
    market = opened_hour(desks, START + 2 * HOUR)
    reading = Everything(session)
    reading.share = lambda _: 1.0
    outlook = outlook_of(desks, reading, "", market._replace(price=0.0))
    outlook.offers(round(desks.hours.at(market.start)), 4)
    whole = outlook.planner.strategy.price
    assert market.visits == pytest.approx(4.0) and 0.6 < market.price / whole < 1.6, (market.price, whole)


def test_what_counts_in_a_collection_divides_its_visits_over_all_its_sites(database, catalog, session):
    """Factors are those of one plan over all sites, and quiet pages of a collection get more where `page` counts."""
    changing = dict.fromkeys(SITES, 1)
    for site in SITES:
        history(catalog, site, changing=1, visits=24)
    desks = office(session, "plan.budget=4/hour", "plan.least_chance=0", "plan.objective=pool")
    own = CollectionSettings("own", sites=SITES[:2], objective="page")
    chosen = replace(desks.prepared, settings=replace(desks.settings, collection=(own,)))
    desks = replace(desks, prepared=chosen)
    live(database, catalog, desks, changing, 3)
    market = opened_hour(desks, START + 3 * HOUR)
    reading = Everything(session)
    reading.share = lambda _: 1.0
    outlook = outlook_of(desks, reading, "", market._replace(price=0.0))
    outlook.offers(round(desks.hours.at(market.start)), 4)
    whole = outlook.planner.strategy.aims.expected
    assert market.factors == {"own page": pytest.approx(whole[0, 0] / whole[0, 1], rel=0.5)}
    assert market.factors["own page"] != pytest.approx(1.0, rel=0.2)
    made = [url for urls in live(database, catalog, desks, changing, 12, first=4) for url in urls]
    quiet = {site: sum(f"//{site}/" in url and not url.endswith("/0") for url in made) for site in SITES}
    assert min(quiet[site] for site in SITES[:2]) > quiet[SITES[2]], quiet


class Everything(PlanReading):
    """All sites at one desk."""

    def standings(self, site):
        return [one for name in SITES for one in super(Everything, self).standings(name)]

    def all_sightings(self, site):
        return super().all_sightings()


def test_pages_of_a_new_site_start_as_in_one_plan_over_all_sites(database, catalog, session):
    for site, changing in zip(SITES, (5, 1, 0), strict=True):
        history(catalog, site, changing=changing, visits=24 if site != "c.example" else 1)
    desks = office(session, "plan.budget=9/hour")
    market = opened_hour(desks, START)

    def expected(reading, site):
        outlook = outlook_of(desks, reading, site, market)
        rows = [row for row, page in enumerate(outlook.planner.pages) if page.site == "c.example"]
        return outlook.learned.learner.estimate(np.array(rows)).mean_rate

    together, alone = expected(Everything(session), ""), expected(PlanReading(session), "c.example")
    assert PlanReading(session).other_sites("c.example") == (0, 0.0)
    assert plan_all(desks, catalog.worker, START) == 3
    sites, logs = PlanReading(session).other_sites("c.example")
    assert sites == 2 and logs == pytest.approx(PlanReading(session).other_sites("")[1] - np.log(0.005))
    after = expected(PlanReading(session), "c.example")
    assert len(after) == 6 and after == pytest.approx(together, rel=1e-6)
    assert np.all(alone < 0.6 * together), (
        "without what others know a site is believed to be as the first of an archive"
    )


def test_a_desk_that_is_left_in_the_middle_goes_to_others(database, catalog, session):
    for site in SITES:
        history(catalog, site, changing=1, visits=2)
    desks, asked = office(session, "plan.budget=9/hour"), []

    def stopped():
        asked.append(1)
        return len(asked) > 1

    assert plan_due_sites(desks, catalog.worker, START, None, stopped) == 3
    assert len({desk.site for desk in claim_plans(session, 2, START + 1.0, 60.0, 5)}) == 2


def test_a_plan_is_counted_once_whatever_became_of_the_answer(database, catalog, session):
    pages = history(catalog, "a.example", changing=1, visits=2)
    opened_hour(office(session, "plan.budget=9/hour"), START)
    (desk,) = claim_plans(session, 1, START + HOUR, 600.0, 5)
    wanted = plan_for(START + HOUR, [(pages["http://a.example/0"], START + 5.0, 0.0)])
    assert hand_in(session, desk, wanted) and not hand_in(session, desk, wanted)
    assert known_hour(session, START).taken == 1


def test_desks_are_kept_while_work_takes_its_time_and_only_then(database, catalog, session):
    history(catalog, "a.example", changing=1, visits=2)
    session.run(add_desks)
    with contextlib.closing(DeskKeeper(database, 2.0)) as keeper:
        (desk,) = claim_plans(session, 1, START + HOUR, keeper.lease, 5)
        keeper.keep([desk])
        time.sleep(3.0)
        assert claim_plans(session, 2, START + HOUR, 5.0, 5) == [], "longer than its lease, and still held"
        with session.transaction() as connection:
            leave_desks(connection, [desk])
        assert renew_desks(session, [desk], 60.0) == 0, "what was given back is not taken again"
        (other,) = claim_plans(session, 2, START + HOUR, 60.0, 5)
        assert other.token > desk.token and renew_desks(session, [desk], 60.0) == 0, "nor what went to another"
        assert renew_desks(session, [other], 60.0) == 1
        with pytest.raises(LeaseLost), session.transaction() as connection:
            check_desks(connection, [desk])


def test_a_worker_that_dies_at_a_desk_leaves_it_to_others(database, catalog, session):
    history(catalog, "a.example", changing=1, visits=2)
    session.run(add_desks)
    with contextlib.closing(DeskKeeper(database, 2.0)) as keeper:
        keeper.keep(claim_plans(session, 1, START + HOUR, keeper.lease, 5))
    deadline = time.monotonic() + 600.0
    while not (found := claim_plans(session, 2, START + HOUR, 60.0, 5)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert [desk.site for desk in found] == ["a.example"]
