"""TimeGate, TimeMaps and mementos over HTTP (RFC 7089), and the headers replay sends and does not send."""

import gzip
import json
import re

import pytest

from web.archives import Builder, served

SITE = "http://site.test"
ODD = "http://odd.test"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("memento"))
    hostile = [
        ("Set-Cookie", "a=b"),
        ("Content-Security-Policy", "default-src 'none'"),
        ("Strict-Transport-Security", "max-age=1"),
        ("Clear-Site-Data", '"*"'),
        ("Service-Worker-Allowed", "/"),
        ("Link", "<http://live.test/>; rel=preload"),
        ("X-Frame-Options", "DENY"),
        ("Content-Language", "fr"),
    ]
    digests = {}
    for day in (1, 2, 3, 4):
        when = f"2026-03-0{day}T12:00:00Z"
        digests[day] = made.add(f"{SITE}/", f"<p>day {day}</p>", "text/html; charset=utf-8", when, headers=hostile)
    made.add(f"{SITE}/old", b"", None, "2026-03-02T00:00:00Z", "301 Moved", [("Location", "/new?a=1&b=2")])
    made.add(f"{SITE}/new?a=1&b=2", "new", when="2026-03-05T00:00:00Z")
    made.add(
        "http://www.self.test/", b"", None, "2026-03-02T00:00:00Z", "301 Moved", [("Location", "https://self.test/")]
    )
    made.add("https://self.test/", "secure", when="2026-03-02T00:00:01Z")
    made.add("http://loop.test/", b"", None, "2026-03-02T00:00:00Z", "302 Found", [("Location", "http://loop.test/")])
    gz = gzip.compress(b"<a href=/x>packed</a>")
    made.add(f"{SITE}/packed", gz, "text/html", headers=[("Content-Encoding", "gzip")])
    made.add(f"{SITE}/picture", gzip.compress(b"picture"), "image/x", headers=[("Content-Encoding", "gzip")])
    made.add(f"{SITE}/chunked", b"5\r\nhello\r\n0\r\n\r\n", "text/plain", headers=[("Transfer-Encoding", "chunked")])
    made.add(f"{SITE}/latin", "<p>é".encode("latin-1"), "text/html; charset=iso-8859-1")
    made.add(f"{SITE}/film", bytes(range(256)) * 40, "video/mp4")
    made.add(
        f"{SITE}/part",
        b"0123456789",
        "video/mp4",
        status="206 Partial Content",
        headers=[("Content-Range", "bytes 100-109/1000")],
    )
    made.add(f"{SITE}/gone", "not here", when="2026-03-06T00:00:00Z", status="404 Not Found")
    made.revisit(f"{SITE}/", digests[4], f"{SITE}/", "2026-03-04T12:00:00Z", "2026-03-05T12:00:00Z")
    made.revisit(f"{SITE}/copy", digests[1], f"{SITE}/elsewhere", "2020-01-01T00:00:00Z", "2026-03-06T12:00:00Z")
    made.revisit(
        f"{SITE}/same",
        digests[2],
        f"{SITE}/",
        "2026-03-02T12:00:00Z",
        "2026-03-07T12:00:00Z",
        [("Date", "x")],
        "304 Not Modified",
    )
    made.add(f"{ODD}/blank", "moved, somewhere", None, "2026-03-02T00:00:00Z", "302 Found", [("Location", " ")])
    made.add(f"{ODD}/kept", "as before", when="2026-03-02T00:00:00Z")
    for page in ("kept", "unkept"):
        made.add(f"{ODD}/{page}", b"", None, "2026-03-03T00:00:00Z", "304 Not Modified")
    made.raw(f"{ODD}/first-web", b"<h1>World Wide Web</h1>\n\nwithout any head")
    made.revisit(f"{SITE}/orphan", "sha1:NOSUCHDIGEST", f"{SITE}/void", "2020-01-01T00:00:00Z", "2026-03-06T12:00:00Z")
    with served(made.holdings()) as server:
        yield server


def _links(headers):
    found = {}
    for target, relations in re.findall(r'<([^>]*)>; rel="([^"]*)"', headers["link"]):
        for relation in relations.split():
            found.setdefault(relation, []).append(target)
    return found


