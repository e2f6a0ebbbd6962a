"""Requests of a page: its own document is answered, what is beyond the bounds refused, the rest handed over once."""

import base64
import json

from strandline.browser.load_bounds import Bounds
from strandline.browser.page_requests import PageRequests
from strandline.core.shown import PageAnswer, PageLoad

PAGE = PageLoad(1, "https://a.example/page", 200, (("Content-Type", "text/html"),), b"<p>")


class Pipe:
    """Writes down what is told."""

    def __init__(self):
        self.told = []

    def tell(self, method, session="", **values):
        self.told.append((method, values))

    def fulfil(self, session, request, status, headers, body):
        self.told.append(("fulfil", {"requestId": request, "status": status, "body": body}))


def requests(**bounds):
    pipe = Pipe()
    made = PageRequests(PAGE, pipe, Bounds(**{"idle": 0.0, **bounds}), lambda: 10.0)
    made.main = ("s", "f")
    return made, pipe


def paused(url, kind="XHR", method="GET", frame="f", **request):
    asked = {"url": url, "method": method, "headers": {"Accept": "*/*"}, **request}
    return {"requestId": "r", "request": asked, "resourceType": kind, "frameId": frame}


def test_the_page_itself_is_given_its_answer_a_few_times():
    made, pipe = requests()
    for _ in range(5):
        assert made.paused("s", paused(PAGE.url + "#top", "Document"), 1) is None
    assert [values["status"] for _, values in pipe.told] == [200, 200, 200, 204, 204]
    assert not made.moved


def test_where_it_sends_itself_is_noted_and_a_frame_may_load():
    made, pipe = requests()
    assert made.paused("s", paused("https://b.example/", "Document"), 1) is None
    assert made.moved == "https://b.example/"
    request, _ = made.paused("s", paused("https://c.example/", "Document", frame="other"), 2)
    assert request.url == "https://c.example/"
    assert pipe.told[0][1]["status"] == 204


def test_requests_beyond_the_bounds_are_refused():
    made, pipe = requests(requests=2)
    numbers = [made.paused("s", paused(f"https://a.example/{n}"), n) for n in range(4)]
    assert [found is not None for found in numbers] == [True, True, False, False]
    assert made.beyond() == "cut after 2 requests"
    assert made.refused == 2
    assert [method for method, _ in pipe.told] == ["Fetch.failRequest"] * 2
    made, _ = requests(octets=1 << 20)
    _, held = made.paused("s", paused("https://a.example/x"), 1)
    made.answer(1, held, PageAnswer(200, (), bytes(1 << 20)))
    assert made.beyond() == "cut after 1 MiB"


def test_bodies_come_whole_and_answers_are_listed_by_their_key():
    made, pipe = requests()
    entries = [{"bytes": base64.b64encode(part).decode()} for part in (b'{"a":', b"1}")]
    sent = {"hasPostData": True, "postDataEntries": entries, "headers": {"Content-Type": "application/json"}}
    request, held = made.paused("s", paused("https://a.example/api", method="POST", **sent), 1)
    assert request.body == b'{"a":1}'
    assert made.open
    assert not made.quiet()
    made.answer(1, held, PageAnswer(201, (("content-type", "application/json; charset=x"),), b"{}"))
    assert made.quiet()
    told = {"type": "xhr", "status": 201, "mime": "application/json", "method": "POST"}
    assert made.told() == {"https://a.example/api?__wb_method=POST&a=1": told}
    json.dumps(made.told())
    assert pipe.told[-1][0] == "fulfil"


def test_streams_are_told_apart_and_pings_not_waited_for():
    made, _ = requests()
    stream, _ = made.paused("s", paused("https://a.example/s", headers={"Accept": "text/event-stream"}), 1)
    assert stream.type == "EventSource"
    made, _ = requests()
    made.paused("s", paused("https://a.example/p", "Ping", "POST"), 1)
    assert made.quiet()


def test_what_is_not_of_the_web_goes_on_by_itself():
    made, pipe = requests()
    assert made.paused("s", paused("blob:https://a.example/1"), 1) is None
    assert pipe.told == [("Fetch.continueRequest", {"requestId": "r"})]
