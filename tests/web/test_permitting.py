"""Who may call what: every route of the interface and the API, with every role, against one table."""

import json
import re
import time
from urllib.parse import urlencode

import pytest
from starlette.routing import Mount, Route

from strandline.core.keeping.people import ROLES, may
from strandline.keeping.people import add_person, journal, new_token, set_role
from strandline.web.permitting import needed, target_of
from web.archives import Builder, served

URL = "http://site.test/a.html"
API = "/api/v1"

READERS = [
    "/",
    "/account",
    "/captures",
    "/cdx",
    "/changes",
    "/classes",
    "/coherent/{rest:path}",
    "/live/{rest:path}",
    "/picture/{rest:path}",
    "/framed/{rest:path}",
    "/collection",
    "/collections",
    "/compare",
    "/events",
    "/feeds/{form}",
    "/health",
    "/healthz",
    "/login",
    "/login/back",
    "/login/sign-on",
    "/metrics",
    "/notes",
    "/page",
    "/pages",
    "/parts/cards",
    "/parts/hours",
    "/parts/next",
    "/parts/quality",
    "/parts/simulation",
    "/parts/site-quality",
    "/parts/together",
    "/parts/week",
    "/parts/why",
    "/patterns",
    "/ratings",
    "/replayed",
    "/rules",
    "/search",
    "/simulate",
    "/site",
    "/sites",
    "/sites/settings",
    "/storage",
    "/timemap/{rest:path}",
    "/web/{rest:path}",
]
CALLERS = [
    "/annotations",
    "/captures",
    "/cards",
    "/changes",
    "/classes",
    "/collections",
    "/collections/{name}",
    "/compare",
    "/health",
    "/hours",
    "/jobs",
    "/jobs/{number}",
    "/me",
    "/next",
    "/openapi.json",
    "/overview",
    "/page",
    "/page/blocks",
    "/page/calendar",
    "/page/week",
    "/parts",
    "/patterns",
    "/people/{name}/tokens",
    "/quality",
    "/quality/history",
    "/ratings",
    "/replayed",
    "/retention",
    "/rules",
    "/search",
    "/searches",
    "/simulations",
    "/simulations/{number}",
    "/site",
    "/site/days",
    "/site/pages",
    "/site/report",
    "/site/tree",
    "/sites",
    "/sites/{name}",
    "/storage",
    "/tags",
    "/why",
]
WHO_MAY = {
    **{f"GET {path}": "reader" for path in READERS},
    **{f"GET {API}{path}": "reader" for path in CALLERS},
    "POST /login": "reader",
    "POST /logout": "reader",
    "GET /hub/{token}": "reader",
    "POST /hub/{token}": "reader",
    "POST /account/password": "reader",
    "POST /account/tokens": "reader",
    "POST /account/tokens/remove": "reader",
    "POST /rate": "rater",
    "POST /unrate": "rater",
    "POST /label": "rater",
    "POST /notes": "rater",
    "POST /notes/remove": "rater",
    "GET /start": "operator",
    "GET /start/found": "operator",
    "GET /start/watch": "operator",
    "GET /parts/first-comparison": "operator",
    "POST /start": "operator",
    "POST /start/watch": "operator",
    f"POST {API}/survey": "operator",
    "POST /sites": "operator",
    "POST /sites/settings": "operator",
    "POST /sites/state": "operator",
    "POST /budget": "operator",
    "POST /jobs": "operator",
    "POST /jobs/{number:int}": "operator",
    "POST /simulate": "operator",
    "POST /adopt": "operator",
    "POST /replayed": "operator",
    "POST /searches": "operator",
    "POST /collections": "operator",
    "POST /collection": "operator",
    "POST /collection/members": "operator",
    "POST /collection/state": "operator",
    "POST /collection/remove": "operator",
    "GET /takedowns": "keeper",
    "POST /takedowns": "keeper",
    "POST /takedowns/lift": "keeper",
    "POST /retention": "keeper",
    "GET /people": "keeper",
    "POST /people": "keeper",
    "POST /people/change": "keeper",
    "GET /journal": "keeper",
    "POST /api/v1/ratings": "rater",
    "POST /api/v1/ratings/undo": "rater",
    "POST /api/v1/labels": "rater",
    "POST /api/v1/annotations": "rater",
    "DELETE /api/v1/annotations/{key}": "rater",
    "POST /api/v1/sites": "operator",
    "PATCH /api/v1/sites/{name}": "operator",
    "POST /api/v1/sites/{name}/state": "operator",
    "PUT /api/v1/plan": "operator",
    "PUT /api/v1/searches/{name}": "operator",
    "DELETE /api/v1/searches/{name}": "operator",
    "POST /api/v1/jobs": "operator",
    "POST /api/v1/jobs/{number}": "operator",
    "POST /api/v1/simulations": "operator",
    "POST /api/v1/collections": "operator",
    "PATCH /api/v1/collections/{name}": "operator",
    "POST /api/v1/collections/{name}/members": "operator",
    "POST /api/v1/collections/{name}/state": "operator",
    "DELETE /api/v1/collections/{name}": "operator",
    "GET /api/v1/takedowns": "keeper",
    "POST /api/v1/takedowns": "keeper",
    "POST /api/v1/takedowns/{number}/lift": "keeper",
    "POST /api/v1/retention": "keeper",
    "GET /api/v1/people": "keeper",
    "POST /api/v1/people": "keeper",
    "PATCH /api/v1/people/{name}": "keeper",
    "DELETE /api/v1/people/{name}": "keeper",
    "POST /api/v1/people/{name}/tokens": "keeper",
    "DELETE /api/v1/people/{name}/tokens/{key}": "keeper",
    "GET /api/v1/journal": "keeper",
}
OPEN = ("/login", "/login/back", "/login/sign-on", "/healthz", "/hub/1")
LONG = (
    *("/events", "/parts/quality", "/parts/next", "/parts/hours"),
    *(f"{API}/next", f"{API}/hours", f"{API}/quality", f"{API}/quality/history"),
)
"""Without an end, or worked out by another process."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    from strandline.archive.folder import open_archive

    made = Builder(tmp_path_factory.mktemp("permitting"))
    made.add(URL, "<p>Price 1 euro</p>", when="2026-03-01T10:00:00Z")
    return open_archive(made.archive().folder)


@pytest.fixture(scope="module")
def tokens(archive):
    """Somebody in every role, who comes by a token."""
    found = {}
    for role in reversed(ROLES):
        add_person(archive, role, role)
        found[role] = new_token(archive, role)[1]
    return found


@pytest.fixture(scope="module")
def server(archive, tokens):
    with served(archive) as running:
        yield running


def routes(archive):
    """Every route there is, as `METHOD path`."""
    from strandline.archive.holdings import holdings
    from strandline.web.options import ServeOptions
    from strandline.web.server import Service

    service = Service(holdings(archive), ServeOptions(port=0, replay_port=0), archive)

    def listed(found, before=""):
        for route in found:
            if isinstance(route, Mount):
                if before + route.path != "/static":
                    yield from listed(route.app.routes, before + route.path)
            elif isinstance(route, Route):
                for method in sorted(set(route.methods) - {"HEAD"}):
                    yield f"{method} {before}{route.path}"
            else:
                inner = getattr(route, "original_router", None)  # an included router of FastAPI
                assert inner is not None, route
                yield from listed(inner.routes, before)

    return sorted(set(listed(service._apps[0].app.routes)))


def test_the_table_names_every_route_and_no_other(archive):
    found = set(routes(archive))
    assert found - WHO_MAY.keys() == set(), "routes that nobody decided on"
    assert WHO_MAY.keys() - found == set(), "routes that there are no more"


def test_every_role_may_what_the_table_says(server, tokens):
    """Forms come without their key and documents empty: whoever may hears about that, others that they may not. Of
    those who may, the one who may least asks.
    """
    for route, least in WHO_MAY.items():
        method, path = route.split(" ", 1)
        path = re.sub(r"\{\w+(:\w+)?\}", "1", path)
        assert needed(method, path).role == least, route
        kind = "application/json" if path.startswith(API) else "application/x-www-form-urlencoded"
        body = None if method == "GET" else b"{}" if kind.endswith("json") else b"key=0"
        headers = {"Content-Type": kind}
        if path not in OPEN:
            assert server.get(path, headers, method, "interface", body)[0] == 401, f"{route} by nobody"
        for role in ROLES[: ROLES.index(least) + (path not in LONG)]:
            as_somebody = {**headers, "Authorization": f"Bearer {tokens[role]}"}
            status, _, answer = server.get(path, as_somebody, method, "interface", body)
            assert (status == 403) != may(role, least), (route, role, status, answer[:200])
            assert status < 500, (route, role, status, answer[:300])


def _as(tokens, role, kind="application/json"):
    return {"Authorization": f"Bearer {tokens[role]}", "Content-Type": kind, "Accept": "text/html"}


def test_what_was_done_is_written_down_with_who_did_it(archive, server, tokens):
    note = {"kind": "note", "url": URL, "text": "secret of the text", "author": "Somebody else"}
    status, _, answer = server.get(
        f"{API}/annotations", _as(tokens, "rater"), "POST", "interface", json.dumps(note).encode()
    )
    made = json.loads(answer)
    assert status == 201 and made["author"] == "rater", "whoever is logged in wrote it, whatever is sent"
    down = {"target": "http://site.test/b.html", "reason": "Request 1", "by": "Somebody else"}
    status, _, answer = server.get(
        f"{API}/takedowns", _as(tokens, "keeper"), "POST", "interface", json.dumps(down).encode()
    )
    assert status == 201 and json.loads(answer)["act"]["by"] == "keeper"
    assert server.get(f"{API}/annotations", _as(tokens, "reader"), "POST", "interface", b"{}")[0] == 403
    first, second = journal(archive, limit=2)
    assert (first.person, first.act, first.target) == ("keeper", "take down", "http://site.test/b.html")
    assert (second.person, second.act, second.target) == ("rater", "tag or note", URL)
    assert "secret" not in str(journal(archive))
    told = json.loads(server.get(f"{API}/journal?limit=1", _as(tokens, "keeper"), origin="interface")[2])
    assert told[0]["person"] == "keeper"
    page = server.get("/journal", _as(tokens, "keeper"), origin="interface")[2].decode()
    assert "take down" in page and "Who did what" in page
    # A rater takes back what is theirs, an operator whatever there is.
    set_role(archive, "reader", "rater", "test")
    gone = f"{API}/annotations/{made['key']}"
    until = time.monotonic() + 60
    while (status := server.get(gone, _as(tokens, "reader"), "DELETE", "interface")[0]) == 403:
        assert time.monotonic() < until, "the server does not notice"
        time.sleep(0.1)  # it looks once a second
    assert status == 400
    assert server.get(gone, _as(tokens, "operator"), "DELETE", "interface")[0] == 200
    set_role(archive, "reader", "reader", "test")


def test_a_page_says_which_role_is_needed(server, tokens):
    status, _, page = server.get("/takedowns", _as(tokens, "operator"), origin="interface")
    assert status == 403 and "needs the role Keeper; yours is Operator" in page.decode()
    for role, shown, hidden in (
        ("reader", "Your", "/people"),
        ("keeper", "/people", "There is no such text"),
    ):
        page = server.get("/health", _as(tokens, role), origin="interface")[2].decode()
        assert (shown in page or role == "reader") and hidden not in page


def test_what_an_act_is_about_is_read_from_what_was_sent():
    assert target_of("/rate", urlencode({"key": "k", "url": URL, "rating": "noise"}).encode()) == URL
    assert target_of(f"{API}/collections/elections/members", b'{"add": ["example.org"]}') == "elections"
    assert target_of("/jobs/7", b"action=pause") == "7"
    assert target_of(f"{API}/simulations", b'{"strategies": ["a", "b"]}') == "a, b"
    assert target_of("/rate", b"{not json") == "" == target_of("/rate", b"\xff\xfe")