def test_a_memento_names_its_time_and_its_neighbours(archive):
    status, headers, body = archive.get(f"/web/20260302120000/{SITE}/")
    assert (status, headers["memento-datetime"]) == (200, "Mon, 02 Mar 2026 12:00:00 GMT")
    links = _links(headers)
    web = f"{archive.replay}/web"
    assert links["original"] == [f"{SITE}/"]
    assert links["timegate"] == [f"{web}/{SITE}/"]
    assert links["timemap"] == [f"{web}/timemap/link/{SITE}/"]
    assert (links["first"], links["prev"]) == ([f"{web}/20260301120000/{SITE}/"],) * 2
    assert (links["next"], links["last"]) == ([f"{web}/20260303120000/{SITE}/"], [f"{web}/20260305120000/{SITE}/"])
    assert b"day 2" in body
    assert "vary" not in headers


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("20260302115959", "day 2"),
        ("20260303", "day 2"),
        ("20260303000001", "day 3"),
        ("1999", "day 1"),
        ("2030", "day 4"),
    ],
)
def test_the_closest_capture_is_shown(archive, asked, shown):
    _, headers, body = archive.get(f"/web/{asked}id_/{SITE}/")
    assert shown.encode() in body
    assert "x-archive-offset" in headers


def test_the_timegate_negotiates_in_the_200_style(archive):
    status, headers, body = archive.get(f"/web/{SITE}/", {"Accept-Datetime": "Tue, 03 Mar 2026 13:00:00 GMT"})
    assert (status, headers["memento-datetime"]) == (200, "Tue, 03 Mar 2026 12:00:00 GMT")
    assert "accept-datetime" in headers["vary"]
    assert headers["content-location"] == f"{archive.replay}/web/20260303120000/{SITE}/"
    assert b"day 3" in body
    _, headers, _ = archive.get(f"/web/{SITE}/")
    assert headers["memento-datetime"] == "Thu, 05 Mar 2026 12:00:00 GMT"
    assert archive.get(f"/web/{SITE}/", {"Accept-Datetime": "yesterday"})[0] == 400
    status, headers, _ = archive.get("/web/http://unknown.test/", {"Accept-Datetime": "Tue, 03 Mar 2026 13:00:00 GMT"})
    assert (status, _links(headers)["original"]) == (404, ["http://unknown.test/"])


def test_timemaps_come_in_three_forms(archive):
    status, headers, body = archive.get(f"/web/timemap/link/{SITE}/")
    assert (status, headers["content-type"].split(";")[0]) == (200, "application/link-format")
    assert len(re.findall(rb'rel="[a-z ]*memento"', body)) == 5
    assert b'rel="first memento"; datetime="Sun, 01 Mar 2026 12:00:00 GMT"' in body
    told = json.loads(archive.get(f"/web/timemap/json/{SITE}/")[2])
    assert len(told["mementos"]["list"]) == 5
    assert told["mementos"]["last"]["uri"] == f"{archive.replay}/web/20260305120000/{SITE}/"
    lines = archive.get(f"/timemap/cdxj/{SITE}/")[2].decode().splitlines()
    key, stamp, rest = lines[4].split(" ", 2)
    assert (len(lines), key, stamp, json.loads(rest)["mime"]) == (5, "test,site)/", "20260305120000", "warc/revisit")
    assert archive.get("/web/timemap/link/http://unknown.test/")[0] == 404
    assert archive.get(f"/web/timemap/rdf/{SITE}/")[0] == 404


def test_headers_of_the_past_do_not_act_today(archive):
    _, headers, _ = archive.get(f"/web/20260301120000mp_/{SITE}/")
    assert "set-cookie" not in headers and "strict-transport-security" not in headers
    assert headers["x-archive-orig-set-cookie"] == "a=b"
    assert headers["x-archive-orig-clear-site-data"] == '"*"'
    assert headers["x-archive-orig-service-worker-allowed"] == "/"
    assert headers["x-archive-orig-link"] == "<http://live.test/>; rel=preload"
    assert headers["content-language"] == "fr"
    assert "live.test" not in headers["link"]


