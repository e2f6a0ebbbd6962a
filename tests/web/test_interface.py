"""The interface: pages, API, names, tokens, limits."""

import asyncio
import json
import socket
import stat

import pytest

from strandline.archive.holdings import holdings
from strandline.errors import SettingError
from strandline.web.options import ServeOptions
from strandline.web.server import Service
from web.archives import Builder, served

NASTY = "http://site.test/a%22%3E%3Cscript%3Ealert(1)%3C/script%3E?b=%22><svg/onload=alert(1)>"
HTML = {"Accept": "text/html"}


def _archive(folder):
    made = Builder(folder)
    made.add("http://site.test/", "<p>1</p><img src=/i>", when="2026-03-01T12:00:00Z")
    made.add("http://site.test/", "<p>2</p>", when="2026-03-02T12:00:00Z")
    made.add("http://site.test/i", b"i", "image/png", when="2026-04-02T12:00:00Z")
    made.add("http://site.test/report.pdf", b"%PDF-1.4", "application/pdf", when="2026-03-02T12:00:00Z")
    made.add(NASTY, "<title><script>alert(1)</script></title>", when="2026-03-02T12:00:00Z")
    return made.archive()


@pytest.fixture(scope="module")
def open_server(tmp_path_factory):
    with served(_archive(tmp_path_factory.mktemp("open"))) as server:
        yield server


def _page(server, path, **more):
    status, headers, body = server.get(path, HTML, origin="interface", **more)
    return status, headers, body.decode()


def test_home_lists_sites_and_says_what_to_do_when_empty(open_server, tmp_path):
    status, headers, text = _page(open_server, "/")
    assert status == 200 and "site.test" in text and ">5</b> captures" in text
    assert "script-src 'self'" in headers["content-security-policy"]
    assert f"frame-src {open_server.replay}" in headers["content-security-policy"]
    assert "unsafe-inline" not in headers["content-security-policy"]
    with served(Builder(tmp_path / "empty").archive()) as empty:
        assert "Nothing is archived yet" in _page(empty, "/")[2]


def test_sites_are_counted_by_domain_and_lists_say_when_they_are_cut(tmp_path):
    made = Builder(tmp_path)
    for number in range(51):
        made.add(f"http://{'news' if number % 2 else 'www'}.library.org/{number}", f"<p>Page {number}</p>")
    with served(made.archive()) as server:
        told = json.loads(server.get("/api/v1/overview", origin="interface")[2])
        assert (told["sites"], told["pages"]) == (1, 51)
        status, _, text = _page(server, "/site?site=library.org")
        assert status == 200 and '<span class="soft">50+</span>' in text and '<span class="soft">0</span>' in text


def test_files_that_no_frame_shows_are_offered(open_server):
    status, _, text = _page(open_server, "/web/2026/http://site.test/report.pdf")
    address = "/web/20260302120000id_/http://site.test/report.pdf"
    assert status == 200 and f'href="{open_server.replay}{address}"' in text
    assert "<iframe" not in text and "application/pdf" in text
    status, headers, body = open_server.get(address, {"Sec-Fetch-Dest": "document"})
    assert (status, headers["content-disposition"], body) == (200, "attachment", b"%PDF-1.4")
    status, headers, body = open_server.get(address)
    assert "content-disposition" not in headers and body == b"%PDF-1.4"
    status, headers, body = open_server.get(address.replace("id_", "mp_"), {"Sec-Fetch-Dest": "iframe"})
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8") and b"postMessage" in body
    assert "sandbox allow-scripts" in headers["content-security-policy"]


def test_captures_are_listed_by_day_and_lead_to_replay(open_server):
    status, _, text = _page(open_server, "/captures?url=site.test")
    assert status == 200 and text.index("Monday, 2 March 2026") < text.index("Sunday, 1 March 2026")
    assert 'href="/web/20260301120000/http://site.test/"' in text
    status, _, text = _page(open_server, "/web/20260301120000/http://site.test/")
    assert 'sandbox="allow-scripts allow-forms"' in text
    assert f'src="{open_server.replay}/web/20260301120000mp_/http://site.test/"' in text
    assert "1 March 2026, 12:00:00 UTC" in text and "site.test" in text and 'rel="next"' in text


def test_no_archived_byte_comes_from_the_interface(open_server):
    for path in (
        "/web/20260301120000mp_/http://site.test/",
        "/web/http://site.test/",
        "/web/20260301120000id_/http://site.test/",
    ):
        status, headers, body = open_server.get(path, origin="interface")
        assert (status, body) == (307, b"")
        assert headers["location"] == open_server.replay + path


