# ruff: noqa: E501 - pages, not prose
"""An archived site in a real browser: it works, and every request stays on the replay origin."""

import struct
import zlib

import pytest

from strandline.core.request_keys import keyed, method_query
from web.archives import Builder, served
from web.chromium import LiveWeb, chromium

pytestmark = pytest.mark.browser
STAMP = "20260301120000"
SITE = "https://www.site.test"


def _png(red):
    """One pixel."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixel = zlib.compress(b"\0" + bytes([red, 0, 0]))
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


PAGE = """<!doctype html><html><head><title>Harbour news</title>
<link rel="stylesheet" href="/style.css?v=1&amp;w=2" integrity="sha384-wrong" crossorigin>
<script src="//cdn.test/lib.js"></script><script src="/app.js" defer></script>
<script type="module">import {deep} from "/mod/a.js"; window.moduleSays = deep + (await import("/mod/c.js")).last;</script>
</head><body onload="window.loaded = location.pathname">
<h1 id="head">News</h1><img id="logo" src="img/logo.png"><img id="set" srcset="img/logo.png 1x, img/large.png 2x">
<iframe id="inner" src="/inner.html"></iframe><a id="next" href="/second.html" target="_blank">next</a>
<form id="find" action="/search"><input name="q" value="tide"></form><p id="late"></p></body></html>"""
APP = """
window.results = {};
const say = (name, value) => { window.results[name] = value; };
fetch('/api/data.json').then(r => r.json()).then(d => say('fetch', d.tide));
fetch(new Request('https://www.site.test/api/data.json')).then(r => r.text()).then(t => say('request', t.length > 0));
const x = new XMLHttpRequest(); x.open('GET', 'api/data.json'); x.onload = () => say('xhr', JSON.parse(x.responseText).tide); x.send();
say('location', location.href); say('host', window.location.hostname); say('url', document.URL);
say('top', window.top === window.self); say('lib', window.lib);
const image = new Image(); image.onload = () => say('image', image.naturalWidth); image.src = '/img/made.png';
say('imageSrc', image.src);
document.getElementById('late').innerHTML = '<img id="written" src="/img/written.png">';
localStorage.setItem('a', 'b'); say('storage', localStorage.getItem('a')); document.cookie = 'c=d'; say('cookie', document.cookie);
history.pushState({}, '', '/pushed?x=1'); say('pushed', location.pathname + location.search);
history.replaceState({}, '', '/'); 
const w = new Worker('/worker.js'); w.onmessage = e => say('worker', e.data);
new WebSocket('wss://www.site.test/live').onclose = e => say('socket', e.code);
navigator.serviceWorker.register('/sw.js').catch(() => say('serviceWorker', 'refused'));
say('link', document.getElementById('next').href); say('attribute', document.getElementById('logo').getAttribute('src'));
"""

SAME_ORIGIN_ONLY = """<!doctype html><title>Parts</title>
<a id="nowhere" href="/nowhere">not captured</a><a id="anchor" style="display:none">a name that an icon has, too</a><svg><use id="icon" href="/icons.svg#anchor"></use></svg><video id="film"><track id="words" src="/words.vtt" default></video>
<script>
window.results = {};
const late = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
late.innerHTML = '<use id="made" xlink:href="/icons.svg#buoy"></use>'; document.body.append(late);
const code = new Blob(["importScripts('https://www.site.test/part.js'); postMessage(part)"], {type: 'text/javascript'});
const address = URL.createObjectURL(code);
const worker = new Worker(address); URL.revokeObjectURL(address);
worker.onmessage = event => { window.results.worker = event.data; };
words.track.mode = 'hidden';
</script>"""


ROUTED = """<!doctype html><title>Routed</title><form id="send" method="post" action="/answer"><input name="q" value="tide"></form>
<script>
window.results = {};
const say = (name, value) => { window.results[name] = value; };
const {history: past, location: where} = window;
say('year', new Date().getFullYear() + ' ' + new Date(Date.now()).getMonth() + ' ' + (new Date() instanceof Date));
past.replaceState({n: 0}, '', '/routed.html');
past.pushState({n: 1}, '', '/deep/er?x=1');
say('at', where.pathname + where.search); say('base', document.baseURI); say('state', past.state.n);
fetch('part.json').then(r => r.json()).then(d => { say('relative', d.tide); location.hash = 'low'; say('hash', where.href); past.back(); setTimeout(() => past.back(), 300); });
addEventListener('popstate', event => { if (event.state && event.state.n === 0) say('back', [where.pathname, event.state.n]); });
fetch('/api?_=' + Date.now() + '&q=1', {mode: 'same-origin', integrity: 'sha256-AAAA'}).then(r => r.text()).then(t => say('busted', t));
const post = (name, body, type) => fetch('/api', {method: 'POST', headers: {'Content-Type': type}, body}).then(r => r.text()).then(t => say(name, t));
post('form', 'a=1', 'application/x-www-form-urlencoded'); post('graph', JSON.stringify({query: '{x}', at: Date.now()}), 'application/json');
const data = new FormData(); data.append('a', 'b'); fetch('/api', {method: 'POST', body: data}).then(r => r.text()).then(t => say('parts', t));
fetch('/api', {method: 'POST', body: 'never'}).then(r => say('never', r.status));
const put = new XMLHttpRequest(); put.open('PUT', '/api'); put.onload = () => say('put', put.responseText); put.send('{"a":2}');
const w = new Worker('/mod/worker.js', {type: 'module'}); w.onmessage = e => say('module', e.data); w.postMessage('early');
const events = new EventSource('/events'); let told = 0; events.onmessage = e => { say('events', ++told); };
</script>"""


def _sent(url, method, kind, body):
    return keyed(url, method_query(method, kind, body.encode()))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("site"))
    made.add(f"{SITE}/", PAGE, "text/html; charset=utf-8", headers=[("Content-Security-Policy", "default-src 'none'")])
    css = "@import 'more.css'; @font-face{font-family:F;src:url(/font.woff)} #head{color:rgb(1,2,3);background:url(img/bg.png)}"
    made.add(f"{SITE}/style.css?v=1&w=2", css, "text/css")
    made.add(f"{SITE}/more.css", "#head{text-decoration:underline}", "text/css")
    made.add("https://cdn.test/lib.js", "window.lib = 'loaded';", "text/javascript")
    made.add(f"{SITE}/app.js", APP, "application/javascript")
    made.add(f"{SITE}/mod/a.js", "import {b} from './b.js'; export const deep = b + 1;", "text/javascript")
    made.add(f"{SITE}/mod/b.js", "export const b = 41;", "text/javascript")
    made.add(f"{SITE}/mod/c.js", "export const last = 0;", "text/javascript")
    made.add(
        f"{SITE}/worker.js", "fetch('/api/data.json').then(r=>r.json()).then(d=>postMessage(d.tide))", "text/javascript"
    )
    made.add(f"{SITE}/api/data.json", '{"tide": 7}', "application/json")
    for name in ("logo", "bg", "made", "written"):
        made.add(f"{SITE}/img/{name}.png", _png(200), "image/png")
    made.add(f"{SITE}/inner.html", "<p id=i>inner</p><script>window.inner = location.pathname</script>")
    made.add(f"{SITE}/second.html", "<title>Second</title><h1>Second</h1>", when="2026-03-02T12:00:00Z")
    made.add(f"{SITE}/search?q=tide", "<title>Found</title>")
    made.add(f"{SITE}/parts.html", SAME_ORIGIN_ONLY)
    symbols = '<rect id="plain" width="9" height="7"/><symbol id="anchor"><rect width="9" height="7"/></symbol>'
    symbols += '<symbol id="buoy"><use href="#plain"/></symbol>'
    made.add(f"{SITE}/icons.svg", f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>', "image/svg+xml")
    made.add(f"{SITE}/words.vtt", "WEBVTT\n\n00:00.000 --> 00:09.000\nHigh tide\n", "text/vtt")
    made.add(f"{SITE}/part.js", "self.part = 'imported';", "text/javascript")
    made.add(f"{SITE}/routed.html", ROUTED)
    made.add(f"{SITE}/deep/part.json", '{"tide": 9}', "application/json")
    made.add(f"{SITE}/api?_=1600000000000&q=1", "for any number", "text/plain")
    form = "application/x-www-form-urlencoded"
    made.add(_sent(f"{SITE}/api", "POST", form, "a=1"), "answer to a form", "text/plain")
    made.add(
        _sent(f"{SITE}/answer", "POST", form, "q=tide"),
        "<h1 id=h></h1><script>h.textContent = 'answer at ' + location.pathname + location.search</script>",
    )
    asked = '{"query": "{x}", "at": 1731768000123}'
    made.add(_sent(f"{SITE}/api", "POST", "application/json", asked), "answer of a graph", "text/plain")
    parts = '--xx\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--xx--\r\n'
    made.add(_sent(f"{SITE}/api", "POST", "multipart/form-data; boundary=xx", parts), "answer to parts", "text/plain")
    made.add(_sent(f"{SITE}/api", "PUT", "text/plain;charset=UTF-8", '{"a":2}'), "answer to put", "text/plain")
    worker = (
        "import {b} from './b.js'; const at = location.pathname; onmessage = e => postMessage(`${e.data} ${b} ${at}`)"
    )
    made.add(f"{SITE}/mod/worker.js", worker, "text/javascript")
    made.add(f"{SITE}/events", "data: 1\n\ndata: 2\n\n", "text/event-stream")
    with served(made.holdings()) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.mark.parametrize("framed", [True, False], ids=["framed", "own-window"])
def test_a_page_with_style_images_script_and_fetch_replays(site, browser, framed):
    live = LiveWeb()
    context = browser.new_context()
    page = context.new_page()
    asked, errors, answers = [], [], {}
    page.on("request", lambda request: asked.append(request.url))
    page.on("response", lambda response: answers.update({response.url: response.status}))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    start = f"{site.interface}/web/{STAMP}/{SITE}/" if framed else f"{site.replay}/web/{STAMP}mp_/{SITE}/"
    page.goto(start)
    frame = next(frame for frame in page.frames if frame.url.startswith(f"{site.replay}/web/{STAMP}mp_/"))
    frame.wait_for_function("Object.keys(window.results || {}).length >= 18 && window.moduleSays", timeout=300_000)
    assert frame.evaluate("window.results") == {
        "fetch": 7,
        "request": True,
        "xhr": 7,
        "location": f"{SITE}/",
        "host": "www.site.test",
        "url": f"{SITE}/",
        "top": True,
        "lib": "loaded",
        "image": 1,
        "imageSrc": f"{SITE}/img/made.png",
        "storage": "b",
        "cookie": "c=d",
        "pushed": "/pushed?x=1",
        "worker": 7,
        "socket": 1006,
        "serviceWorker": "refused",
        "link": f"{SITE}/second.html",
        "attribute": f"{SITE}/img/logo.png",
    }
    assert frame.evaluate("window.moduleSays") == 42
    assert frame.evaluate("window.loaded") == "/"
    assert frame.evaluate("getComputedStyle(head).color") == "rgb(1, 2, 3)"
    assert frame.evaluate("getComputedStyle(head).textDecorationLine") == "underline"
    assert frame.evaluate("[logo, set, written].map(image => image.naturalWidth)") == [1, 1, 1]
    inner = next(found for found in page.frames if found.url.endswith("/inner.html"))
    assert inner.evaluate("[window.inner, document.getElementById('i').textContent]") == ["/inner.html", "inner"]
    strangers = [url for url in asked if not url.startswith((site.replay, site.interface, "data:", "blob:"))]
    assert strangers == []
    missing = [
        url for url, status in answers.items() if status >= 400 and not url.endswith(("/font.woff", "favicon.ico"))
    ]
    assert missing == []
    assert [text for text in errors if "font.woff" not in text and "404" not in text] == []
    context.close()
    live.close()


def test_the_bar_follows_the_frame(site, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.interface}/web/{STAMP}/{SITE}/")
    assert page.locator(".what").inner_text().startswith("www.site.test as captured on\n1 March 2026") or (
        "1 March 2026, 12:00:00 UTC" in page.locator(".what").inner_text()
    )
    page.frame_locator("#replay").locator("#next").click()
    page.wait_for_url(f"{site.interface}/web/20260302120000/{SITE}/second.html")
    assert "2 March 2026" in page.locator(".what").inner_text()
    page.wait_for_function("!document.getElementById('parts').hidden || true")
    page.go_back()
    page.wait_for_url(f"{site.interface}/web/{STAMP}/{SITE}/")
    context.close()


def test_the_bar_follows_to_what_is_not_there(site, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.interface}/web/{STAMP}/{SITE}/parts.html")
    page.frame_locator("#replay").locator("#nowhere").click()
    page.get_by_role("heading", name="Not in the archive").wait_for()
    assert page.url == f"{site.interface}/web/{STAMP}/{SITE}/nowhere"
    assert page.locator("iframe").count() == 0 and page.get_by_role("link", name="Archive it").count() == 1
    page.go_back()
    page.frame_locator("#replay").locator("#nowhere").wait_for()
    context.close()


def test_a_form_finds_its_captured_answer(site, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.replay}/web/{STAMP}mp_/{SITE}/")
    page.evaluate("document.getElementById('find').submit()")
    page.wait_for_url(f"{site.replay}/web/{STAMP}mp_/{SITE}/search?q=tide")
    assert page.title() == "Found"
    context.close()


def test_a_memento_opened_in_a_window_is_shown_by_the_interface(site, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.replay}/web/{STAMP}/{SITE}/")
    assert page.url == f"{site.interface}/web/{STAMP}/{SITE}/"
    assert page.locator("iframe").get_attribute("sandbox") == "allow-scripts allow-forms"
    context.close()


def test_what_browsers_load_from_the_same_origin_only_is_there_too(site, browser):
    """Icons out of a file of many, captions of films, script that a worker of the page's own making imports."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.replay}/web/{STAMP}mp_/{SITE}/parts.html")
    page.wait_for_function("window.results.worker")
    assert page.evaluate("window.results.worker") == "imported"
    for name in ("icon", "made"):
        page.wait_for_function(f"document.getElementById('{name}').getBBox().width === 9")
    page.wait_for_function("words.readyState === 2")
    assert page.evaluate("words.track.cues[0].text") == "High tide"
    context.close()


def test_routes_bodies_and_numbers_against_caches_find_what_was_captured(site, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.interface}/web/{STAMP}/{SITE}/routed.html")
    frame = next(frame for frame in page.frames if frame.url.startswith(f"{site.replay}/web/"))
    frame.wait_for_function("Object.keys(window.results || {}).length >= 15 && results.events >= 2")
    assert frame.evaluate("window.results") == {
        "year": "2026 2 true",
        "at": "/deep/er?x=1",
        "base": f"{SITE}/deep/er?x=1",
        "state": 1,
        "relative": 9,
        "hash": f"{SITE}/deep/er?x=1#low",
        "back": ["/routed.html", 0],
        "busted": "for any number",
        "form": "answer to a form",
        "graph": "answer of a graph",
        "parts": "answer to parts",
        "never": 404,
        "put": "answer to put",
        "module": "early 41 /mod/worker.js",
        "events": 2,
    }
    frame.evaluate("document.getElementById('send').submit()")
    page.wait_for_url(f"{site.interface}/web/{STAMP}/{SITE}/answer?__wb_method=POST&q=tide")
    shown = page.frame_locator("#replay").locator("h1")
    shown.wait_for()
    assert shown.inner_text() == "answer at /answer"
    context.close()