@pytest.mark.parametrize(
    "path",
    [
        f"/web/20260301120000mp_/{SITE}/",
        "/_/replay.js",
        "/nowhere",
        "/web/2026/http://unknown.test/",
        "/cdx?url=x",
        "/healthz",
    ],
)
def test_the_policy_is_on_every_answer(archive, path):
    _, headers, _ = archive.get(path)
    csp = headers["content-security-policy"]
    for wanted in (
        "default-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "object-src 'none'",
        "base-uri 'self'",
    ):
        assert wanted in csp
    assert f"frame-ancestors 'self' {archive.interface}" in csp
    assert "ws:" not in csp and "sandbox" in csp and "allow-same-origin" not in csp
    assert headers["referrer-policy"] == "no-referrer"
    assert "cross-origin-resource-policy" in headers
    assert ("allow-scripts" in csp) == ("mp_" in path)


def test_cors_is_answered_for_opaque_origins_and_nobody_else(archive):
    path = f"/web/20260301120000mp_/{SITE}/"
    assert archive.get(path, {"Origin": "null"})[1]["access-control-allow-origin"] == "null"
    assert "access-control-allow-origin" not in archive.get(path, {"Origin": "http://evil.test"})[1]
    status, headers, _ = archive.get(
        path, {"Origin": "null", "Access-Control-Request-Headers": "x-a"}, method="OPTIONS"
    )
    assert (status, headers["access-control-allow-headers"]) == (204, "x-a")


def test_redirects_lead_into_the_archive(archive):
    status, headers, _ = archive.get(f"/web/20260302000000mp_/{SITE}/old")
    assert (status, headers["location"]) == (301, f"{archive.replay}/web/20260302000000mp_/{SITE}/new?a=1&b=2")
    assert "memento-datetime" in headers


def test_redirects_to_the_page_itself_are_passed_over(archive):
    status, _, body = archive.get("/web/20260302000000mp_/http://www.self.test/")
    assert (status, b"secure" in body) == (200, True)
    assert archive.get("/web/20260302000000id_/http://www.self.test/")[0] == 301
    assert archive.get("/web/20260302000000mp_/http://loop.test/")[0] == 404


def test_unmodified_payloads(archive):
    _, headers, body = archive.get(f"/web/20260301120000id_/{SITE}/packed")
    assert (gzip.decompress(body), headers["content-encoding"]) == (b"<a href=/x>packed</a>", "gzip")
    assert archive.get(f"/web/20260301120000id_/{SITE}/chunked")[2] == b"hello"
    assert archive.get(f"/web/20260302120000id_/{SITE}/")[2] == b"<p>day 2</p>"


def test_codings_and_charsets(archive):
    _, headers, body = archive.get(f"/web/20260301120000mp_/{SITE}/packed")
    assert "content-encoding" not in headers and b"/web/20260301120000mp_/http://site.test/x" in body
    _, headers, body = archive.get(f"/web/20260301120000im_/{SITE}/picture", {"Accept-Encoding": "gzip"})
    assert (headers["content-encoding"], gzip.decompress(body)) == ("gzip", b"picture")
    assert archive.get(f"/web/20260301120000im_/{SITE}/picture")[2] == b"picture"
    _, headers, body = archive.get(f"/web/20260301120000mp_/{SITE}/latin")
    assert body.endswith("<p>é".encode("latin-1")) and headers["content-type"] == "text/html; charset=iso-8859-1"


def test_ranges(archive):
    whole = bytes(range(256)) * 40
    path = f"/web/20260301120000im_/{SITE}/film"
    status, headers, body = archive.get(path, {"Range": "bytes=10-19"})
    assert (status, headers["content-range"], body) == (206, "bytes 10-19/10240", whole[10:20])
    assert archive.get(path, {"Range": "bytes=-5"})[2] == whole[-5:]
    status, headers, body = archive.get(path, {"Range": "bytes=0-"})  # asked by browsers to learn if they can seek
    assert (status, headers["content-range"], body) == (206, "bytes 0-10239/10240", whole)
    assert archive.get(path, {"Range": "bytes=99999-"})[0] == 416
    assert archive.get(path, {"Range": "bytes=0-1,5-6"})[0] == 200
    assert archive.get(path)[1]["accept-ranges"] == "bytes"
    assert archive.get(f"/web/20260301120000im_/{SITE}/picture", {"Range": "bytes=0-2"})[2] == b"pic"
    part = f"/web/20260301120000im_/{SITE}/part"
    assert archive.get(part)[1]["content-range"] == "bytes 100-109/1000"
    status, headers, body = archive.get(part, {"Range": "bytes=105-200"})
    assert (status, headers["content-range"], body) == (206, "bytes 105-109/1000", b"56789")
    assert archive.get(part, {"Range": "bytes=0-5"})[0] == 416


