"""Where a rating holds: on its page, on pages made alike, and elsewhere only when sites agree."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.noise.ratings import RatingBook, is_named
from strandline.core.urls import site

A, B, C = "https://news.example/a", "https://news.example/b", "https://other.test/c"
BANNER = "html/body/div#consent"


def held(rows, url):
    book = RatingBook([(*row, "Anna") for row in rows])
    return {path: (one.rating, one.reach) for path, one in book.taught(url).items()}


def test_a_rating_holds_on_its_page_and_on_the_pages_of_its_site():
    rows = [(A, "html/body/aside", "noise", 1.0)]
    assert held(rows, A) == {"html/body/aside": ("noise", "page")}
    assert held(rows, B) == {"html/body/aside": ("noise", "site")}
    assert held(rows, C) == {}


def test_the_page_itself_has_the_last_word():
    rows = [(A, "html/body/aside", "noise", 9.0), (B, "html/body/aside", "matters", 1.0)]
    assert held(rows, B)["html/body/aside"] == ("matters", "page")


def test_most_pages_of_a_site_decide_then_the_latest():
    page = "https://news.example/new"
    rows = [(A, "p", "noise", 1.0), (B, "p", "noise", 2.0), ("https://news.example/d", "p", "matters", 3.0)]
    assert held(rows, page)["p"] == ("noise", "site")
    assert held(rows[1:], page)["p"] == ("matters", "site")


def test_named_parts_hold_elsewhere_when_sites_agree():
    one, two = (A, BANNER, "noise", 1.0), ("https://third.org/x", BANNER, "noise", 2.0)
    assert held([one], C) == {}
    assert held([one, two], C) == {BANNER: ("noise", "archive")}
    assert held([one, two, ("https://fourth.net/", BANNER, "matters", 3.0)], C) == {}
    plain = "html/body/div/p"
    assert held([(A, plain, "noise", 1.0), ("https://third.org/x", plain, "noise", 2.0)], C) == {}


URLS = [f"https://{host}/{page}" for host in ("a.example", "b.test", "c.org") for page in "xy"]
PATHS = ["html/body/p", BANNER, "html/body/ul.menu/li", "html/body/main.wide/section/p"]
ROWS = st.lists(
    st.tuples(st.sampled_from(URLS), st.sampled_from(PATHS), st.sampled_from(["noise", "matters"]), st.integers(0, 99)),
    unique_by=lambda row: row[:2],
).map(lambda rows: [(*row[:3], row[3] + number / 1000) for number, row in enumerate(rows)])


@given(ROWS, st.sampled_from(URLS))
def test_against_a_slow_reading_of_the_rules(rows, url):
    """For every path by itself, from all rows."""

    def verdict(said):
        votes = {rating: sum(row[2] == rating for row in said) for rating in ("noise", "matters")}
        most = [row for row in said if votes[row[2]] == max(votes.values())]
        return max(most, key=lambda row: row[3])[2]

    wanted = {}
    for path in PATHS:
        here = [row for row in rows if row[1] == path]
        own = [row for row in here if row[0] == url]
        beside = [row for row in here if site(row[0]) == site(url)]
        sites = {site(row[0]) for row in here}
        said = {name: verdict([row for row in here if site(row[0]) == name]) for name in sites}
        if own:
            wanted[path] = own[0][2]
        elif beside:
            wanted[path] = verdict(beside)
        elif is_named(path) and len(sites) > 1 and len(set(said.values())) == 1:
            wanted[path] = said.popitem()[1]
    assert RatingBook([(*row, "") for row in rows]).ratings(url) == wanted
