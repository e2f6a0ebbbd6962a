"""Requests of a replayed page, answered without a server: what is captured, what is missing, what is none of ours."""

from strandline.access.replay_requests import ORIGIN, ReplayRequests
from strandline.core.request_keys import keyed, method_query
from strandline.core.shown import PageRequest
from web.archives import Builder

SITE = "https://site.test"
STAMP = "20260301120000"
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


def request(path, method="GET", headers=(), body=b"", kind="XHR"):
    return PageRequest(1, 1, path if "://" in path[:8] else ORIGIN + path, method, headers, body, kind)


def requests(tmp_path):
    made = Builder(tmp_path)
    made.add(f"{SITE}/", "<p>page</p><script>location.href</script>", headers=[("Set-Cookie", "a=b")])
    made.add(keyed(f"{SITE}/api", method_query("POST", FORM[0][1], b"a=1")), "posted", "text/plain")
    return ReplayRequests(made.holdings())


def test_pages_are_rewritten_and_confined(tmp_path):
    address, answer = requests(tmp_path).page(f"{SITE}/", 1772366400.0)
    assert address == f"{ORIGIN}/web/{STAMP}mp_/{SITE}/"
    assert b"__replay_location" in answer.body
    headers = dict(answer.headers)
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "set-cookie" not in headers


def test_bodies_decide_and_what_is_missing_is_noted(tmp_path):
    found = requests(tmp_path)
    api = f"/web/{STAMP}im_/{SITE}/api"
    assert found.answer(request(api, "POST", FORM, b"a=1")).body == b"posted"
    assert found.answer(request(api, "POST", FORM, b"a=2")).status == 404
    assert found.missing == {f"{SITE}/api?__wb_method=POST&a=2": "not captured"}
    assert found.answer(request("/elsewhere")).status == 404
    assert len(found.missing) == 2
    assert found.answer(request("/favicon.ico")).status == 404
    assert len(found.missing) == 2
    assert found.outside == []


def test_what_is_not_the_archive_is_told_apart(tmp_path):
    found = requests(tmp_path)
    assert found.answer(request("https://live.test/")) is None
    assert found.outside == ["https://live.test/"]
    assert b"__replay_ready" in found.answer(request("/_/replay.js")).body
    assert found.answer(request("/web/", "OPTIONS")).status == 204