def test_ranges_of_bodies_too_large_to_be_held(archive, monkeypatch):
    monkeypatch.setattr("strandline.access.payload.IN_MEMORY", 8)
    whole = bytes(range(256)) * 40
    path = f"/web/20260301120000im_/{SITE}/film"
    status, headers, body = archive.get(path)
    assert (status, headers["content-length"], headers["accept-ranges"], body) == (200, "10240", "bytes", whole)
    status, headers, body = archive.get(path, {"Range": "bytes=1000-8999"})
    assert (status, headers["content-range"], headers["content-length"]) == (206, "bytes 1000-8999/10240", "8000")
    assert body == whole[1000:9000]
    assert archive.get(path, {"Range": "bytes=-5"})[2] == whole[-5:]
    status, headers, _ = archive.get(path, {"Range": "bytes=99999-"})
    assert (status, headers["content-range"]) == (416, "bytes */10240")
    status, headers, body = archive.get(path, {"Range": "bytes=0-9"}, method="HEAD")
    assert (status, headers["content-length"], body) == (206, "10", b"")
    part = f"/web/20260301120000im_/{SITE}/part"
    status, headers, body = archive.get(part)
    assert (status, headers["content-range"], body) == (206, "bytes 100-109/1000", b"0123456789")
    assert archive.get(part, {"Range": "bytes=105-200"})[2] == b"56789"
    status, headers, body = archive.get(f"/web/20260301120000im_/{SITE}/chunked", {"Range": "bytes=1-2"})
    assert (status, body, "accept-ranges" in headers) == (200, b"hello", False)  # only reading tells how long it is


def test_revisits_show_the_payload_they_refer_to(archive):
    assert archive.get(f"/web/20260305120000id_/{SITE}/")[2] == b"<p>day 4</p>"
    status, headers, body = archive.get(f"/web/20260306120000id_/{SITE}/copy")
    assert (status, body, headers["memento-datetime"]) == (200, b"<p>day 1</p>", "Fri, 06 Mar 2026 12:00:00 GMT")
    status, headers, body = archive.get(f"/web/20260307120000id_/{SITE}/same")
    assert (status, body, headers["content-type"]) == (200, b"<p>day 2</p>", "text/html; charset=utf-8")
    status, headers, body = archive.get(f"/web/20260306120000mp_/{SITE}/orphan")
    assert status == 404 and b"not in this archive" in body and "x-archive-lost" in headers


def test_a_redirect_to_nowhere_is_not_followed_for_ever(archive):
    status, headers, body = archive.get(f"/web/20260302000000mp_/{ODD}/blank")
    assert (status, "location" in headers, b"moved, somewhere" in body) == (302, False, True)


def test_an_answer_that_nothing_had_changed_shows_what_was_there_before(archive):
    status, headers, body = archive.get(f"/web/20260303000000id_/{ODD}/kept")
    assert (status, body, headers["memento-datetime"]) == (200, b"as before", "Tue, 03 Mar 2026 00:00:00 GMT")
    status, headers, body = archive.get(f"/web/20260303000000mp_/{ODD}/unkept")
    assert status == 404 and b"not in this archive" in body and "x-archive-lost" in headers


def test_answers_from_before_http_had_heads_are_shown(archive):
    status, _, body = archive.get(f"/web/2026id_/{ODD}/first-web")
    assert (status, body) == (200, b"<h1>World Wide Web</h1>\n\nwithout any head")
    assert b"replay.js" in archive.get(f"/web/2026mp_/{ODD}/first-web")[2]


