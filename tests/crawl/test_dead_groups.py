"""Links that pages make anew at each look, none of which leads anywhere or may be asked for."""

import contextlib
import sqlite3
from itertools import pairwise

from crawl.scripted import SITE, Workshop, answer, page


def test_links_made_anew_for_each_page_that_lead_nowhere_are_given_up(tmp_path):
    """An advertisement or a token: half of all requests went there, for ever."""
    pages = {f"{SITE}/{name}": page(f"/ad?x={name}{name}", f"/gone-{name}") for name in map(word, range(100))}
    pages[f"{SITE}/"] = page(*(f"/{word(n)}" for n in range(100)))
    shop = Workshop(tmp_path, pages)
    tally = shop.run()
    asked = [url for url in shop.captured if "/ad?" in url]
    assert 40 <= len(asked) < 60
    assert sum("/gone-" in url for url in shop.captured) == 100, "single dead links are asked for once"
    assert any(name.startswith("dead links") for name in tally.traps)


def test_links_made_anew_that_robots_txt_forbids_are_not_all_noted(tmp_path):
    """They are never asked for; noted, each look at a page with an advertisement left a row behind, for years."""
    names = [*map(word, range(100)), ""]  # each leads to the next
    pages = {
        f"{SITE}/{name}": page(f"/ad?x={name}", f"/ad?open={name}", f"/{after}") for name, after in pairwise(names)
    }
    pages |= {f"{SITE}/ad?open={name}": page() for name in names}
    pages[f"{SITE}/"] = page(f"/{names[0]}")
    pages[f"{SITE}/robots.txt"] = lambda request: answer(request, b"User-agent: *\nDisallow: /ad?x=\n")
    shop = Workshop(tmp_path, pages, scope={"hops": 200})
    tally = shop.run()
    assert not any("/ad?x=" in url for url in shop.captured)
    assert sum("/ad?open=" in url for url in shop.captured) == 100, "what is allowed is asked for, also of such a group"
    assert tally.refusals["robots: robots.txt"] == shop.refused["robots: robots.txt"] == 100, "each is counted"
    assert 40 <= noted(shop, "/ad?x=") < 100


def noted(shop, part):
    with contextlib.closing(sqlite3.connect(shop.folder / "strandline.db")) as connection:
        return connection.execute("SELECT count(*) FROM pages WHERE instr(url, ?)", (part,)).fetchone()[0]


def word(number):
    """A word without a figure."""
    return "".join(chr(97 + int(digit)) for digit in f"{number:03}")
