"""Hostile archived pages in a real browser: none reaches the live web, the interface, its cookies or its API."""

import pytest

from web.archives import Builder, served
from web.attacks import ATTACKS, HEADERS, HOST, INNER, ONLY_FRAMED
from web.chromium import LiveWeb, chromium

pytestmark = pytest.mark.browser
STAMP = "20260301120000"


def _filled(text, live, interface):
    pairs = (
        ("WSLEAK", f"ws://{live.host}"),
        ("LEAKHOST", live.host),
        ("LEAK", f"http://{live.host}"),
        ("STUN", live.stun),
        ("HOST", HOST),
        ("UI", interface),
    )
    for name, value in pairs:
        text = text.replace(name, value)
    return text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The attack pages, captured and served, with a server of the live web beside."""
    live = LiveWeb()
    # The interface's address has to be known before the pages are written: an empty archive reserves it.
    probe = Builder(tmp_path_factory.mktemp("probe"))
    with served(probe.holdings()) as first:
        ports = {"port": first.port, "replay_port": first.replay_port}
        interface = first.interface
    builder = Builder(tmp_path_factory.mktemp("hostile"))
    for name, text in {**ATTACKS, **INNER, **ONLY_FRAMED}.items():
        headers = [(key, _filled(value, live, interface)) for key, value in HEADERS.get(name, [])]
        page = f"<!doctype html><html><head></head><body>{_filled(text, live, interface)}</body></html>"
        builder.add(f"{HOST}/{name}", page, headers=headers)
    call = "p=new RTCPeerConnection({iceServers:[{urls:'stun:STUN'}]});p.createDataChannel('a')"
    fragment = f'<iframe srcdoc="<script>{call};p.createOffer().then(o=>p.setLocalDescription(o))</script>"></iframe>'
    builder.add(f"{HOST}/fragment", _filled(fragment, live, interface))
    script = '<script>location="LEAK/svg";fetch("LEAK/f")</script><image href="LEAK/i"/>'
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg">{script}</svg>'
    builder.add(f"{HOST}/drawing", _filled(drawing, live, interface), "image/svg+xml")
    with served(builder.holdings(), **ports) as server:
        yield server, live
    live.close()


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def _visit(browser, server, addresses):
    """Open pages beside one another, give their script time, and tell what they got."""
    context = browser.new_context()
    context.add_cookies([{"name": "secret", "value": "of-the-interface", "url": server.interface}])
    dialogs = []
    pages = []
    for address in addresses:
        page = context.new_page()
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        page.goto(address, wait_until="commit")
        pages.append(page)
    pages[-1].wait_for_timeout(600)
    loot = []
    for frame in (frame for page in pages for frame in page.frames):
        try:
            loot.append(str(frame.evaluate("typeof loot === 'undefined' ? '' : loot.join('|')")))
        except Exception:  # noqa: BLE001 - a frame that went away has nothing to tell
            continue
    cookies = {cookie["name"]: cookie["value"] for cookie in context.cookies(server.interface)}
    workers = len(context.service_workers)
    where = [page.url for page in pages]
    context.close()
    return loot, cookies, workers, where, dialogs


def _held(result, home):
    loot, cookies, workers, where, dialogs = result
    told = " ".join(loot)
    assert not any(
        sign in told for sign in ("of-the-interface", "Skip to content", '"captures":', "strandline_requests")
    )
    assert cookies == {"secret": "of-the-interface"}
    assert workers == 0
    assert [address for address in where if not address.startswith(home)] == []
    assert dialogs == []


NAMES = [*ATTACKS, "drawing"]
GROUPS = [NAMES[start : start + 9] for start in range(0, len(NAMES), 9)]


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_attacks_in_the_frame_of_the_interface_reach_nothing(hostile, browser, names):
    server, live = hostile
    live.clear()
    result = _visit(browser, server, [f"{server.interface}/web/{STAMP}/{HOST}/{name}" for name in names])
    assert (live.hits, live.connections) == ([], 0)
    _held(result, server.interface)


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_attacks_opened_in_a_window_of_their_own_reach_nothing(hostile, browser, names):
    server, live = hostile
    live.clear()
    result = _visit(browser, server, [f"{server.replay}/web/{STAMP}mp_/{HOST}/{name}" for name in names])
    assert (live.hits, live.connections) == ([], 0)
    _held(result, server.replay)


def test_what_no_rewriting_sees_is_held_by_the_frame(hostile, browser):
    server, live = hostile
    live.clear()
    names = [*INNER, *ONLY_FRAMED]
    result = _visit(browser, server, [f"{server.interface}/web/{STAMP}/{HOST}/{name}" for name in names])
    assert live.hits == []
    _held(result, server.interface)


def test_unmodified_payloads_run_no_script(hostile, browser):
    server, live = hostile
    live.clear()
    names = ["self-navigation", "form-post", "requests", "webrtc", "websocket", *ONLY_FRAMED]
    result = _visit(browser, server, [f"{server.replay}/web/{STAMP}id_/{HOST}/{name}" for name in names])
    assert live.hits == []
    _held(result, server.replay)


def test_the_live_web_of_these_tests_counts_what_reaches_it(hostile, browser):
    """The control: the same page outside the archive does leak."""
    server, live = hostile
    live.clear()
    context = browser.new_context()
    page = context.new_page()
    page.set_content(_filled(ATTACKS["media"] + ATTACKS["webrtc"] + ATTACKS["websocket"], live, server.interface))

    def leaked():
        return {"datagram", "/ws"} <= set(live.hits) and bool({"/i1", "/s1"} & set(live.hits))

    for _ in range(240):  # two minutes: the machine may be busy
        if not leaked():
            page.wait_for_timeout(500)
    context.close()
    assert leaked(), live.hits