def test_status_of_the_capture_is_the_status_of_the_answer(archive):
    status, headers, body = archive.get(f"/web/20260306000000mp_/{SITE}/gone")
    assert status == 404 and "memento-datetime" in headers and body.startswith(b"not here")


def test_the_bar_says_when_the_server_answered_with_an_error(archive):
    page = archive.get(f"/web/20260306000000/{SITE}/gone", {"Accept": "text/html"}, origin="interface")[2].decode()
    assert "the server answered 404" in page
    page = archive.get(f"/web/20260301120000/{SITE}/", {"Accept": "text/html"}, origin="interface")[2].decode()
    assert "the server answered" not in page


def test_parts_of_another_time_are_marked(archive):
    _, headers, _ = archive.get(f"/web/20260301120000im_/{SITE}/new?a=1&b=2")
    assert int(headers["x-archive-offset"]) > 86400 and headers["x-archive-anachronism"] == "1"


def test_head_and_post_and_other_methods(archive):
    status, headers, body = archive.get(f"/web/20260301120000id_/{SITE}/", method="HEAD")
    assert (status, headers["content-length"], body) == (200, "12", b"")
    assert archive.get(f"/web/20260301120000id_/{SITE}/", method="POST", body=b"a=b")[2] == b"<p>day 1</p>"
    assert archive.get(f"/web/20260301120000id_/{SITE}/", method="DELETE")[0] == 404
    assert archive.get(f"/web/20260301120000id_/{SITE}/", method="TRACE")[0] == 405


@pytest.mark.parametrize(
    "path", ["/web/ftp://x.test/", "/web/20261399000000/http://x.test/", "/web/http://u:p@x.test/", "/web/2026mp_/"]
)
def test_addresses_that_are_none(archive, path):
    assert archive.get(path)[0] in (400, 404)


def test_cdx_api(archive):
    def rows(query):
        return [json.loads(line) for line in archive.get(f"/cdx?{query}")[2].splitlines() if line]

    assert len(rows(f"url={SITE}/&output=json")) == 5
    assert [row["status"] for row in rows(f"url={SITE}/*&output=json&filter=!~status:200")] == [
        "404",
        "301",
        "206",
        "304",
    ]
    assert len(rows("url=*.test&output=json")) == len(rows("url=test&matchType=domain&output=json"))
    assert [row["timestamp"] for row in rows(f"url={SITE}/&output=json&from=20260302&to=20260303")] == [
        "20260302120000",
        "20260303120000",
    ]
    assert [row["timestamp"] for row in rows(f"url={SITE}/&output=json&sort=reverse&limit=1")] == ["20260305120000"]
    assert [row["timestamp"] for row in rows(f"url={SITE}/&output=json&limit=-1")] == ["20260305120000"]
    assert len(rows(f"url={SITE}/&output=json&collapse=timestamp:6")) == 1
    assert len(rows(f"url={SITE}/&output=json&collapse=digest")) == 4
    assert rows(f"url={SITE}/&output=json&fl=timestamp,status&limit=1") == [
        {"timestamp": "20260301120000", "status": "200"}
    ]
    assert archive.get(f"/cdx?url={SITE}/&output=text&fl=urlkey,status&limit=1")[2] == b"test,site)/ 200\n"
    assert rows(f"url={SITE}/&output=json&closest=20260303130000&limit=1")[0]["timestamp"] == "20260303120000"
    text = archive.get(f"/cdx?url={SITE}/&output=json&limit=2&showResumeKey=true")[2].decode()
    more = text.strip().splitlines()[-1]
    assert [row["timestamp"][:8] for row in rows(f"url={SITE}/&output=json&resumeKey={more}")] == [
        "20260303",
        "20260304",
        "20260305",
    ]
    for end in ("9999", "99991231", "99991231235959", "99991231235959999"):
        assert len(rows(f"url={SITE}/&output=json&to={end}")) == len(rows(f"url={SITE}/&output=json"))
    for bad in (
        "",
        "url=",
        "url=x&output=xml",
        "url=x&from=y",
        "url=x&filter=status",
        "url=x&filter=~status:(a%2B)%2B$",
        "url=x&matchType=y",
        "url=x&limit=z",
        "url=x&resumeKey=z",
    ):
        assert archive.get(f"/cdx?{bad}")[0] == 400
