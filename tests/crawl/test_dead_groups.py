"""Links that pages make anew at each look, none of which leads anywhere."""

from crawl.scripted import SITE, Workshop, page


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


def word(number):
    """A word without a figure."""
    return "".join(chr(97 + int(digit)) for digit in f"{number:03}")