@pytest.mark.parametrize(
    "path", ["/captures?url=nowhere.test", "/web/2026/http://nowhere.test/", "/pages?site=nowhere.test", "/nothing"]
)
def test_what_is_not_there(open_server, path):
    assert _page(open_server, path)[0] == 404


@pytest.mark.parametrize(
    "path", ["/captures?url=ftp://x", "/web/20269999000000/http://site.test/", "/captures?url=x&before=y"]
)
def test_what_cannot_be_read(open_server, path):
    assert _page(open_server, path)[0] == 400


def test_values_from_the_web_are_inert(open_server):
    for path in (
        "/pages?site=site.test",
        f"/captures?url={NASTY.replace('%', '%25').replace('&', '%26')}",
        f"/web/2026/{NASTY}",
        "/captures?url=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    ):
        text = _page(open_server, path)[2]
        assert "<script>alert" not in text and "<svg" not in text


def test_the_api_and_its_description(open_server):
    def told(path):
        status, _, body = open_server.get(f"/api/v1{path}", origin="interface")
        return status, json.loads(body)

    (site,) = told("/sites")[1]
    assert (site["site"], site["pages"], site["captures"]) == ("site.test", 4, 5)
    assert (site["first"], site["last"]) == ("2026-03-01T12:00:00Z", "2026-04-02T12:00:00Z")
    captures = told("/captures?url=site.test&limit=1")[1]
    assert [capture["timestamp"] for capture in captures["captures"]] == ["20260302120000"]
    older = told(f"/captures?url=site.test&before={captures['older']}")[1]
    assert ([capture["timestamp"] for capture in older["captures"]], older["older"]) == (["20260301120000"], None)
    parts = told("/parts?url=site.test&time=20260301120000")[1]
    assert (parts["anachronistic"], parts["missing"], parts["parts"][0]["url"]) == (1, 0, "http://site.test/i")
    assert told("/captures?url=ftp://x")[0] == 400
    assert told("/parts?url=nowhere.test")[0] == 404
    assert told("/captures")[0] == 422
    status, described = told("/openapi.json")
    assert status == 200 and {"/sites", "/captures", "/parts"} <= described["paths"].keys()


def test_metrics_and_health(open_server):
    assert open_server.get("/healthz", origin="interface")[2] == b"ok\n"
    text = open_server.get("/metrics", origin="interface")[2].decode()
    assert "strandline_captures 5" in text and 'strandline_requests_total{origin="interface",status="200"}' in text


@pytest.mark.parametrize("origin", ["interface", "replay"])
def test_other_host_names_are_refused(open_server, origin):
    for host in ("evil.test", "evil.test:8080", "127.0.0.1.evil.test", "", "127.0.0.1:9210@evil.test", "localhost:x"):
        assert open_server.get("/healthz", origin=origin, host=host)[0] == 403
    assert open_server.get("/healthz", origin=origin, host="localhost:1")[0] == 200


def test_large_and_slow_bodies_are_refused(open_server):
    assert open_server.get("/web/2026/http://site.test/", {"Content-Length": str(1 << 30)}, method="POST")[0] == 413
    assert open_server.get("/web/2026/http://site.test/", {"Content-Length": str(5 << 20)}, method="POST")[0] == 413
    assert open_server.get("/web/2026id_/http://site.test/", method="POST", body=b"x" * 70000)[0] == 200
    assert open_server.get("/login", method="POST", body=b"x" * 70000, origin="interface")[0] == 413


def test_a_slow_client_is_let_go(tmp_path):
    with served(_archive(tmp_path), slowest_request=0.5) as server:
        with socket.create_connection(("127.0.0.1", server.replay_port), timeout=300) as slow:
            slow.sendall(
                b"POST /web/2026id_/http://site.test/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc"
            )
            assert slow.recv(100).startswith(b"HTTP/1.1 408")
        with socket.create_connection(("127.0.0.1", server.replay_port), timeout=300) as slow:
            slow.sendall(b"GET /web/")
            assert slow.recv(100)[:12] in (b"", b"HTTP/1.1 408", b"HTTP/1.1 400")
        assert server.get("/healthz")[0] == 200


def test_many_idle_connections_do_not_stop_others(open_server):
    idle = [socket.create_connection(("127.0.0.1", open_server.replay_port)) for _ in range(300)]
    try:
        assert open_server.get("/web/2026id_/http://site.test/")[0] == 200
    finally:
        for connection in idle:
            connection.close()


# -- tokens ----------------------------------------------------------------------------------------------------------


def test_other_machines_need_a_token(tmp_path):
    with pytest.raises(SettingError, match="token-file") as refused:
        Service(_archive(tmp_path), ServeOptions(host="0.0.0.0", port=0, replay_port=0))
    assert refused.value.exit_code == 4


def test_a_token_opens_everything_and_is_kept_as_a_sum(tmp_path):
    token_file = tmp_path / "token"
    with served(_archive(tmp_path / "a"), token_file=token_file) as server:
        assert server.token and server.token not in token_file.read_text()
        assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
        for origin, path in (
            ("interface", "/"),
            ("interface", "/api/v1/sites"),
            ("replay", "/web/2026/http://site.test/"),
            ("replay", "/cdx?url=site.test"),
        ):
            assert server.get(path, origin=origin)[0] == 401
            assert server.get(path, {"Authorization": "Bearer wrong"}, origin=origin)[0] == 401
            assert server.get(path, {"Authorization": f"Bearer {server.token}"}, origin=origin)[0] == 200
        assert server.get("/healthz", origin="interface")[0] == 200
        status, headers, _ = server.get("/page?url=a&b=1", HTML, origin="interface")
        assert (status, headers["location"]) == (303, "/login?to=%2Fpage%3Furl%3Da%26b%3D1")
        for to, then in (
            ("/page%3Furl%3Da", "/page?url=a"),
            ("//evil.test", "/"),
            ("/%5Cevil.test", "/"),
            ("http:x", "/"),
        ):
            given = f"token={server.token}".encode()
            status, headers, _ = server.get(f"/login?to={to}", origin="interface", method="POST", body=given)
            assert (status, headers["location"]) == (303, then)
        assert server.get("/login", origin="interface", method="POST", body=b"token=wrong")[0] == 401
        status, headers, _ = server.get(
            "/login", origin="interface", method="POST", body=f"token={server.token}".encode()
        )
        cookie = headers["set-cookie"]
        assert status == 303 and "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
        given = {"Cookie": cookie.partition(";")[0], **HTML}
        status, _, body = server.get("/web/2026/http://site.test/", given, origin="interface")
        source = body.decode().partition('src="' + server.replay)[2].partition('"')[0]
        assert source.startswith("/k/")
        status, _, body = server.get(source)
        assert (
            status == 200
            and source.partition("/web/")[0].encode() + b"/web/20260301120000im_/http://site.test/i" in body
        )
        assert server.get(source.replace("/k/", "/k/x"))[0] == 401
        assert server.get("/web/2026/http://site.test/", given)[0] == 401, "the cookie of the interface opens no replay"
    with served(_archive(tmp_path / "b"), token_file=token_file) as again:
        assert again.token == ""
        assert again.get("/", {"Authorization": f"Bearer {server.token}"}, origin="interface")[0] == 200


def test_changes_are_taken_from_the_interface_only(tmp_path):
    with served(_archive(tmp_path / "a"), token_file=tmp_path / "token") as server:
        for headers in (
            {"Origin": "http://evil.test"},
            {"Origin": server.replay},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            status, _, _ = server.get("/login", headers, origin="interface", method="POST", body=b"token=x")
            assert status == 403
        assert (
            server.get("/login", {"Origin": server.interface}, origin="interface", method="POST", body=b"token=x")[0]
            == 401
        )


def test_a_token_file_must_be_private_and_whole(tmp_path):
    path = tmp_path / "token"
    path.write_text("sha256:" + "0" * 64)
    path.chmod(0o644)
    with pytest.raises(SettingError, match="chmod 600"):
        Service(_archive(tmp_path / "a"), ServeOptions(port=0, replay_port=0, token_file=path))
    path.write_text("secret")
    path.chmod(0o600)
    with pytest.raises(SettingError, match="no sum"):
        Service(_archive(tmp_path / "b"), ServeOptions(port=0, replay_port=0, token_file=path))


def test_a_port_that_is_taken_is_named(tmp_path):
    archive = _archive(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingError, match=f"replay-port: cannot listen on 127.0.0.1:{port}"):
            Service(archive, ServeOptions(port=0, replay_port=port))
    with pytest.raises(SettingError, match="two ports"):
        Service(archive, ServeOptions(port=port, replay_port=port))


def test_stopping_waits_for_nobody(tmp_path):
    archive = _archive(tmp_path)
    service = Service(holdings(archive), ServeOptions(port=0, replay_port=0), archive)

    async def life():
        told = []
        await asyncio.wait_for(service.run(lambda said: (told.append(said), service.stop())), 120.0)
        return told

    assert len(asyncio.run(life())) == 1
