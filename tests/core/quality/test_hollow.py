"""Pages that are no content, of kinds found in the wild, and pages that only look like them."""

import pytest

from made.real_pages import needs_real_pages, real_pages
from strandline.core.quality.hollow import LOGIN, SHELL, hollow, noted

STORY = "The council decided on Tuesday to open the bridge again after the repairs of the winter. " * 12
MENU = "".join(f"<a href='/{name}'>{name}</a> " for name in ("news", "sport", "culture", "weather", "contact"))

SHELLS = {
    "react": "<!doctype html><html><head><title>Shop</title></head><body><noscript>Please enable JavaScript to run "
    'this app.</noscript><div id="root"></div><script src="/static/js/main.8d2f.js"></script></body></html>',
    "angular": "<body><app-root></app-root><script src=run.js></script><script src=main.js type=module></script>",
    "vue with a spinner": "<body><div id=app>  </div><div class=spinner>Loading...</div><script src=a.js></script>",
    "inline state": '<div id="__next"></div><script>window.__STATE__={"a":"' + "x" * 5000 + '"}</script>',
    "nothing but a script": "<html><body><script>document.write(atob('PGgxPkhp'))</script></body></html>",
    "nothing but a spinner": "<div id=app><div class=spinner>Loading…</div></div><script>" + "x=1;" * 500 + "</script>",
    "a spinner in German": "<div id=app><p>Bitte warten …</p></div><script src=a.js></script>",
    "pictures in a template": "<div id=app></div><template><img src=a.png></template><script src=a.js></script>",
}
LOGINS = {
    "with a word to those without scripts": "<noscript>Please enable JavaScript to sign in.</noscript><form>"
    "<input type=password></form><script src=a.js></script>",
    "plain": "<h1>Sign in</h1><form><input name=user><input type=password name=p><button>Go</button></form>",
    "with a menu": f'{MENU}<form><label>Password <input name="p" type="password"></label></form><p>Forgot it?',
    "in capitals": "<FORM><INPUT NAME=u><INPUT TYPE=PASSWORD NAME=p></FORM>",
    "application": '<div id=root><input type="password" autocomplete="on"></div><script src=a.js></script>',
    "other script": "<h1>\u30ed\u30b0\u30a4\u30f3</h1><form><input type='password'></form>",
}
CONTENT = {
    "article": f"<div id=root></div><article>{STORY}</article><script src=a.js></script>",
    "article with a login box": f"<form><input type=password></form><article>{STORY}</article>",
    "short notice with a counter": "<p>Closed on Monday.</p><script src=count.js></script>",
    "short notices that begin like a spinner": "<p>Loading dock: 8 to 12.</p><script src=count.js></script>",
    "photograph": "<div id=ad></div><img src=photo.jpg alt=''><script src=count.js></script>",
    "frames": "<frameset><frame src=a.html></frameset><script src=a.js></script>",
    "film": "<div id=player></div><video src=film.mp4></video><script src=a.js></script>",
    "list of links": f"<div id=ad></div>{MENU}<script src=a.js></script>",
    "search form": "<div id=ad></div><form><input name=q></form><script src=a.js></script>",
    "forwarding": "<head><meta http-equiv=refresh content='0;url=/a'></head><script>location='/a'</script>",
    "no script, no words": "<html><body></body></html>",
    "Chinese in few characters": "<div id=ad></div><p>" + "\u6c34" * 200 + "</p><script src=a.js></script>",
    "forum that says all it has to say without scripts": f"<noscript><div>{STORY}</div></noscript><section id=main>"
    "</section><form style='display:none'><input type=password></form><script src=a.js></script>",
    "application that does": f"<NOSCRIPT class=a>{STORY}</NOSCRIPT><div id=root></div><script src=a.js></script>",
    "server rendered application": f'<div id="__next"><h1>Bridge</h1><p>{STORY}</p></div><script src=a.js></script>',
}


@pytest.mark.parametrize("name", SHELLS)
def test_empty_shells_are_noticed(name):
    assert hollow(SHELLS[name].encode()) == SHELL


@pytest.mark.parametrize("name", LOGINS)
def test_login_walls_are_noticed(name):
    assert hollow(LOGINS[name].encode()) == LOGIN


@pytest.mark.parametrize("name", CONTENT)
def test_content_stays_content(name):
    assert hollow(CONTENT[name].encode()) == ""


def test_broken_markup_ends():
    for page in (b"<script" * 50_000, b"<div id=" * 50_000, b"<!--" * 100_000, b"<input type=password" * 20_000, b"<"):
        assert hollow(page) in ("", SHELL, LOGIN)


def test_what_the_catalog_knows():
    assert noted("hollow: empty shell", None) == SHELL
    assert noted("", 401) == "refused" and noted("", 404) == "" and noted("timed out", None) == ""


@pytest.mark.shared_data
@needs_real_pages
def test_no_real_page_with_content_is_called_hollow():
    pages = real_pages()
    assert len(pages) > 300
    assert {page["url"]: found for page in pages if (found := hollow(page["html"].encode()))} == {}
